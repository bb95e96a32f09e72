"""Records dealt out to blocks: a division of the table that is refined cut by cut.

`MemoryBlocks` keeps row numbers, those of a block side by side and the left part of every cut
before the right one, so that blocks are numbered depth first whatever the order of work. An engine
that holds rows elsewhere keeps a column of block numbers instead.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.grouping import distinct_combinations
from privet.engine.protocol import Counts, Response
from privet.table import Coded, Domain, Table, code_type


class MemoryBlocks:
    """A division of a table in memory; `rows` lie block by block, `starts` has one end more."""

    def __init__(
        self, table: Table, rows: npt.NDArray[np.uint32], starts: Integers, compiled: bool
    ) -> None:
        self.table = table
        self.rows = rows
        self.starts = starts
        self.compiled = compiled

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Integers:
        """The records of each block."""
        return np.diff(self.starts)

    def count(self, columns: Sequence[str], among: Integers | None = None) -> Counts:
        """How many records of each block have each combination of values.

        The first number of a key is the block's place in `among` (all blocks if None).
        """
        among = np.arange(len(self)) if among is None else among
        sizes = self.sizes[among]
        rows = self._rows_of(among)
        place = np.repeat(np.arange(len(among)), sizes)
        coded = [self.table[name] for name in columns]
        codes = [place, *(column.codes[rows] for column in coded)]
        domain_sizes = [max(len(among), 1), *(column.domain.size for column in coded)]
        keys, n = distinct_combinations(codes, domain_sizes, len(rows), self.compiled)
        return Counts(("block", *columns), keys, n)

    def weights(self, target: str | Response) -> Integers:
        """For each block the records of each class, or the records and the sum of the response."""
        if isinstance(target, str):
            counts = self.count([target])
            weights = np.zeros((len(self), self.table[target].domain.size), dtype=np.int64)
            weights[counts.keys[:, 0], counts.keys[:, 1]] = counts.n
            return weights
        units = target.units[self.table[target.column].codes[self.rows]]
        sums = np.add.reduceat(units, self.starts[:-1]) if len(self) else units
        return np.stack([self.sizes, sums], axis=1)

    def divide(
        self, blocks: Integers, cuts: Sequence[tuple[str, npt.NDArray[np.bool_]]]
    ) -> "MemoryBlocks":
        """Each of some blocks in two: `cuts[i]` names a column and says for each of its codes
        whether it goes left."""
        rows = self.rows.copy()
        middles = []
        for block, (column, left) in zip(blocks.tolist(), cuts, strict=True):
            first, last = int(self.starts[block]), int(self.starts[block + 1])
            here = self.rows[first:last]
            goes_left = left[self.table[column].codes[here]]
            middle = first + int(goes_left.sum())
            rows[first:middle] = here[goes_left]
            rows[middle:last] = here[~goes_left]
            middles.append(middle)
        starts = np.sort(np.concatenate([self.starts, np.array(middles, dtype=np.int64)]))
        return MemoryBlocks(self.table, rows, starts, self.compiled)

    def fill(self, values: Mapping[str, tuple[Integers, Domain]]) -> Table:
        """The table with some columns filled: `values[column] = (code of each block, domain)`."""
        block_of_row = np.empty(self.table.n_rows, dtype=np.int64)
        block_of_row[self.rows] = np.repeat(np.arange(len(self)), self.sizes)
        filled = {
            name: Coded(domain, codes.astype(code_type(domain.size))[block_of_row])
            for name, (codes, domain) in values.items()
        }
        return self.table.replace(filled)

    def _rows_of(self, among: Integers) -> npt.NDArray[np.uint32]:
        if len(among) == len(self):
            return self.rows
        sizes = self.sizes[among]
        ends = np.cumsum(sizes)
        places = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(
            self.starts[among] - (ends - sizes), sizes
        )
        return np.asarray(self.rows[places])
