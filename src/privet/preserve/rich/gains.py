"""Cuts by information gain: where a cut tells most of the target (InfoGain Mondrian).

Gains are compared as in trees: as floats first, exactly where these cannot tell. Among equal gains
the first column wins, then the cut nearest to the middle, then the lower one.
"""

from dataclasses import dataclass

import numpy as np

from privet.arrays import Floats, Integers
from privet.engine.blocks import SomeBlocks
from privet.preserve.rich.counts import CellValues
from privet.preserve.rich.cuts import Admits, Axis, Cells, LegalCuts, first_admitted
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

    def look_along(self, number: int, axis: Axis, cuts: LegalCuts, admits: Admits | None) -> None:
        """Take the legal cuts along one axis into account, as far as they are admitted."""
        asked = np.flatnonzero(cuts.legal)
        if not len(asked):
            return
        values = CellValues.count(self._some, axis, cuts.cells, self._target)
        gains = np.full(len(cuts.legal), -1.0)
        for sides in values.sides(asked):
            purities = [_RULE.purity(w.astype(np.float64)) for w in (sides.left, sides.right)]
            told = sum(purities) - _RULE.purity(sides.whole.astype(np.float64))
            gains[asked[sides.which]] = np.where(
                told > _least_gain(sides.whole.sum(axis=1)), told, -1.0
            )
        near = _best(cuts.cells, gains, admits)
        for sides in values.sides(near):
            for at, cell in enumerate(near[sides.which].tolist()):
                found = _Cut(
                    number,
                    int(cuts.cells.place[cell]),
                    int(cuts.distance[cell]),
                    float(gains[cell]),
                    (tuple(sides.left[at].tolist()), tuple(sides.right[at].tolist())),
                    tuple(sides.whole[at].tolist()),
                )
                block = int(cuts.cells.block[cell])
                if found.comes_before(self._best.get(block)):
                    self._best[block] = found

    def preferred_to(self, axis: Integers, place: Integers) -> tuple[Integers, Integers]:
        """The cuts found here where there are any, else those given."""
        axis, place = axis.copy(), place.copy()
        for block, cut in self._best.items():
            axis[block], place[block] = cut.axis, cut.place
        return axis, place


def _best(cells: Cells, gains: Floats, admits: Admits | None) -> Integers:
    """The cuts that may be the best of their block, as far as floats can tell; they ascend."""
    waiting = np.flatnonzero(gains > 0)
    waiting = waiting[np.lexsort((-gains[waiting], cells.block[waiting]))]
    found = first_admitted(cells, waiting, admits)
    best = np.where(found >= 0, gains[found], np.nan)[cells.block]  # near to which nothing is
    near = np.flatnonzero(np.abs(gains - best) <= NEAR * best)
    return near if admits is None else near[admits(near)]


def _least_gain(records: Integers) -> Integers:
    """Gains below this may be nothing but rounding; such a block is cut by its width."""
    return np.asarray(1e-9 * records)
