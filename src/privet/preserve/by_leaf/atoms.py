"""Atoms: what gets one value each when a column is recoded, a group of leaves or a piece of one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privet.arrays import Booleans, Integers
from privet.preserve.by_leaf.contests import NodeSeen


@dataclass(frozen=True, eq=False)
class Atoms:
    """What gets one value each: the group, the cells of the global recoding, and the counts."""

    group: Integers
    cells: tuple[tuple[int, ...], ...]
    weights: Integers  # atoms x (classes, or records and sum), of every response
    records: Integers

    def __len__(self) -> int:
        return len(self.group)

    @cached_property
    def smallest_first(self) -> Integers:
        """The place of each atom among all by its records, the smallest first."""
        order = np.argsort(self.records, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return place

    def below(self, seen: NodeSeen) -> Integers:
        """The atoms below a node; asked for once for each column and trial, found once."""
        key = seen.tree, seen.node.id
        if key not in self._below:
            self._below[key] = np.flatnonzero(self._among(seen.groups)[self.group])
        return self._below[key]

    def going_left(self, seen: NodeSeen) -> Integers:
        """The atoms below the first child of an own node."""
        key = seen.tree, seen.node.id
        if key not in self._left:
            inside = self.below(seen)
            self._left[key] = inside[self._among(seen.sides[0])[self.group[inside]]]
        return self._left[key]

    def _among(self, groups: Integers) -> Booleans:
        """For each group whether it is one of some."""
        among = np.zeros(1 + max(self.group.max(initial=0), groups.max(initial=0)), dtype=bool)
        among[groups] = True
        return among

    @cached_property
    def _below(self) -> dict[tuple[int, int], Integers]:
        return {}

    @cached_property
    def _left(self) -> dict[tuple[int, int], Integers]:
        return {}
