"""How one of several trees is called, in claims, in checks and in messages.

Trees are counted from 1, in the order of model.json. A claim about the first names no tree, so that
a release of one tree speaks as it always did.
"""

from collections.abc import Sequence
from typing import Any

from privet.errors import InvalidParameter
from privet.tree.model import Tree

TREE = "tree"


def tree_title(number: int, target: str) -> str:
    """The second tree is "tree 2, of income"."""
    return f"tree {number}, of {target}"


def about_tree(number: int, tree: Tree) -> dict[str, Any]:
    """The parameters of a claim that say which tree it is about."""
    return {} if number == 1 else {TREE: number, "target": tree.target}


def one_tree(trees: Sequence[Tree], number: int) -> Tree:
    """One of several trees by its number; an error that says which there are."""
    if not 1 <= number <= len(trees):
        each = "; ".join(tree_title(n, tree.target) for n, tree in enumerate(trees, start=1))
        most = f"from 1 to {len(trees)}" if len(trees) > 1 else "1: the release has one tree"
        raise InvalidParameter("tree", most, number, f"the release has: {each}.")
    return trees[number - 1]
