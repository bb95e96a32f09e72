"""The memory engine: a Table in memory, counted by NumPy or, for large tables, by compiled loops.

What makes it fast: codes are the smallest integers; of the children of a node all but the largest
are counted and the largest is the rest of its parent (integers subtract exactly); rows of a region
are remembered as row numbers. Columns with very many values are counted by the values that occur
in the region, never in a table as long as their domain times the number of nodes.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine.grouping import distinct_combinations
from privet.engine.protocol import Condition, Counts, Integers, Region, Response, Tally
from privet.table import Coded, Domain, Table, code_type

COMPILE_FROM = 300_000  # rows from which compiled loops win over NumPy, their import included
WIDE = 1 << 16  # cells of a column's dense count above which it is not kept for subtraction
_THREADS = 2

Rows = npt.NDArray[np.uint32] | None  # None: all rows


class MemoryEngine:
    """An engine over a Table."""

    def __init__(self, table: Table, compiled: bool | None = None) -> None:
        self._table = table
        self._compiled = table.n_rows >= COMPILE_FROM if compiled is None else compiled
        self._rows: dict[Region, Rows] = {(): None}
        self._dense: dict[tuple[Region, str], dict[str, Integers]] = {}
        self._units: dict[str, Integers] = {}

    def columns(self) -> tuple[str, ...]:
        return self._table.names

    def n_rows(self) -> int:
        return self._table.n_rows

    def domain(self, column: str) -> Domain:
        return self._table[column].domain

    def table(self) -> Table:
        return self._table

    def recode(
        self,
        edits: Mapping[str, tuple[npt.NDArray[Any], Domain]],
        regions: Sequence[Region] | None = None,
    ) -> "MemoryEngine":
        columns = {}
        for name, (new_of_old, domain) in edits.items():
            column = self._table[name]
            if regions is None:
                columns[name] = column.merged(new_of_old, domain)
                continue
            codes = np.empty(len(column.codes), dtype=code_type(domain.size))
            for region, new_here in zip(regions, new_of_old, strict=True):
                rows = self._rows_of(region)
                here = slice(None) if rows is None else rows
                codes[here] = new_here.astype(codes.dtype)[column.codes[here]]
            columns[name] = Coded(domain, codes)
        return MemoryEngine(self._table.replace(columns), self._compiled)

    def count(self, by: Sequence[str], within: Region = ()) -> Counts:
        rows = self._rows_of(within)
        columns = [self._table[name] for name in by]
        codes = [c.codes if rows is None else c.codes[rows] for c in columns]
        length = self._table.n_rows if rows is None else len(rows)
        sizes = [c.domain.size for c in columns]
        keys, n = distinct_combinations(codes, sizes, length, self._compiled)
        return Counts(tuple(by), keys, n)

    # -- counting for trees ----------------------------------------------------------------------

    def tally(
        self, columns: Sequence[str], regions: Sequence[Region], target: str | Response
    ) -> list[dict[str, Tally]]:
        key = target if isinstance(target, str) else target.key
        width = self.domain(target).size if isinstance(target, str) else 2
        narrow = [c for c in columns if self.domain(c).size * width <= WIDE]
        dense = self._dense_counts(narrow, regions, target, key, width)
        answers = []
        for region, counted in zip(regions, dense, strict=True):
            tallies = {c: _present(counted[c]) for c in narrow}
            for column in columns:
                if column not in tallies:
                    tallies[column] = self._tally_wide(column, region, target, width)
            answers.append({c: tallies[c] for c in columns})
        return answers

    def _dense_counts(
        self,
        narrow: Sequence[str],
        regions: Sequence[Region],
        target: str | Response,
        key: str,
        width: int,
    ) -> list[dict[str, Integers]]:
        """Counts of columns with few values: remembered, counted, or the rest of the parent."""
        known = [self._dense.get((region, key), {}) for region in regions]
        if all(column in counted for counted in known for column in narrow):
            return known
        sizes = [self._size(region) for region in regions]
        rest = int(np.argmax(sizes))
        parent = self._parent_counts(narrow, regions, sizes, key)
        dense = [
            {} if parent and place == rest else self._count_dense(narrow, region, target, width)
            for place, region in enumerate(regions)
        ]
        if parent:
            others = [counted for place, counted in enumerate(dense) if place != rest]
            dense[rest] = {c: parent[c] - sum(other[c] for other in others) for c in narrow}
        for region, counted in zip(regions, dense, strict=True):
            self._dense[region, key] = counted
        if parent:  # it has served
            del self._dense[regions[0][:-1], key]
        return dense

    def _parent_counts(
        self, narrow: Sequence[str], regions: Sequence[Region], sizes: Sequence[int], key: str
    ) -> dict[str, Integers]:
        """The remembered counts of the node whose children these regions are, if they are."""
        above = regions[0][:-1]
        siblings = len(regions) > 1 and all(r and r[:-1] == above for r in regions)
        counted = self._dense.get((above, key), {}) if siblings else {}
        complete = all(column in counted for column in narrow)
        return counted if complete and siblings and sum(sizes) == self._size(above) else {}

    def forget(self) -> None:
        """Drop what was remembered of regions (row numbers, counts)."""
        self._rows = {(): None}
        self._dense = {}
        self._units = {}

    def _count_dense(
        self, columns: Sequence[str], region: Region, target: str | Response, width: int
    ) -> dict[str, Integers]:
        rows = self._rows_of(region)
        response = self._response(target)
        outs = {c: np.zeros((self.domain(c).size, width), dtype=np.int64) for c in columns}

        def count_one(column: str) -> None:
            _count(
                self._table[column].codes,
                response,
                rows,
                outs[column],
                self._compiled,
                isinstance(target, str),
            )

        if self._compiled and len(columns) > 1:
            with ThreadPoolExecutor(_THREADS) as pool:
                list(pool.map(count_one, columns))
        else:
            for column in columns:
                count_one(column)
        return outs

    def _tally_wide(self, column: str, region: Region, target: str | Response, width: int) -> Tally:
        """Counts of a column with very many values: by those that occur, or in one dense pass."""
        rows = self._rows_of(region)
        codes = self._table[column].codes
        response = self._response(target)
        n, size = self._size(region), self.domain(column).size
        by_class = isinstance(target, str)
        if n * 4 >= size:
            out = np.zeros((size, width), dtype=np.int64)
            _count(codes, response, rows, out, self._compiled, by_class)
            return _present(out)
        chosen = codes if rows is None else codes[rows]
        present, inverse = np.unique(chosen, return_inverse=True)
        out = np.zeros((len(present), width), dtype=np.int64)
        own = response if rows is None else response[rows]
        _count(inverse, own, None, out, self._compiled, by_class)
        return Tally(present.astype(np.int64), out)

    def _response(self, target: str | Response) -> npt.NDArray[Any]:
        """For each row its class code, or its response in grid steps."""
        if isinstance(target, str):
            return self._table[target].codes
        if target.key not in self._units:
            self._units[target.key] = target.units[self._table[target.column].codes]
        return self._units[target.key]

    def _size(self, region: Region) -> int:
        rows = self._rows_of(region)
        return self._table.n_rows if rows is None else len(rows)

    def _rows_of(self, region: Region) -> Rows:
        """Row numbers of a region, narrowed from its longest remembered beginning."""
        if region in self._rows:
            return self._rows[region]
        known = len(region) - 1
        while region[:known] not in self._rows:
            known -= 1
        rows = self._rows[region[:known]]
        for condition in region[known:]:
            rows = self._narrowed(rows, condition)
        self._rows[region] = rows
        return rows

    def _narrowed(self, rows: Rows, condition: Condition) -> Rows:
        column = self._table[condition.column]
        allowed = condition.allowed(column.domain.size)
        if rows is None:
            return np.flatnonzero(allowed[column.codes]).astype(np.uint32)
        return rows[allowed[column.codes[rows]]]


def _present(dense: Integers) -> Tally:
    seen = dense[:, 0] != 0
    for column in range(1, dense.shape[1]):
        seen |= dense[:, column] != 0
    occurs = np.flatnonzero(seen)
    return Tally(occurs.astype(np.int64), dense[occurs])


def _count(
    codes: npt.NDArray[Any],
    response: npt.NDArray[Any],
    rows: Rows,
    out: Integers,
    compiled: bool,
    by_class: bool,
) -> None:
    """Add the counts of one column to `out` (codes x classes, or codes x (records, sum))."""
    if compiled:
        from privet.compiled import counting as kernels

        if rows is None:
            (kernels.classes_all if by_class else kernels.sums_all)(codes, response, out)
        else:
            (kernels.classes_some if by_class else kernels.sums_some)(codes, response, rows, out)
        return
    if rows is not None:
        codes, response = codes[rows], response[rows]
    if by_class:
        width = out.shape[1]
        index = codes.astype(np.intp) * width + response
        out += np.bincount(index, minlength=out.size).reshape(out.shape)
    else:
        out[:, 0] += np.bincount(codes, minlength=len(out))
        np.add.at(out[:, 1], codes, response)
