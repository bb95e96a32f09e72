"""Blocks of a table in memory: row numbers, those of a block side by side (see `blocks`)."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.engine.blocks import Cuts, Filling, Refine
from privet.engine.grouping import distinct_combinations
from privet.engine.protocol import Counts, Response
from privet.table import Coded, Codes, Domain, Table, code_type

if TYPE_CHECKING:
    from privet.engine.memory import MemoryEngine


class MemoryBlocks:
    """A division of a table in memory; `rows` lie block by block, `starts` has one end more."""

    def __init__(
        self, table: Table, rows: npt.NDArray[np.uint32], starts: Integers, compiled: bool
    ) -> None:
        self.table = table
        self.rows = rows
        self.starts = starts
        self.compiled = compiled

    @classmethod
    def joined(cls, parts: Sequence["MemoryBlocks"]) -> "MemoryBlocks":
        """The blocks of some divisions of one table, one after the other."""
        rows = np.concatenate([part.rows for part in parts])
        sizes = np.concatenate([part.sizes for part in parts])
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(parts[0].table, rows, starts, parts[0].compiled)

    def only(self, blocks: Sequence[int]) -> "MemoryBlocks":
        """Some of the blocks, which ascend."""
        if len(blocks) == len(self):
            return self
        these = np.asarray(blocks, dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(self.sizes[these])]).astype(np.int64)
        return MemoryBlocks(self.table, self.some(these).rows, starts, self.compiled)

    finished_below = at_once = sys.maxsize  # what is in memory may be cut and counted there

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Integers:
        """The records of each block."""
        return np.diff(self.starts)

    def domain(self, column: str) -> Domain:
        return self.table[column].domain

    def records(self, column: str) -> Integers:
        return np.bincount(self.table[column].codes, minlength=self.domain(column).size)

    def some(self, blocks: Integers) -> "SomeInMemory":
        return SomeInMemory(self, blocks)

    def count(self, columns: Sequence[str]) -> Counts:
        return self.some(np.arange(len(self))).count(columns)

    def weights(self, target: str | Response) -> Integers:
        if isinstance(target, str):
            counts = self.count([target])
            weights = np.zeros((len(self), self.table[target].domain.size), dtype=np.int64)
            weights[counts.keys[:, 0], counts.keys[:, 1]] = counts.n
            return weights
        units = target.units[self.table[target.column].codes[self.rows]]
        sums = np.add.reduceat(units, self.starts[:-1]) if len(self) else units
        return np.stack([self.sizes, sums], axis=1)

    def divide(self, blocks: Integers, cuts: Cuts) -> "MemoryBlocks":
        some = self.some(blocks)
        left = some.goes_left(cuts)
        sizes = self.sizes[blocks]
        before = np.cumsum(sizes) - sizes
        upto = np.cumsum(left)  # rows that go left, up to and with each
        base = upto[before] - left[before]
        lefts = np.add.reduceat(left.astype(np.int64), before)
        first = np.repeat(self.starts[blocks], sizes)
        nth_left = upto - np.repeat(base, sizes)
        nth = np.arange(len(left)) - np.repeat(before, sizes)
        goal = first + np.where(left, nth_left - 1, np.repeat(lefts, sizes) + nth - nth_left)
        rows = self.rows.copy()
        rows[goal] = some.rows
        starts = np.sort(np.concatenate([self.starts, self.starts[blocks] + lefts]))
        return MemoryBlocks(self.table, rows, starts, self.compiled)

    def finished(self, refine: Refine) -> "MemoryBlocks":
        return refine(self)

    @property
    def block_of_row(self) -> Integers:
        """The number of each row's block."""
        block_of_row = np.empty(self.table.n_rows, dtype=np.int64)
        block_of_row[self.rows] = np.repeat(np.arange(len(self)), self.sizes)
        return block_of_row

    def fill(self, values: Mapping[str, Filling]) -> "MemoryEngine":
        from privet.engine.memory import MemoryEngine  # which makes blocks

        block_of_row = self.block_of_row
        filled = {
            name: Coded(domain, codes.astype(code_type(domain.size))[block_of_row])
            for name, (codes, domain) in values.items()
        }
        return MemoryEngine(self.table.replace(filled), self.compiled)


class SomeInMemory:
    """Some blocks of a division in memory."""

    def __init__(self, division: MemoryBlocks, blocks: Integers) -> None:
        self.blocks = blocks
        self._table, self._compiled = division.table, division.compiled
        sizes = division.sizes[blocks]
        ends = np.cumsum(sizes)
        if len(blocks) == len(division):
            self.rows = division.rows
        else:
            length = int(ends[-1]) if len(ends) else 0
            shift = np.repeat(division.starts[blocks] - (ends - sizes), sizes)
            self.rows = division.rows[np.arange(length) + shift]
        self._place = np.repeat(np.arange(len(blocks)), sizes)
        self._codes: dict[str, Codes] = {}

    def count(self, columns: Sequence[str]) -> Counts:
        codes = [self._place, *(self._codes_of(name) for name in columns)]
        sizes = [max(len(self.blocks), 1), *(self._table[name].domain.size for name in columns)]
        keys, n = distinct_combinations(codes, sizes, len(self.rows), self._compiled)
        return Counts(("block", *columns), keys, n)

    def size_of(self, column: str) -> int:
        return self._table[column].domain.size

    def goes_left(self, cuts: Cuts) -> Booleans:
        """For each record of these blocks whether a cut sends it left."""
        left = np.zeros(len(self.rows), dtype=bool)
        for number in np.unique(cuts.column).tolist():
            here = np.flatnonzero((cuts.column == number)[self._place])
            codes = self._table[cuts.columns[number]].codes[self.rows[here]]
            left[here] = cuts.place[number][codes] <= cuts.last_left[self._place[here]]
        return left

    def keep(self, name: str) -> None:
        self._codes[name] = self._table[name].codes[self.rows]

    def _codes_of(self, name: str) -> Codes:
        known = self._codes.get(name)
        return self._table[name].codes[self.rows] if known is None else known
