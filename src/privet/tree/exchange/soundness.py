"""What is true of every tree, wherever it was read.

A file may have been edited, or made to do harm. Those who draw, compare, write or apply a tree rely
on what is checked here, once: names are texts, categories are texts or missing, classes are of the
kind of the target, counts are whole numbers that add up, thresholds are numbers of their column's
kind, and every node but the root has one parent before it. `model_file` and `pmml_read` ask for it.
"""

import math
from collections.abc import Sequence
from typing import Any

from privet.schema import Kind
from privet.table import Value
from privet.tree.model import Multiway, Node, Subset, Threshold, Tree

_MOST_RECORDS = 2**63
_DEEPEST = 2000  # splits on a path; rules and drawings grow with its square
_FARTHEST_DAY = 2**31
_CLASS_TYPES: dict[Kind, tuple[type, ...]] = {
    Kind.INTEGER: (int,),
    Kind.DECIMAL: (int, float),
    Kind.CATEGORY: (str,),
    Kind.DATE: (str,),
    Kind.DATETIME: (str,),
}


class Unsound(ValueError):
    """A tree that cannot be; the message says why, and tells no value."""


def check_sound(tree: Tree) -> None:
    """Raise `Unsound` unless everybody may rely on the tree."""
    _ask(isinstance(tree.target, str) and bool(tree.target), "the target has a name")
    _ask(all(isinstance(name, str) for name in tree.kinds), "columns have names")
    _ask(tree.target in tree.kinds, "the target has a kind")
    if tree.classes is not None:
        _check_classes(tree.classes, tree.kinds[tree.target])
    else:
        _ask(tree.kinds[tree.target].is_ordered, "the mean of a target needs numbers")
    _ask(bool(tree.nodes), "there is a root")
    for place, node in enumerate(tree.nodes):
        _check_node(tree, node, place)
    parented = [child for node in tree.nodes for child in node.children]
    _ask(sorted(parented) == list(range(1, len(tree.nodes))), "every node has one parent")


def _check_classes(classes: Sequence[Value], kind: Kind) -> None:
    named = classes[:-1] if classes and classes[-1] is None else classes
    _ask(bool(classes), "there are classes")
    _ask(all(_is(label, *_CLASS_TYPES[kind]) for label in named), "classes are of one kind")
    _ask(len({str(label) for label in named} - {""}) == len(named), "classes differ")


def _check_node(tree: Tree, node: Node, place: int) -> None:
    _ask(node.id == place, "ids are places in the list")
    _ask(0 <= node.depth <= _DEEPEST, f"a path has at most {_DEEPEST} splits")
    whole = all(_is(child, int) and place < child < len(tree.nodes) for child in node.children)
    _ask(whole, "children come after their parents")
    n_children = 0 if node.split is None else node.split.n_children
    _ask(len(node.children) == n_children, "a split and its children fit")
    _check_weights(tree, node)
    match node.split:
        case Threshold(attribute, kind, threshold):
            _ask(tree.kinds.get(attribute) is kind and kind.is_ordered, "a threshold cuts numbers")
            _check_threshold(threshold, kind)
        case Subset(attribute, left, right, more_left, more_right):
            _check_categories(tree, attribute, [*left, *right, *more_left, *more_right])
            _ask(bool(left) and bool(right), "no side is empty")
        case Multiway(attribute, branches):
            _check_categories(tree, attribute, branches)
            _ask(bool(branches), "a split has branches")


def _check_weights(tree: Tree, node: Node) -> None:
    _ask(set(map(type, node.weights)) <= {int}, "counts are whole numbers")
    _ask(len(node.weights) == (2 if tree.classes is None else len(tree.classes)), "counts fit")
    counts = node.weights[:1] if tree.is_regression else node.weights
    _ask(min(counts) >= 0 and 0 < tree.records(node) < _MOST_RECORDS, "a node has records")
    if node.children:
        below = zip(*(tree.nodes[child].weights for child in node.children), strict=True)
        _ask(tuple(map(sum, below)) == node.weights, "children add up to their parent")
    if tree.is_regression:
        try:
            _ask(math.isfinite(tree.mean(node)), "a mean is finite")
        except OverflowError:
            raise Unsound("a mean is finite") from None


def _check_threshold(threshold: Any, kind: Kind) -> None:
    if threshold is None:
        return
    _ask(_is(threshold, int, float) and math.isfinite(threshold), "a threshold is a number")
    _ask(kind is not Kind.DATE or abs(threshold) < _FARTHEST_DAY, "a day is not too far away")


def _check_categories(tree: Tree, attribute: str, labels: Sequence[Value]) -> None:
    _ask(tree.kinds.get(attribute) is Kind.CATEGORY, "categories are split into groups")
    _ask(all(label is None or isinstance(label, str) for label in labels), "categories are texts")
    _ask(len(set(labels)) == len(labels), "each category goes one way")


def _is(value: object, *types: type) -> bool:
    """Whether a value is of a type; truth values are no numbers."""
    return isinstance(value, types) and not isinstance(value, bool)


def _ask(holds: bool, rule: str) -> None:
    if not holds:
        raise Unsound(rule)
