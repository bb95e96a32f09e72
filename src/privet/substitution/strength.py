"""How much of what a tree says holds for records that had no part in growing it.

Of each record the tree says how likely its class is, as far as the seen values tell where it
belongs (`likelihood`). The shares of the classes in the table say the same without looking at the
record. The strength is the weight of the tree's word, beside that of the shares, which makes the
seen classes of other records likeliest: 1 where all of it holds, more where the tree was too
modest, 0 where it learnt nothing but noise. One number is found from all records, so it is less
noisy than any estimate of accuracy, leaf by leaf.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from privet.arrays import Floats
from privet.substitution.likelihood import leaf_chances, leaf_shares, seen_classes
from privet.substitution.regions import PerturbedRows
from privet.tree import Tree

LEAST, MOST = -1.0, 1.5
_UNKNOWN = 9.0  # the standard error where no tree says anything
_SURPRISE = -0.99  # a class that the tree rules out is not impossible
_WITHIN = 0.999  # of the weight at which some record would become impossible
_ROUNDS = 50


@dataclass(frozen=True)
class Strength:
    """The weight of a tree's word, and its standard error."""

    value: float
    standard_error: float


def strength_of(trees: Iterable[tuple[Tree, PerturbedRows]]) -> Strength:
    """One strength for all of these trees, each with records that did not grow it."""
    ratios = [_ratios(tree, rows) for tree, rows in trees if tree.n_leaves > 1]
    if not ratios:
        return Strength(0.0, _UNKNOWN)
    return likeliest(np.concatenate(ratios))


def likeliest(ratios: Floats) -> Strength:
    """The weight w that makes the sum of log(1 + w r) largest, which is concave: by Newton."""
    low = max(LEAST, -_WITHIN / max(float(ratios.max()), 1e-9))
    high = min(MOST, _WITHIN / max(-float(ratios.min()), 1e-9))
    weight = min(max(0.5, low), high)
    for _ in range(_ROUNDS):
        slopes = ratios / (1 + weight * ratios)
        stepped = weight + float(slopes.sum()) / (float((slopes**2).sum()) + 1e-12)
        stepped = min(max(stepped, low), high)
        if abs(stepped - weight) < 1e-9:
            break
        weight = stepped
    slopes = ratios / (1 + weight * ratios)
    error = 1 / math.sqrt(float((slopes**2).sum()) + 1e-12)
    return Strength(weight, min(error, _UNKNOWN))


def _ratios(tree: Tree, rows: PerturbedRows) -> Floats:
    """For each record by how much the tree finds its seen class likelier than the shares do."""
    seen, channel = seen_classes(tree, rows)
    shares, common = leaf_shares(tree)
    chances = leaf_chances(tree, rows, np.arange(rows.table.n_rows))
    told = (chances @ shares @ channel.T)[np.arange(len(seen)), seen]
    blind = np.maximum((channel @ common)[seen], 1e-12)
    ratios: Floats = np.maximum(told / blind - 1, _SURPRISE)
    return ratios
