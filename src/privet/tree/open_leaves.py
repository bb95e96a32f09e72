"""The leaves of a growing tree that can still be split, best first: the heap of `grow`."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from privet.engine.protocol import Path
from privet.tree.choose import Choice
from privet.tree.levels import Ahead
from privet.tree.model import Node


@dataclass(eq=False)
class Open:
    """A leaf that can be split; the one that gains most comes first, among equals the oldest."""

    node: Node
    region: Path
    choice: Choice
    ahead: int = 0  # its number among the nodes that were looked at ahead

    def __lt__(self, other: "Open") -> bool:
        return self.choice.beats(other.choice, older=self.node.id < other.node.id)


def next_that_fits(heap: list[Open], room: int) -> Open | None:
    """The leaf to be split next, if its split makes no more leaves than there is room for."""
    while heap:
        best = heappop(heap)
        if len(best.choice.children) - 1 <= room:
            return best
        if not best.choice.may_be_passed_over:
            break
    return None


def root_looked_at(heap: list[Open], ahead: Ahead) -> Node:
    """The root, which was looked at ahead, in the heap if it can be split."""
    root = Node(0, None, 0, tuple(ahead.weights[0].tolist()))
    choice = ahead.choice(0)
    if choice is not None:
        heappush(heap, Open(root, Path(), choice))
    return root


def open_known(heap: list[Open], children: Sequence[Node], ahead: Ahead, parent: int) -> None:
    """The same for the children of a node that were looked at ahead."""
    for child, number in zip(children, ahead.children(parent), strict=True):
        choice = ahead.choice(number)
        if choice is not None:
            heappush(heap, Open(child, Path(), choice, number))
