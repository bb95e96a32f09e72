"""Leaves that lie near each other in a tree: siblings, cousins, all below a common ancestor."""

import numpy as np
import numpy.typing as npt

from privet.tree.model import Tree


def relatives_of(tree: Tree, cousins: int = 0) -> list[npt.NDArray[np.int64]]:
    """For each leaf the places of the leaves whose majority it may take."""
    place = {leaf.id: number for number, leaf in enumerate(tree.leaves)}
    below: dict[int, list[int]] = {}
    for node in reversed(tree.nodes):
        own = [place[node.id]] if node.is_leaf else []
        below[node.id] = own + [leaf for child in node.children for leaf in below[child]]
    found = []
    for leaf in tree.leaves:
        if leaf.parent is None:
            near: list[int] = []
        elif cousins == 0:
            near = [place[c] for c in tree.nodes[leaf.parent].children if c in place]
        else:
            above = leaf
            for _ in range(cousins):
                if above.parent is None:
                    break  # the root has no ancestors, however many are asked for
                above = tree.nodes[above.parent]
            near = below[above.id]
        relatives = sorted(number for number in near if number != place[leaf.id])
        found.append(np.array(relatives, dtype=np.int64))
    return found
