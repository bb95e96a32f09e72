"""Rows in ascending order of columns that have about as many values as rows.

A table of counts with a place for each value would be mostly empty there. Rows are sorted once and
dealt out in their order to the nodes below, so that a node is counted in one pass over its own
rows. `memory` decides which columns are counted this way; `regions` remembers the orders.
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
        self._find(columns, known, parent)
        return {
            name: counted_in_order(
                known.in_order[name], self._table[name], response, width, by_class
            )
            for name in columns
        }

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


def counted_in_order(
    rows: RowNumbers, column: Coded, response: npt.NDArray[Any], width: int, by_class: bool
) -> Tally:
    """The counts of one column within rows that are in the order of its codes."""
    from privet.compiled import cuts

    most = min(len(rows), column.domain.size)
    small: type[np.signedinteger[Any]] = np.int32 if len(column.codes) < 1 << 31 else np.int64
    codes: npt.NDArray[Any] = np.empty(most, dtype=small)
    # sums of a response are larger than any number of records
    weights: npt.NDArray[Any] = np.zeros((most, width), dtype=small if by_class else np.int64)
    count = cuts.classes_in_order if by_class else cuts.sums_in_order
    n = count(rows, column.codes, response, codes, weights)
    return Tally(codes[:n], weights[:n])
