"""Graded grouping: increasing, reversible, affine when it says so; the article's rule as it is."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles.slow_join import graded
from privet.errors import UsageError
from privet.parties.codebook import NumberMask
from privet.parties.grading import Grading, equal_groups, progression, random_bounds
from privet.schema import Kind

whole_bounds = st.lists(st.integers(-500, 500), min_size=2, max_size=8, unique=True).map(sorted)


@given(whole_bounds, st.lists(st.floats(0, 1), max_size=20))
def test_the_formula_is_that_of_the_fractions(bounds: list[int], places: list[float]) -> None:
    grading = Grading(tuple(bounds))
    span = bounds[-1] - bounds[0]
    values = np.array(sorted({bounds[0] + p * span for p in places} | set(map(float, bounds))))
    for value, masked in zip(values.tolist(), grading.apply(values).tolist(), strict=True):
        exact = graded(value, bounds)
        assert abs(masked - exact) <= Fraction(1, 10**12)
        assert abs(grading.invert(masked) - value) <= 1e-9


@given(whole_bounds)
def test_integers_stay_in_order_and_come_back(bounds: list[int]) -> None:
    grading = Grading(tuple(bounds))
    values = np.arange(bounds[0], bounds[-1] + 1)
    masked = grading.apply(values)
    assert bool((np.diff(masked) > 0).all())
    assert [round(grading.invert(n)) for n in masked.tolist()] == values.tolist()


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**5), st.integers(0, 2**32))
def test_random_bounds_are_exact_in_binary(low: int, span: int, seed: int) -> None:
    bounds = random_bounds(low, low + span, True, np.random.default_rng(seed))
    grading = Grading(bounds)
    assert bounds[0] <= low
    assert bounds[-1] >= low + span
    assert grading.is_affine
    width = Fraction(bounds[1]) - Fraction(bounds[0])
    assert width.numerator & (width.numerator - 1) == 0
    values = np.unique(np.linspace(low, low + span, 50).astype(np.int64))
    for value, masked in zip(values.tolist(), grading.apply(values).tolist(), strict=True):
        assert Fraction(masked) == graded(value, bounds)


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9), st.integers(0, 2**32))
@example(536870912.0, 1e-06, 21)
@example(536870912.0, 1e-06, 3)
def test_random_bounds_hold_decimals(low: float, span: float, seed: int) -> None:
    bounds = random_bounds(low, low + span, False, np.random.default_rng(seed))
    assert bounds[0] <= low
    assert bounds[-1] >= low + span
    assert Grading(bounds).is_affine


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("high", [2, 5, 8])
def test_random_bounds_never_leave_the_numbers_as_they_are(whole: bool, high: int) -> None:
    values = np.arange(1, high + 1)
    for seed in range(200):
        bounds = random_bounds(1, high, whole, np.random.default_rng(seed))
        assert Grading(bounds).apply(values).tolist() != values.tolist()


@given(whole_bounds)
@example([1, 2, 3])
@example([1, 2])
def test_bounds_that_hide_nothing_are_known(bounds: list[int]) -> None:
    grading = Grading(tuple(bounds))
    values = np.linspace(bounds[0], bounds[-1], 40)
    same = np.allclose(grading.apply(values), values, rtol=0, atol=1e-6)
    assert grading.hides_nothing == same


def test_the_rule_of_the_article_is_kept_with_its_faults() -> None:
    grading = Grading((17, 27, 37), "paper")
    assert grading.apply(np.array([17, 22, 27, 32, 37])).tolist() == [1, 1.5, 1.999, 2.5, 2.999]
    assert not grading.is_affine
    wide = Grading((0, 5000), "paper").apply(np.arange(5001))
    assert int((np.diff(wide) < 0).sum()) == 1  # 0.999 lies below what comes before it


@pytest.mark.parametrize(
    ("texts", "highest", "bounds"),
    [
        ("17,25,33", 30, (17, 25, 33)),
        ("17,25,..", 40, (17, 25, 33, 41)),
        ("17,25,..,33", 90, (17, 25, 33)),
        ("0,0.5,..,1.5", 9, (0.0, 0.5, 1.0, 1.5)),
    ],
)
def test_bounds_as_people_write_them(texts: str, highest: float, bounds: tuple[float, ...]) -> None:
    assert progression(texts.split(","), highest) == bounds


@pytest.mark.parametrize(
    "texts", ["..,17", "17,..", "a,b", "17,25,..,33,..", "25,17,..", "1,2,..,3,4"]
)
def test_bounds_that_make_no_sense_are_refused(texts: str) -> None:
    with pytest.raises(UsageError):
        progression(texts.split(","), 40)


@pytest.mark.parametrize("bounds", [(1,), (1, 1), (2, 1), (0, float("inf"))])
def test_bounds_must_rise(bounds: tuple[float, ...]) -> None:
    with pytest.raises(UsageError):
        Grading(bounds)


def test_equal_groups_end_at_the_ends() -> None:
    assert equal_groups(17, 97, 10) == tuple(range(17, 98, 8))
    assert equal_groups(0, 1, 4) == (0.0, 0.25, 0.5, 0.75, 1.0)


@given(
    st.lists(st.integers(0, 300), min_size=2, max_size=30, unique=True).map(sorted),
    st.sampled_from([(0, 8), (0, 10), (0, 7, 30, 100, 150)]),
    st.data(),
)
def test_a_masked_midpoint_is_read_as_the_original_midpoint(
    values: list[int], start: tuple[int, ...], data: st.DataObject
) -> None:
    """Whatever two values of a node lie around the cut, and whatever the bounds."""
    step = start[1] - start[0]
    bounds = start if len(start) > 2 else tuple(range(0, 301 + step, step))
    mask = NumberMask("x", Kind.INTEGER, Grading((*bounds, 400)), np.array(values))
    low = data.draw(st.integers(0, len(values) - 2))
    high = data.draw(st.integers(low + 1, len(values) - 1))
    masked = mask.masked.tolist()
    cut = mask.cut_at((masked[low] + masked[high]) / 2)
    assert cut.at_most in values
    assert cut.below == values[values.index(int(cut.at_most)) + 1]
    assert masked[values.index(int(cut.at_most))] <= (masked[low] + masked[high]) / 2
    if cut.certain or (len(start) == 2 and values[high] < bounds[-1]):
        assert cut.threshold == (values[low] + values[high]) / 2
