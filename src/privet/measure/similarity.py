"""How alike two categories are: they share a leaf of the category's tree, or neighbouring leaves.

The similarity of two values in a segment of the table is the product of their counts there, and,
to compare segments, that product over the square of the segment's records.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from privet.table import Value
from privet.tree.model import Tree
from privet.tree.relatives import relatives_of

Segment = Literal["leaf", "siblings"]


@dataclass(frozen=True)
class Similarity:
    """Two values of a category in one segment: the product of their counts, and the share."""

    leaves: tuple[int, ...]
    first: Value
    second: Value
    product: int
    share: float


def similarities(tree: Tree, segment: Segment = "leaf") -> list[Similarity]:
    """All pairs of values that occur together in a leaf, or in a leaf and its sibling leaves, the
    most similar ones of each segment first."""
    assert tree.classes is not None
    found = []
    for ids, counts in segments(tree, segment):
        present = np.flatnonzero(counts).tolist()
        records = int(counts.sum())
        pairs = []
        for a, b in combinations(present, 2):
            product = int(counts[a]) * int(counts[b])
            pairs.append(
                Similarity(ids, tree.classes[a], tree.classes[b], product, product / records**2)
            )
        found += sorted(pairs, key=lambda pair: -pair.product)
    return found


def segments(tree: Tree, segment: Segment) -> list[tuple[tuple[int, ...], npt.NDArray[np.int64]]]:
    """The counts of the class in each leaf, or in each set of sibling leaves."""
    leaves = tree.leaves
    counts = np.array([leaf.weights for leaf in leaves], dtype=np.int64)
    if segment == "leaf":
        return [((leaf.id,), counts[place]) for place, leaf in enumerate(leaves)]
    sets = {
        tuple(sorted([place, *relatives.tolist()]))
        for place, relatives in enumerate(relatives_of(tree))
        if len(relatives)
    }
    return [
        (tuple(leaves[p].id for p in places), counts[list(places)].sum(axis=0))
        for places in sorted(sets)
    ]


def similarity_matrix(counts: Sequence[Sequence[int]]) -> npt.NDArray[np.float64]:
    """The chance that a record of one value and a second record of its leaf have these values:
    products of counts over the leaf's records, summed and divided by all records."""
    table = np.array(counts, dtype=np.float64)
    records = np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    return np.asarray((table / records).T @ table / table.sum())
