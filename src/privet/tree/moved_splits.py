"""What one inner node excludes for the records that are alone in it.

A record is alone if no other of its node has its value. Sent to the other side, it gives another
split. Where the grower tries that split, may make it and would take it first if the record had some
target, the record does not have that target. `boundaries` puts together what several nodes exclude
for one record, and counts; docs/guarantees/what-the-tree-tells.md has the proof.

Truth values "for each target" have one place for each code of the target column.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isqrt

import numpy as np

from privet.arrays import Booleans, Integers
from privet.engine.protocol import Engine, Region
from privet.table import Domain
from privet.tree.candidates import separable
from privet.tree.choose import NEAR
from privet.tree.grow import Admissible
from privet.tree.impurity import RULES
from privet.tree.model import Node, Tree


@dataclass(frozen=True, eq=False)
class Boundary:
    """An inner node with two children: `codes[side]` of its attribute, ascending, and the records
    of each. Of numbers the two codes on each side that are nearest to the cut will do.

    `units` are the targets in steps of the response's grid, None for classes.
    """

    engine: Engine
    tree: Tree
    node: Node
    region: Region
    attribute: str
    domain: Domain
    codes: tuple[Integers, Integers]
    records: tuple[Integers, Integers]
    units: Integers | None
    admissible: Admissible | None
    _moved: dict[tuple[int, bool], Booleans] = field(default_factory=dict)

    def excluded(self) -> Iterator[tuple[int, Booleans]]:
        """Each code that one record is alone with, and whether each target is excluded for it."""
        if self._in_known_order:
            yield from self._by_cut()
            return
        by_mean = self.units is not None or self._n_targets == 2
        way = self._by_mean if by_mean else self._by_any_subset
        for side in (0, 1):
            for code in self.codes[side][self.records[side] == 1].tolist():
                yield code, way(side, code)

    @property
    def _in_known_order(self) -> bool:
        """Numbers, and categories that are cut in a stored order."""
        return self.domain.kind.is_ordered or self.attribute in self.tree.grower.category_orders

    @property
    def _n_targets(self) -> int:
        return self.engine.domain(self.tree.target).size

    # -- which splits are tried --------------------------------------------------------------------

    def _by_cut(self) -> Iterator[tuple[int, Booleans]]:
        """Next to the cut, the moved split is the next cut on the record's side; records further
        away have none."""
        order = np.concatenate(self.codes)
        if not self.domain.kind.is_ordered:
            order = order[np.argsort(self._rank()[order])]
        last_left = len(self.codes[0]) - 1
        for side in (0, 1):
            code = int(order[last_left + side])
            next_cut = last_left + (1 if side else -1)
            if not self._is_alone(side, code) or (
                self.domain.kind.is_ordered and next_cut not in separable(self.domain, order)
            ):
                continue
            wins = self._comes_first(side, wins_ties=side == 0)
            yield code, wins & self._legal(side, code)

    def _by_any_subset(self, side: int, code: int) -> Booleans:
        """All subsets are tried; among equal gains the smallest left set wins."""
        left, right = (np.isin(np.arange(self.domain.size), codes) for codes in self.codes)
        wins_ties = side == 0
        if code == int(np.flatnonzero(left | right)[0]):
            # the first category is always left, so what was right joins it there
            right[code] = True
            wins_ties = right.tobytes() < left.tobytes()
        return self._comes_first(side, wins_ties) & self._legal(side, code)

    def _by_mean(self, side: int, code: int) -> Booleans:
        """Categories are cut in the order of their means, which depends on the targets.

        Alone, the record's target is the mean of its category, so it is not beyond the other side.
        """
        grower = self.tree.grower
        excluded = self._beyond(side)
        if grower.min_leaf == 1 and self.admissible is None and grower.impurity != "gain-ratio":
            # no division of the categories gains more than the best cut of this order (Breiman)
            excluded |= self._comes_first(side, wins_ties=False)
        own = self.codes[side]
        if self.units is None and code == int(own[0] if side else own[-1]):
            # with the class of the other side it is next to the cut: that order has one mean
            far = np.arange(2) == 1 - side
            wins = self._comes_first(side, wins_ties=side == 0) & self._legal(side, code)
            excluded |= far & wins
        return excluded

    def _beyond(self, side: int) -> Booleans:
        """For each target whether it lies beyond the mean of the other side."""
        other = self.tree.nodes[self.node.children[1 - side]].weights
        if self.units is None:
            far = 1 - side  # the last class is on the right, the first on the left
            return np.asarray((np.arange(2) == far) & (other[side] > 0))
        n, total = other
        return np.asarray(self.units < -(-total // n) if side else self.units > total // n)

    def _is_alone(self, side: int, code: int) -> bool:
        """Whether one record of a side has a code."""
        return bool(self.records[side][self.codes[side] == code].sum() == 1)

    def _records_of(self, side: int) -> int:
        return self.tree.records(self.tree.nodes[self.node.children[side]])

    def _rank(self) -> Integers:
        """The place of each category in the stored order that is cut."""
        order = self.tree.grower.category_orders[self.attribute]
        place = {label: number for number, label in enumerate(order)}
        labels = [self.domain.value(code) for code in range(self.domain.size)]
        return np.array([place[None if v is None else str(v)] for v in labels], dtype=np.int64)

    # -- which of them may be made -----------------------------------------------------------------

    def _legal(self, side: int, code: int) -> Booleans:
        """For each target of the record, whether the moved split may be made."""
        large_enough = self._records_of(side) - 1 >= self.tree.grower.min_leaf
        legal = np.full(self._n_targets, large_enough)
        for column in () if self.admissible is None else self.admissible.columns:
            legal &= self._admitted(column, side, code)
        return legal

    def _admitted(self, column: str, side: int, code: int) -> Booleans:
        assert self.admissible is not None
        if column == self.tree.target and self.units is not None:
            return np.zeros(self._n_targets, dtype=bool)  # not worked out: nothing is excluded
        (tallies,) = self.engine.tally([self.attribute], [self.region], column)
        tally = tallies[self.attribute]
        ordered, first = self.domain.kind.is_ordered, self.codes[0]
        left = tally.codes <= first[-1] if ordered else np.isin(tally.codes, first)
        children = np.stack([tally.weights[left].sum(axis=0), tally.weights[~left].sum(axis=0)])
        record = tally.weights[tally.codes == code]
        if column == self.tree.target:
            record = np.eye(self._n_targets, dtype=np.int64)
        moved = np.repeat(children[None], len(record), axis=0)
        moved[:, side] -= record
        moved[:, 1 - side] += record
        return self.admissible(column, np.maximum(moved, 0))

    # -- which of them would come first ------------------------------------------------------------

    def _comes_first(self, side: int, wins_ties: bool) -> Booleans:
        """For each target of the record, whether the moved split beats the one that was made."""
        known = self._moved.get((side, wins_ties))
        if known is None:
            own, other = (self.tree.nodes[c].weights for c in self.node.children)
            if side == 1:
                own, other = other, own
            if self._records_of(side) < 2:
                known = np.zeros(self._n_targets, dtype=bool)  # nothing would be left there
            elif self.units is None:
                known = self._better_for_class(own, other, wins_ties)
            else:
                low, high = possible_responses(own, other, wins_ties)
                known = (self.units < low) | (self.units > high)
            self._moved[side, wins_ties] = known
        return known

    def _better_for_class(
        self, own: tuple[int, ...], other: tuple[int, ...], wins_ties: bool
    ) -> Booleans:
        """Floats first, exact gains for what they cannot tell apart; the last row is the split."""
        n, rule, parent = len(own), RULES[self.tree.grower.impurity], self.node.weights
        record = np.vstack([np.eye(n, dtype=np.int64), np.zeros((1, n), dtype=np.int64)])
        record[:-1] *= np.array(own)[:, None] > 0  # a class that the side does not have
        smaller, larger = np.array(own) - record, np.array(other) + record
        gains = rule.approximate([smaller, larger], np.array(parent))
        ahead = gains.scores[:-1] - gains.scores[-1]
        better = np.asarray(ahead > 0)
        slack = 2 * gains.error + NEAR * float(np.abs(gains.scores).max())
        made = rule.exact((own, other), parent)
        for c in np.flatnonzero(np.abs(ahead) <= slack).tolist():
            children = tuple(smaller[c].tolist()), tuple(larger[c].tolist())
            score = rule.exact(children, parent)
            better[c] = score > made or (wins_ties and score == made)
        return better


def possible_responses(
    own: tuple[int, ...], other: tuple[int, ...], wins_ties: bool
) -> tuple[int, int]:
    """The responses (in steps) of one record of a side for which sending it over gains nothing.

    Sides are (records, sum). The gain of the move is a quadratic function of the response y, with
    the sign of a y^2 + b y + c for the whole numbers below.
    """
    (n, s), (m, q) = own, other
    a = n * m * (n + m)
    b = 2 * n * m * (q * (n - 1) - s * (m + 1))
    c = n * m * ((m + 1) * s * s + (n - 1) * q * q) - (n - 1) * (m + 1) * (s * s * m + q * q * n)
    inside = b * b - 4 * a * c
    if inside < 0:
        return 1, 0
    low, high = -((b + isqrt(inside)) // (2 * a)), (isqrt(inside) - b) // (2 * a)
    if wins_ties:
        low += a * low * low + b * low + c == 0
        high -= a * high * high + b * high + c == 0
    limits = np.iinfo(np.int64)
    return max(low, limits.min), min(high, limits.max)
