"""The nodes of trees as columns see them, found once for all columns of a size.

What a column must not beat in a node does not depend on the column; only in its own nodes it sees
more, the groups on each side.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from privet.preserve.by_leaf.contests import KeptSplit, NodeSeen
from privet.preserve.leaf_counts import InnerNode, LeafCounts
from privet.tree.impurity import RULES
from privet.tree.model import Tree

_known: WeakKeyDictionary[LeafCounts, dict[int, list[NodeSeen]]] = WeakKeyDictionary()


def nodes_seen(leaf_counts: LeafCounts, number: int, column: str) -> Iterator[NodeSeen]:
    """The inner nodes of a tree, then the leaves that may be split, as one column sees them."""
    of_trees = _known.setdefault(leaf_counts, {})
    places = [place for place in leaf_counts.inner_nodes if place.tree == number]
    if number not in of_trees:
        of_trees[number] = list(_seen_by_all(leaf_counts, number, places))
    seen = of_trees[number]
    for node, place in zip(seen, places, strict=False):
        assert place.node.split is not None
        own = place.node.split.attribute == column
        yield replace(node, sides=place.sides) if own else node
    yield from seen[len(places) :]


def _seen_by_all(
    leaf_counts: LeafCounts, number: int, places: Sequence[InnerNode]
) -> Iterator[NodeSeen]:
    tree = leaf_counts.trees[number]
    rule = RULES[tree.grower.impurity]
    assert tree.grower.attributes is not None
    kept_splits = []
    for place in places:
        node = place.node
        assert node.split is not None
        index = tree.grower.attributes.index(node.split.attribute)
        children = tuple(tree.nodes[c].weights for c in node.children)
        kept_splits.append(KeptSplit(node, index, children, rule))
        yield NodeSeen(number, node, place.groups, (), (kept_splits[-1],))
    yield from _leaves_seen(leaf_counts, number, tree, kept_splits)


def _leaves_seen(
    leaf_counts: LeafCounts, number: int, tree: Tree, kept_splits: Sequence[KeptSplit]
) -> Iterator[NodeSeen]:
    """Leaves that may be split, each with the splits that were preferred to its own."""
    for leaf in tree.leaves:
        if not tree.may_be_split(leaf):
            continue
        born = -1 if leaf.parent is None else tree.nodes[leaf.parent].children[0]
        later = [o for o in kept_splits if o.node.children[0] > born]
        if not later:
            continue
        least = min(o.score for o in later)
        near = tuple(o for o in later if o.score - least <= 2 * o.slack(least, o.error))
        of_leaf = [g for g, leaves in enumerate(leaf_counts.leaves) if leaves[number] == leaf.id]
        yield NodeSeen(number, leaf, np.array(of_leaf, dtype=np.int64), (), near)
