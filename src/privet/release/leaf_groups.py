"""Groups of records by the leaves that they are in: one leaf of each tree of a release.

With one tree a group is a leaf, and the manifest names it by its number. With several it is an
intersection of leaves, named by all of their numbers: "3+5" is leaf 3 of the first tree and leaf 5
of the second.
"""

from collections.abc import Sequence
from typing import Any

from privet.arrays import Integers
from privet.engine.grouping import distinct_combinations, numbers_of_rows
from privet.table import Table
from privet.tree.model import Tree

Leaves = tuple[int, ...]


def name_of(leaves: Leaves) -> str:
    return "+".join(map(str, leaves))


def listed_name(leaves: Leaves) -> int | str:
    """The same as an item of a list: a leaf of an only tree is a number."""
    return leaves[0] if len(leaves) == 1 else name_of(leaves)


def leaves_named(name: Any) -> Leaves:
    """The leaves of a name, or of an item of a list; a ValueError if nobody writes it so."""
    leaves = (name,) if type(name) is int else tuple(map(int, str(name).split("+")))
    if name not in (name_of(leaves), listed_name(leaves)) or isinstance(name, bool):
        raise ValueError("leaves are numbers")
    return leaves


def groups_of_rows(trees: Sequence[Tree], table: Table) -> tuple[list[Leaves], Integers]:
    """The groups that rows of a table are in, and the number of each row's among them."""
    of_rows = [tree.leaf_of_rows(table) for tree in trees]
    sizes = [len(tree.nodes) for tree in trees]
    found, _ = distinct_combinations(of_rows, sizes, table.n_rows, compiled=False)
    return [tuple(leaves) for leaves in found.tolist()], numbers_of_rows(of_rows, sizes)
