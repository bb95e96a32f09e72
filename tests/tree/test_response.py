"""The grid of a numeric response, and midpoints."""

from fractions import Fraction
from math import log2

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import any_float, neighbours
from oracles.slow_grower import slow_midpoint
from privet.schema import Kind
from privet.table import Domain
from privet.tree.candidates import midpoint
from privet.tree.response import grid_step, on_grid

wide_integers = st.integers(-(2**63) + 1, 2**63 - 1)


@given(st.lists(wide_integers, min_size=1, unique=True), st.integers(1, 10**8))
def test_integers_lie_on_their_grid_rounded_once(values: list[int], records: int) -> None:
    domain = Domain(Kind.INTEGER, np.array(sorted(values), dtype=np.int64))
    step = grid_step(domain, records)
    assert log2(step) == int(log2(step))
    units = on_grid(domain, step).tolist()
    assert units == [round(Fraction(v) / Fraction(step)) for v in sorted(values)]
    assert max(map(abs, units)) * records <= 2**62
    if max(map(abs, values)) * records < 2**59:
        assert step == 1.0


@given(st.lists(any_float, min_size=1, unique=True), st.integers(1, 10**8))
def test_decimals_lie_on_their_grid_rounded_once(values: list[float], records: int) -> None:
    domain = Domain(Kind.DECIMAL, np.array(sorted(values)))
    step = grid_step(domain, records)
    units = on_grid(domain, step).tolist()
    assert units == [round(Fraction(v) / Fraction(step)) for v in sorted(values)]
    assert max(map(abs, units)) * records <= 2**62


@given(st.one_of(st.tuples(any_float, any_float), neighbours().map(lambda n: (n[0], n[-1]))))
def test_a_midpoint_is_the_nearest_float_that_separates(pair: tuple[float, float]) -> None:
    low, high = min(pair), max(pair)
    if low == high:
        return
    found = midpoint(low, high)
    assert low <= found < high
    assert found.hex() == slow_midpoint(low, high).hex()
