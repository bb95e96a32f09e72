"""A tree that another program grew, told by the records that reach each node.

Programs name and number nodes in their own ways; the records are what they all agree on. `Task` is
what a program is asked, `Grown` what comes back. `agreement` compares it with a tree of ours.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine import MemoryEngine
from privet.exact import LogRatio, LogSum
from privet.schema import Kind, Schema
from privet.table import Coded, Table
from privet.tree.grow import grow
from privet.tree.grower import Grower
from privet.tree.impurity import RULES, Weights
from privet.tree.model import Tree
from privet.tree.response import on_grid

Rows = npt.NDArray[np.int64]

_SMALLEST, _LARGEST = 1e-140, 1e140  # of a response: floats hold sums of its squares


class Inexpressible(Exception):
    """The program cannot say what the grower's settings say."""


@dataclass(eq=False)
class Grown:
    """A node: its records, the column it asks, its threshold where it has one, its children.

    `order` says when the node was split; it is set where the program itself stops at a number of
    leaves, and by `cut` where it does not.
    """

    rows: Rows
    attribute: str | None = None
    threshold: float | None = None
    children: list["Grown"] = field(default_factory=list)
    order: int = 0

    @property
    def is_leaf(self) -> bool:
        return not self.children

    def inner(self) -> list["Grown"]:
        """Nodes with a split, in the order in which they were split."""
        found, waiting = [], [self]
        while waiting:
            node = waiting.pop()
            if not node.is_leaf:
                found.append(node)
                waiting += node.children
        return sorted(found, key=lambda node: node.order)

    def n_leaves(self) -> int:
        return 1 + sum(len(node.children) - 1 for node in self.inner())


@dataclass(frozen=True, eq=False)
class Task:
    """A table, its target and the tree that another program should find in it.

    `by_value`: numbers are given as they are, however near they lie; else by rank where the program
    would confuse them. `seed` is for programs that draw among equal splits; what they draw depends
    on columns of one value as well, which are left out unless `constants` are asked for.
    """

    table: Table
    schema: Schema
    tree: Tree
    by_value: bool = False
    seed: int = 0
    constants: bool = False

    @property
    def grower(self) -> Grower:
        return self.tree.grower

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The columns offered that have anything to split."""
        offered = self.grower.attributes or ()
        return tuple(a for a in offered if self.constants or self.table[a].domain.size > 1)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The offered columns of more than two categories: two are cut alike by every program."""
        columns = ((a, self.table[a].domain) for a in self.attributes)
        return tuple(a for a, d in columns if d.kind is Kind.CATEGORY and d.size > 2)

    @property
    def target(self) -> Coded:
        return self.table[self.tree.target]

    @cached_property
    def response(self) -> npt.NDArray[np.float64]:
        """The response as other programs see it: the number itself, or the number of the class."""
        if self.tree.is_regression:
            numbers = self.target.domain.values.astype(np.float64)
            largest = float(np.abs(numbers).max())
            if not _SMALLEST < largest < _LARGEST:
                raise Inexpressible("squares of the response are too large or small for floats")
            return numbers[self.target.codes]
        return self.target.codes.astype(np.float64)

    @cached_property
    def _units(self) -> npt.NDArray[np.int64]:
        assert self.tree.step is not None
        return on_grid(self.target.domain, self.tree.step)[self.target.codes]

    def weights(self, rows: Rows) -> Weights:
        """What a node of a tree of ours would hold for these records."""
        if self.tree.is_regression:
            return len(rows), int(self._units[rows].sum())
        size = self.target.domain.size
        return tuple(np.bincount(self.target.codes[rows], minlength=size).tolist())

    def gain(self, node: Grown) -> Any:
        """The exact gain of the split of a node."""
        children = tuple(self.weights(child.rows) for child in node.children)
        return RULES[self.grower.impurity].exact(children, self.weights(node.rows))

    def best(self, rows: Rows) -> Grown:
        """These records split once by our own grower; a leaf where no split gains anything."""
        part = self.table.take(rows)
        settings = replace(self.grower, leaves=None, depth=1, min_gain=0.0)
        stump = grow(MemoryEngine(part), self.schema, settings)
        if stump.root.split is None:
            return Grown(rows)
        reached = stump.leaf_of_rows(part)
        children = [Grown(rows[reached == child]) for child in stump.root.children]
        return Grown(rows, stump.root.split.attribute, None, children)

    def scale(self, rows: Rows) -> float:
        """The size of the sums that a program subtracts to get a gain: what its floats round."""
        if self.grower.impurity in ("gain-ratio", "c45"):
            return 1.0
        if self.tree.is_regression:
            return float((self._units[rows].astype(np.float64) ** 2).sum())
        n = len(rows)
        return n * math.log2(n + 1) if self.grower.impurity == "entropy" else float(n)

    @cached_property
    def nothing(self) -> Any:
        """The exact gain of a split that gains nothing."""
        return RULES[self.grower.impurity].exact(((1, 1), (1, 1)), (2, 2))

    def told(self) -> Grown:
        """Our own tree, told like that of another program."""
        return self.told_nodes[0]

    @cached_property
    def told_nodes(self) -> list[Grown]:
        """For each node of our tree, how another program would tell it."""
        nodes = [Grown(rows) for rows in self.rows_of_nodes]
        for node in self.tree.inner:
            assert node.split is not None
            here = nodes[node.id]
            here.attribute, here.order = node.split.attribute, node.children[0]
            here.threshold = getattr(node.split, "threshold", None)
            here.children = [nodes[child] for child in node.children]
        return nodes

    @cached_property
    def rows_of_nodes(self) -> list[Rows]:
        """For each node of our tree its records, ascending."""
        rows = [np.arange(self.table.n_rows)] * len(self.tree.nodes)
        for node in self.tree.inner:
            assert node.split is not None
            column = self.table[node.split.attribute]
            goes = node.split.child_of_codes(column.domain, 0)[column.codes[rows[node.id]]]
            for number, child in enumerate(node.children):
                rows[child] = rows[node.id][goes == number]
        return rows


