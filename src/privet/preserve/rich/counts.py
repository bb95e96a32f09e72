"""Counts of blocks along an axis: by value, with the range of the response, or by a column more."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privet.arrays import Booleans, Integers
from privet.criteria.groups import Groups
from privet.engine.blocks import SomeBlocks, portions
from privet.preserve.rich.cuts import Axis, Cells

_AT_ONCE = 1 << 22  # counts by another column that are looked at together


def count_cells(some: SomeBlocks, axis: Axis, target: str | None) -> Cells:
    """Counts along an axis, with the range of the response in each cell."""
    counts = some.count([axis.column] if target is None else [axis.column, target])
    block, place, n = counts.keys[:, 0], axis.place[counts.keys[:, 1]], counts.n
    response = np.zeros(len(n), dtype=np.int64) if target is None else counts.keys[:, 2]
    if not axis.ordered:
        order = np.lexsort((response, place, block))
        block, place, response, n = block[order], place[order], response[order], n[order]
    new = np.ones(len(n), dtype=bool)
    new[1:] = (block[1:] != block[:-1]) | (place[1:] != place[:-1])
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], len(n)) - 1
    return Cells(
        block[starts],
        place[starts],
        np.add.reduceat(n, starts),
        response[starts],
        response[ends],
        len(some.blocks),
    )


@dataclass(frozen=True, eq=False)
class Sides:
    """What some cuts leave on each side, by the values of another column.

    `which` are places in the list of cuts that was asked for, `whole` has both sides together.
    """

    which: Integers
    left: Integers
    right: Integers
    whole: Integers


@dataclass(frozen=True, eq=False)
class CellValues:
    """Counts of blocks along an axis by another column of `size` values, sorted by cell and value.

    `sides` has whole tables of the sides of cuts, for columns of few values; where there are many,
    `judged` looks at those that occur in a block alone.
    """

    cells: Cells
    cell: Integers
    value: Integers
    n: Integers
    size: int

    @classmethod
    def count(cls, some: SomeBlocks, axis: Axis, cells: Cells, column: str) -> "CellValues":
        counts = some.count([axis.column, column])
        stride = len(axis.records)
        at = counts.keys[:, 0] * stride + axis.place[counts.keys[:, 1]]
        cell = np.searchsorted(cells.block * stride + cells.place, at)
        value, n = counts.keys[:, 2], counts.n
        if not axis.ordered:
            order = np.lexsort((value, cell))
            cell, value, n = cell[order], value[order], n[order]
        return cls(cells, cell, value, n, some.size_of(column))

    @cached_property
    def ends(self) -> Integers:
        """Where the counts of each block begin, and where all end."""
        return np.append(np.searchsorted(self.cell, self.cells.starts), len(self.cell))

    def judged(self, asked: Integers, keeps: Callable[[Groups], Booleans]) -> Booleans:
        """Whether both sides of each of some cuts (after a cell) keep what is asked."""
        lengths = np.diff(self.ends)[self.cells.block[asked]]
        if len(asked) * self.size < lengths.sum():  # many cuts, few values
            return self._judged_by_tables(asked, keeps)
        found = [
            keeps(self._groups(asked[first:last], lengths[first:last])).reshape(-1, 2).all(axis=1)
            for first, last in portions(lengths, _AT_ONCE)
        ]
        return np.concatenate([*found, np.zeros(0, dtype=bool)])

    def _judged_by_tables(self, asked: Integers, keeps: Callable[[Groups], Booleans]) -> Booleans:
        order = np.argsort(asked)
        kept = np.zeros(len(asked), dtype=bool)
        for sides in self.sides(asked[order]):
            both = [keeps(Groups.of_arrays(side)[0]) for side in (sides.left, sides.right)]
            kept[order[sides.which]] = both[0] & both[1]
        return kept

    def _groups(self, asked: Integers, lengths: Integers) -> Groups:
        """The left and the right side of each cut, one after the other."""
        first = self.ends[self.cells.block[asked]]
        ends = np.cumsum(lengths)
        at = np.repeat(first - (ends - lengths), lengths) + np.arange(int(ends[-1]))
        number = np.repeat(np.arange(len(asked)), lengths)
        side = 2 * number + (self.cell[at] > asked[number])
        key = side * self.size + self.value[at]
        order = np.argsort(key, kind="stable")
        key = key[order]
        new = np.flatnonzero(np.diff(key, prepend=-1))
        starts = np.searchsorted(key[new] // self.size, np.arange(2 * len(asked)))
        return Groups(starts, key[new] % self.size, np.add.reduceat(self.n[at][order], new))

    def sides(self, asked: Integers) -> Iterator[Sides]:
        """The sides of cuts after some cells, which ascend; a number of cuts at a time."""
        cut = np.searchsorted(asked, self.cell)  # the first one with this cell on its left
        most = max(1, _AT_ONCE // self.size)
        carried = np.zeros(self.size, dtype=np.int64)  # left of the last cut so far
        for first in range(0, len(asked), most):
            which = np.arange(first, min(first + most, len(asked)))
            block = self.cells.block[asked[which]]
            left = np.zeros((len(which), self.size), dtype=np.int64)
            part = slice(*np.searchsorted(cut, [first, first + len(which)]).tolist())
            row = cut[part] - first
            own = self.cells.block[self.cell[part]] == block[row]
            np.add.at(left, (row[own], self.value[part][own]), self.n[part][own])
            if first and block[0] == self.cells.block[asked[first - 1]]:
                left[0] += carried
            starts = np.flatnonzero(np.diff(block, prepend=-1))
            left = _running(left, starts)
            carried = left[-1]
            whole = self._whole(block[starts])[np.cumsum(np.diff(block, prepend=-1) > 0) - 1]
            yield Sides(which, left, whole - left, whole)

    def _whole(self, blocks: Integers) -> Integers:
        """The counts of some blocks, which ascend, by value."""
        lengths = np.diff(self.ends)[blocks]
        ends = np.cumsum(lengths)
        at = np.repeat(self.ends[blocks] - (ends - lengths), lengths) + np.arange(int(ends[-1]))
        whole = np.zeros((len(blocks), self.size), dtype=np.int64)
        row = np.repeat(np.arange(len(blocks)), lengths)
        np.add.at(whole, (row, self.value[at]), self.n[at])
        return whole


def _running(rows: Integers, starts: Integers) -> Integers:
    """Sums of rows from each start on."""
    sums = np.cumsum(rows, axis=0)
    before = sums[starts] - rows[starts]
    return np.asarray(sums - np.repeat(before, np.diff(starts, append=len(rows)), axis=0))
