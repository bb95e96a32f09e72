"""Trees grown by other programs, made into ours: what `pmml_read` and `from_sklearn` share.

An imported tree predicts like the one it came from. Its grower holds settings as near to the other
program's as ours can say them; nothing promises that the same tree grows from them.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from privet.errors import Loss
from privet.tree.model import Node, Split


class ImportLoss(Loss):
    """Something that a foreign tree says and ours cannot."""


@dataclass
class Sprout:
    """A node before it is numbered. Only leaves need weights: those of others are their sums."""

    split: Split | None = None
    children: list["Sprout"] = field(default_factory=list)
    weights: tuple[int, ...] = ()


def numbered(root: Sprout, order: Sequence[Sprout] | None = None) -> tuple[Node, ...]:
    """The nodes in an order in which children follow their parents; level by level if not given."""
    placed = list(order or _by_level(root))
    place = {id(sprout): number for number, sprout in enumerate(placed)}
    parents: dict[int, int] = {}
    depths = {0: 0}
    for number, sprout in enumerate(placed):
        for child in sprout.children:
            parents[place[id(child)]] = number
            depths[place[id(child)]] = depths[number] + 1
    for sprout in reversed(placed):
        if sprout.children:
            below = zip(*(child.weights for child in sprout.children), strict=True)
            sprout.weights = tuple(map(sum, below))
    return tuple(
        Node(
            number,
            parents.get(number),
            depths[number],
            sprout.weights,
            sprout.split,
            tuple(place[id(child)] for child in sprout.children),
        )
        for number, sprout in enumerate(placed)
    )


def _by_level(root: Sprout) -> list[Sprout]:
    found, waiting = [], deque([root])
    while waiting:
        sprout = waiting.popleft()
        found.append(sprout)
        waiting += sprout.children
    return found


def exact_step(means: Sequence[float]) -> float:
    """The largest power of two of which every mean is a whole multiple."""
    denominators = [Fraction(mean).denominator for mean in means]
    step = Fraction(1, max(denominators))
    if step == 1:
        whole = [abs(int(mean)) for mean in means if mean]
        step = Fraction(min((n & -n for n in whole), default=1))
    return float(step)


def sum_steps(records: int, mean: float, step: float) -> int:
    """The sum of a leaf, in grid steps, whose mean is exactly this one."""
    return int(Fraction(mean) * records / Fraction(step))
