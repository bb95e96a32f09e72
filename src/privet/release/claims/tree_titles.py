"""How one of several trees is called, in claims, in checks and in messages.

Trees are counted from 1, in the order of model.json. A claim about the first names no tree, so that
a release of one tree speaks as it always did.
"""

from typing import Any

from privet.tree.model import Tree

TREE = "tree"


def tree_title(number: int, target: str) -> str:
    """The second tree is "tree 2, of income"."""
    return f"tree {number}, of {target}"


def about_tree(number: int, tree: Tree) -> dict[str, Any]:
    """The parameters of a claim that say which tree it is about."""
    return {} if number == 1 else {TREE: number, "target": tree.target}
