"""Which attributes can give a node its best split, found by one compiled loop over all of them.

Most attributes of a node are far behind the best one; to list and score their candidates one by one
costs more than all the counting. So the highest gain of each is found first, as a float, and only
those that come near the highest of all go on to `choose`, which decides exactly. Serves Gini
without a guard, where compiled loops are loaded already; elsewhere all attributes go on.
"""

from collections.abc import Container, Mapping, Sequence

import numpy as np

from privet.arrays import Floats, Integers
from privet.compiled import loaded
from privet.engine.protocol import Tally
from privet.schema import Kind
from privet.table import Domain
from privet.tree.candidates import all_separable
from privet.tree.cuts_in_order import FROM
from privet.tree.impurity import ImpurityRule, Weights

_FAR = 1e-6  # relative distance from the highest gain beyond which an attribute is left out
_MOST_RECORDS = 1 << 26  # up to which different shares of records are different floats


class Leaders:
    """The attributes of a tree, and which of them the loop knows.

    `by_mean`: categories are cut in the order of the share of the second class, node by node; those
    of `stored` have an order of their own for the whole tree, which the loop does not know.
    """

    def __init__(
        self,
        domains: Mapping[str, Domain],
        rule: ImpurityRule,
        by_mean: bool,
        stored: Container[str],
    ) -> None:
        self._attributes = tuple(domains)
        self._rule = rule
        self._by_mean: dict[str, bool] = {}
        for name, domain in domains.items():
            if domain.kind is not Kind.CATEGORY and all_separable(domain):
                self._by_mean[name] = False
            elif domain.kind is Kind.CATEGORY and by_mean and name not in stored:
                self._by_mean[name] = True

    def of(self, tallies: Mapping[str, Tally], parent: Weights, min_leaf: int) -> Sequence[str]:
        """The attributes that may have the best split of a node."""
        whole = np.array(parent, dtype=np.int64)
        error = self._rule.error_of_stream(whole)
        known = [a for a in self._by_mean if 1 < len(tallies[a].codes) < FROM]
        if error is None or len(known) < 2 or not loaded() or int(whole.sum()) > _MOST_RECORDS:
            return self._attributes
        gains = self._highest([tallies[a].weights for a in known], known, whole, min_leaf)
        best = float(np.fmax.reduce(gains))  # columns of estimated counts have no number
        if not best > -np.inf:
            return self._attributes
        floor = best - _FAR * abs(best) - 4 * error
        behind = {a for a, gain in zip(known, gains.tolist(), strict=True) if gain < floor}
        return [a for a in self._attributes if a not in behind]

    def _highest(
        self, weights: Sequence[Integers], known: Sequence[str], whole: Integers, min_leaf: int
    ) -> Floats:
        from privet.compiled.cuts import best_gini_of_columns

        edges = np.zeros(len(weights) + 1, dtype=np.int64)
        np.cumsum([len(own) for own in weights], out=edges[1:])
        by_mean = np.array([self._by_mean[a] for a in known])
        gains = np.empty(len(weights))
        best_gini_of_columns(
            np.concatenate(weights), edges, by_mean, whole.astype(np.float64), min_leaf, gains
        )
        return gains
