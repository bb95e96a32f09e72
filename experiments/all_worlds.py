"""Every world of a small table: which targets are possible for each person, by trying them all.

A world gives the targets of every equivalence class to the people of that class in some way. It is
possible if the published tree grows from it: at every node the split that was made comes before
every rival, and no leaf would have been split before a node that was. The conditions of a node
concern the people below it alone, so worlds are put together from the leaves up and those that fail
are dropped on the way; nothing is sampled. For two classes and Gini. The sums that are compared are
whole numbers: squares over n, times a number that all n up to MOST_PEOPLE divide.
`what_the_tree_tells` asks how many people have one possible target.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from math import lcm

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.table import Table
from privet.tree import Tree
from privet.tree.guard import Guard
from privet.tree.model import Node

MOST_PEOPLE = 24
AT_ONCE = 50_000  # worlds that are looked at together

Worlds = npt.NDArray[np.int8]  # people x worlds: 1 is the second class
NOBODY: Worlds = np.zeros((0, 1), dtype=np.int8)


def _purity() -> Integers:
    """purity[n, y]: the sum of squared counts over n, of n records with y of the second class."""
    multiple = lcm(*range(1, MOST_PEOPLE + 1))
    n, y = np.indices((MOST_PEOPLE + 1, MOST_PEOPLE + 1))
    whole = multiple // np.maximum(n, 1) * (y * y + (n - y) * (n - y))
    return np.where((y <= n) & (n > 0), whole, 0)


PURITY = _purity()


@dataclass(frozen=True, eq=False)
class Rivals:
    """The splits of one column in one node, in each of some worlds: arrays of cuts x worlds."""

    purity: Integers  # of both sides together; -1 where a side has too few records
    place: Integers  # decides among equal purities: the smaller comes first


@dataclass(frozen=True, eq=False)
class Published:
    """What an attacker holds: everybody's values but the target, the tree, the people who are alike
    in the release (`classes`, a number for each person), and how many of them have which target."""

    table: Table
    tree: Tree  # in the words of the table; grown with its own settings and this guard
    guard: Guard
    classes: Integers

    @cached_property
    def leaf_of_row(self) -> Integers:
        return self.tree.leaf_of_rows(self.table)

    def worlds(self) -> Worlds:
        """All possible worlds; people are in the order of their rows."""
        people, found = self._worlds(self.tree.root)
        return found[np.argsort(people)]

    def _worlds(self, node: Node) -> tuple[Integers, Worlds]:
        if node.children:
            parts = [self._worlds(self.tree.nodes[child]) for child in node.children]
        else:
            here = np.flatnonzero(self.leaf_of_row == node.id)
            alike = [here[self.classes[here] == c] for c in np.unique(self.classes[here])]
            parts = [(people, self._arrangements(people)) for people in alike]
        people = np.concatenate([people for people, _ in parts])
        tried = _products([worlds for _, worlds in parts])
        kept = [self._grows(node, people, worlds) for worlds in tried]
        return people, np.concatenate(kept, axis=1)

    def _arrangements(self, people: Integers) -> Worlds:
        """All ways to give the targets of some people to them."""
        n, y = len(people), int(self.table[self.tree.target].codes[people].sum())
        chosen = np.array(list(combinations(range(n), y)), dtype=np.int64)
        found: Worlds = np.zeros((n, len(chosen)), dtype=np.int8)
        found[chosen, np.arange(len(chosen))[:, None]] = 1
        return found

    # -- one node --------------------------------------------------------------------------------

    def _grows(self, node: Node, people: Integers, worlds: Worlds) -> Worlds:
        """The worlds in which the grower does with a node what was published."""
        for index, attribute in enumerate(self.tree.grower.attributes or ()):
            rivals = self._rivals(attribute, people, worlds)
            if rivals is not None:
                asked = self._is_first if node.children else self._stays
                worlds = worlds[:, asked(node, people, rivals, index)]
        return worlds

    def _is_first(self, node: Node, people: Integers, rivals: Rivals, index: int) -> Booleans:
        """Whether the split of an inner node comes before its rivals on one column."""
        assert node.split is not None
        made = self._purity(*node.children)
        on = (self.tree.grower.attributes or ()).index(node.split.attribute)
        before = rivals.purity > made
        if index < on:
            before |= rivals.purity == made
        found = ~before.any(axis=0)
        if index == on:
            place = self._place_of_split(node, people)
            ties = (rivals.purity == made) & (rivals.place < place)
            is_candidate = (rivals.place == place).any(axis=0)
            found &= ~ties.any(axis=0) & is_candidate
        return found

    def _stays(self, leaf: Node, people: Integers, rivals: Rivals, index: int) -> Booleans:
        """Whether no split of a leaf comes before one that was made while the leaf was there."""
        gain = rivals.purity.max(axis=0) - self._purity(leaf.id)
        found = np.ones(len(gain), dtype=bool)
        for node in self.tree.inner:
            if node.children[0] > leaf.id:
                made = self._purity(*node.children) - self._purity(node.id)
                found &= (gain < made) | ((gain == made) & (node.id < leaf.id))
        return found

    def _purity(self, *nodes: int) -> int:
        weights = [self.tree.nodes[node].weights for node in nodes]
        return sum(int(PURITY[sum(w), w[1]]) for w in weights)

    def _rivals(self, attribute: str, people: Integers, worlds: Worlds) -> Rivals | None:
        """All candidates of a column among some people; None if there are none."""
        domain = self.table[attribute].domain
        codes = self.table[attribute].codes[people].astype(np.int64)
        unit_of_code = self._units(attribute, people)
        units = unit_of_code[codes]
        n_units = int(units.max()) + 1
        if n_units == 1:
            return None
        is_in = (np.arange(n_units)[:, None] == units).astype(np.float32)
        yes = (is_in @ worlds.astype(np.float32)).astype(np.int64)
        n = np.bincount(units)[:, None]
        place = np.arange(n_units)[:, None]
        if not domain.kind.is_ordered:
            # means of so few people are exact enough as floats; among equals the first unit
            order = np.argsort(yes / n, axis=0, kind="stable")
            yes, n = np.take_along_axis(yes, order, axis=0), n[order, 0]
            place = np.cumsum(1 << order, axis=0)  # the left set: one that holds another is later
        left_n, left_yes = (np.cumsum(part, axis=0)[:-1] for part in (n, yes))
        right_n, right_yes = len(people) - left_n, worlds.sum(axis=0) - left_yes
        least = self.tree.grower.min_leaf
        legal = (left_n >= least) & (right_n >= least)
        purity = PURITY[left_n, left_yes] + PURITY[right_n, right_yes]
        return Rivals(np.where(legal, purity, -1), place[:-1])

    def _place_of_split(self, node: Node, people: Integers) -> int:
        assert node.split is not None
        attribute = node.split.attribute
        domain = self.table[attribute].domain
        unit_of_code = self._units(attribute, people)
        is_left = node.split.child_of_codes(domain, 0) == 0
        left = np.unique(unit_of_code[is_left & (unit_of_code >= 0)])
        if domain.kind.is_ordered:
            return int(left.max())
        return int((1 << left).sum())

    def _units(self, attribute: str, people: Integers) -> Integers:
        """The unit of each code among some people; -1 for codes that nobody there has."""
        domain = self.table[attribute].domain
        codes, records = np.unique(self.table[attribute].codes[people], return_counts=True)
        joined = self.guard.units(attribute, domain, codes.astype(np.int64), records)
        found = np.full(domain.size, -1, dtype=np.int64)
        found[codes] = np.arange(len(codes)) if joined is None else joined
        return found


def possible_classes(worlds: Worlds) -> Booleans:
    """For each person, whether each of the two classes is possible."""
    return np.stack([(worlds == 0).any(axis=1), (worlds == 1).any(axis=1)], axis=1)


def _products(parts: list[Worlds]) -> Iterator[Worlds]:
    """Every combination of the worlds of some parts, many at a time."""
    *others, last = parts
    first = reduce(_product, others, NOBODY)
    step = max(1, AT_ONCE // max(1, last.shape[1]))
    for start in range(0, max(1, first.shape[1]), step):
        yield _product(first[:, start : start + step], last)


def _product(one: Worlds, two: Worlds) -> Worlds:
    beside = np.repeat(one, two.shape[1], axis=1), np.tile(two, (1, one.shape[1]))
    return np.concatenate(beside, axis=0)
