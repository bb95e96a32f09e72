"""Is the tree that another program grew the same as ours, the same up to a tie, or different?

Two trees are the same if they ask the same columns and send the same records to the same places.
Where they part, exact arithmetic judges the other tree: each of its splits must gain as much as the
best split of its node, and the node it splits next must be one whose best split gains most. If so,
only ties were broken otherwise. Gains so close that floats cannot tell them apart are ties, too,
and are told from exact ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np

from privet.tree.foreign.grown import Grown, Inexpressible, Task, difference
from privet.tree.model import Node, Threshold

FLOATS_TELL = 1e-12  # of the sums that a gain is the difference of

Answer = Literal["same", "same, with help", "tie", "different", "inexpressible"]


@dataclass(frozen=True)
class Agreement:
    """The answer, in one sentence what was found, and what the program could only do otherwise.

    With help: the program was led from split to split, since it cannot say the whole tree itself.
    """

    program: str
    outcome: Answer
    detail: str
    remarks: tuple[str, ...] = ()
    node: int | None = None  # of our tree, the first where both part

    @property
    def exit_status(self) -> int:
        return {"different": 1, "inexpressible": 2}.get(self.outcome, 0)

    def to_data(self) -> dict[str, Any]:
        return {
            "with": self.program,
            "outcome": self.outcome,
            "detail": self.detail,
            "remarks": list(self.remarks),
            "node": self.node,
        }


@dataclass(frozen=True, eq=False)
class Departure:
    """Where a program did something else than exact arithmetic asks for, and how."""

    node: Grown
    detail: str
    instead: Grown | None = None  # the node that was split in its place, where that is the matter


def agreement(
    task: Task, grown: Grown, program: str, remarks: Sequence[str] = (), tolerance: float = 0.0
) -> Agreement | Departure:
    """Compare; a departure is for the program's own module to explain or to call different."""
    walk = Walk(task)
    walk.down(task.tree.root, grown)
    said = tuple(remarks)
    if walk.parted is None and grown.n_leaves() == task.tree.n_leaves:
        if walk.twins:
            node, twin = walk.twins[0]
            more = f", and {len(walk.twins) - 1} more" if len(walk.twins) > 1 else ""
            both = f"{_asks(node)} and '{twin.attribute}'"
            detail = f"node {node.id}: {both} divide its records alike{more}"
            return Agreement(program, "tie", detail, said, node.id)
        said += walk.thresholds()
        return Agreement(program, "same", _count(task), said)
    found = _first_departure(task, grown, tolerance)
    if isinstance(found, Departure):
        return found
    if isinstance(fault := _first_departure(task, task.told(), 0.0), Departure):
        return Departure(fault.node, "our own split is not the best one there")
    node, theirs = walk.parted or (task.tree.root, grown)
    exactly = "exactly the same" if found == 0.0 else f"the same but for a part of {found:.0e}"
    if theirs.is_leaf:
        detail = f"node {node.id} is a leaf there: another node was split that gains {exactly}"
    elif node.split is not None and theirs.attribute == node.split.attribute:
        detail = f"node {node.id}: two splits of '{theirs.attribute}' gain {exactly}"
    else:
        detail = f"node {node.id}: {_asks(node)} and '{theirs.attribute}' gain {exactly}"
    return Agreement(program, "tie", detail, said, node.id)


def different(task: Task, departure: Departure, program: str, remarks: Sequence[str]) -> Agreement:
    node = our_node(task, departure.node)
    return Agreement(program, "different", _place(node) + departure.detail, tuple(remarks), node)


def by_own_rule(
    task: Task, departure: Departure, program: str, rule: str, remarks: Sequence[str]
) -> Agreement:
    """A departure that a rule of the program asks for: our settings have no words for it there."""
    node = our_node(task, departure.node)
    detail = f"{_place(node)}{departure.detail}; {rule}"
    return Agreement(program, "inexpressible", detail, tuple(remarks), node)


def _place(node: int | None) -> str:
    return "a node that our tree does not have: " if node is None else f"node {node}: "


def our_node(task: Task, theirs: Grown) -> int | None:
    """The node of our tree with these records, if there is one."""
    for node in task.tree.nodes:
        if np.array_equal(task.rows_of_nodes[node.id], theirs.rows):
            return node.id
    return None


