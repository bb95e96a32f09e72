"""Sums of logarithms of cuts, against sums written out; some values have no record."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.tree.cut_gains import cut_terms


def _x_log_x(counts: list[int]) -> float:
    return sum(x * math.log2(x) for x in counts if x)


@given(
    st.integers(1, 4).flatmap(
        lambda classes: st.lists(
            st.lists(st.integers(0, 6), min_size=classes, max_size=classes), min_size=1, max_size=9
        )
    ),
    st.integers(1, 3),
)
def test_cuts_after_every_value_also_after_one_without_records(
    values: list[list[int]], columns: int
) -> None:
    parent = [sum(own) for own in zip(*values, strict=True)]
    weights = np.array([row for _ in range(columns) for row in values], dtype=np.int64)
    terms, error = cut_terms(weights, columns, np.array(parent, dtype=np.int64))
    left = [0] * len(parent)
    expected = []
    for row in values:
        left = [a + b for a, b in zip(left, row, strict=True)]
        right = [a - b for a, b in zip(parent, left, strict=True)]
        expected.append(_x_log_x(left) + _x_log_x(right) - _x_log_x(parent))
    assert terms.tolist() == pytest.approx(expected * columns, abs=error + 1e-9)
