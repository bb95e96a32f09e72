"""Counts of blocks along an axis: by value, with the range of the response, or by a column more."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from privet.arrays import Integers
from privet.engine.blocks import SomeBlocks
from privet.preserve.rich.cuts import Axis, Cells

_AT_ONCE = 1 << 22  # numbers of counts by another column that are looked at together


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


def sides_of_cuts(
    some: SomeBlocks, axis: Axis, cells: Cells, asked: Integers, column: str
) -> Iterator[Sides]:
    """The sides of cuts after some cells, a number of blocks at a time."""
    size = some.size_of(column)
    counts = some.count([axis.column, column])
    stride = len(axis.records)
    at = counts.keys[:, 0] * stride + axis.place[counts.keys[:, 1]]
    cell = np.searchsorted(cells.block * stride + cells.place, at)
    for first, last in _stretches(cells, max(1, _AT_ONCE // size)):
        inside = (cell >= first) & (cell < last)
        table = np.zeros((last - first, size), dtype=np.int64)
        np.add.at(table, (cell[inside] - first, counts.keys[inside, 2]), counts.n[inside])
        part = cells.stretch(first, last)
        which = np.flatnonzero((asked >= first) & (asked < last))
        here = asked[which] - first
        left = part.running(table)[here]
        whole = np.add.reduceat(table, part.starts, axis=0)[part.block[here]]
        yield Sides(which, left, whole - left, whole)


def _stretches(cells: Cells, most: int) -> list[tuple[int, int]]:
    """Stretches of whole blocks with about so many cells each."""
    ends = [*cells.starts[1:].tolist(), len(cells.block)]
    stretches, first = [], 0
    for end in ends:
        if end - first >= most or end == len(cells.block):
            stretches.append((first, end))
            first = end
    return stretches
