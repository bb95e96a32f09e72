"""An epsilon where there is one: how far a released class or category can tell originals apart.

It is about one cell that is drawn, given the trees and the laws of their leaves, which come from
the original table and are not private. None is claimed for permutations, which tie the records of a
leaf to each other, nor where draws were repeated to keep the tree, nor for numbers.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.mechanism.class_laws import ClassLaw
from privet.mechanism.noise_laws import CategoryLaw
from privet.release.checks import Check, yes_or_no
from privet.release.manifest import Claim, canonical
from privet.tree.exchange.model_file import from_data
from privet.tree.model import Tree

EPSILON = "epsilon-of-a-cell"
GIVEN = "given the trees and the laws of their leaves, which are not private"
_NEAR = 1e-9  # logarithms may differ from machine to machine


def epsilons(method: Mapping[str, Any], tree: Tree, told: Mapping[str, Any]) -> dict[str, float]:
    """The epsilon of every column that has one, from the settings, the tree and the laws."""
    if method["keep_tree"]:
        return {}
    leaves = [leaf.weights for leaf in tree.leaves]
    of_class = ClassLaw.of(method["class"], leaves, method["floor"]).epsilon
    found = {} if of_class is None else {tree.target: of_class}
    for name, entry in (told["detective"] or {"columns": {}})["columns"].items():
        epsilon = _of_category(entry) if "tree" in entry else None
        if epsilon is not None:
            found[name] = epsilon
    return found


def _of_category(entry: Mapping[str, Any]) -> float | None:
    leaves = from_data(entry["tree"]).leaves
    law = entry["law"]
    drawn = np.array([law["by_leaf"][str(leaf.id)] for leaf in leaves], dtype=np.float64)
    counts = np.array([leaf.weights for leaf in leaves], dtype=np.int64)
    rates = float(law["participation"]), float(law["random_value"])
    return CategoryLaw(counts, drawn, *rates).epsilon


def claims_of_epsilon(found: Mapping[str, float]) -> tuple[Claim, ...]:
    return tuple(
        Claim(EPSILON, {"column": name, "given": GIVEN}, None, epsilon, "release")
        for name, epsilon in found.items()
    )


def check_epsilon(claim: Claim, title: str, found: Mapping[str, float]) -> Check:
    """Whether an epsilon is the one that follows from the laws."""
    column, told = claim.parameters.get("column"), claim.measured
    about = {"column": column, "given": GIVEN}
    fits = (
        column in found
        and isinstance(told, float)
        and abs(told - found[str(column)]) <= _NEAR
        and canonical(dict(claim.parameters)) == canonical(about)
        and (claim.claimed, claim.checkable) == (None, "release")
    )
    return yes_or_no(
        title, fits, f"{claim.measured:.4g}" if fits else "", "the laws do not give it"
    )
