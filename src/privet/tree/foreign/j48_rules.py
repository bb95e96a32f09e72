"""How J48 chooses the split of a node, counted anew, so that its departures can be named.

J48 follows C4.5. A number is cut where the information gain (not the ratio) is highest, each side
keeping a tenth of the node's records by class, at most 25; the gain of that cut is lowered by the
logarithm of the number of cuts. Of all columns, only those whose gain is at least the average (less
0.001) compete by gain ratio. Binary splits take one category against the rest. A branch that
classifies no record better than a leaf is collapsed. Differences below 1e-6 count as none.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from privet.arrays import Integers
from privet.exact import disorder
from privet.tree.foreign.grown import Grown, Rows, Task

SMALL = 1e-6
_LESS_THAN_AVERAGE = 1e-3
_MOST_A_SIDE = 25
_MANY_VALUES = 0.3  # of all records: a column with more categories is left out of the average


@dataclass(frozen=True, eq=False)
class Offer:
    """The split that J48 considers for one column: codes of each child, gain and gain ratio."""

    attribute: str
    children: tuple[frozenset[int], ...]
    gain: float
    ratio: float
    in_average: bool = True


class J48Rules:
    """The rules of one node. `correction`: whether gains of numbers are lowered."""

    def __init__(self, task: Task, rows: Rows, correction: bool) -> None:
        self.task = task
        self.rows = rows
        self.correction = correction
        self.n_classes = task.target.domain.size
        self.whole = np.array(task.weights(rows))
        self.tallies = {name: self._tally(name) for name in task.attributes}

    def choice(self) -> Offer | None:
        """The split that J48 takes by its rules, if any."""
        too_few = self.whole.sum() < 2 * self.task.grower.min_leaf
        if too_few or _wrong(self.whole) == 0:
            return None
        offers = self.offers()
        counted = [offer.gain for offer in offers if offer.in_average]
        if not counted:
            return None
        floor = sum(counted) / len(counted) - _LESS_THAN_AVERAGE
        best, highest = None, 0.0
        for offer in offers:
            if offer.gain >= floor and offer.ratio - highest > SMALL:
                best, highest = offer, offer.ratio
        return best

    def expects(self, theirs: Grown) -> bool:
        """Whether J48 does by its rules what it did: this split, or a leaf."""
        choice = self.choice()
        if choice is None or not theirs.is_leaf:
            return (
                choice is None
                if theirs.is_leaf
                else choice is not None and self._is(theirs, choice)
            )
        return self._collapses()

    def account(self, theirs: Grown) -> str | None:
        """The rule by which J48 does what it did where exact gain ratios ask for another split."""
        if not self.expects(theirs):
            return None
        if not theirs.is_leaf:
            return self._why_not(self.task.best(self.rows))
        if self.choice() is None:
            return "no split that it considers gains enough"
        return "a branch that classifies no record better is collapsed"

    def _collapses(self) -> bool:
        return self.correction and self.errors() >= _wrong(self.whole)

    def errors(self) -> int:
        """Records that J48's tree below this node classifies wrongly; branches are collapsed."""
        as_leaf = _wrong(self.whole)
        choice = self.choice()
        if choice is None:
            return as_leaf
        codes = self.task.table[choice.attribute].codes[self.rows]
        below = 0
        for child in choice.children:
            rows = self.rows[np.isin(codes, list(child))]
            below += J48Rules(self.task, rows, self.correction).errors()
        return min(below, as_leaf)

    def offers(self) -> list[Offer]:
        found: list[Offer] = []
        for name in self.task.attributes:
            codes, weights = self.tallies[name]
            if len(codes) < 2:
                continue
            domain = self.task.table[name].domain
            if domain.kind.is_ordered:
                found += self._number(name, codes, weights)
            elif self.task.grower.categories == "multiway":
                found += self._branches(name, codes, weights)
            else:
                found += self._one_against_rest(name, codes, weights)
        return found

    def least_a_side(self) -> float:
        least = 0.1 * float(self.whole.sum()) / self.n_classes
        min_leaf = self.task.grower.min_leaf
        return min_leaf if least <= min_leaf + SMALL else min(least, _MOST_A_SIDE)

    # -- columns ---------------------------------------------------------------------------------

    def _number(self, name: str, codes: Integers, weights: Integers) -> Iterator[Offer]:
        least = self.least_a_side()
        running = np.cumsum(weights, axis=0)
        cuts, best, highest = 0, -1, 0.0
        for place in range(len(codes) - 1):
            left, right = running[place], self.whole - running[place]
            if min(left.sum(), right.sum()) < least - SMALL:
                continue
            cuts += 1
            gain = self._gain([left, right])
            if gain - highest > SMALL:
                best, highest = place, gain
        if cuts == 0 or best < 0:
            return
        if self.correction:
            highest -= math.log2(cuts) / float(self.whole.sum())
        if highest <= SMALL:
            return
        sides = [running[best], self.whole - running[best]]
        children = (frozenset(codes[: best + 1].tolist()), frozenset(codes[best + 1 :].tolist()))
        yield Offer(name, children, highest, self._ratio(highest, sides))

    def _branches(self, name: str, codes: Integers, weights: Integers) -> Iterator[Offer]:
        if (weights.sum(axis=1) >= self.task.grower.min_leaf).sum() < 2:
            return
        gain = self._gain(list(weights))
        children = tuple(frozenset([code]) for code in codes.tolist())
        ratio = self._ratio(gain, list(weights))
        yield Offer(name, children, gain, ratio, self._in_average(name))

    def _one_against_rest(self, name: str, codes: Integers, weights: Integers) -> Iterator[Offer]:
        least = self.task.grower.min_leaf
        best: Offer | None = None
        for place, code in enumerate(codes.tolist()):
            sides = [weights[place], self.whole - weights[place]]
            if min(side.sum() for side in sides) < least:
                continue
            gain = self._gain(sides)
            ratio = self._ratio(gain, sides)
            if best is None or ratio - best.ratio > SMALL:
                rest = frozenset(codes.tolist()) - {code}
                children = (frozenset([code]), rest)
                best = Offer(name, children, gain, ratio, self._in_average(name))
        if best is not None:
            yield best

    def _in_average(self, name: str) -> bool:
        many = _MANY_VALUES * self.task.table.n_rows
        if self.task.table[name].domain.size < many:
            return True
        # if every column has many categories, all count
        domains = [self.task.table[a].domain for a in self.task.attributes]
        return all(not d.kind.is_ordered and d.size >= many for d in domains)

    # -- sums ------------------------------------------------------------------------------------

    def _gain(self, children: list[Integers]) -> float:
        """Information gain in bits a record."""
        after = sum(_disorder(child) for child in children)
        return (_disorder(self.whole) - after) / float(self.whole.sum())

    def _ratio(self, gain: float, children: list[Integers]) -> float:
        sizes = np.array([child.sum() for child in children])
        information = _disorder(sizes) / float(self.whole.sum())
        return gain / information if information > SMALL else 0.0

    def _tally(self, name: str) -> tuple[Integers, Integers]:
        codes, inverse = np.unique(self.task.table[name].codes[self.rows], return_inverse=True)
        classes = self.task.target.codes[self.rows].astype(np.int64)
        flat = np.bincount(
            inverse * self.n_classes + classes, minlength=len(codes) * self.n_classes
        )
        return codes.astype(np.int64), flat.reshape(len(codes), self.n_classes)

    # -- reasons ---------------------------------------------------------------------------------

    def _is(self, theirs: Grown, offer: Offer) -> bool:
        return theirs.attribute == offer.attribute and self._codes(theirs) == set(offer.children)

    def _codes(self, split: Grown) -> set[frozenset[int]]:
        assert split.attribute is not None
        codes = self.task.table[split.attribute].codes
        return {frozenset(codes[child.rows].tolist()) for child in split.children}

    def _why_not(self, ours: Grown) -> str:
        """What keeps J48 from the split with the highest exact gain ratio."""
        name = str(ours.attribute)
        offers = self.offers()
        offer = next((offer for offer in offers if offer.attribute == name), None)
        if offer is None or set(offer.children) != self._codes(ours):
            if not self.task.table[name].domain.kind.is_ordered:
                return "a category column is split by one category against the rest"
            if min(len(child.rows) for child in ours.children) < self.least_a_side():
                return f"a number is cut with at least {self.least_a_side():g} records on each side"
            return "a number is cut where the gain is highest, not the ratio"
        counted = [o.gain for o in offers if o.in_average]
        if offer.gain < sum(counted) / len(counted) - _LESS_THAN_AVERAGE:
            return f"'{name}' gains less than the average column, so its ratio does not count"
        return "the gain of a number is lowered by the logarithm of the number of its cuts"


def _disorder(weights: Integers) -> float:
    return float(disorder(weights.astype(np.float64)))


def _wrong(weights: Integers) -> int:
    return int(weights.sum() - weights.max())
