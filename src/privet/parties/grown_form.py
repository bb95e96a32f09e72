"""A decoded tree in the form that growing gives.

Sides of category splits and numbers of nodes follow from the labels, and decoding has changed the
labels; so a decoded tree is turned into what the grower would have made of them.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from privet.table import Value
from privet.tree.model import Node, Split, Subset, Tree


def as_grown(tree: Tree) -> tuple[Tree, dict[int, int]]:
    """The same tree with sides and numbers as the grower makes them, and the new numbers."""
    new_id = {0: 0}
    made: dict[int, Node] = {}
    for node in sorted(tree.inner, key=lambda n: min(n.children)):
        split, children = _sides(tree, node)
        first = len(new_id)
        for number, child in enumerate(children):
            new_id[child] = first + number
        ids = tuple(new_id[child] for child in children)
        made[node.id] = replace(node, split=split, children=ids)
    nodes: list[Node] = [tree.root] * len(tree.nodes)
    for node in tree.nodes:
        here = made.get(node.id, node)
        parent = None if node.parent is None else new_id[node.parent]
        nodes[new_id[node.id]] = replace(here, id=new_id[node.id], parent=parent)
    return replace(tree, nodes=tuple(nodes)), new_id


def _sides(tree: Tree, node: Node) -> tuple[Split, tuple[int, ...]]:
    """The split with its left side where the rule of the grower wants it."""
    split, children = node.split, node.children
    assert split is not None
    if not isinstance(split, Subset) or split.attribute in tree.grower.category_orders:
        return split, children
    left, right = (tree.nodes[child] for child in children)
    if tree.is_regression or len(tree.classes or ()) == 2:
        turn = _mean(tree, left) > _mean(tree, right)
    else:
        turn = min(map(place, split.right)) < min(map(place, split.left))
    if not turn:
        return split, children
    return Subset(split.attribute, split.right, split.left), children[::-1]


def _mean(tree: Tree, node: Node) -> Fraction:
    return Fraction(node.weights[1], tree.records(node))


def place(label: Value) -> tuple[bool, Any]:
    """Sorted as domains are: missing last."""
    return label is None, "" if label is None else label
