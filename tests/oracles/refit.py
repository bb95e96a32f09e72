"""A stranger fits scikit-learn to cells, with nothing of Privet, and tells the tree it found.

The same tree from two tables has the same nodes: columns, thresholds, records and values, bit for
bit. Thresholds of categories are places in an order and are left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Told = list[tuple[str | None, float | None, int, tuple[float, ...]]]


def number_column(cells: Sequence[Any]) -> list[float]:
    """Missing lies above all numbers."""
    known = [float(cell) for cell in cells if cell is not None]
    largest = max(known, default=0.0)
    return [largest + max(1.0, abs(largest)) if c is None else float(c) for c in cells]


def place_column(cells: Sequence[Any], order: Sequence[str | None]) -> list[float]:
    return [float(list(order).index(cell)) for cell in cells]


def sorted_order(cells: Sequence[Any]) -> list[str | None]:
    """The categories as an encoder of pandas or scikit-learn sorts them; missing last."""
    known = sorted({cell for cell in cells if cell is not None})
    return [*known, *([None] if None in cells else [])]


def refit(
    cells: Mapping[str, Sequence[Any]],
    kinds: Mapping[str, str],
    attributes: Sequence[str],
    orders: Mapping[str, Sequence[str | None]],
    target: str,
    **settings: Any,
) -> Told:
    """The nodes that scikit-learn finds, children after their parents, left before right."""
    offered = list(attributes)
    columns = [
        place_column(cells[name], orders[name])
        if kinds[name] == "category"
        else number_column(cells[name])
        for name in offered
    ]
    regression = settings["criterion"] == "squared_error"
    kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
    labels = cells[target] if regression else [str(label) for label in cells[target]]
    tree = kind(**settings).fit(np.array(columns).T, np.array(labels)).tree_
    told: Told = []
    waiting = [0]
    while waiting:
        place = waiting.pop()
        leaf = tree.children_left[place] < 0
        name = None if leaf else offered[tree.feature[place]]
        is_number = name is not None and kinds[name] != "category"
        threshold = float(tree.threshold[place]) if is_number else None
        value = tuple(tree.value[place].ravel().tolist())
        told.append((name, threshold, int(tree.n_node_samples[place]), value))
        if not leaf:
            waiting += [int(tree.children_right[place]), int(tree.children_left[place])]
    return told


def same(one: Told, two: Told, with_missing: set[str]) -> bool:
    """Bit for bit, but for means, whose sums depend on the order of records, and for thresholds of
    columns with missing cells: one may lie between the largest number and missing."""
    if len(one) != len(two):
        return False
    for (column, threshold, records, value), other in zip(one, two, strict=True):
        if (column, records) != (other[0], other[2]):
            return False
        if column not in with_missing and threshold != other[1]:
            return False
        if len(value) > 1 and value != other[3]:
            return False
        if not np.allclose(value, other[3], rtol=1e-9, atol=1e-300):
            return False
    return True
