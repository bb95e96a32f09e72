"""The best-first grower: the same counts give the same tree, bit for bit.

The node whose best split gains most is split next, so the tree with m leaves is a beginning of the
tree with more. `candidates` lists the splits of a node, `impurity` scores them, `choose` takes one;
`guard` may ask that values stay together. This module asks the engine for counts and keeps the
order of growth.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from heapq import heappush
from typing import Protocol

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine import MemoryEngine
from privet.engine.protocol import CountSource, Path, Response, RunTally, Tally
from privet.errors import UsageError, param
from privet.schema import Kind, Role, Schema
from privet.table import Domain
from privet.tree.bounds import GainBounds, best_of_few
from privet.tree.c45 import choose_by_c45
from privet.tree.candidates import candidates_of, order_by_mean, rank_in, summed
from privet.tree.choose import Choice, Offer, choose
from privet.tree.grower import EXHAUSTIVE_UP_TO, Grower, Impurity
from privet.tree.guard import Guard
from privet.tree.guarded_runs import GuardedRuns
from privet.tree.impurity import RULES, ImpurityRule, Weights
from privet.tree.leading import Leaders
from privet.tree.levels import Ahead, LevelByLevel, can_look_ahead
from privet.tree.long_columns import LongColumns
from privet.tree.model import Node, Tree
from privet.tree.open_leaves import Open, next_that_fits, open_known, root_looked_at
from privet.tree.response import Classes, Numbers, looks_numeric, read_response

MOST_CATEGORIES = 50_000  # of an attribute: more is an identifier, not a category

_WHOLE = Path()


class Admissible(Protocol):
    """Says which candidates may be made, from counts of further columns in their children."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns whose counts are needed."""

    def __call__(self, column: str, children: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """For counts[candidate, child, value]: whether all children are admissible."""


def attributes_for_growing(schema: Schema, use_sensitive: bool = False) -> tuple[str, ...]:
    """The columns that a tree may ask: quasi-identifiers and others, sensitive ones if wanted."""
    roles = {Role.QUASI, Role.OTHER} | ({Role.SENSITIVE} if use_sensitive else set())
    return schema.names(*roles)


def default_impurity(engine: CountSource, target: str) -> Impurity:
    return "deviance" if looks_numeric(engine.domain(target)) else "gini"


def grow(
    engine: CountSource,
    schema: Schema,
    grower: Grower,
    admissible: Admissible | None = None,
    progress: Callable[[int], None] | None = None,
    guard: Guard | None = None,
) -> Tree:
    """Grow a tree; it carries a grower that is complete, so that anybody can grow it again.

    `admissible` and `guard` are no part of that grower: a tree grown with them grows again without
    them only from a table that was made so (`preserve`).

    >>> table = privet.table_of({"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3})
    >>> schema = table.schema().with_roles(target="buys")
    >>> tree = privet.grow(privet.MemoryEngine(table), schema, privet.Grower(leaves=2))
    >>> tree.root.split.threshold
    46.0
    """
    growth = _Growth(engine, schema, grower, admissible, guard)
    return growth.run(progress)


class _Growth:
    def __init__(
        self,
        engine: CountSource,
        schema: Schema,
        grower: Grower,
        admissible: Admissible | None,
        guard: Guard | None,
    ) -> None:
        self.engine = engine
        self.rule: ImpurityRule = RULES[grower.impurity]
        self.regression = grower.impurity == "deviance"
        self.target = schema.target
        response = read_response(engine, self.target, self.regression, grower.response_step)
        self.response = response
        self.attributes = grower.attributes or attributes_for_growing(schema)
        self.admissible = admissible
        self.guard = guard
        self._refuse_what_cannot_grow()
        orders = dict(grower.category_orders) or self._orders_to_store(grower)
        self.ranks = {c: rank_in(engine.domain(c), order) for c, order in orders.items()}
        step = response.step if isinstance(response, Numbers) else None
        self.grower = replace(
            grower, attributes=self.attributes, category_orders=orders, response_step=step
        )
        self.least = self._least_gain()
        self.places = {attribute: place for place, attribute in enumerate(self.attributes)}
        n_classes = 0 if self.regression else engine.domain(self.target).size
        domains = {attribute: engine.domain(attribute) for attribute in self.attributes}
        in_two = grower.categories == "subset"
        self.leaders = Leaders(domains, self.rule, in_two and n_classes == 2, self.ranks)
        by_mean = in_two and (self.regression or n_classes == 2)
        self.bounds = GainBounds(domains, self.rule, by_mean, self.ranks, guard is not None)
        asked = engine, self.attributes, self._asked_for_best_alone(), self.counted
        self.long_columns = LongColumns(*asked, self.rule, grower.min_leaf, self.least, guard)

    @property
    def counted(self) -> str | Response:
        return (
            self.response.column if isinstance(self.response, Classes) else self.response.response
        )

    def run(self, progress: Callable[[int], None] | None) -> Tree:
        if not self.attributes:
            raise UsageError(
                "No column is left for the tree to ask.",
                "a tree needs a column besides the target, identifiers and dropped ones.",
            )
        ahead = self._looked_ahead()
        open_leaves: list[Open] = []  # a heap
        root = self._open_root(open_leaves) if ahead is None else root_looked_at(open_leaves, ahead)
        nodes = [root]
        most = self.grower.leaves or self.engine.n_rows()
        n_leaves = 1
        while (best := next_that_fits(open_leaves, most - n_leaves)) is not None:
            choice = best.choice
            children = [
                Node(len(nodes) + i, best.node.id, best.node.depth + 1, weights)
                for i, weights in enumerate(choice.children)
            ]
            split, ids = choice.candidates.split(choice.number), tuple(c.id for c in children)
            nodes[best.node.id] = replace(nodes[best.node.id], split=split, children=ids)
            nodes += children
            n_leaves += len(children) - 1
            if ahead is not None:
                open_known(open_leaves, children, ahead, best.ahead)
            elif n_leaves < most:
                self._open_children(open_leaves, children, best)
            if progress is not None:
                progress(n_leaves)
        used = {node.split.attribute for node in nodes if node.split is not None}
        kinds = {a: self.engine.domain(a).kind for a in (*sorted(used), self.target)}
        labels = self.response.labels if isinstance(self.response, Classes) else None
        grower = replace(self.grower, leaves=n_leaves)
        return Tree(self.target, grower, tuple(nodes), labels, grower.response_step, kinds)

    def _looked_ahead(self) -> Ahead | None:
        """All nodes in compiled loops, where that can be and pays."""
        if self.admissible is not None or self.guard is not None:
            return None
        if self.regression or not isinstance(self.engine, MemoryEngine):
            return None
        asked = self.engine.table(), self.grower, self.attributes, self.target
        if not can_look_ahead(*asked):
            return None
        return LevelByLevel(*asked, decide=self._best).run()

    # -- one node --------------------------------------------------------------------------------

    def _open_root(self, heap: list[Open]) -> Node:
        (tallies,) = self.long_columns.tally([_WHOLE], [self.engine.n_rows()])
        total = tallies[self.attributes[0]].weights.sum(axis=0)
        root = Node(0, None, 0, tuple(total.tolist()))
        if self._worth_looking(root):
            self._open(heap, root, _WHOLE, tallies)
        return root

    def _open_children(self, heap: list[Open], children: Sequence[Node], parent: Open) -> None:
        """Find the best split of each child that may be split."""
        conditions = parent.choice.candidates.conditions(parent.choice.number)
        regions = [parent.region.then(condition) for condition in conditions]
        wanted, beside = [], []
        for child, region in zip(children, regions, strict=True):
            if self._worth_looking(child):
                wanted.append((child, region))
            else:
                beside.append(region)
        if not wanted:
            return
        asked = [region for _, region in wanted]
        records = [self._records(child) for child, _ in wanted]
        tallies = self.long_columns.tally(asked, records, beside)
        for (child, region), tally in zip(wanted, tallies, strict=True):
            self._open(heap, child, region, tally)

    def _open(
        self, heap: list[Open], node: Node, region: Path, tallies: Mapping[str, Tally]
    ) -> None:
        choice = self.long_columns.best(node.weights, tallies, region, self._best)
        if choice is not None:
            heappush(heap, Open(node, region, choice))

    def _best(
        self, weights: Weights, tallies: Mapping[str, Tally], region: Path = _WHOLE
    ) -> Choice | None:
        if self.grower.impurity == "c45":  # which compares gains of all attributes
            offered = self._offered(self.attributes, tallies, region)
            asked = weights, self.least, self.grower, self.engine.n_rows()
            return choose_by_c45(offered, *asked)
        min_leaf = self.grower.min_leaf
        free = self.guard is None and self.admissible is None
        leading = self.leaders.of(tallies, weights, min_leaf) if free else self.attributes
        # on disk one pass for what is admissible in all columns costs less than two for some
        at_once = self.admissible is not None and not isinstance(self.engine, MemoryEngine)
        some = len(leading) > 2 and not at_once
        bounds = self.bounds.of(tallies, weights, min_leaf) if some else {}
        offers: dict[str, Offer] = {}

        def best_of(attributes: Sequence[str]) -> Choice | None:
            new = [attribute for attribute in attributes if attribute not in offers]
            for offer in self._offered(new, tallies, region):
                offers[offer.candidates.attribute] = offer
            offered = [offers[attribute] for attribute in attributes if attribute in offers]
            return choose(offered, weights, self.rule, self.least, min_leaf)

        return best_of_few(leading, bounds, best_of)

    def _offered(
        self, attributes: Sequence[str], tallies: Mapping[str, Tally], region: Path
    ) -> list[Offer]:
        """The candidates of some attributes that may be taken."""
        offered: list[Offer] = []
        multiway = self.grower.categories == "multiway"
        for attribute in attributes:
            tally, domain = tallies[attribute], self.engine.domain(attribute)
            candidates = candidates_of(
                attribute,
                self.places[attribute],
                domain,
                tally,
                multiway,
                self.regression,
                self.ranks.get(attribute),
                self._units(attribute, domain, tally, region),
            )
            if candidates is not None:
                offered.append(Offer(candidates, tally.weights))
        if self.admissible is not None:
            self._forbid_inadmissible(region, offered)
        return offered

    def _units(
        self, attribute: str, domain: Domain, tally: Tally, region: Path = _WHOLE
    ) -> Integers | None:
        if self.guard is None or not self.guard.covers(attribute):
            return None
        if isinstance(tally, GuardedRuns):
            return tally.units(self.guard.least)
        if isinstance(tally, RunTally):  # nothing is known yet of where units end
            return np.zeros_like(tally.codes)
        if self.guard.person is not None:
            (tallies,) = self.engine.tally([attribute], [region], self.guard.person)
            return self.guard.units_of_people(domain, tally.codes, tallies[attribute].weights > 0)
        records = self.rule.records(tally.weights)
        return self.guard.units(attribute, domain, tally.codes, records)

    def _worth_looking(self, node: Node) -> bool:
        if self.grower.depth is not None and node.depth >= self.grower.depth:
            return False
        mixed = self.regression or sum(w > 0 for w in node.weights) > 1
        return mixed and self._records(node) >= 2 * self.grower.min_leaf

    def _records(self, node: Node) -> int:
        return node.weights[0] if self.regression else sum(node.weights)

    def _forbid_inadmissible(self, region: Path, offered: Sequence[Offer]) -> None:
        assert self.admissible is not None
        attributes = [offer.candidates.attribute for offer in offered]
        for column in self.admissible.columns:
            if not attributes:
                return
            (tallies,) = self.engine.tally(attributes, [region], column)
            for attribute, offer in zip(attributes, offered, strict=True):
                children = offer.candidates.spread(tallies[attribute].weights)
                offer.allow_only(self.admissible(column, np.stack(children, axis=1)))

    def _asked_for_best_alone(self) -> list[str]:
        """The attributes of which only the best split is asked for: what is admissible and the
        average of C4.5 ask for more."""
        more = self.admissible is not None or self.grower.impurity == "c45"
        return [] if more else list(self.attributes)

    # -- settings that depend on the table ---------------------------------------------------------

    def _least_gain(self) -> Fraction:
        """min_gain as a total: it is given per record of the table (as a ratio for gain ratio)."""
        least = Fraction(self.grower.min_gain)
        if self.grower.impurity in ("gain-ratio", "c45"):
            return least
        unit = Fraction(self.grower.response_step or 1.0)
        return least * self.engine.n_rows() / (unit * unit)

    def _orders_to_store(self, grower: Grower) -> dict[str, tuple[str | None, ...]]:
        """Columns with too many categories to try all subsets: by share of the largest class.

        With a guard it is the share of all that a category is kept together with: the order is
        published, and shall not tell of a category that one person has.
        """
        if self.regression or grower.categories == "multiway":
            return {}
        assert isinstance(self.response, Classes)
        if len(self.response.labels) <= 2:
            return {}
        many = [a for a in self.attributes if self._is_category_of_over(a, EXHAUSTIVE_UP_TO)]
        if not many:
            return {}
        (tallies,) = self.engine.tally(many, [()], self.response.column)
        orders = {}
        for attribute in many:
            weights, domain = tallies[attribute].weights, self.engine.domain(attribute)
            units = self._units(attribute, domain, tallies[attribute])
            if units is not None:
                weights = summed(weights, units)[units]
            largest = weights[:, int(tallies[attribute].weights.sum(axis=0).argmax())]
            shares = np.stack([weights.sum(axis=1) - largest, largest], axis=1)
            codes = tallies[attribute].codes[order_by_mean(shares, regression=False)]
            values = map(domain.value, codes.tolist())
            orders[attribute] = tuple(None if v is None else str(v) for v in values)
        return orders

    def _is_category_of_over(self, attribute: str, size: int) -> bool:
        domain = self.engine.domain(attribute)
        return domain.kind is Kind.CATEGORY and domain.size > size

    def _refuse_what_cannot_grow(self) -> None:
        for attribute in self.attributes:
            if self._is_category_of_over(attribute, MOST_CATEGORIES):
                raise UsageError(
                    f"Column '{attribute}' has {self.engine.domain(attribute).size} categories; "
                    f"a tree takes at most {MOST_CATEGORIES}.",
                    f"it looks like an identifier: {param('identifier', attribute)} or "
                    f"{param('drop', attribute)}.",
                )