def difference(one: Any, two: Any) -> float:
    """How much more the first exact gain is: 0.0 only if they are equal."""
    if one == two:
        return 0.0
    if isinstance(one, Fraction):
        return float(one - two)
    if isinstance(one, LogSum):
        return float(one.minus(two).value(50)[0])
    assert isinstance(one, LogRatio)
    first, second = ((r.gain.value(50)[0], r.info.value(50)[0]) for r in (one, two))
    return float(first[0] / first[1] - second[0] / second[1])


def cut(root: Grown, task: Task) -> Grown:
    """A tree grown to the end, taken back to as many leaves as ours has, best first.

    For programs that do not stop at a number of leaves. Gains of their splits are compared exactly;
    among equal ones, a node that our tree splits comes first.
    """
    ours = {task.rows_of_nodes[n.id].tobytes() for n in task.tree.inner}
    taken = Grown(root.rows)
    open_leaves: list[tuple[Grown, Grown, Any]] = []

    def opened(copy: Grown, whole: Grown) -> None:
        if not whole.is_leaf:
            open_leaves.append((copy, whole, task.gain(whole)))

    opened(taken, root)
    n_leaves, step = 1, 0
    while open_leaves:
        best = 0
        for place, (_, whole, gain) in enumerate(open_leaves):
            _, other, highest = open_leaves[best]
            is_ours, was_ours = whole.rows.tobytes() in ours, other.rows.tobytes() in ours
            if gain > highest or (gain == highest and is_ours and not was_ours):
                best = place
        copy, whole, _ = open_leaves.pop(best)
        if n_leaves + len(whole.children) - 1 > task.tree.n_leaves:
            break
        step += 1
        copy.attribute, copy.threshold, copy.order = whole.attribute, whole.threshold, step
        copy.children = [Grown(child.rows) for child in whole.children]
        n_leaves += len(whole.children) - 1
        for new, old in zip(copy.children, whole.children, strict=True):
            opened(new, old)
    return taken
