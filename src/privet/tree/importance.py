"""How much each column does for a tree: by how much its splits make the records purer.

For classes purity is that of Gini, for numbers it is squared error, whatever the tree was grown by;
so the shares of trees can be compared. Both follow from the counts that the nodes hold.
"""

from collections.abc import Mapping
from fractions import Fraction

from privet.tree.model import Node, Tree


def importances(tree: Tree) -> Mapping[str, Fraction]:
    """The share of each column that the tree asks in all it gains; together 1."""
    gains: dict[str, Fraction] = {}
    for node in tree.inner:
        assert node.split is not None
        after = sum((_purity(tree, tree.nodes[child]) for child in node.children), Fraction())
        gain = after - _purity(tree, node)
        gains[node.split.attribute] = gains.get(node.split.attribute, Fraction()) + gain
    total = sum(gains.values(), Fraction())
    return {name: gain / total if total else Fraction() for name, gain in gains.items()}


def _purity(tree: Tree, node: Node) -> Fraction:
    """The sum of squares over the records: what Gini and squared error have to gain."""
    if tree.is_regression:
        records, total = node.weights
        return Fraction(total * total, records)
    return Fraction(sum(weight * weight for weight in node.weights), sum(node.weights))
