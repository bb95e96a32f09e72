"""Joint counts of the cells of the global recoding, group by group: all that `refinement` needs.

One question tells all of them. The target is no cell, so it stands for the number of the group
meanwhile; where its own values are sensitive, for both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from privet.arrays import Integers
from privet.engine.protocol import Counts, Engine
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, apply
from privet.schema import Kind
from privet.table import Domain


@dataclass(frozen=True, eq=False)
class CellCounts:
    """How many records of each group have each combination of global cells."""

    columns: tuple[str, ...]
    group: Integers
    keys: Integers  # combinations x columns
    n: Integers
    sensitive: Mapping[str, Integers]  # combinations x values, for each sensitive column


def count_cells(
    engine: Engine,
    leaf_counts: LeafCounts,
    base: Mapping[str, ColumnRecoding],
    sensitive: Sequence[str] = (),
) -> CellCounts:
    """Count the cells of the used columns together, group by group."""
    asked = _Asked(engine, leaf_counts, base, sensitive)
    counts, rows = asked.counted()
    distinct, number = np.unique(rows, axis=0, return_inverse=True)
    n = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(n, number.ravel(), counts.n)
    by_value = {column: asked.by_value(column, len(distinct)) for column in sensitive}
    return CellCounts(asked.columns, distinct[:, 0], distinct[:, 1:], n, by_value)


class _Asked:
    """A table whose used columns are in cells, and whose target is the number of the group. A
    sensitive column is only recoded in the keys, for l and t speak of its original values."""

    def __init__(
        self,
        engine: Engine,
        leaf_counts: LeafCounts,
        base: Mapping[str, ColumnRecoding],
        sensitive: Sequence[str],
    ) -> None:
        self.columns = tuple(c for c in leaf_counts.columns if c in base)
        self._group = leaf_counts.trees[0].target
        groups, size = len(leaf_counts.leaves), engine.domain(self._group).size
        self._values = size if self._group in sensitive else 1  # of the target that are kept
        numbers = np.arange(groups)[:, None] * self._values + np.arange(size) % self._values
        both = Domain(Kind.INTEGER, np.arange(groups * self._values))
        by_group = {self._group: (numbers, both)}
        marked = engine.recode(by_group, leaf_counts.regions)
        self._engine = apply(marked, {c: base[c] for c in self.columns if c not in sensitive})
        self._as_it_was = {c: base[c].new_of_old for c in self.columns if c in sensitive}

    def counted(self, extra: Sequence[str] = ()) -> tuple[Counts, Integers]:
        """Counts by group, columns and further ones; and the group and the cells of each row."""
        counts = self._engine.count([self._group, *self.columns, *extra])
        rows = counts.keys[:, : 1 + len(self.columns)].copy()
        rows[:, 0] //= self._values
        for column, new_of_old in self._as_it_was.items():
            place = 1 + self.columns.index(column)
            rows[:, place] = new_of_old[rows[:, place]]
        return counts, rows

    def by_value(self, column: str, combinations: int) -> Integers:
        """The records of each combination by the values of a sensitive column."""
        known = (self._group, *self.columns)
        counts, rows = self.counted(() if column in known else [column])
        _, number = np.unique(rows, axis=0, return_inverse=True)
        values, size = counts.keys[:, (*known, column).index(column)], self._values
        if column == self._group:
            values = values % size
        else:
            size = self._engine.domain(column).size
        table = np.zeros((combinations, size), dtype=np.int64)
        np.add.at(table, (number.ravel(), values), counts.n)
        return table
