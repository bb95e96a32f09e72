"""Atoms: what gets one value each when a column is recoded, a group of leaves or a piece of one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privet.arrays import Integers
from privet.preserve.by_leaf.contests import NodeSeen


@dataclass(frozen=True, eq=False)
class Atoms:
    """What gets one value each: the group, the cells of the global recoding, and the counts."""

    group: Integers
    cells: tuple[tuple[int, ...], ...]
    weights: Integers  # atoms x (classes, or records and sum)
    records: Integers

    def __len__(self) -> int:
        return len(self.group)

    def below(self, seen: NodeSeen) -> Integers:
        """The atoms below a node; asked for once for each column and trial, found once."""
        key = seen.tree, seen.node.id
        if key not in self._below:
            self._below[key] = np.flatnonzero(np.isin(self.group, seen.groups))
        return self._below[key]

    def going_left(self, seen: NodeSeen) -> Integers:
        """The atoms below the first child of an own node."""
        key = seen.tree, seen.node.id
        if key not in self._left:
            inside = self.below(seen)
            self._left[key] = inside[np.isin(self.group[inside], seen.sides[0])]
        return self._left[key]

    @cached_property
    def _below(self) -> dict[tuple[int, int], Integers]:
        return {}

    @cached_property
    def _left(self) -> dict[tuple[int, int], Integers]:
        return {}
