"""Rows are parted between children by masks or by a compiled loop: the same rows in one order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.compiled import counting
from privet.tree import model


def by_hand(rows: list[int], codes: list[int], child: list[int], children: int) -> list[list[int]]:
    return [[row for row in rows if child[codes[row]] == number] for number in range(children)]


@given(st.data(), st.sampled_from([np.uint8, np.uint16, np.uint32]), st.integers(2, 3))
def test_rows_go_where_their_codes_go(data: st.DataObject, kind: Any, children: int) -> None:
    child = data.draw(st.lists(st.integers(0, children - 1), min_size=1, max_size=9))
    codes = data.draw(st.lists(st.integers(0, len(child) - 1), max_size=30))
    some = [row for row in range(len(codes)) if data.draw(st.booleans())]
    assert counting  # loops are loaded
    for least in (0, 1 << 40):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(model, "COMPILE_FROM", least)
            for rows in (None, some):
                found = model._parted(
                    None if rows is None else np.array(rows, dtype=np.uint32),
                    np.array(codes, dtype=kind),
                    np.array(child, dtype=np.uint8),
                    children,
                )
                expected = by_hand(
                    list(range(len(codes))) if rows is None else rows, codes, child, children
                )
                assert [part.tolist() for part in found] == expected
                assert all(part.dtype == np.uint32 for part in found)
