"""Printed results of WEKA, rpart and scikit-learn: decoded rightly or still masked, never a lie.

The texts in `captured` were printed by the programs (`captured/make.py`); where WEKA is installed,
other tables are masked and mined anew.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from captured.make import MASKED, SCHEMES, mask_people, people, weka

from oracles.masked_cuts import compared_tests, is_true
from privet.errors import UsageError
from privet.files import frame_of, read_table
from privet.parties import Codebook, Outcome, decode_text
from privet.schema import Kind
from privet.table import Table
from privet.tree.foreign.programs import java, weka_jar

CAPTURED = Path(__file__).parent / "captured"
DECIMALS = {"J48": 6, "PART": 6, "JRip": 6, "REPTree": 2, "REPTree-numbers": 2, "RandomTree": 2}
DECIMALS |= {
    "Ridor": 6,
    "ADTree": 3,
    "rpart": 6,
    "DecisionStump": 12,
}  # zeros at the end are left out
FORMS = sorted(path.stem for path in CAPTURED.glob("*.txt"))
UNKNOWN_FORMS = {"Density": {"age", "dose", "sex", "drug", "cost"}, "Logistic": {"sex"}}
UNKNOWN_FORMS["SMO"] = {"age", "dose", "sex", "cost"}


@pytest.fixture(scope="module")
def original() -> Table:
    return read_table(CAPTURED / "people.csv")


@pytest.fixture(scope="module")
def book() -> Codebook:
    return Codebook.read(CAPTURED / "codebook.json")


def captured(name: str) -> str:
    return (CAPTURED / f"{name}.txt").read_text()


def decoded(text: str, book: Codebook) -> Outcome[str]:
    return decode_text(text, book, maskings=book.identities)


def columns(table: Table, codebook: Codebook) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Masked and clear numbers of each masked number column, row by row."""
    masked = mask_people(table, codebook=codebook, seed=None).table
    clear = frame_of(decode_rows(masked, codebook), "lists")
    hidden = frame_of(masked, "lists")
    names = [n for n in MASKED if table[n].domain.kind in (Kind.INTEGER, Kind.DECIMAL)]
    return {n: (np.array(hidden[f"H_{n}"], float), np.array(clear[n], float)) for n in names}


def decode_rows(masked: Table, codebook: Codebook) -> Table:
    from privet.parties import decode_table

    return decode_table(masked, codebook, maskings=codebook.identities).result


def check(name: str, text: str, read: Outcome[str], table: Table, codebook: Codebook) -> int:
    """How many tests of numbers were looked at; each must be true."""
    rows = columns(table, codebook)
    for masked_name in read.undecoded:
        assert read.result.count(masked_name) == text.count(masked_name)
    for column in MASKED:
        if f"H_{column}" not in read.undecoded:
            assert not re.search(rf"\bH_{column}\b", read.result)
    pairs = compared_tests(text, read.result)
    for old, new in pairs:
        masked, clear = rows[old[1]]
        assert is_true(old, new, masked, clear, DECIMALS.get(name)), (old[0], new[0])
    hidden = {name.removeprefix("H_") for name in read.undecoded}
    asked = re.findall(r"H_(\w+?)\s*(?:<=|>=|<|>)\s*\d", text)
    assert len(pairs) == sum(c in rows and c not in hidden for c in asked)
    return len(pairs)


@pytest.mark.parametrize("name", FORMS)
def test_what_is_decoded_is_true_and_the_rest_is_masked(
    name: str, original: Table, book: Codebook
) -> None:
    text = captured(name)
    read = decoded(text, book)
    assert {n.removeprefix("H_") for n in read.undecoded} == UNKNOWN_FORMS.get(name, set())
    looked_at = check(name, text, read, original, book)
    if name in ("J48", "PART", "JRip", "REPTree", "RandomTree", "ADTree", "rpart", "Ridor"):
        assert looked_at >= 2


@pytest.mark.parametrize("name", FORMS)
def test_unequal_groups_keep_their_mask_where_means_are_printed(name: str, original: Table) -> None:
    """The same texts read with masks that are not affine: cuts decode, means and models do not."""
    bounds = {"age": [0, 30, 45, 200], "dose": [0, 3, 9, 80], "cost": [0, 300, 900, 4000]}
    codebook = mask_people(original, bounds=bounds).codebook
    read = decoded(captured(name), codebook)
    prints_means = ("NaiveBayes", "SimpleKMeans", "EM", "LinearRegression", "M5P", "Logistic")
    if name in prints_means or name == "DecisionTable-numbers":
        hidden = {n for n in ("age", "dose", "cost") if f"H_{n}" in captured(name)}
        if name == "DecisionTable-numbers":
            hidden = {"cost"}
        assert {f"H_{n}" for n in hidden} <= read.undecoded.keys()


def near(text: str, truth: float) -> bool:
    """Whether a printed figure is the truth, rounded to its digits."""
    decimals = len(text.partition(".")[2])
    return abs(float(text) - truth) <= 0.5 * 10**-decimals + 1e-9


