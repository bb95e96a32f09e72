"""Global recoding of a column of numbers: few values, the same thresholds.

The thresholds of a column divide its values into cells. Each cell becomes one number, such that at
every node the two numbers next to the threshold have their mean exactly on it: r(below) + r(above)
= 2t. Cells tied by such equations form a component with one free number; `_one_value_each` looks
for a value of it that keeps every number inside its cell. Where there is none, the cells of that
component are cut further (`with_shift`): groups end at the nodes' own boundary values v1 and v2
and are moved towards their means by one common shift d, v1 - d and v2 + d, which leaves every
threshold where it is. d = 0 always works.

Everything is verified in the grower's own arithmetic (`midpoint`) before it is accepted.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import floor

import numpy as np
import numpy.typing as npt

from privet.preserve.by_column.number_cells import (
    Cells,
    Number,
    Numbers,
    as_number,
    power_of_two,
    rounded,
    separable,
)
from privet.preserve.by_column.number_shifts import with_shift
from privet.preserve.leaf_counts import ThresholdGap
from privet.tree.candidates import midpoint

_ROUNDING = 2**50  # sums of a few floats are right to this part of themselves


def recode_numbers(column: Numbers) -> npt.NDArray[np.generic]:
    """The new value of each code. Values fall together; their order never changes."""
    new = np.zeros(len(column.values), dtype=column.values.dtype)
    if not column.gaps:
        if len(new):
            new[:] = rounded(column.mean(range(len(new))), column)
        return new
    cells = Cells(column)
    for component in cells.components():
        gaps = [gap for gap in column.gaps if cells.of[gap.below] in component]
        found = _one_value_each(column, cells, component, gaps)
        if found is None:
            found = with_shift(column, cells, component, gaps)
        for codes, value in found:
            new[codes.start : codes.stop] = value
    assert (new[:-1] <= new[1:]).all(), "the order of values is kept"
    return column.values.copy() if _new_cut_appears(column, new) else new


def _new_cut_appears(column: Numbers, new: npt.NDArray[np.generic]) -> bool:
    """Whether a threshold fits between two new values that fits between no old ones: integers
    beyond 2^53 that no float separates could be cut once they are moved apart."""
    return column.whole and any(
        separable(new[at].item(), new[at + 1].item())
        and not separable(column.value(at), column.value(at + 1))
        for at in np.flatnonzero(new[:-1] != new[1:]).tolist()
    )


Line = tuple[int, Fraction]  # a cell's number as sign * x + offset


def _one_value_each(
    column: Numbers, cells: Cells, component: set[int], gaps: Sequence[ThresholdGap]
) -> list[tuple[range, Number]] | None:
    """One number for each cell, or None where the equations have no (verified) solution."""
    lines = _solve(cells, component, gaps)
    if lines is None:
        return None
    wanted = _wanted(column, cells, lines)
    for inside_hull in (True, False):
        low, high = _range_of_free_number(column, cells, lines, inside_hull)
        if low > high and inside_hull and (low - high) * _ROUNDING <= max(abs(low), abs(high)):
            low, high = high, low  # a threshold is a rounded mean: values miss it by a bit or so
        if low > high:
            continue
        for free in _trials(column, min(max(wanted, low), high), low, high):
            chosen = {c: as_number(s * free + o, column) for c, (s, o) in lines.items()}
            if inside_hull:
                chosen = {c: _between(n, column, cells.own[c]) for c, n in chosen.items()}
            if _verified(column, cells, chosen, gaps):
                return [(cells.members(cell), value) for cell, value in chosen.items()]
    return None


def _between(number: Number, column: Numbers, codes: range) -> Number:
    return min(max(number, column.value(codes[0])), column.value(codes[-1]))


def _solve(
    cells: Cells, component: set[int], gaps: Sequence[ThresholdGap]
) -> dict[int, Line] | None:
    """Every cell's number as a line in x, the number of the lowest cell; None if they conflict."""
    start = min(component)
    lines: dict[int, Line] = {start: (1, Fraction(0))}
    queue = [start]
    while queue:
        cell = queue.pop()
        sign, offset = lines[cell]
        for gap in gaps:
            ends = int(cells.of[gap.below]), int(cells.of[gap.above])
            if cell not in ends:
                continue
            other = ends[1] if ends[0] == cell else ends[0]
            line = (-sign, 2 * Fraction(gap.threshold) - offset)
            if other == cell or lines.get(other, line) != line:
                return None  # an odd cycle, or two thresholds for one pair of cells
            if other not in lines:
                lines[other] = line
                queue.append(other)
    return lines


def _wanted(column: Numbers, cells: Cells, lines: dict[int, Line]) -> Fraction:
    """The free number that brings all cells nearest to their means, each by its records."""
    total, weight = Fraction(0), 0
    for cell, (sign, offset) in lines.items():
        n = column.size(cells.own[cell])
        total += n * sign * (column.mean(cells.own[cell]) - offset)
        weight += n
    return total / weight if weight else Fraction(0)


def _range_of_free_number(
    column: Numbers, cells: Cells, lines: dict[int, Line], inside_hull: bool
) -> tuple[Fraction, Fraction]:
    """Where x may lie so that every number stays between its values, or just inside its cell."""
    lows, highs = [], []
    at, last = cells.thresholds, len(column.values) - 1
    for cell, (sign, offset) in lines.items():
        own = cells.own[cell]
        if inside_hull:
            low, high = Fraction(column.value(own[0])), Fraction(column.value(own[-1]))
        else:
            low = Fraction(at[cell - 1] if cell > 0 else column.value(0))
            high = Fraction(at[cell] if cell < len(at) else column.value(last))
        ends = sorted((sign * (low - offset), sign * (high - offset)))
        lows.append(ends[0])
        highs.append(ends[1])
    return max(lows), min(highs)


def _trials(column: Numbers, wanted: Fraction, low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """Free numbers to try, the most welcome first: short decimals, then binary grids, then ends."""
    if column.whole:
        yield from _whole_trials(wanted, low, high)
        return
    for places in (column.digits, column.digits + 1):
        yield from _on_grid(wanted, low, high, Fraction(1, 10**places))
    size = max(abs(low), abs(high))
    exponent = power_of_two(size) if size else 0
    for bits in (10, 20, 30, 40, 48, 52):
        yield from _on_grid(wanted, low, high, Fraction(2) ** (exponent - bits))
    yield from (low, high)


def _whole_trials(wanted: Fraction, low: Fraction, high: Fraction) -> Iterator[Fraction]:
    first, last = -floor(-low), floor(high)
    if first > last:
        return
    start = min(max(round(wanted), first), last)
    for near in (start, start - 1, start + 1, start - 2, start + 2, first, last):
        if first <= near <= last:
            yield Fraction(near)


def _on_grid(wanted: Fraction, low: Fraction, high: Fraction, step: Fraction) -> Iterator[Fraction]:
    nearest = round(wanted / step)
    for number in (nearest, nearest - 1, nearest + 1):
        if low <= number * step <= high:
            yield number * step


def _verified(
    column: Numbers, cells: Cells, chosen: dict[int, Number], gaps: Sequence[ThresholdGap]
) -> bool:
    """Every number inside its cell and of the column's kind, every threshold bit for bit."""
    for cell, value in chosen.items():
        if cell > 0 and not value > cells.thresholds[cell - 1]:
            return False
        if cell < len(cells.thresholds) and not value <= cells.thresholds[cell]:
            return False
        if not column.holds(value):
            return False
    of = cells.of
    return all(
        midpoint(chosen[int(of[g.below])], chosen[int(of[g.above])]) == g.threshold for g in gaps
    )
