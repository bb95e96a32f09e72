"""A column of numbers to recode, and the cells that its thresholds divide it into.

`numbers` gives each cell one number, `number_shifts` cuts cells further where that cannot be.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import floor

import numpy as np
import numpy.typing as npt

from privet.exact import in_single_precision
from privet.preserve.leaf_counts import ThresholdGap
from privet.tree.candidates import midpoint

Number = int | float
_LARGEST_SINGLE = float(np.finfo(np.float32).max)
_LOOKED_AT = 200  # values whose digits are looked at to find how many a column shows


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers to recode: its sorted values, records of each, and the gaps to keep.

    `single`: growers that work in single precision shall find the same thresholds, so new values
    are numbers of single precision, as the old ones are.
    """

    values: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    records: npt.NDArray[np.int64]
    gaps: Sequence[ThresholdGap]
    single: bool = False

    @property
    def whole(self) -> bool:
        """Whether values must stay integers."""
        return self.values.dtype.kind == "i"

    def value(self, code: int) -> Number:
        number: Number = self.values[code].item()
        return number

    def holds(self, number: Number) -> bool:
        """Whether a number is one that this column may show."""
        if self.whole and not isinstance(number, int):
            return False
        return not self.single or bool(in_single_precision(np.array([number]))[0])

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
        return max((decimals(v) for v in self.values[::step].tolist()), default=0)


class Cells:
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
        return join_touching(ties)

    def members(self, cell: int) -> range:
        """The values of a cell with those that joined it: neighbours, so one range of codes."""
        codes = np.flatnonzero(self.of == cell)
        return range(int(codes[0]), int(codes[-1]) + 1)


def join_touching(sets: Sequence[set[int]]) -> list[set[int]]:
    """Sets that share a member become one; lowest first."""
    found: list[set[int]] = []
    for item in sets:
        touching = [other for other in found if other & item]
        found = [other for other in found if not other & item] + [item.union(*touching)]
    return sorted(found, key=min)


def separable(low: Number, high: Number) -> bool:
    return low <= midpoint(low, high) < high


def as_number(value: Fraction, column: Numbers) -> Number:
    if column.whole and value.denominator == 1:
        return int(value)
    largest = Fraction(_LARGEST_SINGLE if column.single else sys.float_info.max)
    number = float(min(max(value, -largest), largest))  # no infinity
    return (float(np.float32(number)) if column.single else number) + 0.0  # no negative zero


def rounded(value: Fraction, column: Numbers) -> Number:
    if column.whole:
        return round(value)
    return as_number(round(value, min(column.digits, 15)), column)


def decimals(value: float) -> int:
    """Digits after the point in the shortest text of a number."""
    text = repr(float(value))
    if "e" in text or "." not in text or text.endswith(".0"):
        return 0
    return len(text.partition(".")[2])


def power_of_two(value: Fraction) -> int:
    """About the power of two of a positive fraction."""
    return value.numerator.bit_length() - value.denominator.bit_length()
