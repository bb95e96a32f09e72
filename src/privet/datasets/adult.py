"""A table shaped like the 1994 census income data ("Adult").

Shares are rounded ones of that public table: each column is drawn given one or two earlier ones
(sex and age give the relationship, education and sex the occupation, ...), and income from a
logistic score of all of them. Gains and losses follow income. No record of the original is in here.
"""

import numpy as np

from privet.datasets.sampling import (
    Block,
    Choice,
    Drawn,
    assemble,
    bands,
    categories,
    integers,
    law_of_quantiles,
)
from privet.schema import Kind
from privet.table import Domain, Table

_AGES, _HOURS = (17, 90), (1, 99)
_SMALL_GAIN = 5100
_GAINS = sorted(
    {0, *range(114, _SMALL_GAIN, 53), 5178, 7298, 7688, 8614, 9386, 10520, 13550, 14084, 14344}
    | {15024, 20051, 25236, 27828, 34095, 41310, 99999}
)
_LOSSES = sorted({0, *range(155, 4400, 61), 1485, 1848, 1887, 1902, 1977, 2415})


def _amounts(amounts: list[int]) -> Domain:
    return Domain(Kind.INTEGER, np.array(amounts, dtype=np.int64))


_DOMAINS = {
    "age": integers(*_AGES),
    "workclass": categories(
        *("Federal-gov", "Local-gov", "Private", "Self-emp-inc", "Self-emp-not-inc", "State-gov"),
        "Without-pay",
        missing=True,
    ),
    "education_num": integers(1, 16),
    "marital_status": categories(
        *("Divorced", "Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent"),
        *("Never-married", "Separated", "Widowed"),
    ),
    "occupation": categories(
        *("Adm-clerical", "Armed-Forces", "Craft-repair", "Exec-managerial", "Farming-fishing"),
        *("Handlers-cleaners", "Machine-op-inspct", "Other-service", "Priv-house-serv"),
        *("Prof-specialty", "Protective-serv", "Sales", "Tech-support", "Transport-moving"),
        missing=True,
    ),
    "relationship": categories(
        "Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried", "Wife"
    ),
    "race": categories("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"),
    "sex": categories("Female", "Male"),
    "capital_gain": _amounts(_GAINS),
    "capital_loss": _amounts(_LOSSES),
    "hours_per_week": integers(*_HOURS),
    "income": categories("<=50K", ">50K"),
}

_AGE = Choice(
    law_of_quantiles(
        [0, 0.012, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 1],
        [17, 18, 19.9, 22.4, 28.5, 37.5, 48.5, 58.6, 64, 75, 91],
        *_AGES,
    )
)
_AGE_BAND = bands(*_AGES, 22, 27, 35, 50, 62)
_SEX = Choice([33, 67])
_RACE = Choice([10, 32, 96, 8, 854])

# One row for each sex and age band (women first, young first), in per cent.
_RELATIONSHIP = Choice(
    [
        [0, 20, 5, 68, 5, 2],
        [0, 39, 5, 31, 14, 11],
        [0, 37, 3, 13, 28, 19],
        [0, 33, 3, 6, 37, 21],
        [0, 47, 4, 3, 29, 17],
        [0, 65, 6, 2, 18, 9],
        [6, 17, 6, 69, 2, 0],
        [30, 33, 5, 28, 4, 0],
        [59, 25, 3, 9, 4, 0],
        [74, 18, 1, 3, 4, 0],
        [82, 13, 1, 1, 3, 0],
        [81, 15, 1, 0, 3, 0],
    ]
)

# One row for each relationship, in per mille.
_MARITAL = Choice(
    [
        [0, 1, 999, 0, 0, 0, 0],
        [289, 0, 0, 25, 569, 51, 66],
        [112, 1, 126, 32, 624, 56, 49],
        [65, 0, 19, 9, 884, 20, 3],
        [465, 0, 0, 38, 255, 131, 111],
        [0, 8, 992, 0, 0, 0, 0],
    ]
)

