"""The leaves of a tree over a table: where each record lies, what its path asks, how far it may go.

A number may move within the bounds of its path without leaving its leaf: noise stays within them,
and whoever attacks a release with noise knows it. `paths` next door has the ways to the leaves.
"""

from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine.combinations import Combinations
from privet.errors import TreeChanged
from privet.mechanism.grids import Grid
from privet.table import Codes, Table, code_type, stretches_of
from privet.tree.model import Multiway, Tree
from privet.tree.paths import Left, Steps, paths

Ranges = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


class Leaves:
    """The records of a table by the leaves of a tree; leaves are counted in the tree's order."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree = tree
        self.ids = tuple(leaf.id for leaf in tree.leaves)
        self._table = table
        self.n_rows = table.n_rows

    @classmethod
    def placed(cls, tree: Tree, rank: npt.NDArray[Any]) -> "Leaves":
        """Leaves of records of which nothing is known but the place of their leaf."""
        leaves = cls(tree, Table({}))
        leaves.rank = rank
        leaves.n_rows = len(rank)
        return leaves

    @cached_property
    def _reached(self) -> npt.NDArray[np.int64]:
        """For each record the id of its leaf."""
        return self.tree.leaf_of_rows(self._table)

    @cached_property
    def rank(self) -> Codes:
        """For each record the place of its leaf among the leaves."""
        of_node: Codes = np.zeros(len(self.tree.nodes), dtype=code_type(len(self.ids)))
        of_node[list(self.ids)] = np.arange(len(self.ids))
        return of_node[self._reached]

    @property
    def number(self) -> int:
        return len(self.ids)

    @cached_property
    def heterogeneous(self) -> npt.NDArray[np.bool_]:
        """Which leaves held records of several classes when the tree was grown."""
        return np.array([sum(w > 0 for w in leaf.weights) > 1 for leaf in self.tree.leaves])

    @cached_property
    def paths(self) -> tuple[Steps, ...]:
        """For each leaf the splits from the root, each with the child that is taken."""
        steps = paths(self.tree)
        return tuple(steps[leaf] for leaf in self.ids)

    def asks(self, column: str) -> npt.NDArray[np.bool_]:
        """For each leaf whether its path asks the column."""
        found = [any(s.attribute == column for s, _ in path) for path in self.paths]
        return np.array(found, dtype=bool)

    def fixes(self, column: str) -> npt.NDArray[np.bool_]:
        """For each leaf whether its path leaves the column one category only."""
        found = [
            any(s.attribute == column and isinstance(s, Multiway) for s, _ in path)
            for path in self.paths
        ]
        return np.array(found, dtype=bool)

    def bounds(self, column: str) -> list[tuple[float | None, float | None]]:
        """For each leaf the threshold that a number must be above and the one it may reach."""
        known = (Left.by(path).ranges.get(column) for path in self.paths)
        return [(None, None) if one is None else (one.above, one.up_to) for one in known]

    def ranges(self, column: str, grid: Grid, first: int, last: int) -> Ranges:
        """The first and the last point of a column's grid, which goes from `first` to `last`, that
        each leaf allows; an empty range allows none."""
        low, high = [], []
        for above, up_to in self.bounds(column):
            low.append(first if above is None else max(first, grid.first_above(above)))
            high.append(last if up_to is None else min(last, grid.last_up_to(up_to)))
        return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)

    def numbers_of(self, records: npt.NDArray[np.bool_]) -> dict[int, int]:
        """How many of some records lie in each leaf, by its id in the tree."""
        counts = np.bincount(self.rank[records], minlength=self.number)
        return dict(zip(self.ids, counts.tolist(), strict=True))

    def require_same(self, released: Table) -> None:
        """Raise if any record of a released table lies in another leaf than before."""
        moved = int((self.tree.leaf_of_rows(released) != self._reached).sum())
        if moved:
            raise TreeChanged(
                f"{moved} records would leave their leaves of the tree for '{self.tree.target}'.",
                "nothing was released; please report this, it should never happen.",
            )

    def stayed(self, released: Table) -> int:
        """How many records of a released table lie in the leaf that they lay in."""
        return int((self.tree.leaf_of_rows(released) == self._reached).sum())


def counts_by_leaf(tree: Tree, table: Table, columns: Collection[str]) -> dict[str, Combinations]:
    """For each column how many records of each leaf, by its place, have each code."""
    found = {name: Combinations([tree.n_leaves, table[name].domain.size]) for name in columns}
    asked = dict.fromkeys([*tree.attributes_used, *columns])
    for part in stretches_of(table.select(asked)):
        rank = Leaves(tree, part).rank
        for name, counted in found.items():
            counted.add([rank, part[name].codes])
    return found