def test_centroids_are_the_means_of_the_clear_columns(original: Table, book: Codebook) -> None:
    read = decoded(captured("SimpleKMeans"), book)
    cells = frame_of(original, "lists")
    for column in ("age", "dose", "cost"):
        mean, spread = np.mean(cells[column]), np.std(cells[column], ddof=1)
        row = re.search(rf"^{column} +(\S+).*\n +\+/-(\S+)", read.result, re.MULTILINE)
        assert row
        assert near(row[1], float(mean))
        assert near(row[2], float(spread))


def test_naive_bayes_is_decoded_by_means_and_spreads(original: Table, book: Codebook) -> None:
    """WEKA rounds values to a grid before it takes means, so they are near, not equal."""
    read = decoded(captured("NaiveBayes"), book)
    cells = {name: np.array(column) for name, column in frame_of(original, "lists").items()}
    for column, step in (("age", 1.0), ("dose", 0.2), ("cost", 10.0)):
        block = re.search(
            rf"^{column}\n +mean +(\S+) +(\S+)\n +std\. dev\. +(\S+)", read.result, re.M
        )
        assert block
        for place, label in enumerate(("no", "yes"), start=1):
            mean = cells[column][cells["ill"] == label].mean()
            assert abs(float(block[place]) - mean) <= step
        spread = cells[column][cells["ill"] == "no"].std()
        assert abs(float(block[3]) - spread) <= 3 * step
    assert re.search(r"^sex\n  [fm] +\d+\.\d +\d+\.\d\n", read.result, re.MULTILINE)


@pytest.mark.parametrize("name", ["LinearRegression", "M5P"])
def test_a_linear_model_predicts_as_before(name: str, original: Table, book: Codebook) -> None:
    """The decoded formula on clear rows = the decoded prediction of the masked formula."""
    text = captured(name)
    read = decoded(text, book)
    masked = mask_people(original, codebook=book, seed=None).table
    before = _predict(text, frame_of(masked, "lists"), "H_cost")
    after = _predict(read.result, frame_of(decode_rows(masked, book), "lists"), "cost")
    mask = book.columns["cost"]
    start, width = mask.grading.affine()  # type: ignore[union-attr]
    assert np.allclose(after, float(start) + float(width) * before, rtol=0, atol=1e-6)


def _predict(text: str, cells: dict[str, list[object]], target: str) -> np.ndarray:
    lines = text.partition(f"{target} =")[2].splitlines()
    total = np.zeros(len(cells["ill"]))
    for line in lines:
        term = re.fullmatch(r"\s*([+-]?\s*[\d.]+)(?: \* (\S+))?(?: \+)?\s*", line)
        if not term:
            if line.strip():
                break
            continue
        number = float(term[1].replace(" ", ""))
        if not term[2]:
            return np.asarray(total + number)
        name, equals, labels = term[2].partition("=")
        column = np.array(cells[name])
        total += number * (np.isin(column, labels.split(",")) if equals else column.astype(float))
    raise AssertionError("a formula ends with its constant")


def test_odds_of_a_logistic_model_are_those_of_the_clear_columns(
    original: Table, book: Codebook
) -> None:
    """The log odds differ from the masked model's by the coefficients' rounding alone."""
    text = captured("Logistic")
    read = decoded(text, book)
    masked = mask_people(original, codebook=book, seed=None).table
    clear = frame_of(decode_rows(masked, book), "lists")
    hidden = frame_of(masked, "lists")
    names = ("age", "dose")
    for place in (0, 1):
        before = _coefficients(text, [f"H_{n}" for n in names], place)
        after = _coefficients(read.result, list(names), place)
        old = sum(before[f"H_{n}"] * np.array(hidden[f"H_{n}"]) for n in names)
        new = sum(after[n] * np.array(clear[n]) for n in names)
        assert np.allclose(old + before["Intercept"], new + after["Intercept"], atol=1e-9)
    assert "H_sex" in read.result  # WEKA gives two labels one coefficient, and names neither


def _coefficients(text: str, names: list[str], place: int) -> dict[str, float]:
    found = {}
    for name in [*names, "Intercept"]:
        row = re.search(rf"^{name} +(\S.*)$", text.partition("Odds Ratios")[0], re.MULTILINE)
        assert row
        found[name] = float(row[1].split()[place])
    return found


def test_intervals_of_a_decision_table(original: Table, book: Codebook) -> None:
    read = decoded(captured("DecisionTable-numbers"), book)
    ages = set(frame_of(original, "lists")["age"])
    named = re.findall(r"'\((\S+)-(\S+)[\])]'", read.result)
    assert named
    ends = {end for pair in named for end in pair} - {"-inf", "inf"}
    assert {int(end) for end in ends if "." not in end} <= ages


def weka_or_skip() -> None:
    try:
        java(), weka_jar()
    except UsageError:
        pytest.skip("WEKA is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("seed", [11, 12])
def test_what_weka_says_of_other_tables(name: str, seed: int) -> None:
    weka_or_skip()
    table = people(150, seed)
    masked = mask_people(table, seed=seed)
    text = weka(name, masked.table)
    check(name, text, decoded(text, masked.codebook), table, masked.codebook)
