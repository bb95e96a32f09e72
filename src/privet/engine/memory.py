"""The memory engine: a Table in memory, counted by NumPy or, for large tables, by compiled loops.

What makes it fast: codes are the smallest integers; of the children of a node all but the largest
are counted and the largest is the rest of its parent (integers subtract exactly); rows of a region
are remembered as row numbers; small regions are counted for all columns at once, by the values that
occur in them (`side_by_side`). Columns with about as many values as rows are sorted once, and their
rows dealt out in that order (`in_order`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.grouping import distinct_combinations
from privet.engine.in_order import InOrder, has_own_values
from privet.engine.memory_blocks import MemoryBlocks
from privet.engine.protocol import Counts, Region, Response, Tally
from privet.engine.regions import Known, KnownRegions, Rows, above_of
from privet.engine.side_by_side import Layout, counted
from privet.table import Coded, Domain, Table, code_type

COMPILE_FROM = 300_000  # rows from which compiled loops win over NumPy, their import included
WIDE = 1 << 16  # cells of a column's dense count above which it is not kept for subtraction
SMALL = 2  # a region is small if its cells, so many times over, are fewer than those of a table
_THREADS = 2
_WORTH_THREADS = 1 << 21  # cells counted at once


@dataclass(frozen=True, eq=False)
class _Question:
    """Which columns are counted against which target, and how they lie side by side."""

    layout: Layout
    response: npt.NDArray[Any]  # of each row: its class code, or its response in grid steps
    width: int
    by_class: bool
    key: tuple[tuple[str, ...], str]  # under which tables of counts are remembered

    @property
    def cells(self) -> int:
        return self.layout.narrow_size * self.width


class MemoryEngine:
    """An engine over a Table.

    >>> table = privet.table_of({"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3})
    >>> privet.MemoryEngine(table).n_rows()
    6
    """

    def __init__(self, table: Table, compiled: bool | None = None) -> None:
        self._table = table
        self._compiled = table.n_rows >= COMPILE_FROM if compiled is None else compiled
        self._regions = KnownRegions(table, self._compiled)
        self._in_order = InOrder(table, self._regions)
        self._layouts: dict[tuple[tuple[str, ...], int], Layout] = {}
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
                rows = self._regions[region].rows
                here = slice(None) if rows is None else rows
                codes[here] = new_here.astype(codes.dtype)[column.codes[here]]
            columns[name] = Coded(domain, codes)
        return MemoryEngine(self._table.replace(columns), self._compiled)

    def count(self, by: Sequence[str], within: Region = ()) -> Counts:
        rows = self._regions[within].rows
        columns = [self._table[name] for name in by]
        codes = [c.codes if rows is None else c.codes[rows] for c in columns]
        length = self._table.n_rows if rows is None else len(rows)
        sizes = [c.domain.size for c in columns]
        keys, n = distinct_combinations(codes, sizes, length, self._compiled)
        return Counts(tuple(by), keys, n)

    def portions(self, by: Sequence[str], whole: int) -> Iterator[Counts]:
        yield self.count(by)  # what is in memory once may well be counted there

    def part(self, region: Region) -> "MemoryEngine":
        rows = self._regions[region].rows
        return self if rows is None else MemoryEngine(self._table.take(rows), self._compiled)

    def blocks(self, regions: Sequence[Region]) -> MemoryBlocks:
        every = np.arange(self._table.n_rows, dtype=np.uint32)
        parts = [self._regions[region].rows for region in regions]
        rows = [every if part is None else part for part in parts]
        starts = np.concatenate([[0], np.cumsum([len(part) for part in rows])]).astype(np.int64)
        return MemoryBlocks(self._table, np.concatenate(rows), starts, self._compiled)

    # -- counting for trees ----------------------------------------------------------------------

    def tally(
        self,
        columns: Sequence[str],
        regions: Sequence[Region],
        target: str | Response,
        beside: Sequence[Region] = (),
    ) -> list[dict[str, Tally]]:
        width = self.domain(target).size if isinstance(target, str) else 2
        layout = self._layout(tuple(columns), width)
        key = target if isinstance(target, str) else target.key
        response, by_class = self._response(target), isinstance(target, str)
        asked = _Question(layout, response, width, by_class, (layout.columns, key))
        self._regions.divide([*regions, *beside])
        tables = self._tables(asked, regions, beside)
        answers = []
        for region, dense in zip(regions, tables, strict=True):
            known = self._regions[region]
            if dense is None:
                tallies = self._tally_within(asked, 0, known.rows)
            else:
                tallies = layout.tallies_of(dense)
                tallies |= self._tally_wide(asked, region)
            answers.append({c: tallies[c] for c in columns})
        self._in_order.let_go(above_of(regions[0]))
        self._regions.let_go(above_of(regions[0]))
        return answers

    def _layout(self, columns: tuple[str, ...], width: int) -> Layout:
        if (columns, width) not in self._layouts:
            narrow = [c for c in columns if self.domain(c).size * width <= WIDE]
            in_order = (*narrow, *(c for c in columns if c not in narrow))
            coded = tuple(self._table[c] for c in in_order)
            self._layouts[columns, width] = Layout(in_order, coded, len(narrow))
        return self._layouts[columns, width]

    def _tables(
        self, asked: _Question, regions: Sequence[Region], beside: Sequence[Region]
    ) -> list[Integers | None]:
        """Tables of the narrow columns: remembered, counted, or the rest of the parent's.

        None for a small region, which has fewer cells than such a table.
        """
        known = [self._regions[region] for region in regions]
        tables = [one.dense.get(asked.key) for one in known]
        new = [i for i, one in enumerate(known) if tables[i] is None and self._large(asked, one)]
        if not new:
            return tables
        rest = max(new, key=lambda place: known[place].size)
        for place in new:
            if place != rest:
                tables[place] = self._count(asked, known[place].rows)
        others = list(zip(known, tables, strict=True))
        del others[rest]
        others += [(self._regions[region], None) for region in beside]
        parent = self._table_of_parent(asked, [*regions, *beside])
        tables[rest] = self._rest_of_parent(asked, parent, known[rest], others)
        for one, table in zip(known, tables, strict=True):
            if table is not None:
                one.dense[asked.key] = table
        return tables

    def _rest_of_parent(
        self,
        asked: _Question,
        parent: Integers | None,
        child: Known,
        others: Sequence[tuple[Known, Integers | None]],
    ) -> Integers:
        """The parent's table less those of the other children, unless counting is less work."""
        uncounted = sum(one.size for one, table in others if table is None)
        if parent is None or uncounted > child.size:
            return self._count(asked, child.rows)
        for one, table in others:
            parent = parent - (self._count(asked, one.rows) if table is None else table)
        return parent

    def _table_of_parent(self, asked: _Question, children: Sequence[Region]) -> Integers | None:
        """The remembered table of the node whose children these are, if they are."""
        above = above_of(children[0])
        if above is None or any(above_of(child) != above for child in children[1:]):
            return None
        known = self._regions.get(above)
        if known is None or asked.key not in known.dense:
            return None
        if sum(self._regions[child].size for child in children) != known.size:
            return None
        return known.dense.pop(asked.key)  # it will have served

    def _large(self, asked: _Question, known: Known) -> bool:
        return asked.cells <= SMALL * known.size * max(asked.layout.n_narrow, 1)

    def forget(self) -> None:
        """Drop what was remembered of regions (row numbers, counts)."""
        self._regions = KnownRegions(self._table, self._compiled)
        self._in_order = InOrder(self._table, self._regions)
        self._layouts = {}
        self._units = {}

    def _count(self, asked: _Question, rows: Rows) -> Integers:
        """The table of the narrow columns within some rows."""
        layout = asked.layout
        narrow = range(layout.n_narrow)
        if not self._compiled:
            numbers = layout.numbers[slice(None) if rows is None else rows, : layout.n_narrow]
            response = asked.response if rows is None else asked.response[rows]
            return counted(numbers, response, layout.narrow_size, asked.width, asked.by_class)
        table = np.zeros((layout.narrow_size, asked.width), dtype=np.int64)

        def count_one(place: int) -> None:
            self._count_column(asked, place, rows, table[layout.stretch(place)])

        n = self._table.n_rows if rows is None else len(rows)
        if layout.n_narrow > 1 and n * layout.n_narrow >= _WORTH_THREADS:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(_THREADS) as pool:
                list(pool.map(count_one, narrow))
        else:
            for place in narrow:
                count_one(place)
        return table

    def _tally_wide(self, asked: _Question, region: Region) -> dict[str, Tally]:
        """Counts of columns with very many values: in order, in a table, or by those that occur."""
        layout, rows = asked.layout, self._regions[region].rows
        wide = range(layout.n_narrow, len(layout.columns))
        if wide and not self._compiled:
            return self._tally_within(asked, layout.n_narrow, rows)
        own = {layout.columns[i] for i in wide if has_own_values(layout.coded[i])}
        tallies = self._in_order.tallies(
            sorted(own), region, asked.response, asked.width, asked.by_class
        )
        n = self._table.n_rows if rows is None else len(rows)
        for place in wide:
            if layout.columns[place] in own:
                continue
            column, size = layout.columns[place], layout.coded[place].domain.size
            alone = Layout((column,), (layout.coded[place],), 1)
            if n * 4 >= size:
                table = np.zeros((size, asked.width), dtype=np.int64)
                self._count_column(asked, place, rows, table)
                tallies |= alone.tallies_of(table)
            else:
                tallies |= self._tally_within(replace(asked, layout=alone), 0, rows)
        return tallies

    def _count_column(self, asked: _Question, place: int, rows: Rows, out: Integers) -> None:
        """Add the counts of one column to `out` by a compiled loop."""
        from privet.compiled import counting as kernels

        codes = asked.layout.coded[place].codes
        if rows is None:
            over_all = kernels.classes_all if asked.by_class else kernels.sums_all
            over_all(codes, asked.response, out)
        else:
            over_some = kernels.classes_some if asked.by_class else kernels.sums_some
            over_some(codes, asked.response, rows, out)

    def _tally_within(self, asked: _Question, first: int, rows: Rows) -> dict[str, Tally]:
        here = slice(None) if rows is None else rows
        return asked.layout.tallies_within(first, here, asked.response, asked.width, asked.by_class)

    def _response(self, target: str | Response) -> npt.NDArray[Any]:
        """For each row its class code, or its response in grid steps."""
        if isinstance(target, str):
            return self._table[target].codes
        if target.key not in self._units:
            self._units[target.key] = target.units[self._table[target.column].codes]
        return self._units[target.key]
