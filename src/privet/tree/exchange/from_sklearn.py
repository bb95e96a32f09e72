"""Fitted decision trees of scikit-learn as our trees.

scikit-learn rounds every number to 32 bits before it compares it with a threshold of 64 bits. Our
tree compares the number itself, so both agree on every value that 32 bits hold, whole numbers up
to 2^24 among them. With `every_double` the thresholds are moved to where the rounding puts them,
and both agree on every number; such thresholds look less round.

scikit-learn itself is not imported here: whoever hands in a fitted tree has it.
"""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from privet.errors import InputError, UsageError
from privet.schema import Kind
from privet.table import Value
from privet.tree.exchange.imported import ImportLoss, Sprout, exact_step, numbered, sum_steps
from privet.tree.grower import Grower
from privet.tree.model import Threshold, Tree

_IMPURITIES = {"gini": "gini", "entropy": "entropy", "log_loss": "entropy"}
_LARGEST = float(np.finfo(np.float32).max)


def from_sklearn(
    fitted: Any,
    features: Sequence[str] | None = None,
    target: str = "y",
    *,
    every_double: bool = False,
) -> Tree:
    """The tree of a fitted DecisionTreeClassifier or DecisionTreeRegressor.

    `features` names the columns, where the fit did not see their names.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> fitted = DecisionTreeClassifier().fit([[30], [31], [60], [61]], ["no", "no", "yes", "yes"])
    >>> privet.from_sklearn(fitted, features=["age"], target="buys").n_leaves
    2
    """
    inside = getattr(fitted, "tree_", None)
    if inside is None or not hasattr(inside, "children_left"):
        raise UsageError(
            f"A {type(fitted).__name__} is no fitted decision tree of scikit-learn.",
            "give a DecisionTreeClassifier or DecisionTreeRegressor after its fit.",
        )
    if inside.n_outputs != 1:
        raise UsageError("The tree predicts several targets.", "give a tree of one target.")
    names = _names(fitted, features)
    if target in names:
        raise UsageError(f"A feature is named '{target}' as well.", "give target= another name.")
    sprouts = [Sprout() for _ in range(inside.node_count)]
    for node in np.flatnonzero(inside.children_left >= 0).tolist():
        threshold = float(inside.threshold[node])
        name = names[int(inside.feature[node])]
        if every_double:
            threshold = last_double_rounded_below(threshold)
        sprouts[node].split = Threshold(name, Kind.DECIMAL, threshold)
        left, right = int(inside.children_left[node]), int(inside.children_right[node])
        sprouts[node].children = [sprouts[left], sprouts[right]]
    _tell_of_missing(inside)
    classes, step = _weigh(fitted, inside, sprouts)
    nodes = numbered(sprouts[0])
    used = {node.split.attribute for node in nodes if node.split is not None}
    kinds = dict.fromkeys(sorted(used), Kind.DECIMAL)
    kinds[target] = Kind.DECIMAL if classes is None else _kind_of(classes)
    grower = _grower(fitted, names, step)
    return Tree(target, grower, nodes, classes, step, kinds)


def last_double_rounded_below(threshold: float) -> float:
    """The largest number that, rounded to 32 bits, is not above the threshold."""
    if abs(threshold) > _LARGEST:
        return threshold
    low = np.float32(threshold)
    if float(low) > threshold:
        low = np.nextafter(low, np.float32(-np.inf))
    high = np.nextafter(low, np.float32(np.inf))
    if not np.isfinite(high):
        return threshold
    middle = (float(low) + float(high)) / 2  # exact; a tie is rounded to the even one
    even = int(np.asarray(low).view(np.uint32)) % 2 == 0
    return middle if even else math.nextafter(middle, -math.inf)


def _names(fitted: Any, features: Sequence[str] | None) -> list[str]:
    n = int(fitted.n_features_in_)
    seen = getattr(fitted, "feature_names_in_", None)
    names = None if features is None else list(map(str, features))
    if names is None:
        names = [f"x{i}" for i in range(n)] if seen is None else [str(name) for name in seen]
    if len(names) != n or len(set(names)) != n:
        raise UsageError(
            f"The tree was fitted to {n} features, {len(set(names))} different names are given.",
            "name each column once, in the order of the fit.",
        )
    return names


def _weigh(
    fitted: Any, inside: Any, sprouts: list[Sprout]
) -> tuple[tuple[Value, ...] | None, float | None]:
    """Give the leaves their weights; classes or the grid of the sums."""
    leaves = np.flatnonzero(inside.children_left < 0).tolist()
    records = inside.n_node_samples
    if hasattr(fitted, "classes_"):
        values = inside.value[:, 0, :]
        shares = values / values.sum(axis=1, keepdims=True)
        counts = shares * records[:, None]
        if np.abs(counts - np.rint(counts)).max() > 1e-6:
            raise InputError(
                "The tree was fitted with weights of samples or classes.",
                "fit it without weights: our leaves count whole records.",
            )
        for leaf in leaves:
            sprouts[leaf].weights = tuple(int(n) for n in np.rint(counts[leaf]))
        return tuple(_class(label) for label in fitted.classes_), None
    means = [float(inside.value[leaf, 0, 0]) + 0.0 for leaf in leaves]
    step = exact_step(means)
    for leaf, mean in zip(leaves, means, strict=True):
        n = int(records[leaf])
        sprouts[leaf].weights = (n, sum_steps(n, mean, step))
    return None, step


def _class(label: Any) -> Value:
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, bool):
        return str(plain).lower()
    return plain if isinstance(plain, int | float) else str(plain)


def _kind_of(classes: Sequence[Value]) -> Kind:
    if all(isinstance(label, int) for label in classes):
        return Kind.INTEGER
    return Kind.DECIMAL if all(isinstance(c, float) for c in classes) else Kind.CATEGORY


def _tell_of_missing(inside: Any) -> None:
    goes_left = getattr(inside, "missing_go_to_left", None)
    if goes_left is not None and (goes_left.astype(bool) & (inside.children_left >= 0)).any():
        warnings.warn(
            "Missing cells go right of a threshold; scikit-learn sends them left at some nodes, "
            "and that is left out.",
            ImportLoss,
            stacklevel=3,
        )


def _grower(fitted: Any, names: list[str], step: float | None) -> Grower:
    """Settings as near to those of scikit-learn as ours can say them."""
    settings = fitted.get_params(deep=False)
    impurity: Any = _IMPURITIES.get(settings.get("criterion", "gini"), "gini")
    least = settings.get("min_samples_leaf", 1)
    return Grower(
        impurity=impurity if step is None else "deviance",
        leaves=int(fitted.get_n_leaves()),
        depth=settings.get("max_depth"),
        min_leaf=least if isinstance(least, int) else 1,
        attributes=tuple(names),
        response_step=step,
    )
