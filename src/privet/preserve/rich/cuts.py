"""The cut of each block along one column: the legal one nearest to the middle, and its score.

Everything comes from counts of (block, value, response). The score says how wide a block is in a
column, as a share of the whole table: variance of mid-ranks for numbers, 1 - sum of squared shares
for categories. Floats order the scores; `exact_spread` decides where they cannot.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from privet.arrays import Booleans, Floats, Integers

Admits = Callable[[Integers], Booleans]
_NO_CUT = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Axis:
    """A column as blocks are cut along it: numbers by size, categories by frequency, then label.

    `place` is the place of each code along the axis, `rank` the doubled mid-rank of each place.
    """

    column: str
    ordered: bool
    place: Integers
    records: Integers  # of each place, in the whole table

    @classmethod
    def of(cls, column: str, ordered: bool, records: Integers) -> "Axis":
        """An axis from the records of each code in the whole table."""
        codes = np.arange(len(records))
        if ordered:
            return cls(column, True, codes, records)
        order = np.lexsort((codes, -records))
        place = np.empty(len(records), dtype=np.int64)
        place[order] = codes
        return cls(column, False, place, records[order])

    @cached_property
    def rank(self) -> Integers:
        before = np.cumsum(self.records) - self.records
        return 2 * before + self.records

    @cached_property
    def whole(self) -> int:
        """The spread of the whole table, by which that of a block is divided."""
        return self.exact_spread(np.arange(len(self.records)), self.records)

    def exact_spread(self, places: Integers, n: Integers) -> int:
        """Records times the sum of squared deviations of mid-ranks, or of shares, exactly."""
        counts: list[int] = n.tolist()
        total = sum(counts)
        if not self.ordered:
            return total * total - sum(c * c for c in counts)
        ranks: list[int] = self.rank[places].tolist()
        first = sum(c * r for c, r in zip(counts, ranks, strict=True))
        second = sum(c * r * r for c, r in zip(counts, ranks, strict=True))
        return total * second - first * first


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts of some blocks along an axis: one cell for each block and place that occurs.

    `least` and `most` are the smallest and largest code of the response in a cell.
    """

    block: Integers
    place: Integers
    n: Integers
    least: Integers
    most: Integers
    n_blocks: int

    @cached_property
    def starts(self) -> Integers:
        """The first cell of each block; every block has cells."""
        return np.searchsorted(self.block, np.arange(self.n_blocks))

    def total(self, values: Integers) -> Integers:
        return np.add.reduceat(values, self.starts)

    def running(self, values: Integers) -> Integers:
        """Sums within each block, up to and with each cell."""
        sums = np.cumsum(values, axis=0)
        before = sums[self.starts] - values[self.starts]
        return sums - before[self.block]


def spreads(axis: Axis, cells: Cells) -> Floats:
    """How wide each block is, as a share of the whole table (up to one factor for each block)."""
    sizes = cells.total(cells.n)
    if axis.whole == 0:
        return np.zeros(cells.n_blocks)
    if not axis.ordered:
        return (sizes * sizes - cells.total(cells.n * cells.n)) / float(axis.whole)
    ranks = axis.rank[cells.place]
    mean = cells.total(cells.n * ranks) / sizes
    deviation = ranks - mean[cells.block]
    return sizes * np.add.reduceat(cells.n * deviation * deviation, cells.starts) / axis.whole


@dataclass(frozen=True, eq=False)
class LegalCuts:
    """After which cells a block may be cut: `enough` leave k records on both sides, `legal` of
    these satisfy the criteria. `distance` is how far from the middle each one is."""

    cells: Cells
    enough: Booleans
    legal: Booleans
    distance: Integers

    @classmethod
    def of(cls, cells: Cells, k: int, mixed: bool) -> "LegalCuts":
        """With `mixed`, neither side may have one response value alone."""
        size = cells.total(cells.n)[cells.block]
        left = cells.running(cells.n)
        enough = (left >= k) & (size - left >= k)
        legal = enough.copy()
        if mixed:
            legal &= _both_mixed(cells)
        return cls(cells, enough, legal, np.abs(2 * left - size))

    def also_mixed(self, cells: Cells) -> "LegalCuts":
        """Those of them that leave more than one value of another response on each side."""
        return replace(self, legal=self.legal & _both_mixed(cells))


def nearest_cuts(cuts: LegalCuts, admits: Admits | None = None) -> tuple[Integers, Booleans]:
    """For each block the last place that goes left, -1 where no cut is legal; and whether no
    nearer one with k records on both sides was refused. Of two equally near the lower is taken.

    `admits` is asked of the nearest first, since it is seldom refused and dear to ask.
    """
    found = _nearest(cuts, cuts.legal) if admits is None else _nearest_admitted(cuts, admits)
    place = np.where(found >= 0, cuts.cells.place[found], -1)
    return place, (found >= 0) & (found == _nearest(cuts, cuts.enough))


def _nearest(cuts: LegalCuts, legal: Booleans) -> Integers:
    """The cell of the nearest legal cut of each block, -1 where there is none."""
    cells = cuts.cells
    distance = np.where(legal, cuts.distance, _NO_CUT)
    least = np.minimum.reduceat(distance, cells.starts)
    wanted = np.flatnonzero(legal & (distance == least[cells.block]))[::-1]
    found = np.full(cells.n_blocks, -1, dtype=np.int64)
    found[cells.block[wanted]] = wanted  # the lowest is written last
    return found


def _nearest_admitted(cuts: LegalCuts, admits: Admits) -> Integers:
    """The same of those that are admitted."""
    legal = np.flatnonzero(cuts.legal)
    order = np.lexsort((legal, cuts.distance[legal], cuts.cells.block[legal]))
    return first_admitted(cuts.cells, legal[order], admits)


def first_admitted(cells: Cells, waiting: Integers, admits: Admits | None) -> Integers:
    """For each block the first of its cuts that is admitted, -1 where there is none.

    `waiting` are cuts after cells, block by block. More and more of them are asked.
    """
    found = np.full(cells.n_blocks, -1, dtype=np.int64)
    most = 1
    while len(waiting):
        block = cells.block[waiting]
        rank = np.arange(len(waiting)) - np.searchsorted(block, block)
        asked = waiting[rank < most]
        good = asked if admits is None else asked[admits(asked)]
        blocks, first = np.unique(cells.block[good], return_index=True)
        found[blocks] = good[first]
        waiting = waiting[(rank >= most) & (found[block] < 0)]
        most *= 4
    return found


def _both_mixed(cells: Cells) -> Booleans:
    """Whether the cells up to each one, and those after it, have more than one response value."""
    inside = cells.least != cells.most
    first = np.zeros(len(cells.block), dtype=bool)
    first[cells.starts] = True
    differs = np.zeros(len(cells.block), dtype=bool)
    differs[1:] = (cells.least[1:] != cells.most[:-1]) & ~first[1:]
    changes = (inside | differs).astype(np.int64)
    up_to = cells.running(changes)
    after = cells.total(changes)[cells.block] - up_to
    # the step from this cell to the next is no difference among those after it
    step = np.zeros(len(cells.block), dtype=np.int64)
    step[:-1] = changes[1:] - inside[1:]
    step[np.flatnonzero(first[1:])] = 0
    return np.asarray((up_to > 0) & (after - step > 0))
