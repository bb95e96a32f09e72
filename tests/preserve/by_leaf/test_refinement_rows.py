"""Rows of small numbers are numbered as NumPy numbers distinct rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privet.preserve.by_leaf.refinement import numbered

ROWS = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(
            st.one_of(st.integers(0, 3), st.integers(0, 2**30)), min_size=width, max_size=width
        ),
        min_size=1,
        max_size=40,
    )
)


@given(ROWS)
def test_rows_are_numbered_as_distinct_rows_are(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=np.int64)
    _, expected = np.unique(table, axis=0, return_inverse=True)
    assert numbered(table).tolist() == expected.ravel().tolist()
