"""Which nodes have nothing to fear from a recoded column: all nodes at once, in floats.

The exact check (`conditions`) looks at one node after another. In most of them no candidate of the
column comes anywhere near the split that the tree has, and that can be told for all nodes together.
`Screen` tells it with a wide margin, so that whatever it lets pass the exact check would let pass,
too. In a column's own node of numbers the threshold must have stayed as well, and the tree's own
cut is no rival. Own nodes of categories, and candidates that are no cuts along one order, are left
to the exact check.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Floats, Integers, row_sums
from privet.preserve.by_leaf.contests import NodeSeen
from privet.preserve.leaf_counts import LeafCounts
from privet.table import Domain
from privet.tree.candidates import midpoints, rank_in
from privet.tree.impurity import RULES, Gini

_WIDE = 1e-9  # of what is added up in a node: far above any rounding
_MOST_CELLS = 1 << 21  # nodes x values x weights
_EXACT = 1 << 52  # floats hold whole numbers up to here

Numbers = npt.NDArray[Any]  # values of a column, ascending


class Screen:
    """The nodes of one tree but a column's own without a threshold, by their places in
    `ColumnTask`.

    `by_mean`: categories are cut in the order of the share of the second class, node by node.
    """

    def __init__(
        self,
        tree: int,
        nodes_seen: Sequence[NodeSeen],
        leaf_counts: LeafCounts,
        by_mean: bool,
    ) -> None:
        self.tree, self._responses = tree, leaf_counts.responses
        model = leaf_counts.trees[tree]
        of_tree = [n for n, seen in enumerate(nodes_seen) if seen.tree == tree]
        told = [n for n in of_tree if not nodes_seen[n].own or nodes_seen[n].threshold is not None]
        self._numbers = np.array(told, dtype=np.int64)
        self._places = np.arange(len(told))
        self._row = {number: row for row, number in enumerate(self._numbers.tolist())}
        seen = [nodes_seen[number] for number in self._numbers]
        self._from_left = _from_left_to_right(leaf_counts, tree)
        place = np.argsort(self._from_left)
        self._first = np.array([place[n.groups].min() for n in seen], dtype=np.int64)
        self._end = self._first + [len(n.groups) for n in seen]
        self._floor = np.array([n.floor - 2 * _WIDE * abs(n.least) for n in seen])
        self._own = np.array([node.own for node in seen], dtype=bool)
        cuts = [node.threshold for node in seen]
        self._threshold = np.array([np.nan if cut is None else cut for cut in cuts])
        self._rule, self._min_leaf = RULES[model.grower.impurity], model.grower.min_leaf
        self._regression, self._by_mean = model.is_regression, by_mean

    def serves(self, size: int, weights: Integers) -> bool:
        """Whether it is of use for so many values."""
        return self._fits(size, weights.shape[1]) and bool(np.abs(weights).sum() < _EXACT)

    def _fits(self, size: int, width: int) -> bool:
        cells = max(len(self._numbers), len(self._from_left)) * size * width
        return len(self._numbers) > 0 and cells <= _MOST_CELLS

    def calm(
        self,
        histogram: Floats,
        numbers: Collection[int] | None = None,
        values: Numbers | None = None,
    ) -> set[int]:
        """Of some nodes (None: of all), those in which no candidate comes near the tree's splits.

        The histogram is of groups x values x weights, its values in the order in which this tree
        cuts them; one more than there are `values` is missing. Without values, or with numbers that
        floats do not hold, own nodes are not passed.
        """
        histogram = self._responses.own(histogram, self.tree)
        if not self._fits(histogram.shape[1], histogram.shape[2]):
            return set()
        rows: Any = slice(None)
        if numbers is not None:
            rows = np.array([self._row[n] for n in numbers if n in self._row], dtype=np.int64)
        if values is None or (len(values) and max(abs(values[0]), abs(values[-1])) > _EXACT):
            rows, values = self._places[rows][~self._own[rows]], None
        if not len(self._first[rows]):
            return set()
        left = self._left_of_cuts(histogram, rows)
        near = self._near(left, rows)
        own = np.flatnonzero(self._own[rows])
        alarming = np.asarray(near.any(axis=1))
        if values is not None and len(own):
            threshold = self._threshold[rows][own]
            present = np.diff(self._records(left[own]), axis=1, prepend=0) > 0
            moved, chosen = _own_cuts(present, threshold, values)
            alarming[own] = (near[own] & ~chosen).any(axis=1) | moved
        return set(self._numbers[rows][~alarming].tolist())

    def _left_of_cuts(self, histogram: Floats, rows: Any) -> Floats:
        """What is in each node up to each of its values, nodes x values x weights: all of the node
        at the last one. Whole numbers, so that sums and differences are exact."""
        groups, size, width = histogram.shape
        ordered = histogram[self._from_left]
        if not self._by_mean:
            ordered = ordered.cumsum(axis=1)
        so_far = np.zeros((groups + 1, size * width))
        ordered.reshape(groups, size * width).cumsum(axis=0, out=so_far[1:])
        inside = so_far[self._end[rows]] - so_far[self._first[rows]]
        weights = inside.reshape(len(inside), size, width)
        return _sorted_by_mean(weights).cumsum(axis=1) if self._by_mean else weights

    def _near(self, left: Floats, rows: Any) -> Booleans:
        """Which cuts, nodes x cuts, come near a split that the tree has."""
        n_left = self._records(left)
        n_right = n_left[:, -1:] - n_left[:, :-1]
        n_left = n_left[:, :-1]
        floor = self._floor[rows][:, None]
        if isinstance(self._rule, Gini):  # whose purities are never below zero
            total = left[:, -1]
            whole = (_squares(total) / np.maximum(self._records(total), 1))[:, None]
            parts = _squares(left[:, :-1]) / np.maximum(n_left, 1)
            parts += _squares(total[:, None] - left[:, :-1]) / np.maximum(n_right, 1)
            near = parts * (1 + _WIDE) >= floor + whole * (1 - _WIDE)
        else:
            near = self._near_by_rule(left, n_left, n_right, floor)
        near &= np.minimum(n_left, n_right) >= self._min_leaf
        return np.asarray(near)

    def _near_by_rule(
        self, left: Floats, n_left: Floats, n_right: Floats, floor: Floats
    ) -> Booleans:
        if self._regression:  # counted from the node's mean, so that floats see deviations
            total = left[:, -1]
            centre = np.floor(total[:, 1] / np.maximum(total[:, 0], 1))
            left = left.copy()
            left[..., 1] -= left[..., 0] * centre[:, None]
        total = left[:, -1]
        sides = np.empty((2, len(left), left.shape[1] - 1, left.shape[2]))
        sides[0] = left[:, :-1]
        np.subtract(total[:, None], sides[0], out=sides[1])
        parts, whole = self._rule.purity(sides), self._rule.purity(total)[:, None]
        gain = self._rule.worth(parts[0] + parts[1] - whole, [n_left, n_right])
        size = np.abs(parts).sum(axis=0) + np.abs(whole)
        return np.asarray(gain >= floor - _WIDE * size)

    def _records(self, weights: Floats) -> Floats:
        return weights[..., 0] if self._regression else row_sums(weights)


def _from_left_to_right(leaf_counts: LeafCounts, number: int) -> Integers:
    """The groups in the order in which a tree has their leaves: those below a node lie together."""
    tree = leaf_counts.trees[number]
    place: dict[int, int] = {}
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        place[node.id] = len(place)
        waiting += [tree.nodes[child] for child in reversed(node.children)]
    places = np.array([place[leaves[number]] for leaves in leaf_counts.leaves])
    return np.argsort(places, kind="stable")


def _squares(weights: Floats) -> Floats:
    """The sums of squares along the last axis, which is short."""
    total = weights[..., 0] * weights[..., 0]
    for column in range(1, weights.shape[-1]):
        total += weights[..., column] * weights[..., column]
    return np.asarray(total)


def _own_cuts(present: Booleans, threshold: Floats, values: Numbers) -> tuple[Booleans, Booleans]:
    """Of own nodes, those whose threshold is not offered by the values that they have, and the
    places of each node's own cut, nodes x cuts."""
    size = present.shape[1]
    goes_left = np.zeros(present.shape, dtype=bool)
    goes_left[:, : len(values)] = values <= threshold[:, None]
    left, right = present & goes_left, present & ~goes_left
    below = size - 1 - left[:, ::-1].argmax(axis=1)
    above = right.argmax(axis=1)
    told = left.any(axis=1) & right.any(axis=1) & (above < len(values))
    kept = np.zeros(len(told), dtype=bool)
    kept[told] = midpoints(values[below[told]], values[above[told]]) == threshold[told]
    places = np.arange(size - 1)
    chosen = (places >= below[:, None]) & (places < above[:, None]) & told[:, None]
    return ~kept, chosen


