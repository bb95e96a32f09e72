"""Which nodes have nothing to fear from a recoded column: all nodes at once, in floats.

The exact check (`conditions`) looks at one node after another. In most of them no candidate of the
column comes anywhere near the split that the tree has, and that can be told for all nodes together.
`Screen` tells it with a wide margin, so that whatever it lets pass the exact check would let pass,
too. Own nodes, and candidates that are no cuts along one order, are left to the exact check.
"""

from collections.abc import Collection, Sequence

import numpy as np

from privet.arrays import Booleans, Floats, Integers
from privet.preserve.by_leaf.contests import NodeSeen
from privet.tree.grower import Grower
from privet.tree.impurity import RULES

_WIDE = 1e-9  # of what is added up in a node: far above any rounding
_MOST_CELLS = 1 << 21  # nodes x values x weights
_EXACT = 1 << 52  # floats hold whole numbers up to here


class Screen:
    """The nodes of one tree that are not a column's own, by their places in `ColumnTask`.

    `by_mean`: categories are cut in the order of the share of the second class, node by node.
    """

    def __init__(
        self,
        nodes_seen: Sequence[NodeSeen],
        groups: int,
        grower: Grower,
        regression: bool,
        by_mean: bool,
    ) -> None:
        self._numbers = np.array(
            [number for number, seen in enumerate(nodes_seen) if not seen.own], dtype=np.int64
        )
        self._row = {number: row for row, number in enumerate(self._numbers.tolist())}
        seen = [nodes_seen[number] for number in self._numbers]
        self._inside = np.zeros((len(seen), groups))
        for row, node in enumerate(seen):
            self._inside[row, node.groups] = 1
        self._floor = np.array([_floor(node) for node in seen])
        self._rule, self._min_leaf = RULES[grower.impurity], grower.min_leaf
        self._regression, self._by_mean = regression, by_mean

    def serves(self, size: int, weights: Integers) -> bool:
        """Whether it is of use for so many values."""
        cells = max(self._inside.shape) * size * weights.shape[1]
        return len(self._numbers) > 0 and cells <= _MOST_CELLS and np.abs(weights).sum() < _EXACT

    def histogram(self, group: Integers, weights: Integers, codes: Integers, size: int) -> Floats:
        """Groups x values x weights."""
        groups = self._inside.shape[1]
        flat = group * size + codes
        found = np.empty((groups * size, weights.shape[1]))
        for column in range(weights.shape[1]):
            found[:, column] = np.bincount(flat, weights[:, column], groups * size)
        return found.reshape(groups, size, weights.shape[1])

    def calm(self, histogram: Floats, numbers: Collection[int] | None = None) -> set[int]:
        """Of some nodes (None: of all), those in which no candidate comes near the tree's splits.

        The values of the histogram are in the order in which they are cut.
        """
        rows = np.arange(len(self._numbers))
        if numbers is not None:
            rows = np.array([self._row[n] for n in numbers if n in self._row], dtype=np.int64)
        if not len(rows):
            return set()
        groups, size, width = histogram.shape
        flat = self._inside[rows] @ histogram.reshape(groups, size * width)
        weights = flat.reshape(len(rows), size, width)
        fine = ~self._alarming(weights, rows)
        return set(self._numbers[rows[fine]].tolist())

    def _alarming(self, weights: Floats, rows: Integers) -> Booleans:
        if self._by_mean:
            weights = _sorted_by_mean(weights)
        total = weights.sum(axis=1)
        if self._regression:  # counted from the node's mean, so that floats see deviations
            centre = np.floor(total[:, 1] / np.maximum(total[:, 0], 1))
            weights = weights.copy()
            weights[..., 1] -= weights[..., 0] * centre[:, None]
            total = weights.sum(axis=1)
        left = weights.cumsum(axis=1)[:, :-1]
        right = total[:, None] - left
        n_left, n_right = self._records(left), self._records(right)
        parts = self._rule.purity(left), self._rule.purity(right)
        whole = self._rule.purity(total)
        gain = self._rule.worth(parts[0] + parts[1] - whole[:, None], [n_left, n_right])
        size = np.abs(parts[0]) + np.abs(parts[1]) + np.abs(whole)[:, None]
        near = gain >= self._floor[rows][:, None] - _WIDE * size
        legal = np.minimum(n_left, n_right) >= self._min_leaf
        return np.asarray((near & legal).any(axis=1))

    def _records(self, weights: Floats) -> Floats:
        return weights[..., 0] if self._regression else weights.sum(axis=-1)


def _sorted_by_mean(weights: Floats) -> Floats:
    """The values of each node by the share of the second class; values that it lacks come last."""
    n = weights.sum(axis=-1)
    share = np.divide(weights[..., 1], n, out=np.full(n.shape, np.inf), where=n > 0)
    order = np.argsort(share, axis=1, kind="stable")
    return np.take_along_axis(weights, order[..., None], axis=1)


def _floor(seen: NodeSeen) -> float:
    """A candidate that stays below it neither beats nor ties with any split of the tree."""
    least = min(kept.score for kept in seen.kept_splits)
    slack = max(kept.slack(least, kept.error) for kept in seen.kept_splits)
    return least - 2 * slack - 2 * _WIDE * abs(least)
