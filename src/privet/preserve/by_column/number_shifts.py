"""Groups of numbers that end at the nodes' own boundary values, and one shift for all of them.

Where the cells of a component cannot have one number each (`numbers`), they are cut after every v1
and before every v2, the nodes' own values next to their thresholds. All boundary values that are
tied by nodes move by one common shift d towards their means, v1 - d and v2 + d, which leaves every
threshold where it is. d = 0 always works.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor

import numpy as np

from privet.preserve.by_column.number_cells import (
    Cells,
    Number,
    Numbers,
    as_number,
    join_touching,
    power_of_two,
    separable,
)
from privet.preserve.leaf_counts import ThresholdGap
from privet.tree.candidates import midpoint


@dataclass(frozen=True)
class _Group:
    """Neighbouring values around one boundary: v1 (`is_below`) or v2, or a value that is both."""

    codes: range
    boundary: int
    is_below: bool
    is_above: bool


def with_shift(
    column: Numbers, cells: Cells, component: set[int], gaps: Sequence[ThresholdGap]
) -> list[tuple[range, Number]]:
    belows, aboves = {g.below for g in gaps}, {g.above for g in gaps}
    group_of = {
        group.boundary: group
        for cell in component
        for group in _groups(column, cells.members(cell), belows, aboves)
    }
    new: list[tuple[range, Number]] = []
    for tied in join_touching([{g.below, g.above} for g in gaps]):
        own_gaps = [g for g in gaps if g.below in tied]
        members = [group_of[b] for b in sorted(tied)]
        for shift in _shifts(column, members):
            moved = {g.boundary: _moved(column, g, shift) for g in members}
            if _keeps(column, moved, own_gaps):
                break
        new += [(g.codes, moved[g.boundary]) for g in members]
    return new


def _keeps(column: Numbers, moved: dict[int, Number], gaps: Sequence[ThresholdGap]) -> bool:
    """Whether every threshold stays, bit for bit, between numbers of the column's kind."""
    if not all(map(column.holds, moved.values())):
        return False
    return all(midpoint(moved[g.below], moved[g.above]) == g.threshold for g in gaps)


def _groups(column: Numbers, cell: range, belows: set[int], aboves: set[int]) -> list[_Group]:
    """Cut a cell after each v1 and before each v2; what has no boundary joins a neighbour."""
    cuts = {code for code in aboves if code in cell} | {c + 1 for c in belows if c in cell}
    ends = sorted({cell.start, cell.stop} | cuts)
    pieces = [range(a, b) for a, b in pairwise(ends)]
    groups: list[_Group] = []
    start = cell.start  # values before the first boundary of the cell wait for it
    for piece in pieces:
        above, below = piece[0] in aboves, piece[-1] in belows
        if not above and not below:
            if groups:
                last = groups.pop()
                longer = range(last.codes.start, piece.stop)
                groups.append(_Group(longer, last.boundary, last.is_below, last.is_above))
                start = piece.stop
            continue
        for part, boundary in _halves(column, piece, above, below):
            codes = range(start, part.stop)
            groups.append(_Group(codes, boundary, boundary in belows, boundary in aboves))
            start = part.stop
    return groups


def _halves(column: Numbers, piece: range, above: bool, below: bool) -> list[tuple[range, int]]:
    """A piece that starts with a v2 and ends with another v1 is cut once, evenly by records."""
    if not (above and below and len(piece) > 1):
        return [(piece, piece[0] if above else piece[-1])]
    running = np.cumsum(column.records[piece.start : piece.stop])
    uneven = np.abs(2 * running[:-1] - running[-1])
    by_evenness = (piece.start + np.argsort(uneven, kind="stable") + 1).tolist()
    fitting = (c for c in by_evenness if separable(column.value(c - 1), column.value(c)))
    cut = next(fitting, by_evenness[0])
    return [(range(piece.start, cut), piece[0]), (range(cut, piece.stop), piece[-1])]


def _shifts(column: Numbers, groups: Sequence[_Group]) -> Iterator[Fraction]:
    """Shifts to try, the largest first, 0 last."""
    largest = min(_room(column, group) for group in groups)
    if column.whole:
        yield Fraction(floor(largest))
    elif largest > 0:
        for places in (column.digits, column.digits - 1, column.digits - 2):
            unit = Fraction(10) ** places
            yield floor(largest * unit) / unit
        for bits in (8, 6, 4, 2, 0):
            step = Fraction(2) ** (power_of_two(largest) - bits)
            yield floor(largest / step) * step
    yield Fraction(0)


def _room(column: Numbers, group: _Group) -> Fraction:
    """How far a group's boundary is from the mean of its values on the boundary's own side."""
    if group.is_below and group.is_above:
        return Fraction(0)
    boundary = Fraction(column.value(group.boundary))
    if group.is_below:
        return boundary - column.mean(range(group.codes.start, group.boundary + 1))
    return column.mean(range(group.boundary, group.codes.stop)) - boundary


def _moved(column: Numbers, group: _Group, shift: Fraction) -> Number:
    if shift == 0:
        return column.value(group.boundary)
    value = Fraction(column.value(group.boundary))
    return as_number(value - shift if group.is_below else value + shift, column)