class Screens:
    """The screens of all trees that one column is offered to (`index`).

    There is none for a tree whose candidates are no cuts. `orders` are the orders of categories
    that trees have stored.
    """

    def __init__(
        self,
        nodes_seen: Sequence[NodeSeen],
        leaf_counts: LeafCounts,
        index: Collection[int],
        ordered: bool,
        orders: Mapping[int, Sequence[str | None]],
    ) -> None:
        self._groups, self._orders = len(leaf_counts.leaves), orders
        self._screens = []
        for number in index:
            tree = leaf_counts.trees[number]
            by_mean = not ordered and number not in orders
            in_single_values = tree.grower.categories == "multiway" and not ordered
            two_classes = not tree.is_regression and len(tree.root.weights) == 2
            if not in_single_values and (two_classes or not by_mean):
                self._screens.append(Screen(number, nodes_seen, leaf_counts, by_mean))

    def counted(
        self, group: Integers, weights: Integers, places: Integers, size: int
    ) -> Floats | None:
        """Counts for `calm_nodes`, groups x values x weights, by the places of values among `size`;
        None where they are of no use."""
        if not any(screen.serves(size, weights) for screen in self._screens):
            return None
        flat = group * size + places
        found = np.empty((self._groups * size, weights.shape[1]))
        for column in range(weights.shape[1]):
            found[:, column] = np.bincount(flat, weights[:, column], self._groups * size)
        return found.reshape(self._groups, size, weights.shape[1])

    def calm_nodes(
        self,
        counts: Floats,
        domain: Domain,
        codes: Integers,
        among: Collection[int] | None = None,
        on_path: bool = False,
    ) -> set[int]:
        """Of some nodes (None: of all), those in which no candidate comes near; `codes` are those
        of the values counted. `on_path`: every atom is known to be on its path; then own nodes of
        numbers can be told, too."""
        found = set()
        values = None
        if on_path and domain.kind.is_ordered:
            values = domain.values[codes[codes != domain.missing_code]]
        for screen in self._screens:
            order = self._orders.get(screen.tree)
            in_order = counts
            if order is not None:
                in_order = counts[:, np.argsort(rank_in(domain, order)[codes])]
            found |= screen.calm(in_order, among, values)
        return found


def _sorted_by_mean(weights: Floats) -> Floats:
    """The values of each node by the share of the second class; values that it lacks come last."""
    n = weights.sum(axis=-1)
    share = np.divide(weights[..., 1], n, out=np.full(n.shape, np.inf), where=n > 0)
    order = np.argsort(share, axis=1, kind="stable")
    return np.take_along_axis(weights, order[..., None], axis=1)
