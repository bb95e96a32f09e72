"""Grids: values come back, and thresholds are compared exactly, for floats of all sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import any_float, coded, columns
from privet.mechanism.grids import Grid
from privet.schema import Kind
from privet.table import Domain

ORDERED = [Kind.INTEGER, Kind.DECIMAL, Kind.DATE]


def domain_of(values: list[float], kind: Kind = Kind.DECIMAL) -> Domain:
    return coded(list(values), kind).domain


@pytest.mark.parametrize(
    ("values", "step", "decimals"),
    [
        ([1.0, 2.0, 10.0], 1, 0),
        ([0.5, 1.25, 3.0], 25, 2),
        ([396.24, 396.9, 0.32], 2, 2),
        ([0.00632, 88.9762], 4, 5),
        ([0.1, 0.2, 0.3], 1, 1),
    ],
)
def test_decimals_lie_on_the_coarsest_grid(values: list[float], step: int, decimals: int) -> None:
    grid = Grid.of(domain_of(values))
    assert (grid.step, grid.decimals, grid.exponent) == (step, decimals, None)


def test_whole_numbers_keep_their_step() -> None:
    grid = Grid.of(domain_of([500, 1500, -2000], Kind.INTEGER))
    assert grid.step == 500
    assert grid.units_of(np.array([-2000, 1500])).tolist() == [-4, 3]


@pytest.mark.parametrize("others", [[], [0], [2**62]])
def test_the_lowest_whole_number_has_a_step_that_fits(others: list[int]) -> None:
    domain = domain_of([-(2**63), *others], Kind.INTEGER)
    grid = Grid.of(domain)
    assert grid.is_exact
    assert np.array_equal(grid.values_of(grid.units_of(domain.values)), domain.values)


@given(st.sampled_from(ORDERED), st.data())
def test_values_on_the_grid_come_back(kind: Kind, data: st.DataObject) -> None:
    domain = coded(data.draw(columns(kind, 12, missing=False)), kind).domain
    grid = Grid.of(domain)
    back = grid.values_of(grid.units_of(domain.values))
    if grid.is_exact:
        assert np.array_equal(back, domain.values)
    else:
        with np.errstate(over="ignore"):
            distance = np.abs(back / 2 - domain.values / 2)
        assert (distance[np.isfinite(back)] <= float(grid.width)).all()


@given(st.sampled_from(ORDERED), st.data())
def test_bounds_are_compared_exactly(kind: Kind, data: st.DataObject) -> None:
    """The first point above a bound is above it, and the point before it is not."""
    domain = coded(data.draw(columns(kind, 6, missing=False)), kind).domain
    grid = Grid.of(domain)
    low, high = domain.values[0].item(), domain.values[-1].item()
    bound = data.draw(st.sampled_from([low, high, (low / 2 + high / 2)]))
    unit = grid.first_above(bound)
    assert grid._value(unit) > bound
    assert not grid._value(unit - 1) > bound
    assert grid.last_up_to(bound) == unit - 1
    first, last = grid.ends_of(domain)
    if first <= last:
        assert low <= grid._value(first) <= grid._value(last) <= high


@given(st.lists(any_float, min_size=1, max_size=8))
def test_points_between_the_ends_are_finite_and_sorted(values: list[float]) -> None:
    domain = domain_of(values)
    grid = Grid.of(domain)
    first, last = grid.ends_of(domain)
    if first <= last:
        points = grid.values_of(np.linspace(first, last, 50).astype(np.int64))
        assert np.isfinite(points).all()
        assert (np.diff(points) >= 0).all()
