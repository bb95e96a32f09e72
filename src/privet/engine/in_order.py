"""Rows in ascending order of columns that have about as many values as rows.

A table of counts with a place for each value would be mostly empty there. Rows are sorted once and
dealt out in their order to the nodes below, so that a node is counted in one pass over its own
rows. Where no two rows of a node share a value, they need no order: each leaves its class at the
place of its code. `memory` decides which columns are counted so; `regions` remembers the orders.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine.protocol import Region, Tally
from privet.engine.regions import Known, KnownRegions, Rows, above_of
from privet.table import Coded, Table

OFTEN = 8  # a column with this many rows for each value is better counted into a table
_WORTH_FILTERING = 8  # rows are filtered out of up to so many times their number, or else sorted
_WORTH_LAYING_OUT = 16  # values for each row up to which rows leave their classes at places
_MOST_CLASSES = 254  # and none, in a byte

RowNumbers = npt.NDArray[np.uint32]


def has_own_values(column: Coded) -> bool:
    """Whether a column has about as many values as rows."""
    return column.domain.size * OFTEN > len(column.codes)


class InOrder:
    """The rows of regions by ascending codes of some columns."""

    def __init__(self, table: Table, regions: KnownRegions) -> None:
        self._table = table
        self._regions = regions
        self._marked = np.zeros(0, dtype=np.uint8)
        self._seen = np.zeros(0, dtype=np.uint8)
        self._shared: set[str] = set()  # columns of which two rows share a value

    def tallies(
        self,
        columns: Sequence[str],
        region: Region,
        response: npt.NDArray[Any],
        width: int,
        by_class: bool,
    ) -> dict[str, Tally]:
        """The counts of columns within a region."""
        known, above = self._regions[region], above_of(region)
        parent = None if above is None else self._regions.get(above)
        found: dict[str, Tally] = {}
        for name in columns if by_class and width <= _MOST_CLASSES else ():
            tally = self._laid_out(name, known, response, width)
            if tally is not None:
                found[name] = tally
        rest = [name for name in columns if name not in found]
        self._find(rest, known, parent)
        for name in rest:
            rows, column = known.in_order[name], self._table[name]
            found[name] = counted_in_order(rows, column, response, width, by_class)
        return found

    def _laid_out(
        self, name: str, known: Known, response: npt.NDArray[Any], width: int
    ) -> Tally | None:
        """The counts of a column by classes, if no two rows of the region share a value."""
        column = self._table[name]
        size = column.domain.size
        if name in self._shared or not known.size or size > _WORTH_LAYING_OUT * known.size:
            return None
        if known.size > size:
            self._shared.add(name)
            return None
        if len(self._seen) < size:
            self._seen = np.zeros(size, dtype=np.uint8)
        found = counted_alone(known.rows, column, response, width, self._seen[:size])
        if found is None:
            self._shared.add(name)
        return found

    def let_go(self, region: Region | None) -> None:
        """Forget the orders of a node whose children have theirs."""
        known = None if region is None else self._regions.get(region)
        if known is not None:
            known.in_order.clear()

    def _find(self, columns: Sequence[str], known: Known, parent: Known | None) -> None:
        """Have the rows of a region in order, from those of its parent where that is less work."""
        new = [name for name in columns if name not in known.in_order]
        near = parent is not None and parent.size <= _WORTH_FILTERING * known.size
        above = parent.in_order if parent is not None and near else {}
        filtered = [name for name in new if name in above]
        if filtered and known.rows is not None:
            self._filter(filtered, above, known.rows, known.in_order)
        for name in new:
            if name not in known.in_order:
                known.in_order[name] = _sorted(self._table[name], known.rows)

    def _filter(
        self,
        columns: Sequence[str],
        above: dict[str, RowNumbers],
        rows: RowNumbers,
        into: dict[str, RowNumbers],
    ) -> None:
        from privet.compiled.cuts import keep_marked

        if not len(self._marked):
            self._marked = np.zeros(self._table.n_rows, dtype=np.uint8)
        self._marked[rows] = 1
        for name in columns:
            kept = np.empty(len(rows) + 1, dtype=np.uint32)
            keep_marked(above[name], self._marked, kept)
            into[name] = kept[:-1]
        self._marked[rows] = 0


def _sorted(column: Coded, rows: Rows) -> RowNumbers:
    from privet.compiled.cuts import rows_in_order

    if rows is not None:
        return rows[np.argsort(column.codes[rows])]
    found = np.empty(len(column.codes), dtype=np.uint32)
    rows_in_order(column.codes, column.domain.size, found)
    return found


def counted_alone(
    rows: Rows,
    column: Coded,
    response: npt.NDArray[Any],
    width: int,
    seen: npt.NDArray[np.uint8],
) -> Tally | None:
    """The counts of one column by classes within some rows; None if two share a value. `seen` has a
    zero for each value, and is left so."""
    from privet.compiled import cuts

    here = np.zeros(0, dtype=np.uint32) if rows is None else rows
    codes, small = _room(column, len(column.codes) if rows is None else len(rows))
    weights = np.zeros((len(codes), width), dtype=small)
    n = cuts.classes_of_own(here, column.codes, response, seen, codes, weights)
    return None if n < 0 else Tally(codes[:n], weights[:n])


def _room(column: Coded, rows: int) -> tuple[npt.NDArray[Any], type[np.signedinteger[Any]]]:
    """Room for the codes that so many rows can have, and a type for numbers of rows."""
    small: type[np.signedinteger[Any]] = np.int32 if len(column.codes) < 1 << 31 else np.int64
    return np.empty(min(rows, column.domain.size), dtype=small), small


def counted_in_order(
    rows: RowNumbers, column: Coded, response: npt.NDArray[Any], width: int, by_class: bool
) -> Tally:
    """The counts of one column within rows that are in the order of its codes."""
    from privet.compiled import cuts

    codes, small = _room(column, len(rows))
    most = len(codes)
    # sums of a response are larger than any number of records
    weights: npt.NDArray[Any] = np.zeros((most, width), dtype=small if by_class else np.int64)
    count = cuts.classes_in_order if by_class else cuts.sums_in_order
    n = count(rows, column.codes, response, codes, weights)
    return Tally(codes[:n], weights[:n])
