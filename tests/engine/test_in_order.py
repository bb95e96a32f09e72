"""Columns with about as many values as rows: counted in order, or laid out, as by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.engine import Between, in_order
from privet.engine.in_order import InOrder, counted_alone
from privet.engine.regions import KnownRegions
from privet.schema import Kind
from privet.table import Coded, Domain, Table, code_type


def table_of(codes: list[int], size: int, classes: list[int]) -> Table:
    domain = Domain(Kind.DECIMAL, np.arange(size) / 2)
    return Table(
        {
            "x": Coded(domain, np.array(codes, dtype=code_type(size))),
            "y": Coded(Domain(Kind.INTEGER, np.arange(3)), np.array(classes, dtype=np.uint8)),
        }
    )


@given(st.data())
def test_counts_are_those_by_hand(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 24))
    codes = data.draw(
        st.one_of(
            st.lists(st.integers(0, size - 1), min_size=1, max_size=size, unique=True),
            st.lists(st.integers(0, size - 1), min_size=1, max_size=40),
        )
    )
    classes = data.draw(st.lists(st.integers(0, 2), min_size=len(codes), max_size=len(codes)))
    table = table_of(codes, size, classes)
    least = data.draw(st.integers(0, size))
    regions = [(), (Between("x", least, size),)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_order, "_WORTH_LAYING_OUT", data.draw(st.sampled_from([0, 2, 100])))
        counted = InOrder(table, KnownRegions(table))
        for region in regions:
            rows = [i for i, code in enumerate(codes) if not region or code >= least]
            by_hand = Counter((codes[row], classes[row]) for row in rows)
            found = counted.tallies(["x"], region, table["y"].codes, 3, True)["x"]
            assert found.codes.tolist() == sorted({code for code, _ in by_hand})
            weights = [[by_hand[code, c] for c in range(3)] for code in found.codes.tolist()]
            assert found.weights.tolist() == weights


def test_rows_that_share_a_value_are_not_laid_out() -> None:
    seen = np.zeros(3, dtype=np.uint8)
    shared = table_of([2, 0, 2], 3, [0, 1, 2])
    assert counted_alone(None, shared["x"], shared["y"].codes, 3, seen) is None
    alone = counted_alone(np.array([1, 2], np.uint32), shared["x"], shared["y"].codes, 3, seen)
    assert alone is not None
    assert alone.codes.tolist() == [0, 2]
    assert alone.weights.tolist() == [[0, 1, 0], [0, 0, 1]]
    assert not seen.any()  # it serves again
