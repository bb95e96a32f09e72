"""DETECTIVE's chances the slow way: records and leaves one by one, in fractions."""

from collections import Counter
from fractions import Fraction

from privet.table import Value
from privet.tree.model import Node, Tree


def chances(tree: Tree, p: Fraction) -> dict[int, dict[Value, Fraction]]:
    """For each leaf the chance of each value that a record of it may draw."""
    return {leaf.id: _of_leaf(tree, leaf, p) for leaf in tree.nodes if not leaf.children}


def _of_leaf(tree: Tree, leaf: Node, p: Fraction) -> dict[Value, Fraction]:
    labels = tree.classes or ()
    records = [label for label, n in zip(labels, leaf.weights, strict=True) for _ in range(n)]
    siblings = []
    for node in tree.nodes:
        if leaf.id in node.children:
            siblings = [tree.nodes[c] for c in node.children if c != leaf.id]
    siblings = [s for s in siblings if not s.children]
    if not siblings:
        p = Fraction(0)
    found: Counter[Value] = Counter()
    for value in records:
        found[value] += (1 - p) / len(records)
    for sibling in siblings:
        counted = list(zip(sibling.weights, labels, strict=True))
        most = max(n for n, _ in counted)
        majority = next(label for n, label in counted if n == most)
        found[majority] += p / len(siblings)
    return {value: chance for value, chance in found.items() if chance}
