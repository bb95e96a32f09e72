"""Which rows lie in which region, as the memory engine remembers it.

Rows are kept as row numbers, those of a child dealt out from its parent. `memory` counts them and
keeps its tables of counts beside them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.protocol import Between, Condition, Path, Region
from privet.table import Coded, Table, code_type

_SHORT = 1 << 16  # values of a column whose children are looked up by code
_FEW = 8  # children, each of which takes a pass over the rows
KEPT_ROWS = 32  # times the table: more row numbers than these are not kept of inner nodes

Rows = npt.NDArray[np.uint32] | None  # None: all rows


class Known:
    """What is remembered of a region: its rows and, while they may serve, its tables of counts and
    its rows in the order of columns."""

    __slots__ = ("dense", "in_order", "rows", "size")

    def __init__(self, rows: Rows, size: int) -> None:
        self.rows = rows
        self.size = size
        self.dense: dict[tuple[tuple[str, ...], str], Integers] = {}
        self.in_order: dict[str, npt.NDArray[np.uint32]] = {}


class KnownRegions:
    """The regions of a table that have been asked for."""

    def __init__(self, table: Table, compiled: bool = False) -> None:
        self._table = table
        self._compiled = compiled
        self._known: dict[Region, Known] = {(): Known(None, table.n_rows)}
        self._kept = 0  # row numbers, of all regions

    def get(self, region: Region) -> Known | None:
        return self._known.get(region)

    def __getitem__(self, region: Region) -> Known:
        """What is remembered of a region; its rows narrowed from the longest known beginning."""
        known = self._known.get(region)
        if known is not None:
            return known
        at = len(region) - 1
        above = above_of(region) or ()
        while (beginning := self._known.get(above)) is None:
            at -= 1
            above = region[:at]
        rows = beginning.rows
        for condition in region[at:]:
            rows = self._narrowed(rows, condition)
        assert rows is not None
        return self._remember(region, rows)

    def divide(self, regions: Sequence[Region]) -> None:
        """Deal the rows of a node out to its children in one pass, if that is what they are."""
        above = above_of(regions[0])
        parent = None if above is None else self._known.get(above)
        if parent is None or any(region in self._known or not region for region in regions):
            return
        conditions = [region[-1] for region in regions]
        name = conditions[0].column
        if any(above_of(r) != above for r in regions) or any(c.column != name for c in conditions):
            return
        dealt = self._dealt_out(parent.rows, self._table[name], conditions)
        if dealt is not None:
            for region, rows in zip(regions, dealt, strict=True):
                self._remember(region, rows)

    def _dealt_out(
        self, rows: Rows, column: Coded, conditions: Sequence[Condition]
    ) -> list[npt.NDArray[np.uint32]] | None:
        """The rows that meet each condition; None where conditions overlap."""
        size, n_children = column.domain.size, len(conditions)
        if self._compiled and size <= _SHORT and n_children <= _FEW:
            return _dealt_at_once(rows, column, conditions)
        codes = column.codes if rows is None else column.codes[rows]
        child = _child_of(codes, conditions, size)
        return None if child is None else _dealt_out(rows, child, n_children)

    def let_go(self, region: Region | None) -> None:
        """Forget a node that was divided, if very many rows are kept: a long path would keep the
        table many times over. Its rows can be found again from the whole table."""
        if region and region in self._known and self._kept > KEPT_ROWS * self._table.n_rows:
            self._kept -= self._known.pop(region).size

    def _remember(self, region: Region, rows: npt.NDArray[np.uint32]) -> Known:
        known = self._known[region] = Known(rows, len(rows))
        self._kept += len(rows)
        return known

    def _narrowed(self, rows: Rows, condition: Condition) -> Rows:
        column = self._table[condition.column]
        allowed = condition.allowed(column.domain.size)
        if rows is None:
            return np.flatnonzero(allowed[column.codes]).astype(np.uint32)
        return rows[allowed[column.codes[rows]]]


def above_of(region: Region) -> Region | None:
    """The region with one condition less; None for the whole table."""
    if isinstance(region, Path) and region:
        return region.above
    return region[:-1] if region else None


def _child_of(
    codes: npt.NDArray[Any], conditions: Sequence[Condition], size: int
) -> npt.NDArray[Any] | None:
    """The number of the condition that each code meets, after the last one if it meets none; None
    where conditions overlap."""
    match conditions:
        case [Between(low=0, high=cut), Between(low=next_, high=last)] if (next_, last) == (
            cut + 1,
            size - 1,
        ):  # a threshold
            return np.asarray(codes > cut)
    child_of = child_of_code(conditions, size)
    return None if child_of is None else np.asarray(child_of[codes])


def child_of_code(conditions: Sequence[Condition], size: int) -> npt.NDArray[Any] | None:
    child_of = np.full(size, len(conditions))
    for number, condition in enumerate(conditions):
        allowed = condition.allowed(size)
        if (child_of[allowed] != len(conditions)).any():
            return None
        child_of[allowed] = number
    return child_of.astype(code_type(len(conditions) + 1))


def _dealt_at_once(
    rows: Rows, column: Coded, conditions: Sequence[Condition]
) -> list[npt.NDArray[np.uint32]] | None:
    """The rows of each child by compiled loops; None where conditions overlap."""
    from privet.compiled import counting as kernels

    child_of = child_of_code(conditions, column.domain.size)
    if child_of is None:
        return None
    child = np.empty(len(column.codes) if rows is None else len(rows), dtype=child_of.dtype)
    sizes = np.zeros(len(conditions) + 1, dtype=np.int64)
    if rows is None:
        kernels.children_of_all(column.codes, child_of, child, sizes)
    else:
        kernels.children_of_some(column.codes, rows, child_of, child, sizes)
    dealt = []
    for number in range(len(conditions)):
        own = np.empty(sizes[number] + 1, dtype=np.uint32)
        if rows is None:
            kernels.rows_of_child(child, number, own)
        else:
            kernels.some_rows_of_child(rows, child, number, own)
        dealt.append(own[:-1])
    return dealt


def _dealt_out(
    rows: Rows, child: npt.NDArray[Any], n_children: int
) -> list[npt.NDArray[np.uint32]]:
    """The rows of each child, in order; rows of the number after the last child are of none."""
    if n_children <= _FEW:
        masks = [child == number for number in range(n_children)]
        if rows is None:
            return [np.flatnonzero(mask).astype(np.uint32) for mask in masks]
        return [rows[mask] for mask in masks]
    order = np.argsort(child, kind="stable")
    ends = np.cumsum(np.bincount(child, minlength=n_children + 1))[:n_children]
    sorted_rows = order.astype(np.uint32) if rows is None else rows[order]
    return list(np.split(sorted_rows[: ends[-1]], ends[:-1]))
