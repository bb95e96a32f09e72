"""The text of regrow.py: the trees of a release grown again with pandas and scikit-learn."""

from collections.abc import Sequence

from privet.tree.foreign.sklearn import CRITERIA
from privet.tree.model import Tree

_TEXT = '''\
"""Grow the trees of this release again with scikit-learn, and say whether they are the same.

It needs pandas and scikit-learn, and no Privet:

    python regrow.py

It reads data.csv, data.parquet or the parts in data, leaves out suppressed columns, grows each tree
with the settings below and compares it with model.json: columns, thresholds to the last bit,
records and classes of every node. The exit status is 0 if all trees are the same, and 1 if not.
"""

import sys
from json import loads
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

GROWERS = [
@GROWERS@
]


def read(folder):
    """The released table; what is no number stays a text."""
    columns = loads((folder / "manifest.json").read_text("utf-8"))["schema"]["columns"]
    kinds = {name: column["kind"] for name, column in columns.items()}
    if (folder / "data.csv").exists():
        data = pd.read_csv(folder / "data.csv", dtype=str, keep_default_na=False, na_values=[""])
    else:
        parts = sorted(folder.glob("data/part-*.parquet")) or [folder / "data.parquet"]
        data = pd.concat([pd.read_parquet(part) for part in parts], ignore_index=True)
    for name, kind in kinds.items():
        cells = data[name].astype(object)
        if kind in ("integer", "decimal"):  # float() rounds once, pandas may not
            cells = [float("nan") if pd.isna(cell) else float(cell) for cell in cells]
        data[name] = cells
    return data, kinds


def as_number(value, kind):
    """Dates are days, datetimes microseconds, both since 1970."""
    if kind not in ("date", "datetime"):
        return float(value)
    microseconds = np.datetime64(str(value), "us").astype("int64")
    return float(microseconds) / (86_400_000_000 if kind == "date" else 1)


def as_numbers(cells, kind, order):
    """Categories by their place in the order that the model stores; missing numbers lie above."""
    if kind == "category":
        place = {label: number for number, label in enumerate(order)}
        return np.array([place[None if pd.isna(cell) else cell] for cell in cells], float)
    known = [as_number(cell, kind) for cell in cells.dropna().drop_duplicates()]
    largest = max(known, default=0.0)
    above = largest + max(1.0, abs(largest))
    number = dict(zip(cells.dropna().drop_duplicates(), known))
    return np.array([above if pd.isna(cell) else number[cell] for cell in cells], float)


def response(cells, kind, classes):
    if classes is None:
        return np.array([as_number(cell, kind) for cell in cells])
    place = {label: number for number, label in enumerate(classes)}
    if kind in ("date", "datetime"):  # Parquet has them as such, the model as texts
        place = {label and as_number(label, kind): number for label, number in place.items()}
        cells = [None if pd.isna(cell) else as_number(cell, kind) for cell in cells]
    return np.array([place[None if pd.isna(cell) else cell] for cell in cells])


def grow(data, kinds, model, settings):
    """The columns that have anything to split, as numbers, and the tree that grows from them."""
    offered = [c for c in model["grower"]["attributes"] if data[c].nunique(dropna=False) > 1]
    orders = model["grower"]["category_orders"]
    numbers = {c: as_numbers(data[c], kinds[c], orders.get(c)) for c in offered}
    kind = DecisionTreeRegressor if model["classes"] is None else DecisionTreeClassifier
    y = response(data[model["target"]], kinds[model["target"]], model["classes"])
    fitted = kind(**settings).fit(np.column_stack(list(numbers.values())), y)
    return offered, numbers, fitted.tree_


def cut_there(node, kind, order, threshold):
    """Whether a split of the model is the cut at a threshold."""
    if node["kind"] == "subset":
        left, right = ([order.index(label) for label in node[side]] for side in ("left", "right"))
        return max(left) <= threshold < min(right)
    if node["threshold"] is None:
        return None  # between numbers and missing: the cells decide
    return as_number(node["threshold"], kind) == threshold


def difference(data, kinds, model, settings):
    """Where the tree is another one; None if it is the same."""
    offered, numbers, tree = grow(data, kinds, model, settings)
    waiting = [(0, 0)]
    while waiting:
        place, number = waiting.pop()
        node = model["nodes"][place]
        if node["records"] != tree.n_node_samples[number]:
            return f"node {place} has another number of records"
        if model["classes"] is not None:
            counts = np.array(list(node["counts"].values()))
            if not np.array_equal(counts / node["records"], tree.value[number][0]):
                return f"node {place} has other classes"
        elif not np.isclose(node["mean"], tree.value[number][0][0], rtol=1e-9, atol=1e-12):
            return f"node {place} has another mean"
        children = tree.children_left[number], tree.children_right[number]
        if node["kind"] == "leaf" or children[0] < 0:
            if (node["kind"] == "leaf") != (children[0] < 0):
                return f"node {place} is split in one of both trees only"
            continue
        column = offered[tree.feature[number]]
        if column != node["attribute"]:
            return f"node {place} asks {column!r} instead of {node['attribute']!r}"
        threshold, order = tree.threshold[number], model["grower"]["category_orders"].get(column)
        there = cut_there(node, kinds[column], order, threshold)
        if there is None:
            missing = data[column].isna().to_numpy()
            there = numbers[column][~missing].max() <= threshold < numbers[column][missing].min()
        if not there:
            return f"node {place} cuts {column!r} at {threshold!r} instead"
        waiting += zip(node["children"], children)
    return None


def main():
    folder = Path(__file__).resolve().parent
    data, kinds = read(folder)
    first = loads((folder / "model.json").read_text("utf-8"))
    same = True
    for model, settings in zip([first, *first["more_trees"]], GROWERS, strict=True):
        found = difference(data, kinds, model, settings)
        same = same and found is None
        leaves, target = settings["max_leaf_nodes"], model["target"]
        if found is None:
            print(f"YES: the same tree of {leaves} leaves grows for {target}.")
        else:
            print(f"NO: another tree grows for {target}: {found}.")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
'''


def script(trees: Sequence[Tree], seeds: Sequence[int]) -> str:
    """regrow.py with the settings of each tree."""
    lines = [_settings(tree, seed) for tree, seed in zip(trees, seeds, strict=True)]
    return _TEXT.replace("@GROWERS@", "\n".join(lines))


def _settings(tree: Tree, seed: int) -> str:
    grower = tree.grower
    settings = {
        "criterion": CRITERIA.get(grower.impurity, "gini"),
        "max_leaf_nodes": tree.n_leaves,
        "max_depth": grower.depth,
        "min_samples_leaf": grower.min_leaf,
        "random_state": seed,
    }
    return f"    {settings!r},".replace("'", '"')
