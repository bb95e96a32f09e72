"""A tree as sentences: one rule for each leaf, for people to read.

Conditions on one column along a path are merged (`paths`): thresholds to one interval, categories
to those that are left. `words` for one split alone are here as well, since drawings use them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from privet.schema import Kind
from privet.table import Value, iso_text
from privet.tree.model import Multiway, Node, Subset, Threshold, Tree
from privet.tree.paths import Left, Range, paths
from privet.words import count


@dataclass(frozen=True)
class Rule:
    """The sentence of one leaf, and what it says in numbers."""

    leaf: int
    conditions: tuple[str, ...]
    prediction: Value
    records: int
    share: float | None  # of the predicted class; None for regression
    sentence: str


def rules(tree: Tree, may_miss: Sequence[str] | None = None) -> list[Rule]:
    """One rule for each leaf, from the left to the right of the drawn tree.

    `may_miss` names the columns that have missing cells; only those say "or missing". Without it,
    every column may.
    """
    steps = paths(tree)
    found: list[Rule] = []
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node.is_leaf:
            found.append(_rule(tree, node, Left.by(steps[node.id]), may_miss))
        waiting += [tree.nodes[child] for child in reversed(node.children)]
    return found


def _rule(tree: Tree, leaf: Node, left: Left, may_miss: Sequence[str] | None) -> Rule:
    for name, known in left.ranges.items():
        known.missing = known.missing and (may_miss is None or name in may_miss)
    conditions = tuple(
        _range_words(n, left.ranges[n]) if n in left.ranges else f"{n} is {labels(left.sets[n])}"
        for n in left.order
    )
    prediction, records = tree.prediction(leaf), tree.records(leaf)
    share = None if tree.is_regression else max(leaf.weights) / records
    when = f"If {' and '.join(conditions)} then " if conditions else "Always "
    counted = count(records, "record") + ("" if share is None else f", {share * 100:.0f} %")
    sentence = f"{when}{tree.target} is {outcome(tree, leaf)} ({counted})"
    return Rule(leaf.id, conditions, prediction, records, share, sentence)


# -- words ---------------------------------------------------------------------------------------


def outcome(tree: Tree, node: Node) -> str:
    """The prediction of a node in words."""
    prediction = tree.prediction(node)
    if prediction is None:
        return "missing"
    if tree.is_regression:
        return f"about {prediction:,.6g}"
    return str(prediction)


def branch_words(split: Threshold | Subset | Multiway, child: int, most: int | None = None) -> str:
    """The condition of one branch: `age ≤ 40.5`, `sex is Female`; long lists cut to `most`."""
    name = split.attribute
    match split:
        case Subset(_, left, right):
            return f"{name} is {labels((left, right)[child], most)}"
        case Multiway(_, branches):
            return f"{name} is {labels((branches[child],), most)}"
        case Threshold(_, _, None):
            return f"{name} is {'missing' if child else 'not missing'}"
        case Threshold(_, kind, threshold):
            return f"{name} {'>' if child else '≤'} {_number(threshold, kind)}"


def _range_words(name: str, known: Range) -> str:
    if not known.numbers:
        return f"{name} is missing"
    low, high = (_number(bound, known.kind) for bound in (known.above, known.up_to))
    if known.above is not None and known.up_to is not None:
        return f"{low} < {name} ≤ {high}"
    if known.up_to is not None:
        return f"{name} ≤ {high}"
    if known.above is not None:
        return f"{name} > {low}" + (" or missing" if known.missing else "")
    return f"{name} is not missing"


def labels(values: Sequence[Value], most: int | None = None) -> str:
    """`a, b or c`; missing last. Beyond `most` labels the rest is counted."""
    texts = ["missing" if value is None else str(value) for value in values]
    if most is not None and len(texts) > most:
        return ", ".join(texts[:most]) + f" or {len(texts) - most} more"
    return " or ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _number(value: float | None, kind: Kind) -> str:
    if value is None:
        return ""
    if kind in (Kind.DATE, Kind.DATETIME):
        return iso_text(value, kind)
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value)
