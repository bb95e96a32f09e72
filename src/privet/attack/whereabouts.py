"""In which leaf of a tree somebody lies of whom some values are known.

Where all that the tree asks is known, it is one leaf. Otherwise several are possible, each as
likely as it has records.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.table import Table
from privet.tree.leaves import Leaves
from privet.tree.model import Tree


class Whereabouts:
    """For each row of a table the leaves that it may lie in, by the columns that are known."""

    def __init__(self, tree: Tree, table: Table, known: Collection[str]) -> None:
        self.tree = tree
        self._sure: npt.NDArray[np.int64] | None = None
        self._chances: Floats | None = None
        if set(tree.attributes_used) <= set(known):
            self._sure = Leaves(tree, table).rank.astype(np.int64)
        else:
            possible = possible_leaves(tree, table, known)
            records = np.array([tree.records(leaf) for leaf in tree.leaves], dtype=np.float64)
            weights = possible * records
            self._chances = weights / weights.sum(axis=1, keepdims=True)

    @property
    def is_sure(self) -> bool:
        """Whether everybody can lie in one leaf only."""
        return self._sure is not None

    def chance_of(self, leaf: int) -> Floats:
        """For each row the chance that it lies in a leaf, given by its number among the leaves."""
        if self._sure is not None:
            return np.asarray(self._sure == leaf, dtype=np.float64)
        assert self._chances is not None
        return np.asarray(self._chances[:, leaf])

    def mean_of(self, by_leaf: Floats, rows: npt.NDArray[np.intp]) -> Floats:
        """For some rows the mean, over their leaves, of something told for each leaf."""
        if self._sure is not None:
            return np.asarray(by_leaf[self._sure[rows]])
        assert self._chances is not None
        return np.asarray(self._chances[rows] @ by_leaf)


def possible_leaves(tree: Tree, table: Table, known: Collection[str]) -> npt.NDArray[np.bool_]:
    """Which leaves (columns) each row (rows) can reach if only some columns are known."""
    can = {0: np.ones(table.n_rows, dtype=bool)}
    for node in tree.nodes:
        if node.split is None:
            continue
        here = can.pop(node.id)
        name = node.split.attribute
        goes = None
        if name in known:
            column = table[name]
            goes = node.split.child_of_codes(column.domain, tree.default_child(node))[column.codes]
        for number, child in enumerate(node.children):
            can[child] = here if goes is None else here & (goes == number)
    return np.stack([can[leaf.id] for leaf in tree.leaves], axis=1)
