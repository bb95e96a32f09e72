"""Atoms, and columns made of them, as a walk over groups one after the other finds them."""

from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles.leaf_checks import engine_of
from preserve.by_leaf.test_cell_counts import TABLES
from preserve.by_leaf.test_leaf_conditions import GROWERS, grown
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf import conditions
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.column import _nearest
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.leaf_counts import count_leaves


def cells_of(task: ColumnTask) -> list[dict[int, Any]]:
    """For each group the weights of its cells."""
    found = []
    for tallies in task.leaf_counts.tallies:
        tally = tallies[task.column]
        by_cell: dict[int, Any] = {}
        for code, weights in zip(tally.codes.tolist(), tally.weights, strict=True):
            cell = int(task.base.new_of_old[code])
            by_cell[cell] = by_cell.get(cell, 0) + weights
        found.append(dict(sorted(by_cell.items())))
    return found


def told(atoms: Atoms) -> list[Any]:
    rows = atoms.group.tolist(), atoms.cells, atoms.weights.tolist(), atoms.records.tolist()
    return list(zip(*rows, strict=True))


@given(TABLES, GROWERS, st.sampled_from([0, 1 << 16]))
def test_atoms_are_those_of_a_walk_over_groups(plain: Any, grower: Any, at_once: int) -> None:
    leaf_counts = count_leaves(engine_of(plain), [grown(plain, grower)])
    base = recode_globally(leaf_counts, plain.attributes)
    for name in leaf_counts.columns:
        with patch.object(conditions, "_AT_ONCE", at_once):
            task = ColumnTask(leaf_counts, name, base[name])
            whole, single = task.whole_groups(), task.single_cells()
        each = cells_of(task)
        records = [
            {cell: int(task.records_of(weights[None])[0]) for cell, weights in cells.items()}
            for cells in each
        ]
        assert told(single) == [
            (group, (cell,), weights.tolist(), records[group][cell])
            for group, cells in enumerate(each)
            for cell, weights in cells.items()
        ]
        assert told(whole) == [
            (group, tuple(cells), sum(cells.values()).tolist(), sum(records[group].values()))
            for group, cells in enumerate(each)
        ]
        assert told(task.pieces(lambda _, cells, __: [cells])) == told(whole)
        assert told(task.pieces(lambda _, cells, __: [[c] for c in cells])) == told(single)


GROUPS = st.integers(1, 12).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(-1, 4), min_size=size, max_size=size).filter(lambda v: max(v) >= 0),
        min_size=1,
        max_size=5,
    )
)


@given(GROUPS)
def test_cells_that_a_group_lacks_go_with_the_nearest(groups: list[list[int]]) -> None:
    found = _nearest(np.array(groups))
    for values, filled in zip(groups, found.tolist(), strict=True):
        known = [cell for cell, value in enumerate(values) if value >= 0]
        for cell, value in enumerate(filled):
            assert value == values[min(known, key=lambda other: (abs(other - cell), other))]