# One row for each age band: years of schooling from 1 to 16, in per mille.
_EDUCATION = Choice(
    [
        [1, 2, 7, 8, 18, 62, 117, 41, 288, 396, 18, 16, 24, 1, 0, 0],
        [2, 4, 12, 11, 13, 20, 29, 12, 309, 244, 41, 39, 235, 24, 5, 1],
        [1, 4, 7, 13, 13, 23, 27, 11, 346, 200, 54, 40, 191, 44, 16, 10],
        [1, 4, 9, 15, 12, 18, 21, 7, 314, 200, 50, 39, 188, 78, 27, 16],
        [3, 10, 15, 39, 23, 38, 25, 11, 345, 178, 34, 23, 137, 76, 21, 23],
        [4, 15, 21, 72, 29, 42, 38, 7, 330, 160, 30, 15, 129, 51, 28, 29],
    ]
)
_EDUCATION_BAND = bands(1, 16, 8, 9, 10, 12, 13)

# One row for each sex and education band, in per mille; the last column is missing.
_OCCUPATION = Choice(
    [
        [83, 0, 26, 21, 13, 29, 131, 331, 49, 16, 5, 145, 7, 8, 138],
        [286, 0, 30, 78, 6, 26, 80, 214, 14, 29, 6, 124, 17, 15, 73],
        [322, 0, 17, 105, 7, 10, 26, 155, 6, 61, 10, 138, 41, 7, 95],
        [280, 0, 22, 119, 3, 7, 18, 121, 5, 181, 8, 79, 86, 7, 64],
        [165, 0, 9, 205, 2, 2, 9, 49, 3, 358, 9, 101, 46, 1, 41],
        [45, 0, 4, 179, 0, 0, 4, 18, 1, 668, 0, 36, 15, 0, 28],
        [23, 0, 222, 27, 82, 118, 109, 136, 1, 12, 10, 55, 4, 115, 85],
        [56, 1, 256, 76, 54, 73, 106, 78, 0, 19, 27, 91, 14, 109, 40],
        [84, 0, 183, 130, 34, 54, 53, 77, 0, 58, 39, 139, 35, 58, 56],
        [67, 0, 227, 121, 41, 30, 52, 54, 1, 92, 49, 116, 79, 40, 32],
        [64, 0, 57, 278, 20, 12, 15, 27, 1, 245, 23, 173, 41, 16, 28],
        [25, 1, 14, 240, 8, 3, 4, 6, 0, 571, 8, 67, 18, 7, 31],
    ]
)

# One row for each occupation; where the occupation is missing, so is the work class.
_WORKCLASS = Choice(
    [
        [80, 80, 750, 10, 10, 70, 1, 0],
        [100, 0, 0, 0, 0, 0, 0, 0],
        [2, 4, 78, 3, 13, 1, 0, 0],
        [4, 5, 66, 10, 10, 5, 0, 0],
        [10, 30, 460, 50, 430, 20, 6, 0],
        [20, 30, 930, 0, 10, 10, 1, 0],
        [1, 1, 96, 1, 2, 1, 0, 0],
        [1, 6, 83, 1, 5, 4, 0, 0],
        [0, 0, 100, 0, 0, 0, 0, 0],
        [4, 17, 56, 4, 9, 10, 0, 0],
        [4, 47, 29, 1, 1, 18, 0, 0],
        [0, 0, 81, 8, 11, 0, 0, 0],
        [7, 4, 79, 0, 3, 6, 0, 0],
        [20, 70, 790, 20, 80, 30, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 1],
    ]
)

# Young, women, men, old: who works how long. Round numbers are told more often than they are true.
_HOURS_LAW = Choice(
    np.array([4.0 if hours % 5 == 0 and hours != 40 else 1.0 for hours in range(1, 100)])
    * np.array(
        [
            law_of_quantiles(levels, values, *_HOURS)
            for levels, values in [
                ([0, 0.05, 0.25, 0.55, 0.56, 0.90, 1], [2, 10, 20, 39, 40, 40.5, 75]),
                ([0, 0.05, 0.10, 0.25, 0.32, 0.80, 0.90, 1], [2, 18, 25, 36, 40, 40.5, 50, 99]),
                ([0, 0.05, 0.12, 0.15, 0.62, 0.90, 0.95, 1], [2, 30, 39, 40, 40.5, 58, 65, 99]),
                ([0, 0.05, 0.10, 0.25, 0.48, 0.80, 0.95, 1], [1, 6, 10, 19, 40, 40.5, 60, 99]),
            ]
        ]
    )
)
_HOURS_GROUP = np.array([[0, 1, 1, 1, 1, 3], [0, 2, 2, 2, 2, 3]]).ravel()  # by sex and age band

