"""A tree of the grower in the words of its slow twin, so that both can be compared."""

from collections.abc import Sequence
from typing import Any

from oracles.slow_grower import SlowNode
from privet.tree import Multiway, Subset, Threshold, Tree


def plain(tree: Tree) -> list[SlowNode]:
    """A tree in the words of the twin."""
    nodes = []
    for node in tree.nodes:
        split: tuple[Any, ...] | None = None
        match node.split:
            case Threshold(attribute, _, threshold):
                split = ("threshold", attribute, threshold)
            case Subset(attribute, left, right):
                split = ("subset", attribute, left, right)
            case Multiway(attribute, branches):
                split = ("multiway", attribute, branches)
        nodes.append(SlowNode(node.id, node.parent, node.depth, node.weights, split, node.children))
    return nodes


def bits(nodes: Sequence[SlowNode]) -> list[Any]:
    """Thresholds to their last bit: 0.0 and -0.0 differ."""
    thresholds = [n.split[2] for n in nodes if n.split and n.split[0] == "threshold"]
    return [None if t is None else float(t).hex() for t in thresholds]
