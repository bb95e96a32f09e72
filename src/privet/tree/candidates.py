"""The splits that a node could have, from the tallies of its attributes.

A set of candidates belongs to one attribute. All of them come from one order of the values (cut
once), from all subsets of few categories, or from one branch for each category. Each set turns the
tally of any column (`spread`) into counts of its candidates' children. `choose` takes the best
candidate of a node: floats first, exact comparison for what floats cannot tell apart.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine.protocol import Condition, Tally
from privet.schema import Kind
from privet.table import Domain
from privet.tree.impurity import ImpurityRule, Integers, Weights
from privet.tree.model import Multiway, Split, Subset, Threshold

NEAR = 1e-9  # relative distance below which gains are compared exactly
_SAFE_INTEGER = 2**53
_PORTION = 1 << 18  # candidates scored at once


@dataclass(frozen=True, eq=False)
class Candidates(ABC):
    """The candidates of one attribute in one node."""

    attribute: str
    index: int  # place of the attribute among those offered: breaks ties
    domain: Domain
    codes: Integers  # the codes that occur in the node, ascending

    @abstractmethod
    def spread(self, weights: Integers) -> list[Integers]:
        """Weights of each value summed up to weights of each child: one array a child, one row a
        candidate."""

    def portions(self, weights: Integers) -> Iterator[list[Integers]]:
        """`spread` in portions, in order: so many candidates never need so many arrays at once."""
        yield self.spread(weights)

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

    order: Integers  # positions in `codes`, lowest value first
    after: Integers  # cut after these positions of the order
    rank: Integers  # order of the domain's codes in which left sets are compared

    def spread(self, weights: Integers) -> list[Integers]:
        running = self._running(weights)
        left = running[self.after]
        return [left, running[-1] - left]

    def portions(self, weights: Integers) -> Iterator[list[Integers]]:
        running = self._running(weights)
        for start in range(0, max(len(self.after), 1), _PORTION):
            left = running[self.after[start : start + _PORTION]]
            yield [left, running[-1] - left]

    def _running(self, weights: Integers) -> Integers:
        in_order = weights if self.domain.kind.is_ordered else weights[self.order]
        return np.cumsum(in_order, axis=0)

    def _sides(self, number: int) -> tuple[Integers, Integers]:
        cut = int(self.after[number]) + 1
        return self.codes[self.order[:cut]], self.codes[self.order[cut:]]

    def tie_key(self, number: int) -> Any:
        if self.domain.kind.is_ordered:
            threshold = self._threshold(number)
            return (threshold is None, threshold or 0.0)
        left, _ = self._sides(number)
        inside = np.zeros(self.domain.size, dtype=np.uint8)
        inside[self.rank[left]] = 1
        return inside.tobytes()

    def _threshold(self, number: int) -> float | None:
        at = int(self.after[number])
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
) -> Candidates | None:
    """The candidates of an attribute; None where there is nothing to split.

    `stored_order` is the rank of each code for columns whose order is fixed by the grower.
    """
    if len(tally.codes) < 2:
        return None
    if domain.kind.is_ordered:
        order = np.arange(len(tally.codes))
        after = _separable(domain, tally.codes)
        return Cuts(attribute, index, domain, tally.codes, order, after, order)
    if multiway:
        return OneBranchEach(attribute, index, domain, tally.codes)
    everywhere = np.arange(len(tally.codes) - 1)
    if stored_order is not None:
        order = np.argsort(stored_order[tally.codes], kind="stable")
        return Cuts(attribute, index, domain, tally.codes, order, everywhere, stored_order)
    if regression or tally.weights.shape[1] == 2:
        order = order_by_mean(tally.weights, regression)
        rank = np.arange(domain.size)
        return Cuts(attribute, index, domain, tally.codes, order, everywhere, rank)
    return AllSubsets(attribute, index, domain, tally.codes, all_masks(len(tally.codes)))


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


def _separable(domain: Domain, codes: Integers) -> Integers:
    """Positions after which a float threshold can cut: all, but for huge neighbouring integers."""
    positions = np.arange(len(codes) - 1)
    if domain.kind is Kind.DECIMAL or len(domain.values) == 0:
        return positions
    ends = (int(domain.values[0]), int(domain.values[-1]))
    if max(map(abs, ends)) <= _SAFE_INTEGER:
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


def _labels(domain: Domain, codes: Integers) -> tuple[Any, ...]:
    return tuple(domain.value(code) for code in sorted(codes.tolist()))


# -- choosing ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Choice:
    """One candidate with its gain, as a float with a bound and exactly when asked."""

    candidates: Candidates
    number: int
    children: tuple[Weights, ...]
    parent: Weights
    score: float
    error: float
    rule: ImpurityRule

    def exact(self) -> Any:
        return self.rule.exact(self.children, self.parent)

    @property
    def place(self) -> tuple[int, Any]:
        """What decides among equal gains: the attribute, then the threshold or left set."""
        return self.candidates.index, self.candidates.tie_key(self.number)

    def beats(self, other: "Choice", older: bool) -> bool:
        """Whether this choice of one node comes before that of another; among equal gains that of
        the older node does. `older` says whether this node is the older one."""
        slack = self.error + other.error + NEAR * max(abs(self.score), abs(other.score))
        if abs(self.score - other.score) > slack:
            return self.score > other.score
        mine, theirs = self.exact(), other.exact()
        if mine != theirs:
            return bool(mine > theirs)
        return older


def choose(
    offered: Sequence[tuple[Candidates, Integers]],
    legal: Sequence[npt.NDArray[np.bool_]],
    parent: Weights,
    rule: ImpurityRule,
    least: Fraction,
) -> Choice | None:
    """The best legal candidate of a node whose gain is above zero and at least `least`."""
    best_score, worst_error = 0.0, 0.0
    scored = []
    whole = np.array(parent, dtype=np.int64)
    for (candidates, weights), allowed in zip(offered, legal, strict=True):
        if not allowed.any():
            continue
        found = [rule.approximate(part, whole) for part in candidates.portions(weights)]
        scores = np.where(allowed, np.concatenate([f.scores for f in found]), -np.inf)
        error = max(f.error for f in found)
        scored.append((candidates, weights, scores, error))
        best_score = max(best_score, float(scores.max()))
        worst_error = max(worst_error, error)
    floor = best_score - 2 * worst_error - NEAR * best_score
    near: list[Choice] = []
    for candidates, weights, scores, error in scored:
        numbers = np.flatnonzero(scores >= floor)
        if len(numbers) == 0:
            continue
        children = [child[numbers].tolist() for child in candidates.spread(weights)]
        for place, number in enumerate(numbers.tolist()):
            parts = tuple(tuple(child[place]) for child in children)
            score = float(scores[number])
            near.append(Choice(candidates, number, parts, parent, score, error, rule))
    return _first(near, rule, least)


def _first(near: list[Choice], rule: ImpurityRule, least: Fraction) -> Choice | None:
    """The first of candidates that floats cannot tell apart, or None if none gains anything."""
    if len(near) == 1 and least == 0 and near[0].score > near[0].error:
        return near[0]
    known: dict[tuple[Weights, ...], Any] = {}
    best: Choice | None = None
    best_exact: Any = None
    for choice in near:
        if choice.children not in known:
            known[choice.children] = choice.exact()
        exact = known[choice.children]
        if best is not None and best_exact > exact:
            continue
        if best is None or exact > best_exact or choice.place < best.place:
            best, best_exact = choice, exact
    if best is None or not rule.reaches(best_exact, least):
        return None
    return best
