"""What is wrong with a column for each value that one atom might take; values lie in an order.

Of all trials of an atom, a cut only knows whether the atom is to its left, and whether its value
goes right. So each cut is weighed twice, whatever the number of values, and the faults of a trial
are those of the cuts before the value and of the cuts behind it. `faults` has the plain way, a
histogram for each trial, which is the oracle of this one; `compiled.repairing` the same in loops.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Booleans, Floats, Integers, row_sums
from privet.preserve.by_leaf.faults import FaultCounter
from privet.tree.impurity import Deviance


@dataclass(frozen=True, eq=False)
class _Above:
    """The nodes above one atom, as columns of arrays."""

    parent: Floats
    low: Floats  # the limit of cuts before the chosen one
    later: Floats  # the limit behind it
    own: Booleans
    any_own: bool
    right: Booleans  # nodes x places
    n_left: Floats
    thresholds: Integers  # those of the nodes, by number, that have one

    @classmethod
    def of(cls, block: Any, nodes: Integers) -> "_Above":
        own, low = block.own[nodes][:, None], block.limit[nodes][:, None]
        return cls(
            block.parent[nodes][:, None],
            low,
            np.where(own, block.later_limit[nodes][:, None], low),
            own,
            bool(own.any()),
            block.right[nodes],
            block.n_left[nodes][:, None],
            np.flatnonzero(block.has_threshold[nodes]),
        )


class TrialsInOrder:
    """The arrays of a counter of faults with one tree, which cuts values along an order."""

    def __init__(self, counter: FaultCounter) -> None:
        (self.block,) = counter.blocks
        responses = counter.task.responses
        self._part = responses.parts[responses.of_tree[self.block.tree]]
        self._is_one = len(responses.trees) == 1
        self._weights, self._records = counter.weights, counter.atoms.records.tolist()
        self._counted = responses.trees[0].is_regression
        self._classes = responses.parts[0]
        self._sums = isinstance(self.block.rule, Deviance)
        self._order = self.block.cutting.order
        self._place = None if self._order is None else np.argsort(self._order)
        self._known: dict[int, _Above] = {}

    def faults_with(
        self, histogram: Floats, atom: int, code: int, nodes: Integers, options: Integers
    ) -> Integers:
        """The faults of some nodes for each value that an atom below all of them might take."""
        if atom not in self._known:
            self._known[atom] = _Above.of(self.block, nodes)
        above = self._known[atom]
        weight, more = self._weights[atom], float(self._records[atom])
        without = histogram[nodes]
        without[:, code] -= weight
        if self._order is not None and self._place is not None:
            without, options = without[:, self._order], self._place[options]
        n = self._records_in(without)
        present = n > 0
        own = without if self._is_one else without[..., self._part]
        weighed = self._weighed(own, n, weight[self._part], more, above)
        found = _faulty(*weighed, n, present, above)
        if len(above.thresholds):
            found[above.thresholds] += self._moved(present, nodes, above)
        if self.block.any_required:
            lacking = self.block.required[nodes] & ~present
            found += lacking.sum(axis=1)[:, None] - lacking
        return found[:, options].T

    def _records_in(self, histogram: Floats) -> Floats:
        return histogram[..., 0] if self._counted else row_sums(histogram[..., self._classes])

    def _weighed(
        self, without: Floats, n: Floats, weight: Floats, more: float, above: _Above
    ) -> tuple[Floats, Floats, Booleans]:
        """The gain of each cut, first with the atom to its right, then to its left; the records to
        the left; and whether enough are on both sides."""
        sides, records = np.empty((2, 2, *without.shape)), np.empty((2, 2, *n.shape))
        for both, values, moved in ((sides, without, weight), (records, n, more)):
            left = both[0]
            values.cumsum(axis=1, out=left[0])
            np.add(left[0], moved, out=left[1])
            np.subtract(left[1, :, -1:], left, out=both[1])
        purity = self._purity(sides, records)
        gains = purity[0] + purity[1]
        gains -= above.parent
        return gains, records[0], np.minimum(records[0], records[1]) >= self.block.min_leaf

    def _purity(self, weights: Floats, n: Floats) -> Floats:
        """As the rule has it; where there are no records there is nothing to divide."""
        if self._sums:
            squares = weights[..., 1] * weights[..., 1]
        else:
            squares = np.einsum("...j,...j->...", weights, weights)
        squares /= np.maximum(n, 1.0)
        return np.asarray(squares)

    def _moved(self, present: Booleans, nodes: Integers, above: _Above) -> Booleans:
        """Whether thresholds move, for each place that the atom may take."""
        rows = above.thresholds
        present, right = present[rows], above.right[rows]
        size = present.shape[1]
        places = np.arange(size)
        lowest = np.where(present & right, places, size).min(axis=1)[:, None]
        highest = np.where(present & ~right, places, -1).max(axis=1)[:, None]
        lowest = np.where(right, np.minimum(lowest, places), lowest % size)
        highest = np.where(right, highest % size, np.maximum(highest, places))
        return np.asarray(~self.block.keeps[nodes[rows][:, None], highest, lowest])


def _faulty(
    gains: Floats, n_left: Floats, legal: Booleans, n: Floats, present: Booleans, above: _Above
) -> Integers:
    """Faults among the cuts of each node, for each place that the atom may take."""
    if not above.any_own:
        faulty = legal & (gains > above.low)
        return _before(faulty[0] & present) + _from(faulty[1], present)
    wrong = (n * above.right).cumsum(axis=1) > 0  # whether records on the left should go right
    faulty = legal & (gains > np.where(wrong, above.later, above.low))
    faulty &= ~((above.own & ~wrong) & (n_left == above.n_left))  # but for the chosen cut
    before = _before(faulty[0] & present)
    np.logical_and(legal[1], gains[1] > above.later, out=faulty[0])  # where its value goes right
    going_right, going_left = _from(faulty, present)
    return np.asarray(before + np.where(above.right, going_right, going_left))


def _before(faulty: Booleans) -> Integers:
    """For each place the faults of cuts before it."""
    return np.asarray(faulty.cumsum(axis=-1) - faulty)


def _from(faulty: Booleans, present: Booleans) -> Integers:
    """For each place the fault of the cut behind it, where now there is a value, and of those that
    follow it."""
    counted = faulty & present
    upto = counted.cumsum(axis=-1)
    return np.asarray(upto[..., -1:] - upto + faulty)
