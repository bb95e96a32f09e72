"""A tree as sentences: one rule for each leaf, for people to read.

Conditions on one column along a path are merged: thresholds to one interval, categories to those
that are left. `words` for one split alone are here as well, since drawings use them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from privet.schema import Kind
from privet.table import Value, iso_text
from privet.tree.model import Multiway, Node, Subset, Threshold, Tree


@dataclass(frozen=True)
class Rule:
    """The sentence of one leaf, and what it says in numbers."""

    leaf: int
    conditions: tuple[str, ...]
    prediction: Value
    records: int
    share: float | None  # of the predicted class; None for regression
    sentence: str


@dataclass
class _Range:
    """What a path leaves of an ordered column."""

    kind: Kind
    above: float | None = None
    up_to: float | None = None
    missing: bool = True  # missing cells may still be among the records
    numbers: bool = True

    def words(self, name: str) -> str:
        if not self.numbers:
            return f"{name} is missing"
        low, high = (_number(v, self.kind) for v in (self.above, self.up_to))
        if self.above is not None and self.up_to is not None:
            return f"{low} < {name} ≤ {high}"
        if self.up_to is not None:
            return f"{name} ≤ {high}"
        if self.above is not None:
            return f"{name} > {low}" + (" or missing" if self.missing else "")
        return f"{name} is not missing"


@dataclass
class _Path:
    """The conditions from the root to a node, by column in order of first use."""

    ranges: dict[str, _Range] = field(default_factory=dict)
    sets: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def narrow(self, split: Threshold | Subset | Multiway, child: int) -> None:
        name = split.attribute
        if name not in self.order:
            self.order.append(name)
        match split:
            case Subset(_, left, right):
                self.sets[name] = (left, right)[child]
            case Multiway(_, branches):
                self.sets[name] = (branches[child],)
            case Threshold(_, kind, threshold):
                known = self.ranges.setdefault(name, _Range(kind))
                if child == 0:
                    known.missing = False
                    known.up_to = known.up_to if threshold is None else threshold
                elif threshold is None:
                    known.numbers = False
                else:
                    known.above = threshold

    def words(self) -> tuple[str, ...]:
        return tuple(
            self.ranges[n].words(n) if n in self.ranges else f"{n} is {labels(self.sets[n])}"
            for n in self.order
        )


def rules(tree: Tree, may_miss: Sequence[str] | None = None) -> list[Rule]:
    """One rule for each leaf, from the left to the right of the drawn tree.

    `may_miss` names the columns that have missing cells; only those say "or missing". Without it,
    every column may.
    """
    found: list[Rule] = []
    waiting: list[tuple[Node, tuple[tuple[Node, int], ...]]] = [(tree.root, ())]
    while waiting:
        node, steps = waiting.pop()
        if node.is_leaf:
            found.append(_rule(tree, node, steps, may_miss))
        for number in reversed(range(len(node.children))):
            waiting.append((tree.nodes[node.children[number]], (*steps, (node, number))))
    return found


def _rule(
    tree: Tree,
    leaf: Node,
    steps: tuple[tuple[Node, int], ...],
    may_miss: Sequence[str] | None,
) -> Rule:
    path = _Path()
    for node, child in steps:
        assert node.split is not None
        path.narrow(node.split, child)
    for name, known in path.ranges.items():
        known.missing = known.missing and (may_miss is None or name in may_miss)
    conditions = path.words()
    prediction, records = tree.prediction(leaf), tree.records(leaf)
    share = None if tree.is_regression else max(leaf.weights) / records
    when = f"If {' and '.join(conditions)} then " if conditions else "Always "
    count = f"{records:,} record{'s' * (records != 1)}"
    count += "" if share is None else f", {share * 100:.0f} %"
    sentence = f"{when}{tree.target} is {outcome(tree, leaf)} ({count})"
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
