"""How much the cuts of each attribute can gain in a node at most: all attributes in one go.

Most attributes of a node are far behind the best one, and to list the candidates of each costs far
more than to bound what they gain. Values in order are cut everywhere here, whatever a guard joins:
so no candidate gains more. Of categories in the order of the mean response some cut is the best of
all subsets (with Gini, entropy and deviance), so joined ones gain no more either. `grow` lists the
candidates of the attributes with the highest bounds, then of those that they have not beaten.
`leading` does the same by compiled loops, for large tables without a guard.
"""

from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np

from privet.arrays import Booleans, Integers
from privet.engine.protocol import Tally
from privet.schema import Kind
from privet.table import Domain
from privet.tree.choose import Choice
from privet.tree.cuts_in_order import FROM
from privet.tree.impurity import ImpurityRule, Weights

_FAR = 1e-6  # relative distance from the highest gain beyond which an attribute is left out
_NEAR_BY = 0.9  # of the highest bound: attributes up to here are looked at together


class GainBounds:
    """The attributes of a tree of which bounds are known.

    `by_mean`: categories are cut in the order of their mean response, but for those of `stored`.
    `guarded`: values may have to stay together.
    """

    def __init__(
        self,
        domains: Mapping[str, Domain],
        rule: ImpurityRule,
        by_mean: bool,
        stored: Container[str],
        guarded: bool,
    ) -> None:
        self._rule, self._guarded = rule, guarded
        self._by_mean = {
            name: domain.kind is Kind.CATEGORY
            for name, domain in domains.items()
            if domain.kind is not Kind.CATEGORY or (by_mean and name not in stored)
        }

    def of(self, tallies: Mapping[str, Tally], parent: Weights, min_leaf: int) -> dict[str, float]:
        """The bound of each attribute that has one here."""
        known = [a for a in self._by_mean if 1 < len(tallies[a].codes) < FROM]
        if len(known) < 2 or self._rule.whole_classes_first:
            return {}
        whole = np.array(parent, dtype=np.int64)
        weights = np.concatenate([tallies[a].weights for a in known]).astype(np.int64, copy=False)
        lengths = np.array([len(tallies[a].codes) for a in known])
        ends = np.cumsum(lengths)
        added_up = np.add.reduceat(weights, ends - lengths)
        if int(self._rule.records(weights).min()) <= 0 or (added_up != whole).any():
            return {}  # estimated counts
        column = np.repeat(np.arange(len(known)), lengths)
        by_mean = np.array([self._by_mean[a] for a in known])[column]
        weights = self._in_order(weights, column, by_mean, whole)
        left = np.cumsum(self._rule.records(weights)) - self._size(whole) * column
        legal = np.minimum(left, self._size(whole) - left) >= min_leaf
        # joined categories may be large enough where single ones are not
        legal |= by_mean & self._guarded
        legal[ends - 1] = False
        nothing = {a: -np.inf for a, tally in tallies.items() if len(tally.codes) < 2}
        return nothing | self._highest(known, weights, column, whole, legal)

    def _in_order(
        self, weights: Integers, column: Integers, by_mean: Booleans, whole: Integers
    ) -> Integers:
        """The values of each column in the order in which they are cut."""
        if not by_mean.any():
            return weights
        records = self._rule.records(weights)
        # counted from the mean of the node, so that floats see deviations
        above = weights[:, 1] - records * (int(whole[1]) // self._size(whole))
        return weights[np.lexsort((np.where(by_mean, above / records, 0.0), column))]

    def _size(self, whole: Integers) -> int:
        return int(self._rule.records(whole[None, :])[0])

    def _highest(
        self,
        known: Sequence[str],
        weights: Integers,
        column: Integers,
        whole: Integers,
        legal: Booleans,
    ) -> dict[str, float]:
        rows = np.flatnonzero(legal)
        highest = np.full(len(known), -np.inf)
        if len(rows):
            telling = self._rule.telling(whole)
            found = self._rule.cuts(weights[:, telling], column, whole[telling], rows)
            np.maximum.at(highest, column[rows], found.scores + 2 * found.error)
        return dict(zip(known, highest.tolist(), strict=True))


def best_of_few(
    attributes: Sequence[str],
    bounds: Mapping[str, float],
    best_of: Callable[[Sequence[str]], Choice | None],
) -> Choice | None:
    """The best choice of all attributes; `best_of` is asked for that of as few as can be."""

    def reaching(floor: float) -> list[str]:
        return [a for a in attributes if bounds.get(a, np.inf) >= floor]

    highest = max(bounds.values(), default=-np.inf)
    if not highest > 0:
        return best_of(attributes)
    some = reaching(_NEAR_BY * highest)
    first = best_of(some)
    if first is None:
        return best_of(attributes)
    left = reaching(first.score - 2 * first.error - _FAR * abs(first.score))
    return first if set(left) <= set(some) else best_of(left)
