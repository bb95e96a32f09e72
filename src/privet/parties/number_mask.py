"""One masked number column: what its masked numbers say about the original ones.

A number of a result may be a value of the column, a cut between two of them, a mean or a spread.
Cuts decode for every mask that keeps the order, means and spreads for affine ones alone. A printed
number is an interval of rounding: `cuts_within` gives every cut that it may stand for. Categories
are next door, in `category_mask`; `codebook` holds both.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.parties.grading import Grading
from privet.parties.secret_file import Secret
from privet.schema import Kind

PREFIX = "H_"
_PAIRS_TRIED = 1 << 20
_GAPS_TRIED = 16
_SAME = 1e-12


@dataclass(frozen=True)
class Cut:
    """A masked threshold in the owner's words: `column <= at_most`, and what is equivalent.

    Every cut from `at_most` up to, but not including, `below` divides the owner's column alike;
    None is an open end. `threshold` is the cut that growing on the original column would have
    chosen, where it can be told (`certain`), and `at_most` else.
    """

    threshold: float
    at_most: float | None
    below: float | None
    certain: bool


@dataclass(frozen=True, eq=False, repr=False)
class NumberMask(Secret):
    """One masked number column."""

    column: str
    kind: Kind
    grading: Grading
    values: npt.NDArray[Any]  # the distinct values that occurred, sorted

    @property
    def masked_name(self) -> str:
        return PREFIX + self.column

    @cached_property
    def masked(self) -> Floats:
        return self.grading.apply(self.values)

    @cached_property
    def keeps_order(self) -> bool:
        """Whether masked values rise as the values do: the article's rule need not."""
        return bool((np.diff(self.masked) > 0).all())

    @property
    def is_affine(self) -> bool:
        return self.grading.is_affine

    def can_be(self, masked: float) -> bool:
        """Whether a number can be a masked one at all."""
        return 1 <= masked <= self.grading.groups + 1

    # -- values, means, spreads --------------------------------------------------------------------

    def value_of(self, masked: float) -> int | float | None:
        """The value that was masked as this number; None if it is none, or not one alone."""
        found = np.flatnonzero(self.masked == masked)
        return self.values[found[0]].item() if len(found) == 1 else None

    def values_within(self, low: float, high: float) -> list[int | float]:
        """The values whose masked numbers lie in an interval, both ends included."""
        inside = (self.masked >= low) & (self.masked <= high)
        return [value.item() for value in self.values[inside]]

    def mean_of(self, masked: Fraction) -> Fraction:
        """The mean of the values whose masked mean this is; for affine masks."""
        start, width = self.grading.affine()
        return start + width * masked

    def spread_of(self, masked: Fraction) -> Fraction:
        """A standard deviation, or any other difference of values; for affine masks."""
        return self.grading.affine()[1] * masked

    # -- cuts --------------------------------------------------------------------------------------

    def cut_at(self, masked: float) -> Cut | None:
        """What `masked column <= masked` says about the original column.

        None if it says nothing that a cut of the original column can say.
        """
        n_left = self._n_left(masked, strict=False)
        if n_left is None:
            return None
        at_most, below = self.neighbours(n_left)
        if at_most is None or below is None:
            beyond = self.grading.invert(masked)  # rounded: it may not leave out the last value
            return Cut(beyond if at_most is None else max(beyond, at_most), at_most, below, False)
        middles = self._middles(masked)
        if middles:
            return Cut(middles[0], at_most, below, len(set(middles)) == 1)
        return Cut(float(at_most), at_most, below, False)

    def neighbours(self, n_left: int) -> tuple[int | float | None, int | float | None]:
        """The highest value among so many lowest ones, and the next; None is an open end."""
        at_most = self.values[n_left - 1].item() if n_left > 0 else None
        below = self.values[n_left].item() if n_left < len(self.values) else None
        return at_most, below

    def cuts_within(
        self, low: float, high: float, *, strict: bool, at_values: bool = False
    ) -> list[int] | None:
        """How many of the lowest values may lie left of a cut that is known to lie in an interval.

        Left are masked numbers below the cut (`strict`), or up to it. A miner cuts at a value
        (`at_values`: always so), or midway between two: where that explains the cut, what it does
        not explain is left out. None if the column has no such cut.
        """
        first, last = self._n_left(low, strict), self._n_left(high, strict)
        if first is None or last is None:
            return None
        if first == last:
            return [first]
        everything = list(range(first, last + 1))
        if not self.keeps_order or len(everything) > _GAPS_TRIED:
            return everything
        inside = self.masked[(self.masked >= low) & (self.masked <= high)]
        explained = set(np.searchsorted(self.masked, inside, "left" if strict else "right"))
        if not at_values:
            explained |= {n for n in everything if self._has_middle(n, low, high)}
        return sorted(map(int, explained)) or everything

    def threshold_near(
        self, masked: float, *, strict: bool, slack: float
    ) -> tuple[int | float, bool] | None:
        """The original threshold behind one that a program computed, and whether it is certain.

        `slack` is the relative error of its arithmetic. None if the column has no such cut.
        """
        off = slack * abs(masked)
        possible = self.cuts_within(masked - off, masked + off, strict=strict)
        cut = self.cut_at(masked)
        if possible is None or cut is None:
            return None
        at_most, below = self.neighbours(possible[0])
        if at_most is None or below is None:
            return cut.threshold, len(possible) == 1
        if cut.at_most == at_most and at_most < cut.threshold < below:
            return cut.threshold, len(possible) == 1
        return (below if strict else at_most), len(possible) == 1

    def _n_left(self, masked: float, strict: bool) -> int | None:
        """How many values lie left of a masked cut; None if they are not the lowest ones."""
        if not self.can_be(masked):
            return None
        left = self.masked < masked if strict else self.masked <= masked
        n_left = int(left.sum())
        return n_left if bool(left[:n_left].all()) else None

    def _has_middle(self, n_left: int, low: float, high: float) -> bool:
        """Whether two values, one among the lowest `n_left`, have their middle in the interval."""
        if not 0 < n_left < len(self.masked):
            return False
        lows = self.masked[max(0, n_left - _PAIRS_TRIED) : n_left]
        highs = self.masked[n_left:]
        # A middle that is a value but for rounding counts as that value.
        low = max(low, float(lows[-1]) * (1 + _SAME))
        high = min(high, float(highs[0]) * (1 - _SAME))
        first = np.searchsorted(highs, 2 * low - lows, side="left")
        last = np.searchsorted(highs, 2 * high - lows, side="right")
        return bool((first < last).any())

    def _middles(self, masked: float) -> list[float]:
        """Midpoints of the original pairs whose masked midpoint this is, narrowest pair first.

        A grower cuts in the middle of two neighbours in its node, so the pair tells the cut that
        the same grower would have made on the original column.
        """
        places = self.masked
        here = int(np.searchsorted(places, masked, side="right"))
        first = max(0, here - _PAIRS_TRIED)
        lows = np.arange(here - 1, first - 1, -1)
        found: list[tuple[int, int]] = []
        wanted = np.searchsorted(places, 2 * masked - places[lows])
        for shift in (-1, 0, 1):  # rounding may move the partner by one
            highs = np.clip(wanted + shift, here, len(places) - 1)
            hits = np.flatnonzero((places[lows] + places[highs]) / 2 == masked)
            found += zip(lows[hits].tolist(), highs[hits].tolist(), strict=True)
        found = sorted(set(found), key=lambda pair: pair[1] - pair[0])
        return [(self.values[a].item() + self.values[b].item()) / 2 + 0.0 for a, b in found]

    def to_data(self) -> dict[str, Any]:
        return {
            "kind": str(self.kind),
            "mode": self.grading.mode,
            "bounds": list(self.grading.bounds),
            "values": self.values.tolist(),
        }
