"""Other ways to release a table at the same k: peers that are installed, and methods written here
from their descriptions.

Each takes the training frame, the target and k, and gives a frame of the same columns. Ranges of
numbers become their midpoints and sets of categories their commonest member, so that a miner can
learn from every release alike: as labels, sets would name groups of records.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import privet
from privet.tree.model import Node, Tree

Method = Callable[[pd.DataFrame, str, int], pd.DataFrame]


def mdav(frame: pd.DataFrame, target: str, k: int) -> pd.DataFrame:
    """Microaggregation (Domingo-Ferrer and Mateo-Sanz): groups of k around the farthest records."""
    columns = [c for c in frame if c != target]
    points = _coordinates(frame[columns])
    left = np.arange(len(frame))
    groups: list[Any] = []
    while len(left) >= 3 * k:
        centre = points[left].mean(axis=0)
        for _ in range(2):
            far = left[((points[left] - centre) ** 2).sum(axis=1).argmax()]
            centre = points[far]
            near = np.argsort(((points[left] - centre) ** 2).sum(axis=1), kind="stable")[:k]
            groups.append(left[near])
            left = np.delete(left, near)
    if len(left) >= 2 * k:
        centre = points[left].mean(axis=0)
        far = left[((points[left] - centre) ** 2).sum(axis=1).argmax()]
        near = np.argsort(((points[left] - points[far]) ** 2).sum(axis=1), kind="stable")[:k]
        groups.append(left[near])
        left = np.delete(left, near)
    return _typical(frame, [*groups, left], [columns] * (len(groups) + 1))


def kactus(frame: pd.DataFrame, target: str, k: int) -> pd.DataFrame:
    """Suppression guided by a tree (Kisilevich, Rokach, Elovici, Shapira: kACTUS).

    A tree of C4.5's kind is grown to the end. From the leaves up: a leaf of k records keeps the
    columns of its path; what is left over below a node forms a group with the columns above that
    node, helped out by records of the largest group below it; what is left at the root is removed.
    Columns that are not on the path are suppressed.
    """
    grown = privet.grow(frame, target=target, impurity="gain-ratio", leaves=len(frame))
    at = grown.leaf_of_rows(privet.table_of(frame))
    groups: list[Any] = []
    kept: list[list[str]] = []
    _climb(grown, grown.root, [], at, k, groups, kept)
    return _typical(frame, groups, kept)


def _climb(
    tree: Tree, node: Node, above: list[str], at: Any, k: int, groups: list[Any], kept: list[Any]
) -> Any:
    """The records below a node that are in no group yet."""
    first = len(groups)
    if node.split is None:
        left = np.flatnonzero(at == node.id)
    else:
        path = list(dict.fromkeys([*above, node.split.attribute]))
        parts = [_climb(tree, tree.nodes[c], path, at, k, groups, kept) for c in node.children]
        left = np.concatenate(parts)
    below = range(first, len(groups))
    short = k - len(left)
    if 0 < short < k and below:
        largest = max(below, key=lambda place: len(groups[place]))
        if len(groups[largest]) >= k + short:
            left = np.concatenate([left, groups[largest][:short]])
            groups[largest] = groups[largest][short:]
    if len(left) < k:
        return left
    groups.append(left)
    kept.append(list(above))
    return left[:0]


def cart_synthesis(frame: pd.DataFrame, target: str, k: int) -> pd.DataFrame:
    """In the manner of synthpop: each column drawn from the leaves of a tree of those before it.

    `k` is the least number of records in a leaf. No record is anybody's; nothing is k-anonymous.
    """
    rng = np.random.default_rng(0)
    order = [target, *(c for c in frame if c != target)]
    made = pd.DataFrame({target: rng.choice(frame[target].to_numpy(), len(frame))})
    for place, column in enumerate(order[1:], start=1):
        both = pd.concat([frame[order[:place]], made[order[:place]]])
        known = _codes(both)
        numeric = pd.api.types.is_numeric_dtype(frame[column])
        kind = DecisionTreeRegressor if numeric else DecisionTreeClassifier
        tree = kind(min_samples_leaf=k, random_state=0)
        tree.fit(known[: len(frame)], frame[column])
        true, new = tree.apply(known[: len(frame)]), tree.apply(known[len(frame) :])
        drawn = np.empty(len(frame), dtype=frame[column].to_numpy().dtype)
        for leaf in np.unique(new):
            here = new == leaf
            drawn[here] = rng.choice(frame[column].to_numpy()[true == leaf], int(here.sum()))
        made[column] = drawn
    return made[list(frame.columns)]


def anonypy_mondrian(frame: pd.DataFrame, target: str, k: int) -> pd.DataFrame:
    from anonypy.mondrian import Mondrian

    columns = [c for c in frame if c != target]
    typed = frame.copy()
    for column in columns:
        if not pd.api.types.is_numeric_dtype(typed[column]):
            typed[column] = typed[column].astype("category")
    groups = [np.asarray(part) for part in Mondrian(typed, columns, target).partition(k, 0, 0.0)]
    return _typical(frame, groups, [columns] * len(groups), midpoint=True)


def anjana_levels(frame: pd.DataFrame, target: str, k: int) -> pd.DataFrame:
    """anjana with hierarchies that anybody can make: halves, quarters, ... of numbers; all or
    nothing for categories; at most half of the records suppressed."""
    from anjana.anonymity import k_anonymity

    columns = [c for c in frame if c != target]
    cells = {c: np.array([str(v) for v in frame[c]], dtype=object) for c in frame}
    given = pd.DataFrame({c: pd.Series(column, dtype=object) for c, column in cells.items()})
    levels = {column: dict(_levels(frame[column])) for column in columns}
    with pd.option_context("future.infer_string", False):  # it knows no other texts
        released = k_anonymity(given, [], columns, k, 50, levels)
    middle = {c: _middles(frame[c]) for c in columns}
    for column in columns:
        if pd.api.types.is_numeric_dtype(frame[column]):
            released[column] = [middle[column].get(v, np.nan) for v in released[column]]
        else:
            released[column] = released[column].where(released[column] != "*")
    return released.reset_index(drop=True)


def _levels(column: pd.Series) -> Iterator[tuple[int, Any]]:
    yield 0, np.array([str(value) for value in column], dtype=object)
    place = 1
    if pd.api.types.is_numeric_dtype(column):
        for parts in (16, 8, 4, 2):
            yield place, np.array([_label(v, column, parts) for v in column], dtype=object)
            place += 1
    yield place, np.full(len(column), "*", dtype=object)


def _label(value: float, column: pd.Series, parts: int) -> str:
    low, width = float(column.min()), (float(column.max()) - float(column.min())) or 1.0
    return f"{parts}:{min(int((value - low) / width * parts), parts - 1)}"


def _middles(column: pd.Series) -> dict[str, float]:
    if not pd.api.types.is_numeric_dtype(column):
        return {}
    low, width = float(column.min()), float(column.max()) - float(column.min())
    of_parts = {
        f"{parts}:{part}": low + (part + 0.5) * width / parts
        for parts in (16, 8, 4, 2)
        for part in range(parts)
    }
    return {str(value): float(value) for value in column} | of_parts


def _coordinates(columns: pd.DataFrame) -> Any:
    """Numbers over their standard deviation; a category is one coordinate of each value."""
    parts = []
    for name in columns:
        if pd.api.types.is_numeric_dtype(columns[name]):
            numbers = columns[name].to_numpy(dtype=float)
            parts.append(((numbers - numbers.mean()) / (numbers.std() or 1.0))[:, None])
        else:
            parts.append(pd.get_dummies(columns[name]).to_numpy(dtype=float) / np.sqrt(2))
    return np.concatenate(parts, axis=1)


def _codes(columns: pd.DataFrame) -> Any:
    numbers = {c: pd.api.types.is_numeric_dtype(columns[c]) for c in columns}
    return np.column_stack(
        [columns[c] if numbers[c] else pd.factorize(columns[c], sort=True)[0] for c in columns]
    )


def _typical(
    frame: pd.DataFrame,
    groups: Sequence[Any],
    kept: Sequence[Sequence[str]],
    midpoint: bool = False,
) -> pd.DataFrame:
    """Each group with one value in each of its kept columns, nothing in the others."""
    parts = []
    for rows, columns in zip(groups, kept, strict=True):
        part = frame.iloc[rows].copy()
        for column in frame:
            cells = part[column]
            if column not in columns and column != _target_of(frame):
                part[column] = np.nan if pd.api.types.is_numeric_dtype(cells) else None
            elif column in columns and pd.api.types.is_numeric_dtype(cells):
                part[column] = (cells.min() + cells.max()) / 2 if midpoint else cells.mean()
            elif column in columns:
                part[column] = cells.mode()[0]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _target_of(frame: pd.DataFrame) -> str:
    return str(frame.columns[-1])  # by agreement: the target is the last column
