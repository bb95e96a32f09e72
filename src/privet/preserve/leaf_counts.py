"""What the recodings know of a table: counts of each used column in each group of the trees.

A group is a leaf of the tree (with several trees: a non-empty intersection of leaves). Everything
about nodes follows from their groups, so no row is read after this leaf_counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from privet.arrays import Integers
from privet.engine.protocol import Engine, Region, Tally
from privet.table import Domain
from privet.tree.model import Node, Threshold, Tree
from privet.tree.response import counted_target


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
    """Counts of the used columns by group; `tallies[group][column]` are against the target."""

    trees: tuple[Tree, ...]
    domains: Mapping[str, Domain]
    regions: tuple[Region, ...]
    leaves: tuple[tuple[int, ...], ...]  # for each group its leaf in each tree
    tallies: tuple[Mapping[str, Tally], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that some tree uses, in order of first use."""
        return tuple(dict.fromkeys(c for tree in self.trees for c in tree.attributes_used))

    def inner_nodes(self) -> list[InnerNode]:
        """Every inner node of every tree with the groups on each side."""
        places = []
        for number, tree in enumerate(self.trees):
            below = _groups_below(tree, [leaves[number] for leaves in self.leaves])
            for node in tree.inner:
                sides = tuple(np.array(sorted(below[c]), dtype=np.int64) for c in node.children)
                places.append(InnerNode(number, node, sides))
        return places

    def inner_nodes_on(self, column: str) -> list[InnerNode]:
        return [p for p in self.inner_nodes() if p.node.split and p.node.split.attribute == column]

    def codes_in(self, column: str, groups: Integers) -> Integers:
        """The codes of a column that occur in some groups."""
        present = np.zeros(self.domains[column].size, dtype=bool)
        for group in groups.tolist():
            present[self.tallies[group][column].codes] = True
        return np.flatnonzero(present)

    def records(self, column: str) -> Integers:
        """The records of each code of a column in the whole table."""
        regression = self.trees[0].is_regression
        total = np.zeros(self.domains[column].size, dtype=np.int64)
        for tallies in self.tallies:
            tally = tallies[column]
            total[tally.codes] += tally.weights[:, 0] if regression else tally.weights.sum(axis=1)
        return total

    def gaps(self, column: str) -> list[ThresholdGap]:
        """Every threshold of a column with the values next to it (but cuts before missing)."""
        gaps = []
        for place in self.inner_nodes_on(column):
            split = place.node.split
            if isinstance(split, Threshold) and split.threshold is not None:
                left, right = (self.codes_in(column, side) for side in place.sides)
                gaps.append(ThresholdGap(int(left[-1]), int(right[0]), split.threshold))
        return gaps


def count_leaves(engine: Engine, trees: Sequence[Tree]) -> LeafCounts:
    """Count the used columns in each group of some trees."""
    domains = {name: engine.domain(name) for name in engine.columns()}
    columns = tuple(dict.fromkeys(c for tree in trees for c in tree.attributes_used))
    target = counted_target(engine, trees[0].target, trees[0].step)
    leaf_regions = []
    for tree in trees:
        regions = tree.regions(domains)
        leaf_regions.append([(leaf.id, regions[leaf.id]) for leaf in tree.leaves])
    kept_regions, kept_leaves, tallies = [], [], []
    for combination in product(*leaf_regions):
        region = sum((part for _, part in combination), ())
        counted = engine.tally([*columns, trees[0].target], [region], target)[0]
        if len(counted[trees[0].target].codes):
            kept_regions.append(region)
            kept_leaves.append(tuple(leaf for leaf, _ in combination))
            tallies.append(counted)
    return LeafCounts(
        tuple(trees), domains, tuple(kept_regions), tuple(kept_leaves), tuple(tallies)
    )


def _groups_below(tree: Tree, leaf_of_group: Sequence[int]) -> dict[int, set[int]]:
    below: dict[int, set[int]] = {node.id: set() for node in tree.nodes}
    for group, leaf in enumerate(leaf_of_group):
        at: int | None = leaf
        while at is not None:
            below[at].add(group)
            at = tree.nodes[at].parent
    return below
