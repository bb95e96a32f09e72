"""Patients of an invented hospital, with what makes real tables hard to publish.

There is an identifier, dates, postcodes that begin with a zero, decimals, missing values, a
sensitive diagnosis and a class to predict: whether the patient came back within 30 days.
"""

import numpy as np

from privet.datasets.sampling import (
    Block,
    Choice,
    Drawn,
    assemble,
    categories,
    check_size,
    integers,
    tenths,
    to_codes,
)
from privet.schema import Kind
from privet.table import Coded, Domain, Table, code_type

_FIRST_BIRTH, _LAST_BIRTH, _FIRST_ADMISSION, _LAST_ADMISSION = (
    np.array(["1925-01-01", "2006-12-31", "2023-01-01", "2024-12-31"], "datetime64[D]")
    .astype(np.int64)
    .tolist()
)
_BMI = tenths(140, 550, missing=True)
_PREVIOUS = integers(0, 8)
_STAY = integers(1, 60)
_POSTCODES = categories(
    *("01067", "01099", "01127", "01159", "01187", "01219", "01257", "01279", "01307", "01326"),
    *("04103", "04109", "04155", "04177", "10115", "10243", "10405", "10551"),
    missing=True,
)
_DOMAINS = {
    "birth_date": Domain(Kind.DATE, np.arange(_FIRST_BIRTH, _LAST_BIRTH + 1)),
    "admission_date": Domain(Kind.DATE, np.arange(_FIRST_ADMISSION, _LAST_ADMISSION + 1)),
    "postcode": _POSTCODES,
    "sex": categories("female", "male"),
    "bmi": _BMI,
    "previous_admissions": _PREVIOUS,
    "stay_days": _STAY,
    "diagnosis": categories(
        *("asthma", "cancer", "depression", "diabetes", "fracture", "heart failure", "hiv"),
        *("pneumonia", "stroke"),
    ),
    "readmitted": categories("no", "yes"),
}

_POSTCODE = Choice([9, 8, 7, 7, 6, 6, 6, 5, 5, 4, 6, 5, 4, 4, 5, 4, 4, 3, 2])  # the last: missing
_SEX = Choice([53, 47])
_BMI_IS_MISSING = 0.06

# One row for each of three ages: under 45, under 70, older.
_DIAGNOSIS = Choice(
    [
        [14, 6, 20, 9, 26, 2, 6, 15, 2],
        [8, 18, 9, 18, 14, 12, 2, 11, 8],
        [8, 34, 8, 26, 34, 40, 1, 26, 24],
    ]
)
_PREVIOUS_LAW = Choice(
    [
        [70, 18, 7, 3, 1, 1, 0, 0, 0],
        [50, 24, 12, 7, 4, 2, 1, 0, 0],
        [30, 25, 18, 12, 7, 4, 2, 1, 1],
    ]
)
_TYPICAL_STAY = np.array([3.0, 9.0, 12.0, 5.0, 6.0, 9.0, 7.0, 7.0, 12.0])  # days, by diagnosis
_OF_DIAGNOSIS = np.array([-0.3, 0.5, 0.1, 0.2, -0.8, 0.9, 0.2, 0.0, 0.3])  # logits of coming back

_IDS = 10**8
_ID_STEP = 48_271_903  # prime to _IDS, so that no two patients share an id


def hospital(n: int, seed: int = 0) -> Table:
    """Patients: identifier `patient_id`, sensitive `diagnosis`, target `readmitted`."""
    check_size(n)
    drawn = assemble("hospital", n, seed, _DOMAINS, _draw)
    return Table({"patient_id": _patient_ids(n), **{name: drawn[name] for name in drawn}})


def _patient_ids(n: int) -> Coded:
    numbers = np.arange(n, dtype=np.int64) % _IDS * _ID_STEP % _IDS
    distinct, codes = np.unique(numbers, return_inverse=True)
    labels = np.array([f"P{number:08d}" for number in distinct.tolist()], dtype=object)
    return Coded(Domain(Kind.CATEGORY, labels), codes.astype(code_type(len(labels))))


def _draw(block: Block) -> dict[str, Drawn]:
    u = block.uniform
    admission = (u("admission_date") * (_LAST_ADMISSION + 1 - _FIRST_ADMISSION)).astype(np.int64)
    years = np.clip(58.0 + 17.0 * block.bell("age"), 18.1, 97.9)
    birth = _FIRST_ADMISSION + admission - (years * 365.25).astype(np.int64)
    age_band = np.searchsorted([45.0, 70.0], years)
    bmi = np.exp(3.28 + 0.17 * block.bell("bmi"))
    previous = _PREVIOUS_LAW.draw(u("previous_admissions"), age_band)
    diagnosis = _DIAGNOSIS.draw(u("diagnosis"), age_band)
    stay = np.ceil(-np.log1p(-u("stay_days")) * _TYPICAL_STAY[diagnosis])
    score = (
        -3.0
        + 1.7 * (previous >= 2)
        + 0.9 * (previous >= 4)
        + 1.4 * (stay > 14)
        + 1.3 * (years > 72.0)
        + 1.6 * (bmi > 31.0)
        + _OF_DIAGNOSIS[diagnosis]
    )
    bmi_codes = to_codes(bmi, _BMI)
    bmi_codes[u("bmi is missing") < _BMI_IS_MISSING] = len(_BMI.values)
    return {
        "birth_date": np.clip(birth, _FIRST_BIRTH, _LAST_BIRTH) - _FIRST_BIRTH,
        "admission_date": admission,
        "postcode": _POSTCODE.draw(u("postcode")),
        "sex": _SEX.draw(u("sex")),
        "bmi": bmi_codes,
        "previous_admissions": previous,
        "stay_days": to_codes(stay, _STAY),
        "diagnosis": diagnosis,
        "readmitted": (u("readmitted") * (1.0 + np.exp(-score)) < 1.0).astype(np.int64),
    }
