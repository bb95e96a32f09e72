"""A printed cut is an interval: what is decoded holds for the true cut, or says that it may not."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.files import table_of
from privet.parties import Codebook, Outcome, ProjectKey, decode_text, mask
from privet.parties.number_mask import NumberMask
from privet.parties.printed.numbers import certain_text, exact_text, printed

KEY = ProjectKey("test", b"k" * 32)
NUMBER = r"-?\d+(?:\.\d+)?"
ROUGH = "[more decimals needed]"


def masked_column(values: list[Any], **choices: Any) -> Codebook:
    cells = {"id": list(range(len(values))), "age": values}
    return mask(table_of(cells), key="id", sensitive=["age"], project_key=KEY, **choices).codebook


def read(text: str, book: Codebook) -> Outcome[str]:
    return decode_text(text, book, maskings=book.identities)


values = st.one_of(
    st.lists(st.integers(0, 120), min_size=2, max_size=40, unique=True),
    st.lists(st.integers(0, 5000).map(lambda n: n / 100), min_size=2, max_size=40, unique=True),
)


@given(values, st.data(), st.sampled_from(["<=", ">", "<", ">="]), st.integers(0, 9))
def test_a_rounded_cut_is_right_or_says_that_it_may_not_be(
    column: list[Any], data: st.DataObject, sign: str, decimals: int
) -> None:
    """The true cut is a value or the middle of two values, printed with some decimals."""
    book = masked_column(column, seed=data.draw(st.integers(0, 1000)))
    hidden = book.columns["age"]
    assert isinstance(hidden, NumberMask)
    places = hidden.masked
    one, two = (data.draw(st.integers(0, len(places) - 1)) for _ in range(2))
    cut = (places[one] + places[two]) / 2
    text = f"H_age {sign} {cut:.{decimals}f}"
    told = read(text, book)
    if told.undecoded:  # rounded to where no masked number is
        assert told.result == text
        assert not hidden.can_be(float(f"{cut:.{decimals}f}") - 0.5 * 10**-decimals) or (
            not hidden.can_be(float(f"{cut:.{decimals}f}") + 0.5 * 10**-decimals)
        )
        return
    left = places < cut - 1e-12 if sign in ("<", ">=") else places <= cut + 1e-12
    numbers = [float(n) for n in re.findall(NUMBER, told.result.partition(sign)[2])]
    if ROUGH in told.result:
        assert told.remarks
        highest = hidden.values[left].max() if left.any() else None
        lowest = hidden.values[~left].min() if not left.all() else None
        truth = lowest if sign in ("<", ">=") else highest
        assert truth is None or numbers[0] <= truth <= numbers[-1]
        return
    shown = hidden.values < numbers[0] if sign in ("<", ">=") else hidden.values <= numbers[0]
    assert shown.tolist() == left.tolist()


def test_two_possible_cuts_are_both_named() -> None:
    book = masked_column([20, 21, 22, 23, 60], bounds={"age": [16, 80]})
    told = read("H_age <= 1.08", book)  # 21 is 1.078125, midway from 20 to 22.5 is 1.0820
    assert told.result == "age <= 21 [21, 22)"
    told = read("H_age <= 1.1", book)
    assert told.result == f"age <= 20 to 23 {ROUGH}"
    assert "more decimals" in told.remarks[0]
    exact = read("H_age <= 1.085938", book)
    assert exact.result == "age <= 21 [21, 22)"
    assert exact.remarks == ()


def test_the_side_of_a_value_that_is_the_cut_itself() -> None:
    """`<` puts it to the right, `<=` to the left: both are said of the same masked number."""
    book = masked_column([10, 20, 30, 40], bounds={"age": [0, 8, 16, 24, 32, 40, 48]})
    for sign, decoded in (
        ("<=", "age <= 20 [20, 30)"),
        (">", "age > 20 [20, 30)"),
        ("<", "age < 20 (10, 20]"),
        (">=", "age >= 20 (10, 20]"),
        ("=", "age = 20"),
    ):
        assert read(f"H_age {sign} 3.500000", book).result == decoded


@pytest.mark.parametrize(
    ("said", "decoded"),
    [
        ("H_age in [2.25, 4.75)", "age in [10, 30)"),
        ("H_age in (2.25, 4.75]", "age in (10, 30]"),
        ("H_age in ]2.25; 4.75[", "age in ]10; 30["),
        ("H_age in [2.75, 5.25)", "age in [20, 40)"),
        ("2.25 < H_age <= 4.75", "10 [10, 20) < age <= 30 [30, 40)"),
        ("2.25 < H_age", "10 [10, 20) < age"),
        ("4.75 >= H_age > 2.25", "30 [30, 40) >= age > 10 [10, 20)"),
        ("H_age between 2.25 and 4.75", "age between 10 and 30"),
        ("H_age > 2.25 and <= 4.75: yes", "age > 10 [10, 20) and <= 30 [30, 40): yes"),
        ("H_age='(-inf-4.75]' 12 ==> y", "age='(-inf-30]' 12 ==> y"),
        ("H_age = '\\'(2.25-inf)\\'': no", "age = '\\'(10-inf)\\'': no"),
        ("H_age_(2.25,4.75]", "age_(10,30]"),
        ("H_age (2.25, 3.50]  (3.50, 4.75]", "age (10, 20]  (20, 30]"),
        ("H_age≥2.75", "age≥20 (10, 20]"),
        ("rule: H_age is missing -> no", "rule: age is missing -> no"),
    ],
)
def test_intervals_in_all_usual_spellings(said: str, decoded: str) -> None:
    book = masked_column([10, 20, 30, 40], bounds={"age": [0, 8, 16, 24, 32, 40, 48]})
    told = read(said, book)
    assert told.result == decoded
    assert told.undecoded == {}


@pytest.mark.parametrize(
    "said",
    [
        "0.5 * H_age + 2",
        "H_age = 2.25 * x",
        "H_age: 2.25, 4.75",
        "H_age <= 2,25",
        "H_age 2.25",
        "mean of H_age is 3",
        "H_age <= 2.25 and later 0.3 H_age",
        "H_age <= 99",
        "H_age in 2.25-4.75",
        "{H_age, H_sex}: [2.25, 1]",
        "3.5 => H_age",
        "log(H_age) <= 2.25",
    ],
)
def test_what_is_not_understood_stays_masked(said: str) -> None:
    book = masked_column([10, 20, 30, 40], bounds={"age": [0, 8, 16, 24, 32, 40, 48]})
    told = read(said, book)
    assert told.result == said
    assert list(told.undecoded) == ["H_age"]
    assert "line 1" in told.undecoded["H_age"]


@given(st.fractions(-1000, 1000, max_denominator=10**6), st.fractions(0, 1, max_denominator=10**6))
def test_digits_that_are_shown_are_certain(low: Fraction, width: Fraction) -> None:
    text = certain_text(low, low + width)
    if " to " in text:
        return
    decimals = len(text.partition(".")[2])
    half = Fraction(1, 2 * 10**decimals) + Fraction(1, 10**9)
    if width == 0:
        half = Fraction(1, 10**9)
    for truth in (low, low + width / 3, low + width):
        assert abs(Fraction(text) - truth) <= half


def test_numbers_as_texts() -> None:
    assert exact_text(Fraction(1, 8)) == "0.125"
    assert exact_text(Fraction(5)) == "5"
    assert exact_text(Fraction(1, 3)) == repr(1 / 3)
    assert printed("3.25", 6) == printed("3.250000")
    assert printed("3.25", exact=True).outward() == (3.25, 3.25)  # type: ignore[union-attr]
    assert printed("1e400") is None
    assert np.isclose(printed("1e-3").outward()[0], 0.0005)  # type: ignore[union-attr]
