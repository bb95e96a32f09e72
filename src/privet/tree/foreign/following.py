"""Our tree, grown so that it is the one that another program grows from the same table.

Both look for the best split of every node and differ where two splits gain the same. We take the
column that is offered first, so the order of columns is changed until ties fall as they do there.
Where no order does that, or the program does not take the best split, our tree is taken back to the
size at which both still agree, and where they part is told. (A tie in the root is only told.)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from privet.engine import Engine
from privet.schema import Schema
from privet.table import Table
from privet.tree.foreign.agreement import Walk
from privet.tree.foreign.grown import Grown, Task, difference
from privet.tree.grow import grow
from privet.tree.grower import Grower
from privet.tree.model import Node, Tree

_MOST_ORDERS = 50  # of columns that are tried


@dataclass(frozen=True, eq=False)
class Parting:
    """The node split first of those that are not the same in two trees, to a threshold's last bit.

    `lost` is how much less their split gains there; None where one of both has no split, and where
    only the number of the threshold is another one.
    """

    node: Node  # of our tree
    theirs: Grown
    lost: float | None

    @property
    def is_tie(self) -> bool:
        return self.lost == 0.0

    @property
    def how(self) -> str:
        ours = f"'{self.node.split.attribute}'" if self.node.split else "a leaf"
        theirs = "a leaf" if self.theirs.is_leaf else f"'{self.theirs.attribute}'"
        if self.lost is None and ours == theirs:
            return f"another threshold of {ours} between the same records"
        if self.lost is None:
            return f"{ours} here, {theirs} there"
        if ours == theirs:
            theirs += " cut elsewhere"
        less = f"{abs(self.lost):.3g} {'less' if self.lost > 0 else 'more'}"
        gains = "exactly as much" if self.is_tie else less
        return f"{ours} here, {theirs} there, which gains {gains}"

    def __str__(self) -> str:
        return f"node {self.node.id}: {self.how}"


@dataclass(frozen=True, eq=False)
class Followed:
    """Our tree, and where the program goes another way: if it grew on, or (`flips`) by a tie
    before there is anything to keep."""

    tree: Tree
    parting: Parting | None = None
    flips: bool = False


def grow_following(
    engine: Engine,
    table: Table,
    schema: Schema,
    grower: Grower,
    theirs: Callable[[Tree], Grown],
) -> Followed:
    """Our tree, with columns in an order that lets ties fall as in the tree that is followed.

    `theirs` has a tree with as many leaves as ours grown by the other program, from the same table.
    """
    seen: set[tuple[str, ...]] = set()
    while True:
        tree = grow(engine, schema, grower)
        if tree.n_leaves == 1:
            return Followed(tree)
        parting = first_parting(Task(table, schema, tree, by_value=True), theirs(tree))
        if parting is None:
            return Followed(tree)
        order = tree.grower.attributes or ()
        seen.add(order)
        other = _order_for(order, parting)
        if other in seen or len(seen) > _MOST_ORDERS:
            kept = tree.prefix(_size_before(tree, parting.node))
            flips = kept.n_leaves == 1 and parting.is_tie
            return Followed(tree if flips else kept, parting, flips)
        grower = replace(grower, attributes=other)


def first_parting(task: Task, theirs: Grown) -> Parting | None:
    """Where our tree and theirs part; None if they are the same to the last bit."""
    walk = Walk(task)
    walk.down(task.tree.root, theirs)
    if walk.first is None:
        return None
    node, other = walk.first
    only_number = any(node is moved for moved, _ in walk.elsewhere)
    if node.split is None or other.is_leaf or only_number:
        return Parting(node, other, None)
    lost = difference(task.gain(task.told_nodes[node.id]), task.gain(other))
    return Parting(node, other, lost)


def _order_for(order: tuple[str, ...], parting: Parting) -> tuple[str, ...]:
    """The order of columns in which theirs comes just before ours, where that is the matter."""
    ours, theirs = parting.node.split, parting.theirs.attribute
    if not parting.is_tie or ours is None or theirs is None or theirs == ours.attribute:
        return order
    rest = [name for name in order if name != theirs]
    place = rest.index(ours.attribute)
    return (*rest[:place], theirs, *rest[place:])


def _size_before(tree: Tree, node: Node) -> int:
    """How many leaves the tree had when this node was split."""
    if node.split is None:
        return tree.n_leaves
    in_time = sorted(tree.inner, key=lambda inner: inner.children[0])
    return tree.sizes[in_time.index(node)]
