"""What the recodings know of a table: counts of each used column in each group of the trees.

A group is a leaf of the tree (with several trees: a non-empty intersection of leaves). Everything
about nodes follows from their groups, so no row is read after this leaf_counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privet.arrays import Integers
from privet.engine.protocol import Engine, Region, Tally
from privet.preserve.responses import Responses
from privet.table import Domain
from privet.tree.model import Node, Threshold, Tree


@dataclass(frozen=True)
class ThresholdGap:
    """A node that cuts a column of numbers: its own values next to the threshold, as codes."""

    below: int
    above: int
    threshold: float


@dataclass(frozen=True, eq=False)
class InnerNode:
    """An inner node of one of the trees, with the groups below each of its children."""

    tree: int
    node: Node
    sides: tuple[Integers, ...]

    @property
    def groups(self) -> Integers:
        return np.concatenate(self.sides)


@dataclass(frozen=True, eq=False)
class LeafCounts:
    """Counts of the used columns by group; `tallies[group][column]` are against the response of
    every tree (`responses`)."""

    trees: tuple[Tree, ...]
    domains: Mapping[str, Domain]
    regions: tuple[Region, ...]
    leaves: tuple[tuple[int, ...], ...]  # for each group its leaf in each tree
    tallies: tuple[Mapping[str, Tally], ...]

    @cached_property
    def responses(self) -> Responses:
        return Responses.of(self.trees)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that some tree uses, in order of first use."""
        return tuple(dict.fromkeys(c for tree in self.trees for c in tree.attributes_used))

    @cached_property
    def inner_nodes(self) -> list[InnerNode]:
        """Every inner node of every tree with the groups on each side."""
        places = []
        for number, tree in enumerate(self.trees):
            below = _groups_below(tree, [leaves[number] for leaves in self.leaves])
            for node in tree.inner:
                sides = tuple(np.array(sorted(below[c]), dtype=np.int64) for c in node.children)
                places.append(InnerNode(number, node, sides))
        return places

    @property
    def smallest_group(self) -> int:
        """The records of the smallest group."""
        some_column = next(iter(self.tallies[0]))
        weights = (tallies[some_column].weights for tallies in self.tallies)
        return min(int(self.responses.records(of_values).sum()) for of_values in weights)

    def inner_nodes_on(self, column: str) -> list[InnerNode]:
        return [p for p in self.inner_nodes if p.node.split and p.node.split.attribute == column]

    def codes_in(self, column: str, groups: Integers) -> Integers:
        """The codes of a column that occur in some groups."""
        present = np.zeros(self.domains[column].size, dtype=bool)
        for group in groups.tolist():
            present[self.tallies[group][column].codes] = True
        return np.flatnonzero(present)

    def records(self, column: str) -> Integers:
        """The records of each code of a column in the whole table."""
        total = np.zeros(self.domains[column].size, dtype=np.int64)
        for tallies in self.tallies:
            tally = tallies[column]
            total[tally.codes] += self.responses.records(tally.weights)
        return total

    def gaps(self, column: str) -> list[ThresholdGap]:
        """Every threshold of a column with the values next to it (but cuts before missing)."""
        gaps = []
        for place in self.inner_nodes_on(column):
            split = place.node.split
            if isinstance(split, Threshold) and split.threshold is not None:
                left, right = ([self.tallies[g][column].codes for g in s] for s in place.sides)
                below, above = max(c.max() for c in left), min(c.min() for c in right)
                gaps.append(ThresholdGap(int(below), int(above), split.threshold))
        return gaps


def count_leaves(engine: Engine, trees: Sequence[Tree]) -> LeafCounts:
    """Count the used columns in each group of some trees."""
    domains = {name: engine.domain(name) for name in engine.columns()}
    columns = tuple(dict.fromkeys(c for tree in trees for c in tree.attributes_used))
    responses = Responses.of(trees)
    asked = [*columns, trees[0].target]  # a tree without a split uses no column
    regions, leaves = zip(*intersections(engine, trees), strict=True)
    tallies = tuple(responses.tally(engine, asked, region) for region in regions)
    return LeafCounts(tuple(trees), domains, regions, leaves, tallies)


def intersections(engine: Engine, trees: Sequence[Tree]) -> list[tuple[Region, tuple[int, ...]]]:
    """The intersections of leaves that some record is in: by the leaf of the first tree, then by
    that of the next."""
    domains = {name: engine.domain(name) for name in engine.columns()}
    regions = trees[0].regions(domains)
    groups: list[tuple[Region, tuple[int, ...]]]
    groups = [(tuple(regions[leaf.id]), (leaf.id,)) for leaf in trees[0].leaves]
    for tree in trees[1:]:
        groups = [
            (inside, (*leaves, leaf))
            for region, leaves in groups
            for leaf, inside in sorted(_leaves_met(engine, tree, domains, region).items())
        ]
    return groups


def _leaves_met(
    engine: Engine, tree: Tree, domains: Mapping[str, Domain], region: Region
) -> dict[int, Region]:
    """The leaves of a tree that records of a region are in, each with their intersection."""
    met = {}
    waiting = [(tree.root, region)]
    while waiting:
        node, here = waiting.pop()
        if node.split is None:
            met[node.id] = here
            continue
        domain = domains[node.split.attribute]
        present = engine.count([node.split.attribute], within=here).keys[:, 0]
        conditions = node.split.conditions(domain)
        for child, condition in zip(node.children, conditions, strict=True):
            if condition.allowed(domain.size)[present].any():
                waiting.append((tree.nodes[child], (*here, condition)))
    return met


def _groups_below(tree: Tree, leaf_of_group: Sequence[int]) -> dict[int, set[int]]:
    below: dict[int, set[int]] = {node.id: set() for node in tree.nodes}
    for group, leaf in enumerate(leaf_of_group):
        at: int | None = leaf
        while at is not None:
            below[at].add(group)
            at = tree.nodes[at].parent
    return below
