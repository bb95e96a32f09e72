"""Leaves that lie near each other in a tree: siblings, cousins, all below a common ancestor.

`law_of_leaves` is what DETECTIVE draws categories by; `privet.noise` draws, and whoever verifies a
release works the law out again.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from privet.mechanism.noise_laws import CategoryLaw
from privet.tree.model import Tree

Weights = Literal["leaves", "records"]
MOST_COUSINS = 1_000  # levels up; no tree that anybody reads is so deep


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


def law_of_leaves(
    tree: Tree,
    p: float,
    cousins: int = 0,
    weights: Weights = "leaves",
    participation: float = 1.0,
    random_value: float = 0.0,
    floor: float = 0.0,
) -> CategoryLaw:
    """For each leaf the chances of its classes: its own shares, and with chance p the majority of a
    relative, each leaf alike or by its records; all of it mixed with the uniform law, which has the
    share `floor`."""
    counts = np.array([leaf.weights for leaf in tree.leaves], dtype=np.int64)
    shares = counts / counts.sum(axis=1, keepdims=True)
    drawn = shares.copy()
    majority = counts.argmax(axis=1)
    for place, relatives in enumerate(relatives_of(tree, cousins)):
        if not len(relatives):
            continue
        weight = counts[relatives].sum(axis=1) if weights == "records" else None
        toward = np.bincount(majority[relatives], weight, minlength=counts.shape[1])
        drawn[place] = (1 - p) * shares[place] + p * toward / toward.sum()
    if floor:
        drawn = (1 - floor) * drawn + floor / counts.shape[1]
    return CategoryLaw(counts, drawn, participation, random_value)
