"""Are two trees the same? Identical, or the first node that differs and how.

Identical means: same attributes, bit-identical thresholds, same categories, same records in each
node (by counts; with a table at hand, `same_partition` compares record by record), created in the
same order. Weaker answers for trees that differ: the same partition, the same predictions; the same
rules (`same_rules`: what is asked, whatever the counts), and those with the same counts.
"""

from dataclasses import dataclass

import numpy as np

from privet.table import Table, Value
from privet.tree.model import Multiway, Node, Split, Subset, Threshold, Tree


@dataclass(frozen=True)
class Comparison:
    """The answer: `node` is the first node that differs (None if identical), `how` says in what."""

    identical: bool
    node: int | None = None
    how: str = ""
    same_partition: bool | None = None
    same_predictions: bool | None = None

    def __bool__(self) -> bool:
        return self.identical

    def __str__(self) -> str:
        if self.identical:
            return "identical"
        weaker = ""
        if self.same_partition:
            weaker = " (but both divide the records alike)"
        elif self.same_predictions:
            weaker = " (but both predict the same)"
        return f"node {self.node} differs: {self.how}{weaker}"


def compare(first: Tree, second: Tree, table: Table | None = None) -> Comparison:
    """Compare two trees; with a table, say as well whether they divide or predict it alike.

    >>> table = privet.table_of({"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3})
    >>> schema = table.schema().with_roles(target="buys")
    >>> tree = privet.grow(privet.MemoryEngine(table), schema, privet.Grower())
    >>> print(privet.compare(tree, tree))
    identical
    """
    if first.target != second.target or first.classes != second.classes:
        return Comparison(False, 0, "the trees predict different targets or classes")
    found = _first_difference(first, second)
    if found is None:
        return Comparison(True, same_partition=True, same_predictions=True)
    node, how = found
    if table is None:
        return Comparison(False, node, how)
    leaves_1, leaves_2 = first.leaf_of_rows(table), second.leaf_of_rows(table)
    pairs = len(np.unique(np.stack([leaves_1, leaves_2], axis=1), axis=0))
    same_partition = pairs == len(np.unique(leaves_1)) == len(np.unique(leaves_2))
    return Comparison(
        False, node, how, same_partition, first.predict(table) == second.predict(table)
    )


def same_rules(first: Tree, second: Tree) -> bool:
    """Whether both trees ask the same, node by node: attributes, thresholds, categories.

    The records in their nodes may differ, and so may the order in which the nodes were made, and
    that of the branches for categories.
    """
    return _matched(first, second) is not None


def same_counts(first: Tree, second: Tree) -> bool:
    """Whether both trees ask the same and have the same records of each class in every node."""
    pairs = _matched(first, second)
    if pairs is None or first.classes != second.classes or first.step != second.step:
        return False
    return all(one.weights == two.weights for one, two in pairs)


def _matched(first: Tree, second: Tree) -> list[tuple[Node, Node]] | None:
    """The nodes of two trees in pairs, from the root down; None if their splits differ."""
    if first.target != second.target:
        return None
    pairs = [(first.root, second.root)]
    for one, two in pairs:  # grows while it is walked through
        if (one.split is None) != (two.split is None):
            return None
        if one.split is not None and two.split is not None:
            if question_difference(one.split, two.split):
                return None
            pairs += [(first.nodes[a], second.nodes[b]) for a, b in paired_children(one, two)]
    return pairs


def _first_difference(first: Tree, second: Tree) -> tuple[int, str] | None:
    for one, two in zip(first.nodes, second.nodes, strict=False):
        how = _difference(one, two)
        if how:
            return one.id, how
    if len(first.nodes) != len(second.nodes):
        shorter = min(len(first.nodes), len(second.nodes))
        return shorter, f"{first.n_leaves} leaves against {second.n_leaves}"
    if first.step != second.step:
        return 0, "the grid of the response"
    return None


def _difference(one: Node, two: Node) -> str:
    if one.weights != two.weights:
        return "other records"
    if (one.split is None) != (two.split is None):
        return "a leaf against a split"
    if one.split is not None and two.split is not None:
        how = split_difference(one.split, two.split)
        if how:
            return how
    return "" if one.children == two.children else "created in another order"


def split_difference(one: Split, two: Split) -> str:
    """In what two splits differ; empty if they ask the same."""
    if one.attribute != two.attribute:
        return f"attribute '{one.attribute}' against '{two.attribute}'"
    if type(one) is not type(two):
        return "another kind of split"
    if isinstance(one, Threshold) and isinstance(two, Threshold):
        return "" if one.threshold == two.threshold else "another threshold"
    return "" if one == two else "other categories"


def question_difference(one: Split, two: Split) -> str:
    """The same, whatever the order of branches for categories."""
    ours, theirs = _groups(one), _groups(two)
    if (
        type(one) is type(two)
        and one.attribute == two.attribute
        and ours
        and set(ours) == set(theirs)
    ):
        return ""
    return split_difference(one, two)


def paired_children(one: Node, two: Node) -> list[tuple[int, int]]:
    """The children of two nodes that ask the same, in pairs that take the same records."""
    ours, theirs = _groups(one.split), _groups(two.split)
    if not ours:
        return list(zip(one.children, two.children, strict=True))
    child_of = dict(zip(theirs, two.children, strict=True))
    return [(child, child_of[group]) for group, child in zip(ours, one.children, strict=True)]


def _groups(split: Split | None) -> list[frozenset[Value]]:
    """The categories of each child; empty for a threshold."""
    match split:
        case Multiway(_, branches):
            return [frozenset([branch]) for branch in branches]
        case Subset(_, left, right):
            return [frozenset(left), frozenset(right)]
    return []
