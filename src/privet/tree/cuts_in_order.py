"""Gains of the cuts of a column with very many values, worked out by a compiled loop.

Nothing of the length of the column is kept: one pass finds the highest gain, others the cuts
that come near to it. `impurity` offers this beside its scores of whole arrays, `choose` uses it for
large nodes. Its scores are floats within the same bound of error.
"""

from dataclasses import dataclass

import numpy as np

from privet.arrays import Booleans, Floats, Integers
from privet.compiled import loaded

FROM = 1 << 12  # values of a column; fewer are scored together with those of other columns


@dataclass(frozen=True, eq=False)
class CutsInOrder:
    """Cuts between the values of one column, in order; an empty `allowed` allows all of them."""

    weights: Integers
    whole: Integers
    allowed: Booleans
    least: int  # records on each side

    def highest(self) -> tuple[float, bool]:
        """The highest gain (minus infinity if there is no cut), and whether the weights add up to
        the whole: those of estimated counts need not."""
        best, agrees, _ = self._pass(np.inf)
        return float(best), bool(agrees)

    def from_gain(self, floor: float) -> tuple[Integers, Floats, Integers]:
        """The cuts that gain at least `floor`: the rows they come after, gains, left weights."""
        from privet.compiled.cuts import gini_cuts

        _, _, found = self._pass(floor)
        rows, gains = np.empty(found, dtype=np.int64), np.empty(found)
        lefts = np.empty((found, len(self.whole)), dtype=np.int64)
        gini_cuts(*self._asked, floor, rows, gains, lefts)
        return rows, gains, lefts

    @property
    def _asked(self) -> tuple[Integers, Floats, Booleans, float]:
        return self.weights, self.whole.astype(np.float64), self.allowed, float(self.least)

    def _pass(self, floor: float) -> tuple[float, bool, int]:
        from privet.compiled.cuts import highest_gini

        found: tuple[float, bool, int] = highest_gini(*self._asked, floor)
        return found


def worth_streaming(weights: Integers) -> bool:
    """Whether the loop is at hand and the column long enough; a small table loads no compiler."""
    return len(weights) >= FROM and loaded()
