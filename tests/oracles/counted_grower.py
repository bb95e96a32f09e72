"""Growing a tree of two classes by Gini from a data frame: slow, but fast enough for 30,000 rows.

The same rules as `slow_grower`, without guard and missing cells, written for real tables: in each
node the records of each value are counted by class, and gains are fractions. Nothing of Privet is
called; a recipient could have written it.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

Rows = Any  # numbers of rows, as an array


@dataclass(frozen=True)
class Found:
    gain: Fraction
    place: tuple[Any, ...]
    attribute: str
    split: Any  # a threshold, or the categories that go left and right
    left: Rows
    right: Rows


def counted_tree(
    frame: pd.DataFrame, target: str, leaves: int, min_leaf: int
) -> tuple[list[tuple[int, str, Any]], list[tuple[int, ...]]]:
    """Each split in the order of growing (node, attribute, threshold or categories), and the
    classes of each node."""
    attributes = [name for name in frame if name != target]
    columns = {name: frame[name].to_numpy() for name in attributes}
    classes = sorted(frame[target].unique())
    assert len(classes) == 2
    answer = (frame[target] == classes[1]).to_numpy()
    rows_of = {0: np.arange(len(frame))}
    best = {0: _best(columns, answer, rows_of[0], min_leaf)}
    splits: list[tuple[int, str, Any]] = []
    while len(splits) + 1 < leaves:
        gains = {node: found.gain for node, found in best.items() if found is not None}
        if not gains:
            break
        node = max(gains, key=lambda number: (gains[number], -number))
        found = best.pop(node)
        assert found is not None
        splits.append((node, found.attribute, found.split))
        for rows in (found.left, found.right):
            new = len(rows_of)
            rows_of[new] = rows
            best[new] = _best(columns, answer, rows, min_leaf)
    counts = [(int((~answer[r]).sum()), int(answer[r].sum())) for r in rows_of.values()]
    return splits, counts


def _best(columns: dict[str, Any], answer: Any, rows: Rows, min_leaf: int) -> Found | None:
    best: Found | None = None
    n, yes = len(rows), int(answer[rows].sum())
    whole = _gini(n, yes)
    for index, (name, column) in enumerate(columns.items()):
        values, of_row = np.unique(column[rows], return_inverse=True)
        if len(values) < 2:
            continue
        records = np.bincount(of_row).tolist()
        positive = np.bincount(of_row, weights=answer[rows]).astype(np.int64).tolist()
        numbers = values.dtype.kind in "if"
        order = list(range(len(values)))
        if not numbers:
            order.sort(key=lambda code: (Fraction(positive[code], records[code]), code))
        left, left_yes = 0, 0
        for cut in range(1, len(order)):
            left += records[order[cut - 1]]
            left_yes += positive[order[cut - 1]]
            if min(left, n - left) < min_leaf:
                continue
            gain = whole - _gini(left, left_yes) - _gini(n - left, yes - left_yes)
            if gain <= 0 or (best is not None and gain < best.gain):
                continue
            here = set(order[:cut])
            place: tuple[Any, ...] = (index, cut)
            if not numbers:
                place = (index, tuple(int(code in here) for code in range(len(values))))
            if best is None or gain > best.gain or place < best.place:
                goes_left = np.isin(of_row, list(here))
                best = Found(
                    gain, place, name, _split(values, order, cut), rows[goes_left], rows[~goes_left]
                )
    return best


def _split(values: Any, order: list[int], cut: int) -> Any:
    if values.dtype.kind in "if":
        low, high = values[cut - 1].item(), values[cut].item()
        return float((Fraction(low) + Fraction(high)) / 2)
    left = {values[code] for code in order[:cut]}
    return tuple(sorted(left)), tuple(sorted(set(values) - left))


def _gini(records: int, yes: int) -> Fraction:
    """Records times impurity."""
    no = records - yes
    return Fraction(2 * yes * no, records)
