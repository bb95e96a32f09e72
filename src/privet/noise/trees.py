"""The leaves that noise follows: in which each record lies, what its path asks, how far it may go.

A number may move within the bounds of its path without leaving its leaf.

`privet.tree.natural` grows the trees, each once and from the original table.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from privet.errors import TreeChanged
from privet.schema import Role, Schema
from privet.table import Table, code_type
from privet.tree.model import Multiway, Tree
from privet.tree.paths import Left, Steps, paths


def with_target(schema: Schema, target: str) -> Schema:
    """The same schema with another target, the columns that may be used being quasi-identifiers."""
    columns = tuple(
        replace(c, role=Role.TARGET if c.name == target else Role.QUASI, also_sensitive=False)
        for c in schema
    )
    return replace(schema, columns=columns)


class Leaves:
    """The records of a table by the leaves of a tree; leaves are counted in the tree's order."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree = tree
        self.ids = tuple(leaf.id for leaf in tree.leaves)
        of_node = np.zeros(len(tree.nodes), dtype=code_type(len(self.ids)))
        of_node[list(self.ids)] = np.arange(len(self.ids))
        self._reached = tree.leaf_of_rows(table)
        self.rank = of_node[self._reached]
        self.n_rows = table.n_rows

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
