"""The article's algorithm (its Fig. 2; Fig. 4 for several trees) followed word by word.

It works on plain rows, slowly, and in exact fractions, so that what goes wrong with it is the
algorithm's fault and not rounding. Nothing is put right: the middle cut is made by count alone,
each node has its own shift, a later node overwrites an earlier one, and values in the gap of a node
that they are not in stay as they are. `privet.preserve` has the rules put right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from oracles.slow_grower import SlowNode
from privet.table import Table
from privet.tree.model import Tree

Cells = dict[str, list[Any]]  # a column's cell in every row
Rows = list[int]


@dataclass(frozen=True)
class Asked:
    """An inner node: the attribute it asks and the rows of its two children."""

    attribute: str
    left: Rows
    right: Rows


def sanitise(
    cells: Cells, ordered: set[str], attributes: Iterable[str], nodes: Sequence[Asked]
) -> Cells:
    """Steps 2 to 4 for these nodes, of one tree or of several; other columns are untouched."""
    sanitised = dict(cells)
    for attribute in attributes:
        values = cells[attribute]
        on_it = [node for node in nodes if node.attribute == attribute]
        if not on_it and attribute in ordered:
            mean = Fraction(sum(map(Fraction, values)), len(values))
            sanitised[attribute] = [mean] * len(values)
        elif not on_it:
            sanitised[attribute] = ["ALL"] * len(values)
        elif attribute in ordered:
            sanitised[attribute] = _numbers(values, on_it)
        else:
            sanitised[attribute] = _categories(values, on_it)
    return sanitised


def _numbers(values: list[Any], nodes: Sequence[Asked]) -> list[Any]:
    """Step 3."""
    belows = [max(values[row] for row in node.left) for node in nodes]
    aboves = [min(values[row] for row in node.right) for node in nodes]
    intervals = []
    for interval in _intervals(values, set(belows), set(aboves)):
        intervals += _at_most_one_boundary(interval, values, {*belows, *aboves})
    new: list[Any] = list(values)
    for v1, v2 in zip(belows, aboves, strict=True):
        lower = next(i for i in reversed(intervals) if values[i[-1]] == v1)
        upper = next(i for i in intervals if values[i[0]] == v2)
        d = min(Fraction(v1) - _mean(values, lower), _mean(values, upper) - Fraction(v2))
        for row in lower:
            new[row] = Fraction(v1) - d
        for row in upper:
            new[row] = Fraction(v2) + d
    return new


def _intervals(values: list[Any], belows: set[Any], aboves: set[Any]) -> list[Rows]:
    """Step 3b: the sorted rows, cut after each largest left and before each smallest right."""
    order = sorted(range(len(values)), key=lambda row: values[row])
    intervals = [[order[0]]]
    for one, two in pairwise(order):
        low, high = values[one], values[two]
        if low != high and (low in belows or high in aboves):
            intervals.append([])
        intervals[-1].append(two)
    return intervals


def _at_most_one_boundary(interval: Rows, values: list[Any], boundaries: set[Any]) -> list[Rows]:
    """Step 3c: an interval with two boundary values becomes two of equal size."""
    if len({values[row] for row in interval} & boundaries) < 2:
        return [interval]
    middle = len(interval) // 2
    return [interval[:middle], interval[middle:]]


def _mean(values: list[Any], rows: Rows) -> Fraction:
    return sum((Fraction(values[row]) for row in rows), Fraction(0)) / len(rows)


def _categories(values: list[Any], nodes: Sequence[Asked]) -> list[str]:
    """Step 4: categories that are in the same branches get one generalised value."""
    labels: dict[tuple[str, ...], list[str]] = {}
    branches: dict[Any, tuple[str, ...]] = {}
    sides = [({values[r] for r in n.left}, {values[r] for r in n.right}) for n in nodes]
    for value in sorted(set(values)):
        branches[value] = tuple(
            "left" if value in left else "right" if value in right else "absent"
            for left, right in sides
        )
        labels.setdefault(branches[value], []).append(str(value))
    return [" | ".join(labels[branches[value]]) for value in values]


# -- the inner nodes of trees ------------------------------------------------------------------


def asked_by_slow_tree(nodes: Sequence[SlowNode], cells: Cells) -> list[Asked]:
    """The inner nodes of a tree from the slow grower, oldest first."""
    rows_of: dict[int, Rows] = {0: list(range(len(next(iter(cells.values())))))}
    asked = []
    for node in nodes:
        if node.split is None:
            continue
        kind, attribute, condition = node.split[:3]
        values, rows = cells[attribute], rows_of[node.id]
        if kind == "threshold":
            left = [row for row in rows if values[row] <= condition]
        else:
            left = [row for row in rows if values[row] in condition]
        gone = set(left)
        right = [row for row in rows if row not in gone]
        rows_of[node.children[0]], rows_of[node.children[1]] = left, right
        asked.append(Asked(attribute, left, right))
    return asked


def asked_by_tree(tree: Tree, table: Table) -> list[Asked]:
    """The inner nodes of a tree, oldest first."""
    rows_of: dict[int, Rows] = {node.id: [] for node in tree.nodes}
    for row, leaf in enumerate(tree.leaf_of_rows(table).tolist()):
        at: int | None = leaf
        while at is not None:
            rows_of[at].append(row)
            at = tree.nodes[at].parent
    return [
        Asked(node.split.attribute, rows_of[node.children[0]], rows_of[node.children[1]])
        for node in tree.inner
        if node.split is not None
    ]
