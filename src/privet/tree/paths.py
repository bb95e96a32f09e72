"""The ways from the root to the nodes, and what they leave of each column.

`rules` puts what is left into words, noise stays within it, and `Tree.regions` says it in codes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from privet.schema import Kind
from privet.table import Value
from privet.tree.model import Multiway, Split, Subset, Threshold, Tree

Steps = tuple[tuple[Split, int], ...]  # splits from the root, each with the child that is taken


def paths(tree: Tree) -> list[Steps]:
    """For each node, by its number, the steps that lead to it."""
    steps: list[Steps] = [()] * len(tree.nodes)
    for node in tree.inner:
        assert node.split is not None
        for number, child in enumerate(node.children):
            steps[child] = (*steps[node.id], (node.split, number))
    return steps


@dataclass
class Range:
    """What a path leaves of an ordered column."""

    kind: Kind
    above: float | None = None
    up_to: float | None = None
    missing: bool = True  # missing cells may still be among the records
    numbers: bool = True

    def narrow(self, threshold: float | None, child: int) -> None:
        if child == 0:
            self.missing = False
            self.up_to = _tighter(min, self.up_to, threshold)
        elif threshold is None:
            self.numbers = False
        else:
            self.above = _tighter(max, self.above, threshold)


@dataclass
class Left:
    """What a path leaves of the columns that it asks, in order of first use."""

    ranges: dict[str, Range] = field(default_factory=dict)
    sets: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    @classmethod
    def by(cls, steps: Iterable[tuple[Split, int]]) -> "Left":
        left = cls()
        for split, child in steps:
            left._narrow(split, child)
        return left

    def _narrow(self, split: Split, child: int) -> None:
        name = split.attribute
        if name not in self.order:
            self.order.append(name)
        match split:
            case Subset(_, left, right):
                self.sets[name] = (left, right)[child]
            case Multiway(_, branches):
                self.sets[name] = (branches[child],)
            case Threshold(_, kind, threshold):
                self.ranges.setdefault(name, Range(kind)).narrow(threshold, child)


def _tighter(
    bound: Callable[[float, float], float], known: float | None, new: float | None
) -> float | None:
    return known if new is None else new if known is None else bound(known, new)
