"""Sums of rows of weights, however many columns there are; distinct codes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from privet.arrays import distinct, row_sums

_SHAPES = arrays.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=12)
_MANY = arrays.arrays(
    st.sampled_from([np.int32, np.int64]), _SHAPES, elements=st.integers(0, 2**31 - 1)
)


@given(_MANY)
def test_row_sums_are_exact_and_as_wide_as_sums_of_numpy(weights: np.ndarray) -> None:
    found = row_sums(weights)
    assert found.dtype == np.int64
    assert found.tolist() == weights.astype(object).sum(axis=-1).tolist()


@given(_MANY)
def test_row_sums_leave_the_weights_alone(weights: np.ndarray) -> None:
    before = weights.copy()
    row_sums(weights)
    assert np.array_equal(weights, before)


@given(arrays.arrays(np.int64, st.integers(0, 30), elements=st.integers(0, 9)))
def test_distinct_codes_are_those_of_a_set_ascending(codes: np.ndarray) -> None:
    before = codes.copy()
    found = distinct(codes)
    assert found.dtype == np.int64
    assert found.tolist() == sorted(set(before.tolist()))
    assert np.array_equal(codes, before)
