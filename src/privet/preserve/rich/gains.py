"""Cuts by information gain: where a cut tells most of the target (InfoGain Mondrian).

Gains are compared as in trees: as floats first, exactly where these cannot tell. Among equal gains
the first column wins, then the cut nearest to the middle, then the lower one.
"""

from dataclasses import dataclass

import numpy as np

from privet.arrays import Integers
from privet.engine.blocks import SomeBlocks
from privet.preserve.rich.counts import sides_of_cuts
from privet.preserve.rich.cuts import Axis, LegalCuts
from privet.tree.choose import NEAR
from privet.tree.impurity import RULES, Weights

_RULE = RULES["entropy"]


@dataclass(frozen=True, eq=False)
class _Cut:
    """One cut of a block, with its gain as a float and its sides to find it exactly."""

    axis: int
    place: int
    distance: int
    gain: float
    sides: tuple[Weights, ...]
    whole: Weights

    def comes_before(self, other: "_Cut | None") -> bool:
        if other is None:
            return True
        if abs(self.gain - other.gain) > NEAR * max(self.gain, other.gain):
            return self.gain > other.gain
        mine, theirs = (_RULE.exact(cut.sides, cut.whole) for cut in (self, other))
        if mine != theirs:
            return bool(mine > theirs)
        return self._order < other._order

    @property
    def _order(self) -> tuple[int, int, int]:
        return self.axis, self.distance, self.place


class BestGains:
    """The best cut of each block by information gain, over the axes looked along so far."""

    def __init__(self, some: SomeBlocks, target: str) -> None:
        self._some, self._target = some, target
        self._best: dict[int, _Cut] = {}

    def look_along(self, number: int, axis: Axis, cuts: LegalCuts) -> None:
        """Take the legal cuts along one axis into account."""
        asked = np.flatnonzero(cuts.legal)
        if not len(asked):
            return
        for sides in sides_of_cuts(self._some, axis, cuts.cells, asked, self._target):
            purities = [_RULE.purity(w.astype(np.float64)) for w in (sides.left, sides.right)]
            gains = sum(purities) - _RULE.purity(sides.whole.astype(np.float64))
            cells = asked[sides.which]
            block = cuts.cells.block[cells]
            best = np.zeros(cuts.cells.n_blocks)
            np.maximum.at(best, block, gains)
            least = _least_gain(sides.whole.sum(axis=1))
            near = (gains >= best[block] * (1 - NEAR)) & (gains > least)
            for at in np.flatnonzero(near).tolist():
                found = _Cut(
                    number,
                    int(cuts.cells.place[cells[at]]),
                    int(cuts.distance[cells[at]]),
                    float(gains[at]),
                    (tuple(sides.left[at].tolist()), tuple(sides.right[at].tolist())),
                    tuple(sides.whole[at].tolist()),
                )
                if found.comes_before(self._best.get(int(block[at]))):
                    self._best[int(block[at])] = found

    def preferred_to(self, axis: Integers, place: Integers) -> tuple[Integers, Integers]:
        """The cuts found here where there are any, else those given."""
        axis, place = axis.copy(), place.copy()
        for block, cut in self._best.items():
            axis[block], place[block] = cut.axis, cut.place
        return axis, place


def _least_gain(records: Integers) -> Integers:
    """Gains below this may be nothing but rounding; such a block is cut by its width."""
    return np.asarray(1e-9 * records)
