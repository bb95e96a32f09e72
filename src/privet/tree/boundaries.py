"""What the boundaries of a tree tell of the people next to them, counted.

Whoever knows the algorithm, the attributes of everybody and the counts of every node also knows
that the split of a node came before every other that could have been made. That excludes targets
for records that are alone next to a threshold, or alone in a node with their category
(`moved_splits`). Here the exclusions of several nodes are put together for each person. Nothing but
counts is asked, and nothing but counts comes out. `guard` grows trees that tell nothing this way.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from privet.arrays import Booleans, Integers, row_sums
from privet.engine.protocol import Engine, Region, Response, Tally
from privet.tree.grow import Admissible
from privet.tree.guard import Guard
from privet.tree.model import Multiway, Node, Tree
from privet.tree.moved_splits import Boundary
from privet.tree.response import on_grid


@dataclass(frozen=True)
class Place:
    """An inner node, and how many people it helps to tell or to narrow down."""

    node: int
    attribute: str
    told: int
    narrowed: int


@dataclass(frozen=True)
class BoundaryCount:
    """How many people the boundaries of a tree tell more of than its leaves do.

    `told`: one target is possible, though the leaf holds several. `narrowed`: several targets are
    possible, but not all of the leaf; `halved`, among those: at most half of them.
    """

    told: int = 0
    narrowed: int = 0
    halved: int = 0
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, eq=False)
class Mark:
    """A record alone at a boundary: it is the only one of the node with this code."""

    attribute: str
    code: int
    node: int
    excluded: Booleans


@dataclass(frozen=True, eq=False)
class Person:
    """A record with its marks, and the codes of the target that its leaf holds and those that are
    possible for it."""

    leaf: int
    marks: tuple[Mark, ...]
    in_leaf: Integers
    possible: Integers

    @property
    def told(self) -> bool:
        return len(self.possible) == 1


def counted_together(counts: Sequence[BoundaryCount]) -> BoundaryCount:
    """The counts of several trees: each person once for every tree that tells of them. What trees
    exclude only together is not looked at."""
    return BoundaryCount(
        sum(count.told for count in counts),
        sum(count.narrowed for count in counts),
        sum(count.halved for count in counts),
        tuple(place for count in counts for place in count.places),
    )


def count_boundaries(
    engine: Engine,
    tree: Tree,
    admissible: Admissible | None = None,
    guard: Guard | None = None,
) -> BoundaryCount:
    """Count the people whose targets the boundaries tell or narrow down.

    `admissible` and `guard` are what the tree was grown with.
    """
    people = people_at_boundaries(engine, tree, admissible, guard)
    told = defaultdict[int, list[bool]](list)
    for person in people:
        for node in {m.node for m in person.marks if m.excluded[person.in_leaf].any()}:
            told[node].append(person.told)
    places = tuple(
        Place(
            node.id,
            node.split.attribute,
            sum(told[node.id]),
            len(told[node.id]) - sum(told[node.id]),
        )
        for node in tree.inner
        if node.split is not None and node.id in told
    )
    narrowed = [p for p in people if not p.told]
    halved = sum(2 * len(p.possible) <= len(p.in_leaf) for p in narrowed)
    return BoundaryCount(len(people) - len(narrowed), len(narrowed), halved, places)


def people_at_boundaries(
    engine: Engine,
    tree: Tree,
    admissible: Admissible | None = None,
    guard: Guard | None = None,
) -> list[Person]:
    """Everybody for whom a boundary excludes a target that the own leaf holds."""
    leaves = _Leaves.of(engine, tree)
    marks = defaultdict[int, list[Mark]](list)
    for node in tree.inner:
        assert node.split is not None
        if guard is None or not guard.covers(node.split.attribute):
            for leaf, mark in leaves.marks_at(node, admissible):
                marks[leaf].append(mark)
    return [person for leaf, here in marks.items() for person in leaves.narrowed(leaf, here)]


@dataclass(frozen=True, eq=False)
class _Leaves:
    """The leaves of a tree with their counts, from which those of every node follow."""

    engine: Engine
    tree: Tree
    regions: Sequence[Region]  # of all nodes
    units: Integers | None  # of a response: its values in steps of the grid
    tallies: Mapping[int, Mapping[str, Tally]]
    below: Mapping[int, Sequence[int]]

    @classmethod
    def of(cls, engine: Engine, tree: Tree) -> "_Leaves":
        regions = tree.regions({name: engine.domain(name) for name in tree.attributes_used})
        units = None if tree.step is None else on_grid(engine.domain(tree.target), tree.step)
        counted = tree.target if units is None else Response(tree.target, units)
        columns = [*tree.attributes_used, tree.target]
        tallies = {n.id: engine.tally(columns, [regions[n.id]], counted)[0] for n in tree.leaves}
        return cls(engine, tree, regions, units, tallies, _leaves_below(tree))

    def marks_at(self, node: Node, admissible: Admissible | None) -> Iterator[tuple[int, Mark]]:
        """Who is alone at the boundary of a node and excluded from some target, by leaf."""
        if node.split is None or isinstance(node.split, Multiway):
            return
        attribute = node.split.attribute
        domain = self.engine.domain(attribute)
        near = (-2, 2) if domain.kind.is_ordered else (None, None)
        left, right = (
            self._records(child, attribute, edge)
            for child, edge in zip(node.children, near, strict=True)
        )
        boundary = Boundary(
            self.engine,
            self.tree,
            node,
            self.regions[node.id],
            attribute,
            domain,
            (left[0], right[0]),
            (left[1], right[1]),
            self.units,
            admissible,
        )
        for code, excluded in boundary.excluded():
            if excluded.any():
                held = (i for i in self.below[node.id] if code in self.tallies[i][attribute].codes)
                yield next(held), Mark(attribute, code, node.id, excluded)

    def narrowed(self, leaf: int, marks: Sequence[Mark]) -> Iterator[Person]:
        """The people of a leaf for whom not every target of the leaf is possible."""
        in_leaf = self.tallies[leaf][self.tree.target].codes
        for same in _by_person(self.engine, self.regions[leaf], marks):
            excluded = np.logical_or.reduce([mark.excluded for mark in same])
            possible = in_leaf[~excluded[in_leaf]]
            if len(possible) < len(in_leaf):
                yield Person(leaf, tuple(same), in_leaf, possible)

    def _records(self, node: int, attribute: str, edge: int | None) -> tuple[Integers, Integers]:
        """The codes of an attribute in a node, ascending, and the records of each; of a child that
        a cut gave, only as many codes as `edge` says, the first or the last (below zero)."""
        wanted = slice(None) if edge is None else slice(edge, None) if edge < 0 else slice(edge)
        codes, records = [], []
        for leaf in self.below[node]:
            tally = self.tallies[leaf][attribute]
            weights = tally.weights[wanted]
            codes.append(tally.codes[wanted])
            records.append(weights[:, 0] if self.tree.is_regression else row_sums(weights))
        found, places = np.unique(np.concatenate(codes), return_inverse=True)
        total = np.bincount(places, np.concatenate(records)).astype(np.int64)
        return found[wanted], total[wanted]


def _by_person(engine: Engine, region: Region, marks: Sequence[Mark]) -> list[list[Mark]]:
    """The marks in one leaf, put together where they are of one record."""
    columns = tuple(dict.fromkeys(mark.attribute for mark in marks))
    keys = engine.count(columns, region).keys if len(columns) > 1 else None
    together = defaultdict[int, list[Mark]](list)
    for mark in marks:
        # alone with its code in the node, and so in the leaf: one combination has it
        row = mark.code
        if keys is not None:
            (row,) = np.flatnonzero(keys[:, columns.index(mark.attribute)] == mark.code).tolist()
        together[row].append(mark)
    return list(together.values())


def _leaves_below(tree: Tree) -> dict[int, list[int]]:
    below: dict[int, list[int]] = {node.id: [] for node in tree.nodes}
    for leaf in tree.leaves:
        at: int | None = leaf.id
        while at is not None:
            below[at].append(leaf.id)
            at = tree.nodes[at].parent
    return below