# Logits of income above 50K.
_OF_RELATIONSHIP = np.array([0.0, -2.45, -2.85, -3.2, -2.65, 0.25])
_OF_EDUCATION = np.array([-4, -2.6, -2.2, -2, -2, -1.7, -1.7, -1.2, -0.75, -0.3, -0.15, 0, 0.75])
_OF_EDUCATION = np.append(_OF_EDUCATION, [1.15, 1.75, 1.8])
_OF_AGE = np.array([-2.6, -1.1, -0.25, 0.4, 0.35, -0.5])
_OF_OCCUPATION = np.array(
    [0.1, 0, 0, 0.75, -1, -0.6, -0.25, -0.8, -2, 0.4, 0.4, 0.25, 0.5, -0.1, -0.7]
)
_OF_HOURS = np.array([-0.8, -0.6, -0.1, 0.3, 0.5, 0.3])
_HOURS_BAND = bands(*_HOURS, 20, 34, 40, 49, 59)
_INTERCEPT = -0.15


def _money(amounts: list[int], shares: list[float], favourites: list[dict[int, float]]) -> Choice:
    """A law of gains or losses for each income: mostly none, and some favourites."""
    some = np.array([float(0 < a < _SMALL_GAIN) for a in amounts])
    rows = []
    for share, favoured in zip(shares, favourites, strict=True):
        row = some / some.sum() * (1 - sum(favoured.values()))
        row += np.array([favoured.get(a, 0.0) for a in amounts])
        rows.append(np.where(np.array(amounts) == 0, 1 - share, share * row))
    return Choice(np.array(rows))


# By income, low first. Large gains are nearly always told by people with a high income.
_GAIN_LAW = _money(
    _GAINS,
    [0.042, 0.214],
    [
        {7688: 0.01, 10520: 0.005, 34095: 0.005, 41310: 0.002},
        {5178: 0.058, 7298: 0.15, 7688: 0.17, 8614: 0.033, 9386: 0.013, 10520: 0.026, 13550: 0.016}
        | {14084: 0.025, 14344: 0.016, 15024: 0.21, 20051: 0.022, 25236: 0.007, 27828: 0.02}
        | {99999: 0.095},
    ],
)
_LOSS_LAW = _money(
    _LOSSES,
    [0.030, 0.099],
    [{1485: 0.04, 1887: 0.01}, {1485: 0.04, 1848: 0.06, 1887: 0.19, 1902: 0.25, 1977: 0.21}],
)


def adult_like(n: int, seed: int = 0) -> Table:
    """People of a census with their income class: 12 columns, target `income`."""
    return assemble("adult", n, seed, _DOMAINS, _draw)


def _draw(block: Block) -> dict[str, Drawn]:
    u = block.uniform
    age = _AGE.draw(u("age"))
    band = _AGE_BAND[age]
    sex = _SEX.draw(u("sex"))
    group = sex * 6 + band
    relationship = _RELATIONSHIP.draw(u("relationship"), group)
    education = _EDUCATION.draw(u("education_num"), band)
    occupation = _OCCUPATION.draw(u("occupation"), sex * 6 + _EDUCATION_BAND[education])
    hours = _HOURS_LAW.draw(u("hours_per_week"), _HOURS_GROUP[group])
    score = (
        _INTERCEPT
        + _OF_RELATIONSHIP[relationship]
        + _OF_EDUCATION[education]
        + _OF_AGE[band]
        + _OF_OCCUPATION[occupation]
        + _OF_HOURS[_HOURS_BAND[hours]]
    )
    income = (u("income") * (1.0 + np.exp(-score)) < 1.0).astype(np.int64)
    return {
        "age": age,
        "workclass": _WORKCLASS.draw(u("workclass"), occupation),
        "education_num": education,
        "marital_status": _MARITAL.draw(u("marital_status"), relationship),
        "occupation": occupation,
        "relationship": relationship,
        "race": _RACE.draw(u("race")),
        "sex": sex,
        "capital_gain": _GAIN_LAW.draw(u("capital_gain"), income),
        "capital_loss": _LOSS_LAW.draw(u("capital_loss"), income),
        "hours_per_week": hours,
        "income": income,
    }
