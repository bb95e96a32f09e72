"""Global recoding of a column of numbers: few values, the same thresholds.

The thresholds of a column divide its values into cells. Each cell becomes one number, such that at
every node the two numbers next to the threshold have their mean exactly on it: r(below) + r(above)
= 2t. Cells tied by such equations form a component with one free number; `_one_value_each` looks
for a value of it that keeps every number inside its cell. Where there is none, the cells of that
component are cut further (`_with_shift`): groups end at the nodes' own boundary values v1 and v2
and are moved towards their means by one common shift d, v1 - d and v2 + d, which leaves every
threshold where it is. d = 0 always works.

Everything is verified in the grower's own arithmetic (`midpoint`) before it is accepted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import floor

import numpy as np
import numpy.typing as npt

from privet.preserve.census import Gap
from privet.tree.candidates import midpoint

Number = int | float
_ROUNDING = 2**50  # sums of a few floats are right to this part of themselves
_LOOKED_AT = 200  # values whose digits are looked at to find how many a column shows


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers to recode: its sorted values, records of each, and the gaps to keep."""

    values: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    records: npt.NDArray[np.int64]
    gaps: Sequence[Gap]

    @property
    def whole(self) -> bool:
        """Whether values must stay integers."""
        return self.values.dtype.kind == "i"

    def value(self, code: int) -> Number:
        number: Number = self.values[code].item()
        return number

    def mean(self, codes: range) -> Fraction:
        """About the mean of some values by their records: a wish, so floats are good enough."""
        n = self.records[codes.start : codes.stop].astype(np.float64)
        values = self.values[codes.start : codes.stop].astype(np.float64)
        if n.sum() == 0:
            n[:] = 1
        mean = float((values / 2 * (n / n.sum())).sum()) * 2  # halves: no sum can overflow
        low, high = Fraction(self.value(codes[0])), Fraction(self.value(codes[-1]))
        return min(max(Fraction(mean) if np.isfinite(mean) else low, low), high)

    def size(self, codes: range) -> int:
        return int(self.records[codes.start : codes.stop].sum())

    @cached_property
    def digits(self) -> int:
        """How many digits after the point the column's values show."""
        step = max(1, len(self.values) // _LOOKED_AT)
        return max((_decimals(v) for v in self.values[::step].tolist()), default=0)


def recode_numbers(column: Numbers) -> npt.NDArray[np.generic]:
    """The new value of each code. Values fall together; their order never changes."""
    new = np.zeros(len(column.values), dtype=column.values.dtype)
    if not column.gaps:
        if len(new):
            new[:] = _rounded(column.mean(range(len(new))), column)
        return new
    cells = _Cells(column)
    for component in cells.components():
        gaps = [gap for gap in column.gaps if cells.of[gap.below] in component]
        found = _one_value_each(column, cells, component, gaps)
        if found is None:
            found = _with_shift(column, cells, component, gaps)
        for codes, value in found:
            new[codes.start : codes.stop] = value
    assert (new[:-1] <= new[1:]).all(), "the order of values is kept"
    return column.values.copy() if _new_cut_appears(column, new) else new


def _new_cut_appears(column: Numbers, new: npt.NDArray[np.generic]) -> bool:
    """Whether a threshold fits between two new values that fits between no old ones: integers
    beyond 2^53 that no float separates could be cut once they are moved apart."""
    return column.whole and any(
        _separable(new[at].item(), new[at + 1].item())
        and not _separable(column.value(at), column.value(at + 1))
        for at in np.flatnonzero(new[:-1] != new[1:]).tolist()
    )


def _separable(low: Number, high: Number) -> bool:
    return low <= midpoint(low, high) < high


class _Cells:
    """Values between neighbouring thresholds. A cell without any node's own boundary value joins
    the neighbour with fewer records: no node on either side has records in it."""

    def __init__(self, column: Numbers) -> None:
        self.column = column
        self.thresholds = sorted({gap.threshold for gap in column.gaps})
        marks = [floor(t) for t in self.thresholds] if column.whole else self.thresholds
        starts = np.searchsorted(column.values, np.array(marks, column.values.dtype), side="right")
        ends = [0, *starts.tolist(), len(column.values)]
        self.own = [range(a, b) for a, b in pairwise(ends)]
        natural = np.repeat(np.arange(len(self.own)), [len(cell) for cell in self.own])
        bounded = {int(natural[code]) for gap in column.gaps for code in (gap.below, gap.above)}
        joined = np.arange(len(self.own))
        for cell in range(len(self.own)):
            if cell not in bounded:
                lower = max(c for c in bounded if c < cell)
                upper = min(c for c in bounded if c > cell)
                lighter = column.size(self.own[lower]) <= column.size(self.own[upper])
                joined[cell] = lower if lighter else upper
        self.of = joined[natural]

    def components(self) -> list[set[int]]:
        """Cells tied together by nodes, lowest first."""
        ties = [{int(self.of[gap.below]), int(self.of[gap.above])} for gap in self.column.gaps]
        return _joined(ties)

    def members(self, cell: int) -> range:
        """The values of a cell with those that joined it: neighbours, so one range of codes."""
        codes = np.flatnonzero(self.of == cell)
        return range(int(codes[0]), int(codes[-1]) + 1)


def _joined(sets: Sequence[set[int]]) -> list[set[int]]:
    """Sets that share a member become one; lowest first."""
    found: list[set[int]] = []
    for item in sets:
        touching = [other for other in found if other & item]
        found = [other for other in found if not other & item] + [item.union(*touching)]
    return sorted(found, key=min)


# -- one number for each cell ------------------------------------------------------------------

Line = tuple[int, Fraction]  # a cell's number as sign * x + offset


def _one_value_each(
    column: Numbers, cells: _Cells, component: set[int], gaps: Sequence[Gap]
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
            chosen = {c: _as_number(s * free + o, column) for c, (s, o) in lines.items()}
            if inside_hull:
                chosen = {c: _between(n, column, cells.own[c]) for c, n in chosen.items()}
            if _verified(column, cells, chosen, gaps):
                return [(cells.members(cell), value) for cell, value in chosen.items()]
    return None


def _between(number: Number, column: Numbers, codes: range) -> Number:
    return min(max(number, column.value(codes[0])), column.value(codes[-1]))


def _solve(cells: _Cells, component: set[int], gaps: Sequence[Gap]) -> dict[int, Line] | None:
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


def _wanted(column: Numbers, cells: _Cells, lines: dict[int, Line]) -> Fraction:
    """The free number that brings all cells nearest to their means, each by its records."""
    total, weight = Fraction(0), 0
    for cell, (sign, offset) in lines.items():
        n = column.size(cells.own[cell])
        total += n * sign * (column.mean(cells.own[cell]) - offset)
        weight += n
    return total / weight if weight else Fraction(0)


def _range_of_free_number(
    column: Numbers, cells: _Cells, lines: dict[int, Line], inside_hull: bool
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
    exponent = _exponent(size) if size else 0
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
    column: Numbers, cells: _Cells, chosen: dict[int, Number], gaps: Sequence[Gap]
) -> bool:
    """Every number inside its cell, every threshold bit for bit."""
    for cell, value in chosen.items():
        if cell > 0 and not value > cells.thresholds[cell - 1]:
            return False
        if cell < len(cells.thresholds) and not value <= cells.thresholds[cell]:
            return False
        if column.whole and not isinstance(value, int):
            return False
    of = cells.of
    return all(
        midpoint(chosen[int(of[g.below])], chosen[int(of[g.above])]) == g.threshold for g in gaps
    )


# -- groups that end at boundary values, and one shift -----------------------------------------


@dataclass(frozen=True)
class _Group:
    """Neighbouring values around one boundary: v1 (`is_below`) or v2, or a value that is both."""

    codes: range
    boundary: int
    is_below: bool
    is_above: bool


def _with_shift(
    column: Numbers, cells: _Cells, component: set[int], gaps: Sequence[Gap]
) -> list[tuple[range, Number]]:
    belows, aboves = {g.below for g in gaps}, {g.above for g in gaps}
    group_of = {
        group.boundary: group
        for cell in component
        for group in _groups(column, cells.members(cell), belows, aboves)
    }
    new: list[tuple[range, Number]] = []
    for tied in _joined([{g.below, g.above} for g in gaps]):
        own_gaps = [g for g in gaps if g.below in tied]
        members = [group_of[b] for b in sorted(tied)]
        for shift in _shifts(column, members):
            moved = {g.boundary: _moved(column, g, shift) for g in members}
            if all(midpoint(moved[g.below], moved[g.above]) == g.threshold for g in own_gaps):
                break
        new += [(g.codes, moved[g.boundary]) for g in members]
    return new


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
    fitting = (c for c in by_evenness if _separable(column.value(c - 1), column.value(c)))
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
            step = Fraction(2) ** (_exponent(largest) - bits)
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
    return _as_number(value - shift if group.is_below else value + shift, column)


# -- numbers -----------------------------------------------------------------------------------


def _as_number(value: Fraction, column: Numbers) -> Number:
    if column.whole and value.denominator == 1:
        return int(value)
    return float(value) + 0.0  # no negative zero


def _rounded(value: Fraction, column: Numbers) -> Number:
    return round(value) if column.whole else float(round(value, min(column.digits, 15))) + 0.0


def _decimals(value: float) -> int:
    """Digits after the point in the shortest text of a number."""
    text = repr(float(value))
    if "e" in text or "." not in text or text.endswith(".0"):
        return 0
    return len(text.partition(".")[2])


def _exponent(value: Fraction) -> int:
    """About the power of two of a positive fraction."""
    return value.numerator.bit_length() - value.denominator.bit_length()
