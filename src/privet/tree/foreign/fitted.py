"""A fitted tree of scikit-learn that a caller gives, as plain data: what was asked of it, and its
splits.

`from_sklearn` makes such a tree one of ours, to predict with. Here it is only told, so that a tree
of ours can be grown that is the same (`following`). scikit-learn itself is not imported: whoever
hands in a fitted tree has it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from privet.errors import UsageError
from privet.tree.grower import Impurity

_IMPURITIES: dict[str, Impurity] = {
    "gini": "gini",
    "entropy": "entropy",
    "log_loss": "entropy",
    "squared_error": "deviance",
}
# What cannot be kept, with the reason. Other parameters are asked for by what came of them.
_REFUSED = {
    "ccp_alpha": (0.0, "pruning by cost goes by errors of whole branches, which recoding changes"),
    "max_features": (None, "columns that a node does not draw cannot be foreseen"),
    "splitter": ("best", "thresholds that are drawn cannot be foreseen"),
    "class_weight": (None, "trees of Privet count whole records"),
    "monotonic_cst": (None, "Privet's growth knows no such bounds"),
    "min_weight_fraction_leaf": (0.0, "trees of Privet count whole records"),
}


@dataclass(frozen=True)
class Splits:
    """The nodes of a fitted tree: the column asked (None in a leaf), threshold and children."""

    attribute: tuple[str | None, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]

    @classmethod
    def of(cls, inside: Any, names: Sequence[str]) -> "Splits":
        left = inside.children_left.tolist()
        asked = zip(inside.feature.tolist(), left, strict=True)
        return cls(
            tuple(names[place] if child >= 0 else None for place, child in asked),
            tuple(inside.threshold.tolist()),
            tuple(left),
            tuple(inside.children_right.tolist()),
        )


@dataclass(frozen=True)
class FittedTree:
    """What was asked of a fitted tree, and its splits. `seed` None: it was drawn."""

    records: int
    features: tuple[str, ...]
    impurity: Impurity
    leaves: int
    depth: int | None
    min_leaf: int
    seed: int | None
    splits: Splits


def fitted_tree(fitted: Any) -> FittedTree:
    """A DecisionTreeClassifier or DecisionTreeRegressor after its fit to the columns of a frame."""
    inside = getattr(fitted, "tree_", None)
    names = getattr(fitted, "feature_names_in_", None)
    if inside is None or not hasattr(inside, "children_left"):
        raise UsageError(
            f"A {type(fitted).__name__} is no fitted decision tree of scikit-learn.",
            "give a DecisionTreeClassifier or DecisionTreeRegressor after its fit.",
        )
    if names is None:
        raise UsageError(
            "The tree was fitted to columns without names.",
            "fit it to a frame of pandas or polars with the columns of the table.",
        )
    asked = fitted.get_params(deep=False)
    for name, (usual, reason) in _REFUSED.items():
        if asked.get(name, usual) != usual:
            raise UsageError(
                f"A tree that was fitted with {name} cannot be kept: {reason}.",
                "fit it without; max_leaf_nodes, max_depth and min_samples_leaf bound a tree.",
            )
    if asked["criterion"] not in _IMPURITIES:
        raise UsageError(
            f"A tree that was fitted with the criterion {asked['criterion']} cannot be kept.",
            f"known are {', '.join(_IMPURITIES)}.",
        )
    if inside.n_outputs != 1 or (inside.weighted_n_node_samples != inside.n_node_samples).any():
        raise UsageError(
            "The tree was fitted with weights, or predicts several targets.",
            "fit it to one target, without weights.",
        )
    columns = tuple(map(str, names))
    records, least, seed = int(inside.n_node_samples[0]), asked["min_samples_leaf"], None
    if isinstance(asked["random_state"], int):
        seed = asked["random_state"]
    return FittedTree(
        records,
        columns,
        _IMPURITIES[asked["criterion"]],
        int(fitted.get_n_leaves()),
        asked["max_depth"],
        least if isinstance(least, int) else max(1, math.ceil(least * records)),
        seed,
        Splits.of(inside, columns),
    )
