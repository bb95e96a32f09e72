"""Shapes of noise: curves with standard deviation 1 that a column of numbers is moved by.

`Bars` is a curve as bars of equal width, with whole numbers for their chances: the bell, the normal
and the Laplace curve. Every place within a bar is equally likely, so that noise reaches every point
of a column's grid, and the chance of any interval is a sum that anybody can do. `Steps` is the law
of the paper, thirteen single places. `number_laws` next door puts a shape on a grid.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from privet.arrays import Floats
from privet.errors import InvalidParameter

LawName = Literal["bell", "normal", "laplace", "correlated", "paper"]
LAWS: tuple[str, ...] = get_args(LawName)

WHOLE = 1 << 32  # the chances of all bars together
WIDE = 8.0  # steps of a grid: a deviation from which rounding adds its 1/12 and nothing else
_MOST_BARS = 1000
_HALVINGS = 60
_PAPER_SD = 0.276
_PAPER_SPREAD = 0.3046735606323464  # of the bell curve that has SD 0.276 on the grid of tenths
_TENTHS = np.arange(-6, 7) / 10.0


@dataclass(frozen=True)
class Bars:
    """A symmetric curve: the chance of each bar in 2**32nds, from the leftmost to the rightmost."""

    name: str
    chances: tuple[int, ...]

    def __post_init__(self) -> None:
        right = all(type(chance) is int and chance > 0 for chance in self.chances)
        right = right and sum(self.chances) == WHOLE and len(self.chances) <= _MOST_BARS
        if not right or self.chances != self.chances[::-1]:
            raise ValueError("a shape is symmetric, and its chances are whole numbers")

    @cached_property
    def width(self) -> float:
        """Of a bar, so that the standard deviation is 1."""
        middle = (len(self.chances) - 1) / 2
        squares = sum(c * ((i - middle) ** 2 + 1 / 12) for i, c in enumerate(self.chances))
        return 1 / math.sqrt(squares / WHOLE)

    @cached_property
    def edges(self) -> Floats:
        return np.asarray((np.arange(len(self.chances) + 1) - len(self.chances) / 2) * self.width)

    @cached_property
    def below(self) -> Floats:
        """The chance of less than each edge."""
        return np.concatenate([[0.0], np.cumsum(self.chances) / WHOLE])

    @cached_property
    def falls(self) -> Floats:
        """How far the density falls at each edge: sums over edges are integrals over the curve."""
        density = np.array([0, *self.chances, 0]) / (WHOLE * self.width)
        return np.asarray(density[:-1] - density[1:])

    def draw(self, uniform: Floats, within: Floats) -> Floats:
        """A place for each pair of numbers in [0, 1): the first takes a bar, the second a place."""
        bar = np.searchsorted(np.cumsum(self.chances)[:-1], uniform * WHOLE, side="right")
        return np.asarray(self.edges[bar] + within * self.width)

    def spreads(self, deviations: Floats) -> Floats:
        """What the curve is to be stretched by so that, rounded to whole steps, it has these
        standard deviations. From 8 steps up rounding adds 1/12 to the variance; below, the stretch
        is found by halving."""
        wide = deviations >= WIDE
        found = np.sqrt(np.where(wide, deviations**2 - 1 / 12, 0.0))
        narrow = ~wide & (deviations > 0)
        if narrow.any():
            distinct, place = np.unique(deviations[narrow], return_inverse=True)
            found[narrow] = self._narrow_spreads(distinct)[place]
        return np.asarray(found)

    def _narrow_spreads(self, deviations: Floats) -> Floats:
        low, high = np.zeros(len(deviations)), deviations + 1
        most = math.ceil((float(deviations.max(initial=0.0)) + 1) * self.edges[-1]) + 1
        steps = np.arange(1, most + 1)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            # E[m*m] is the sum of (2j - 1) P(|m| >= j).
            beyond = 1 - np.interp((steps - 0.5) / middle[:, None], self.edges, self.below)
            variance = beyond @ (2.0 * (2 * steps - 1))
            low = np.where(variance < deviations**2, middle, low)
            high = np.where(variance < deviations**2, high, middle)
        return high

    def to_data(self) -> dict[str, Any]:
        return {"law": self.name, "bars": list(self.chances)}


@dataclass(frozen=True)
class Steps:
    """The law of the paper: thirteen places, the middle ones likeliest, a tenth of the value apart
    where the standard deviation is 27.6 %. Whoever knows it can tell most origins of a released
    number to be impossible; it is there to repeat the paper, not to protect."""

    name: str = "paper"

    @property
    def offsets(self) -> Floats:
        return np.asarray(_TENTHS / _PAPER_SD)

    @property
    def shares(self) -> Floats:
        weights = np.exp(-0.5 * (_TENTHS / _PAPER_SPREAD) ** 2)
        return np.asarray(weights / weights.sum())

    def draw(self, uniform: Floats) -> Floats:
        place = np.searchsorted(np.cumsum(self.shares)[:-1], uniform, side="right")
        return np.asarray(self.offsets[place])

    def to_data(self) -> dict[str, Any]:
        return {
            "law": self.name,
            "offsets": self.offsets.tolist(),
            "shares": self.shares.tolist(),
        }


Shape = Bars | Steps


@cache
def shape_of(law: str) -> Shape:
    """The shape of a law by its name."""
    if law == "paper":
        return Steps()
    if law == "bell":  # the curve of the paper and as far as its outermost steps reach, smooth
        return _bars(law, 26, lambda x: math.erf(x * 0.05 / _PAPER_SPREAD / math.sqrt(2)))
    if law in ("normal", "correlated"):  # to six standard deviations
        return _bars(law, 48, lambda x: math.erf(x / 4 / math.sqrt(2)))
    if law == "laplace":  # to twelve
        curve = lambda x: math.copysign(1 - math.exp(-abs(x) / 4 * math.sqrt(2)), x)  # noqa: E731
        return _bars(law, 96, curve)
    raise InvalidParameter("law", "one of " + ", ".join(LAWS), law)


def shape_from(told: Mapping[str, Any]) -> Shape:
    """The shape that mechanism.json tells; nonsense is a ValueError."""
    if told["law"] == "paper":
        return Steps()
    return Bars(str(told["law"]), tuple(told["bars"]))


def _bars(name: str, count: int, curve: Callable[[int], float]) -> Bars:
    """So many bars, each with the chance that an odd curve gives it, in whole numbers: what is left
    by rounding goes to the two in the middle."""
    half = count // 2
    ends = [curve(i) for i in range(half + 1)]
    right = [max(1, int((b - a) / ends[-1] * (WHOLE // 2))) for a, b in pairwise(ends)]
    right[0] += WHOLE // 2 - sum(right)
    return Bars(name, (*right[::-1], *right))