class Walk:
    """Down both trees at once, as far as they divide the records alike."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.twins: list[tuple[Node, Grown]] = []  # another column that divides the records alike
        self.partings: list[tuple[Node, Grown]] = []  # nodes where they do not
        self.deeper: list[tuple[Node, Grown]] = []  # leaves of ours that are split there
        self.elsewhere: list[tuple[Node, Grown]] = []  # thresholds that are other numbers
        self.compared = 0

    def down(self, ours: Node, theirs: Grown) -> None:
        waiting = [(ours, theirs)]
        while waiting:
            node, other = waiting.pop()
            if node.split is None:
                self.deeper += [] if other.is_leaf else [(node, other)]
                continue
            pairs = self._pairs(node, other)
            if pairs is None:
                self.partings.append((node, other))
                continue
            if other.attribute != node.split.attribute:
                self.twins.append((node, other))
            elif isinstance(node.split, Threshold) and None not in (
                node.split.threshold,
                other.threshold,
            ):
                self.compared += 1
                if node.split.threshold != other.threshold:
                    self.elsewhere.append((node, other))
            waiting += pairs
        self.twins.sort(key=lambda pair: pair[0].id)

    @property
    def parted(self) -> tuple[Node, Grown] | None:
        """The oldest node where they do not."""
        return min(self.partings, key=lambda pair: pair[0].id, default=None)

    @property
    def first(self) -> tuple[Node, Grown] | None:
        """Of the nodes where the trees are not the same to the last bit, the one split first."""
        places = [*self.partings, *self.twins, *self.elsewhere, *self.deeper]
        return min(places, key=lambda pair: pair[0].children or (inf,), default=None)

    def _pairs(self, node: Node, other: Grown) -> list[tuple[Node, Grown]] | None:
        rows = self.task.rows_of_nodes
        theirs = {child.rows.tobytes(): child for child in other.children}
        if len(theirs) != len(node.children):
            return None
        if any(rows[child].tobytes() not in theirs for child in node.children):
            return None
        nodes = self.task.tree.nodes
        return [(nodes[child], theirs[rows[child].tobytes()]) for child in node.children]

    def thresholds(self) -> tuple[str, ...]:
        if not self.compared:
            return ()
        if not self.elsewhere:
            return (f"thresholds compared, bit-identical: {self.compared}",)
        return (
            "thresholds that are other numbers between the same records: "
            f"{len(self.elsewhere)} of {self.compared}",
        )


@dataclass(eq=False)
class _Open:
    """A leaf of the other tree, while it grows, with the best split that exact gains know."""

    node: Grown
    depth: int
    best: Grown
    gain: Any


def _first_departure(task: Task, grown: Grown, tolerance: float) -> Departure | float:
    """The first step that is not the best one, or the largest shortfall if all are (0.0: none)."""
    worst, allowed = 0.0, max(FLOATS_TELL, tolerance)
    open_leaves = _opened(task, grown, 0)
    for node in grown.inner():
        here = next((leaf for leaf in open_leaves if leaf.node is node), None)
        if here is None:
            return Departure(node, "it is split there, though no split gains anything")
        scale = task.scale(node.rows)
        lost = difference(here.gain, task.gain(node))
        if abs(lost) > allowed * scale:
            return Departure(node, _shortfall(here.best, node, lost))
        worst = max(worst, abs(lost) / scale)
        for leaf in open_leaves:
            ahead = difference(leaf.gain, here.gain) / max(scale, task.scale(leaf.node.rows))
            if ahead > allowed:
                detail = "it is not split there, though it gains most"
                return Departure(leaf.node, detail, instead=node)
            worst = max(worst, ahead)
        open_leaves.remove(here)
        for child in node.children:
            open_leaves += _opened(task, child, here.depth + 1)
    if not open_leaves or grown.n_leaves() >= task.tree.n_leaves:
        return worst
    for leaf in open_leaves:
        if difference(leaf.gain, task.nothing) > allowed * task.scale(leaf.node.rows):
            return Departure(leaf.node, "it is a leaf there, though a split gains something")
    raise Inexpressible(
        f"after {grown.n_leaves()} leaves, splits gain less than floats can tell from nothing"
    )


def _opened(task: Task, node: Grown, depth: int) -> list[_Open]:
    if task.grower.depth is not None and depth >= task.grower.depth:
        return []
    best = task.best(node.rows)
    return [] if best.is_leaf else [_Open(node, depth, best, task.gain(best))]


def _shortfall(best: Grown, theirs: Grown, lost: float) -> str:
    which = f"'{best.attribute}' here, '{theirs.attribute}' there"
    if best.attribute == theirs.attribute:
        which = f"another split of '{best.attribute}' there"
    return f"{which}, which gains {'less' if lost > 0 else 'more'} by {abs(lost):.3g}"


def _asks(node: Node) -> str:
    assert node.split is not None
    return f"'{node.split.attribute}'"


def _count(task: Task) -> str:
    leaves = task.tree.n_leaves
    inner = len(task.tree.inner)
    return f"all {inner} splits and {leaves} leaves: same columns, same records in every node"
