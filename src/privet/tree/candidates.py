"""The splits that a node could have, from the tallies of its attributes.

A set of candidates belongs to one attribute. All of them come from one order of the values (cut
once), from all subsets of few categories, or from one branch for each category. Each set turns the
tally of any column (`spread`) into counts of its candidates' children. `choose` takes the best
candidate of a node.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats, Integers
from privet.engine.protocol import Condition, Tally
from privet.schema import Kind
from privet.table import Domain
from privet.tree.impurity import Weights
from privet.tree.model import Multiway, Split, Subset, Threshold

_SAFE_INTEGER = 2**53


@dataclass(frozen=True, eq=False)
class Candidates(ABC):
    """The candidates of one attribute in one node."""

    attribute: str
    index: int  # place of the attribute among those offered: breaks ties
    domain: Domain
    codes: Integers  # the codes that occur in the node, ascending

    @abstractmethod
    def __len__(self) -> int:
        """How many candidates there are."""

    @abstractmethod
    def spread(self, weights: Integers) -> list[Integers]:
        """Weights of each value summed up to weights of each child: one array a child, one row a
        candidate."""

    def children_of(self, numbers: Integers, weights: Integers) -> list[tuple[Weights, ...]]:
        """The weights of the children of some candidates."""
        by_child = [child[numbers].tolist() for child in self.spread(weights)]
        return [tuple(map(tuple, children)) for children in zip(*by_child, strict=True)]

    @abstractmethod
    def tie_key(self, number: int) -> Any:
        """Among equal gains on one attribute the smallest key wins, in any node."""

    @abstractmethod
    def split(self, number: int) -> Split: ...

    def conditions(self, number: int) -> list[Condition]:
        """What a record must satisfy to go to each child."""
        return self.split(number).conditions(self.domain)


@dataclass(frozen=True, eq=False)
class Cuts(Candidates):
    """Values in one order, cut once: thresholds, or categories by mean or by a stored order."""

    its_order: Integers | None  # positions in `codes`, lowest value first; None: as they are
    its_cuts: Integers | None  # cut after these positions of the order; None: after each
    rank: Integers  # order of the domain's codes in which left sets are compared

    def __len__(self) -> int:
        return len(self.codes) - 1 if self.its_cuts is None else len(self.its_cuts)

    @cached_property
    def order(self) -> Integers:
        return np.arange(len(self.codes)) if self.its_order is None else self.its_order

    @cached_property
    def after(self) -> Integers:
        return np.arange(len(self.codes) - 1) if self.its_cuts is None else self.its_cuts

    def in_order(self, weights: Integers) -> Integers:
        return weights if self.its_order is None else weights[self.its_order]

    def spread(self, weights: Integers) -> list[Integers]:
        running = np.cumsum(self.in_order(weights), axis=0)
        left = running[self.after]
        return [left, running[-1] - left]

    def children_of(self, numbers: Integers, weights: Integers) -> list[tuple[Weights, ...]]:
        if len(numbers) > 1:
            return super().children_of(numbers, weights)
        in_order, cut = self.in_order(weights), self._cut(int(numbers[0])) + 1
        sides = in_order[:cut].sum(axis=0), in_order[cut:].sum(axis=0)
        return [tuple(tuple(side.tolist()) for side in sides)]

    def up_to_whole_classes(self, numbers: Integers, weights: Integers) -> Integers:
        """Places of the numbers that can be best where no score is above that of a cut that parts
        no class: the first such cut alone, or all if there is none. Tables with a class for each
        record have very many such cuts."""
        every = np.arange(len(numbers))
        if len(numbers) < 2 or not self.domain.kind.is_ordered:  # others tie in another order
            return every
        left, right = self.spread(weights)
        whole = ((left[numbers] == 0) | (right[numbers] == 0)).all(axis=1)
        return every[whole][:1] if whole.any() else every

    def _sides(self, number: int) -> tuple[Integers, Integers]:
        cut = self._cut(number) + 1
        return self.codes[self.order[:cut]], self.codes[self.order[cut:]]

    def _cut(self, number: int) -> int:
        return number if self.its_cuts is None else int(self.its_cuts[number])

    def tie_key(self, number: int) -> Any:
        if self.domain.kind.is_ordered:
            threshold = self._threshold(number)
            return (threshold is None, threshold or 0.0)
        left, _ = self._sides(number)
        inside = np.zeros(self.domain.size, dtype=np.uint8)
        inside[self.rank[left]] = 1
        return inside.tobytes()

    def _threshold(self, number: int) -> float | None:
        at = self._cut(number)
        low, high = int(self.codes[at]), int(self.codes[at + 1])
        if high == self.domain.missing_code:
            return None
        return midpoint(self.domain.values[low].item(), self.domain.values[high].item())

    def split(self, number: int) -> Split:
        if self.domain.kind.is_ordered:
            return Threshold(self.attribute, self.domain.kind, self._threshold(number))
        left, right = self._sides(number)
        return Subset(self.attribute, _labels(self.domain, left), _labels(self.domain, right))


@dataclass(frozen=True, eq=False)
class AllSubsets(Candidates):
    """Every division of the categories in two, the first category always left."""

    masks: npt.NDArray[np.bool_]  # candidates x values: goes left

    def __len__(self) -> int:
        return len(self.masks)

    def spread(self, weights: Integers) -> list[Integers]:
        left = self.masks.astype(np.int64) @ weights
        return [left, weights.sum(axis=0) - left]

    def tie_key(self, number: int) -> Any:
        inside = np.zeros(self.domain.size, dtype=np.uint8)
        inside[self.codes[self.masks[number]]] = 1
        return inside.tobytes()

    def split(self, number: int) -> Split:
        mask = self.masks[number]
        left, right = self.codes[mask], self.codes[~mask]
        return Subset(self.attribute, _labels(self.domain, left), _labels(self.domain, right))


@dataclass(frozen=True, eq=False)
class OneBranchEach(Candidates):
    """The one candidate of a multiway split."""

    def __len__(self) -> int:
        return 1

    def spread(self, weights: Integers) -> list[Integers]:
        return [weights[i : i + 1] for i in range(len(self.codes))]

    def tie_key(self, number: int) -> Any:
        return b""

    def split(self, number: int) -> Split:
        return Multiway(self.attribute, _labels(self.domain, self.codes))


def candidates_of(
    attribute: str,
    index: int,
    domain: Domain,
    tally: Tally,
    multiway: bool,
    regression: bool,
    stored_order: Integers | None,
    units: Integers | None = None,
) -> Candidates | None:
    """The candidates of an attribute; None where there is nothing to split.

    `stored_order` is the rank of each code for columns whose order is fixed by the grower. `units`
    numbers the values that must stay together (`guard`); None lets every value stand alone.
    """
    if len(tally.codes) < 2 or (units is not None and not units.any()):
        return None
    if domain.kind.is_ordered:
        cuts = _thresholds(domain, tally.codes, units)
        return Cuts(attribute, index, domain, tally.codes, None, cuts, tally.codes)
    if multiway:
        # a branch holds one category, so there is no such split where some must stay together
        return OneBranchEach(attribute, index, domain, tally.codes) if units is None else None
    alone = units is None
    units = np.arange(len(tally.codes)) if units is None else units
    if stored_order is not None:
        ranks = stored_order[tally.codes]
        order_of_units = _first_seen(units[np.argsort(ranks)])
        rank = stored_order
    elif regression or tally.weights.shape[1] == 2:
        of_units = tally.weights if alone else summed(tally.weights, units)
        order_of_units = order_by_mean(of_units, regression)
        rank = np.arange(domain.size)
    else:
        masks = all_masks(int(units.max()) + 1)
        return AllSubsets(attribute, index, domain, tally.codes, masks[:, units])
    # the values of a unit side by side, and a cut wherever the unit changes
    order = (
        order_of_units if alone else np.argsort(np.argsort(order_of_units)[units], kind="stable")
    )
    after = np.flatnonzero(np.diff(units[order]))
    return Cuts(attribute, index, domain, tally.codes, order, after, rank)


def _thresholds(domain: Domain, codes: Integers, units: Integers | None) -> Integers | None:
    """Positions after which a threshold may stand; None if it may after each."""
    if units is None and all_separable(domain):
        return None
    cuts = separable(domain, codes)
    return cuts if units is None else cuts[units[cuts] != units[cuts + 1]]


def _first_seen(units: Integers) -> Integers:
    """Each unit once, in the order of its first value."""
    distinct, first = np.unique(units, return_index=True)
    return np.asarray(distinct[np.argsort(first)])


def summed(weights: Integers, units: Integers) -> Integers:
    """The weights of each unit, from those of its values."""
    total = np.zeros((int(units.max()) + 1, weights.shape[1]), dtype=np.int64)
    np.add.at(total, units, weights)
    return total


def order_by_mean(weights: Integers, regression: bool) -> Integers:
    """Positions by exact share of the last class (or exact mean response), then by position."""
    above = weights[:, 1]
    below = weights[:, 0] if regression else weights.sum(axis=1)
    means = above / below
    order = np.argsort(means, kind="stable")
    ranked = means[order]
    close = np.diff(ranked) <= 1e-12 * np.abs(ranked).max(initial=0.0)
    if not close.any():
        return order
    exact: list[int] = []
    run: list[int] = []
    for place, position in enumerate(order.tolist()):
        run.append(position)
        if place == len(close) or not close[place]:
            run.sort(key=lambda p: (Fraction(int(above[p]), int(below[p])), p))
            exact += run
            run = []
    return np.array(exact, dtype=np.int64)


def rank_in(domain: Domain, order: Sequence[str | None]) -> Integers:
    """The place of each code of a domain in a stored order of labels.

    Ranks have no gaps: the order may name categories that this table does not have.
    """
    place = {label: number for number, label in enumerate(order)}
    values = [domain.value(code) for code in range(domain.size)]
    known = [place.get(None if v is None else str(v), len(place)) for v in values]
    return np.argsort(np.argsort(known, kind="stable"), kind="stable")


def all_masks(n: int) -> npt.NDArray[np.bool_]:
    """Every way to send the first of n values left and at least one right."""
    numbers = np.arange(2 ** (n - 1) - 1)
    rest = (numbers[:, None] >> np.arange(n - 1)) & 1
    return np.hstack([np.ones((len(numbers), 1), dtype=bool), rest.astype(bool)])


def midpoint(low: float, high: float) -> float:
    """The threshold between two neighbouring values: their mean in float64, below the upper one.

    Neighbouring floats have no number between them; then the lower one separates them.
    """
    middle = (low + high) / 2
    if middle in (float("inf"), float("-inf")):
        middle = low / 2 + high / 2
    return (float(low) if middle >= high else middle) + 0.0  # -0.0 is 0.0


def midpoints(low: npt.NDArray[Any], high: npt.NDArray[Any]) -> Floats:
    """`midpoint` of many pairs."""
    both = np.append(low, high)
    if both.dtype.kind == "i" and ((both > _SAFE_INTEGER) | (both < -_SAFE_INTEGER)).any():
        pairs = zip(low.tolist(), high.tolist(), strict=True)  # float64 would round too soon
        return np.array([midpoint(a, b) for a, b in pairs])
    with np.errstate(over="ignore"):
        middle = (low + high) / 2
    middle = np.where(np.isinf(middle), low / 2 + high / 2, middle)
    return np.where(middle >= high, low, middle) + 0.0


def separable(domain: Domain, codes: Integers) -> Integers:
    """Positions after which a float threshold can cut: all, but for huge neighbouring integers."""
    positions = np.arange(len(codes) - 1)
    if all_separable(domain):
        return positions
    keep = []
    for position in positions.tolist():
        low, high = int(codes[position]), int(codes[position + 1])
        if high != domain.missing_code:
            a, b = int(domain.values[low]), int(domain.values[high])
            if not a <= midpoint(a, b) < b:
                continue
        keep.append(position)
    return np.array(keep, dtype=np.int64)


def all_separable(domain: Domain) -> bool:
    """Whether a float threshold can cut between any two values."""
    if domain.kind is Kind.DECIMAL or len(domain.values) == 0:
        return True
    ends = (int(domain.values[0]), int(domain.values[-1]))
    return max(map(abs, ends)) <= _SAFE_INTEGER


def _labels(domain: Domain, codes: Integers) -> tuple[Any, ...]:
    return tuple(domain.value(code) for code in sorted(codes.tolist()))
