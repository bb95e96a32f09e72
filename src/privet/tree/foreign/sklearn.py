"""scikit-learn as an outside grower.

`DecisionTree*` grows best-first to a number of leaves, as we do. It has no categories. Where a
model stores the order in which categories are cut, they are numbered in that order. A table with
other columns of three categories or more is grown split by split, each by a stump of scikit-learn,
with the categories of the node numbered in the order in which our candidates cut them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import MissingExtra
from privet.tree.candidates import all_masks, order_by_mean, rank_in
from privet.tree.foreign.fitted import Splits
from privet.tree.foreign.grown import Grown, Inexpressible, Rows, Task
from privet.tree.foreign.numbers import apart_in_singles, as_numbers

NAME = "scikit-learn"
CRITERIA = {"gini": "gini", "entropy": "entropy", "deviance": "squared_error"}
_MOST_CELLS = 50_000_000  # of the columns that stand for all subsets of categories


def require() -> None:
    """An error that says what to do, where scikit-learn is not installed."""
    try:
        import sklearn.tree  # noqa: F401
    except ImportError:
        raise MissingExtra("Verifying with sklearn needs", "scikit-learn", "sklearn") from None


def needs_help(task: Task) -> bool:
    """Whether categories are numbered node by node: nobody who fits the whole table gets that."""
    return bool(_unordered(task))


def _unordered(task: Task) -> list[str]:
    """Columns of three categories or more that have no order of their own."""
    return [name for name in task.categories if name not in task.grower.category_orders]


def grow(task: Task) -> tuple[Grown, list[str]]:
    """The tree of scikit-learn, and what had to be said otherwise."""
    if task.grower.impurity not in CRITERIA:
        raise Inexpressible("scikit-learn does not know the gain ratio")
    if task.categories and task.grower.categories == "multiway":
        raise Inexpressible("scikit-learn does not know splits with a branch for each category")
    columns = _Columns(task)
    if not needs_help(task):
        return _at_once(task, columns), columns.remarks()
    said = (
        "scikit-learn has no splits by sets of categories: it made one split at a time, the "
        "categories of the node numbered in the order in which they are cut"
    )
    return _split_by_split(task, columns), [*columns.remarks(), said]


@dataclass(eq=False)
class _Columns:
    """The columns as scikit-learn gets them, and which of them are values."""

    task: Task

    def __post_init__(self) -> None:
        self.numbers: dict[str, npt.NDArray[np.float32]] = {}
        self.by_value: set[str] = set()
        task, orders = self.task, self.task.grower.category_orders
        unordered = _unordered(task)
        for name in (a for a in task.attributes if a not in unordered):
            column = task.table[name]
            numbers, is_value = as_numbers(column.domain, apart_in_singles, task.by_value)
            if name in orders:
                numbers = rank_in(column.domain, orders[name]).astype(np.float64)
            self.numbers[name] = numbers.astype(np.float32)[column.codes]
            self.by_value |= {name} if is_value else set()

    def remarks(self) -> list[str]:
        ordered = [n for n in self.numbers if self.task.table[n].domain.kind.is_ordered]
        ranked = [f"'{name}'" for name in ordered if name not in self.by_value]
        if not ranked:
            return []
        return [f"given by rank, for 32-bit numbers do not tell them apart: {', '.join(ranked)}"]

    def threshold(self, name: str, found: float) -> float | None:
        return float(found) if name in self.by_value else None


def _model(task: Task, **settings: Any) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeRegressor if task.tree.is_regression else DecisionTreeClassifier
    criterion = CRITERIA[task.grower.impurity]
    least = task.grower.min_leaf
    return kind(criterion=criterion, min_samples_leaf=least, random_state=task.seed, **settings)


def _at_once(task: Task, columns: _Columns) -> Grown:
    names = list(columns.numbers)
    x = np.stack([columns.numbers[name] for name in names], axis=1)
    model = _model(task, max_leaf_nodes=task.tree.n_leaves, max_depth=task.grower.depth or None)
    return _told(task, columns, Splits.of(model.fit(x, task.response).tree_, names))


def told(task: Task, splits: Splits) -> Grown:
    """A tree that was fitted before, by the records of this table."""
    return _told(task, _Columns(task), splits)


def _told(task: Task, columns: _Columns, splits: Splits) -> Grown:
    root = Grown(np.arange(task.table.n_rows))
    waiting = [(0, root)]
    while waiting:
        number, node = waiting.pop()
        left, right = splits.left[number], splits.right[number]
        name, found = splits.attribute[number], splits.threshold[number]
        if name is None:
            continue
        node.attribute, node.order = name, left
        node.threshold = columns.threshold(name, found)
        goes_left = columns.numbers[name][node.rows] <= found
        node.children = [Grown(node.rows[goes_left]), Grown(node.rows[~goes_left])]
        waiting += zip((left, right), node.children, strict=True)
    return root


@dataclass(eq=False)
class _Stump:
    node: Grown
    split: Grown
    gain: float
    depth: int


def _split_by_split(task: Task, columns: _Columns) -> Grown:
    """Best-first, each split and its gain by a stump."""
    root = Grown(np.arange(task.table.n_rows))
    stumps = _stump(task, columns, root, 0)
    for step in range(1, task.tree.n_leaves):
        if not stumps:
            break
        best = max(stumps, key=lambda stump: stump.gain)
        stumps.remove(best)
        node, split = best.node, best.split
        node.attribute, node.threshold, node.children = (
            split.attribute,
            split.threshold,
            split.children,
        )
        node.order = step
        for child in node.children:
            stumps += _stump(task, columns, child, best.depth + 1)
    return root


def _stump(task: Task, columns: _Columns, node: Grown, depth: int) -> list[_Stump]:
    """The best split of a node, if scikit-learn finds one."""
    if task.grower.depth is not None and depth >= task.grower.depth:
        return []
    x, names = _node_columns(task, columns, node.rows)
    if not names:  # one category is left, and it has no divisions
        return []
    inside = _model(task, max_depth=1).fit(x, task.response[node.rows]).tree_
    if inside.node_count == 1:
        return []
    place, found = int(inside.feature[0]), float(inside.threshold[0])
    sizes = inside.n_node_samples
    gain = float(sizes[0] * inside.impurity[0] - (sizes[1:] * inside.impurity[1:]).sum())
    goes_left = x[:, place] <= found
    children = [Grown(node.rows[goes_left]), Grown(node.rows[~goes_left])]
    threshold = columns.threshold(names[place], found)
    return [_Stump(node, Grown(node.rows, names[place], threshold, children), gain, depth)]


def _node_columns(
    task: Task, columns: _Columns, rows: Rows
) -> tuple[npt.NDArray[np.float32], list[str]]:
    parts = [numbers[rows][:, None] for numbers in columns.numbers.values()]
    names = list(columns.numbers)
    for name in _unordered(task):
        part = _categories_of_node(task, name, rows)
        parts.append(part)
        names += [name] * part.shape[1]
    return np.concatenate(parts, axis=1), names


def _categories_of_node(task: Task, name: str, rows: Rows) -> npt.NDArray[np.float32]:
    """Categories numbered in the order they are cut in, or one column for each division in two."""
    column = task.table[name]
    codes = column.codes[rows]
    present, inverse = np.unique(codes, return_inverse=True)
    if task.tree.is_regression or len(task.tree.classes or ()) == 2:
        weights = np.array([task.weights(rows[inverse == i]) for i in range(len(present))])
        ranks = np.argsort(order_by_mean(weights, task.tree.is_regression))
        return ranks.astype(np.float32)[inverse][:, None]
    masks = all_masks(len(present))
    if len(masks) * len(rows) > _MOST_CELLS:
        raise Inexpressible(
            f"scikit-learn would need {len(masks)} columns for the sets of categories of '{name}'"
        )
    return masks.T.astype(np.float32)[inverse]
