"""The best candidate of a node: floats first, exact comparison for what they cannot tell apart.

`candidates` lists the splits that a node could have, `impurity` scores them; `grow` compares the
choices of different nodes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from privet.arrays import Booleans, Integers, distinct
from privet.tree.candidates import AllSubsets, Candidates, Cuts, OneBranchEach
from privet.tree.cuts_in_order import CutsInOrder, worth_streaming
from privet.tree.impurity import Approximate, ImpurityRule, Weights

_Near = tuple[Candidates, int, tuple[Weights, ...], float]  # a candidate with children and score

NEAR = 1e-9  # relative distance below which gains are compared exactly


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

    @property
    def may_be_passed_over(self) -> bool:
        """Whether growth goes on with others where this split makes too many leaves. If it stops, a
        smaller tree is the beginning of a larger one."""
        return False

    @cached_property
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
        mine, theirs = self.exact, other.exact
        if mine != theirs:
            return bool(mine > theirs)
        return older


@dataclass(eq=False)
class Offer:
    """The candidates of one attribute, the weights of its values, and which candidates may be
    taken (all, unless somebody forbids some)."""

    candidates: Candidates
    weights: Integers
    legal: Booleans | None = None

    def allow_only(self, these: Booleans) -> None:
        self.legal = these if self.legal is None else self.legal & these


def choose(
    offered: Sequence[Offer], parent: Weights, rule: ImpurityRule, least: Fraction, min_leaf: int
) -> Choice | None:
    """The best legal candidate of a node whose children have at least `min_leaf` records each and
    whose gain is above zero and at least `least`."""
    whole = np.array(parent, dtype=np.int64)
    if rule.whole_classes_first and whole.max() == 1:
        settled, best = _first_that_may_be(offered, parent, rule, least, min_leaf)
        if settled:
            return best
    telling = rule.telling(whole)
    if len(telling) == len(parent):
        return _best(offered, whole, rule, least, min_leaf)
    # a deep node has few of many classes: all others are left out until the choice is made
    few = [Offer(o.candidates, o.weights[:, telling], o.legal) for o in offered]
    best = _best(few, whole[telling], rule, least, min_leaf)
    if best is None:
        return None
    weights = next(o.weights for o in offered if o.candidates is best.candidates)
    (children,) = best.candidates.children_of(np.array([best.number]), weights)
    return replace(best, children=children, parent=parent)


def _first_that_may_be(
    offered: Sequence[Offer], parent: Weights, rule: ImpurityRule, least: Fraction, min_leaf: int
) -> tuple[bool, Choice | None]:
    """The choice where each class has one record, as with an identifier: no split parts a class,
    so all of them gain alike and the first one is taken. False if that is not plain."""
    n = sum(parent)
    for offer in offered:
        candidates, records = offer.candidates, rule.records(offer.weights)
        plain = isinstance(candidates, OneBranchEach)
        plain |= isinstance(candidates, Cuts) and candidates.domain.kind.is_ordered
        if not plain or offer.legal is not None or records.sum() != n:
            return False, None
        if isinstance(candidates, Cuts):
            left = np.cumsum(records)[candidates.after]
            legal = np.flatnonzero(np.minimum(left, n - left) >= min_leaf)
        else:
            legal = np.arange(int(records.min() >= min_leaf))
        if len(legal):
            (children,) = candidates.children_of(legal[:1], offer.weights)
            choice = Choice(candidates, int(legal[0]), children, parent, 1.0, 0.0, rule)
            return True, choice if rule.reaches(choice.exact, least) else None
    return True, None


def _best(
    offered: Sequence[Offer], whole: Integers, rule: ImpurityRule, least: Fraction, min_leaf: int
) -> Choice | None:
    parent = tuple(whole.tolist())
    streamed, others = _streamed_apart(offered, whole, rule, min_leaf)
    scored: list[_Scored | _Streamed] = [
        some
        for scored_in_one_go in (_scored_cuts, _scored_branches, _scored_subsets)
        for some in scored_in_one_go(others, whole, rule, min_leaf)
    ]
    scored += streamed
    best_score = max([0.0, *(some.best for some in scored)])
    error = max([0.0, *(some.error for some in scored)])
    floor = best_score - 2 * error - NEAR * best_score
    near = [
        Choice(candidates, number, children, parent, score, error, rule)
        for some in scored
        for candidates, number, children, score in some.near(floor, rule)
    ]
    return _first(near, rule, least)


@dataclass(frozen=True, eq=False)
class _Scored:
    """Legal candidates of some attributes with their scores."""

    offers: Sequence[Offer]
    which: Integers  # the offer of each candidate
    numbers: Integers  # its number in the offer
    found: Approximate

    @property
    def best(self) -> float:
        return float(self.found.scores.max())

    @property
    def error(self) -> float:
        return self.found.error

    def near(self, floor: float, rule: ImpurityRule) -> Iterator[_Near]:
        places = np.flatnonzero(self.found.scores >= floor)
        scores, which = self.found.scores[places], self.which[places]
        for place in distinct(which).tolist():
            candidates, weights = self.offers[place].candidates, self.offers[place].weights
            numbers, own_scores = self.numbers[places[which == place]], scores[which == place]
            if rule.whole_classes_first and isinstance(candidates, Cuts):
                kept = candidates.up_to_whole_classes(numbers, weights)
                numbers, own_scores = numbers[kept], own_scores[kept]
            children = candidates.children_of(numbers, weights)
            for number, score, own in zip(
                numbers.tolist(), own_scores.tolist(), children, strict=True
            ):
                yield candidates, number, own, score


@dataclass(frozen=True, eq=False)
class _Streamed:
    """The cuts of one column with very many values: their gains are not kept, but worked out again
    where they matter."""

    candidates: Cuts
    cuts: CutsInOrder
    best: float
    error: float

    def near(self, floor: float, rule: ImpurityRule) -> Iterator[_Near]:
        if self.best < floor:
            return
        whole = self.cuts.whole
        places, scores, lefts = self.cuts.from_gain(floor)
        cuts = self.candidates.its_cuts
        numbers = places if cuts is None else np.searchsorted(cuts, places)
        for number, score, left in zip(numbers.tolist(), scores.tolist(), lefts, strict=True):
            sides = tuple(left.tolist()), tuple((whole - left).tolist())
            yield self.candidates, number, sides, score


def _streamed_apart(
    offers: Sequence[Offer], whole: Integers, rule: ImpurityRule, min_leaf: int
) -> tuple[list[_Streamed], list[Offer]]:
    """The cuts of columns with very many values, and the offers that are left."""
    streamed: list[_Streamed] = []
    others: list[Offer] = []
    error = rule.error_of_stream(whole)
    for offer in offers:
        candidates = offer.candidates
        fits = isinstance(candidates, Cuts) and worth_streaming(offer.weights)
        if error is None or not fits:
            others.append(offer)
            continue
        assert isinstance(candidates, Cuts)
        weights = candidates.in_order(offer.weights)
        cuts = CutsInOrder(weights, whole, _allowed(offer, candidates), min_leaf)
        best, agrees = cuts.highest()
        if not agrees:
            others.append(offer)
        elif best > -np.inf:
            streamed.append(_Streamed(candidates, cuts, best, error))
    return streamed, others


def _allowed(offer: Offer, candidates: Cuts) -> Booleans:
    """For each value whether a cut may come after it; empty if all may."""
    if candidates.its_cuts is None and offer.legal is None:
        return np.zeros(0, dtype=bool)
    allowed = np.zeros(len(offer.weights), dtype=bool)
    allowed[candidates.after] = True if offer.legal is None else offer.legal
    return allowed


def _scored_cuts(
    offers: Sequence[Offer], whole: Integers, rule: ImpurityRule, min_leaf: int
) -> Iterator[_Scored]:
    """The cuts of all attributes at once, their values one below the other."""
    cuts = [
        (offer, offer.candidates)
        for offer in offers
        if isinstance(offer.candidates, Cuts) and _has_all_records(offer, whole)
    ]
    if not cuts:
        return
    weights = np.concatenate([candidates.in_order(offer.weights) for offer, candidates in cuts])
    lengths = np.array([len(offer.weights) for offer, _ in cuts])
    begins = np.cumsum(lengths) - lengths
    which = np.repeat(np.arange(len(cuts)), lengths)
    numbers = np.arange(len(weights)) - begins[which]
    n = int(rule.records(whole[None, :])[0])
    left = np.cumsum(rule.records(weights)) - n * which
    legal = np.minimum(left, n - left) >= min_leaf  # no cut after the last value: nothing is right
    for (offer, candidates), begin, length in zip(cuts, begins, lengths, strict=True):
        if len(candidates) < length - 1 or offer.legal is not None:
            legal[begin : begin + length] &= _allowed(offer, candidates)
            numbers[begin + candidates.after] = np.arange(len(candidates))
    rows = np.flatnonzero(legal)
    if len(rows):
        found = rule.cuts(weights, which, whole, rows)
        yield _Scored([offer for offer, _ in cuts], which[rows], numbers[rows], found)


def _has_all_records(offer: Offer, whole: Integers) -> bool:
    """Whether a column's counts add up to those of the node. Estimated ones need not."""
    return np.array_equal(offer.weights.sum(axis=0), whole)


def _scored_branches(
    offers: Sequence[Offer], whole: Integers, rule: ImpurityRule, min_leaf: int
) -> Iterator[_Scored]:
    """Candidates with one branch for each category, filled up with empty ones to as many."""
    n = int(rule.records(whole[None, :])[0])
    kept = [
        offer
        for offer in offers
        if isinstance(offer.candidates, OneBranchEach)
        and len(offer.weights) * min_leaf <= n
        and rule.records(offer.weights).min() >= min_leaf
        and (offer.legal is None or offer.legal[0])
    ]
    if not kept:
        return
    most = max(len(offer.weights) for offer in kept)
    children = np.zeros((most, len(kept), len(whole)), dtype=np.int64)
    for place, offer in enumerate(kept):
        children[: len(offer.weights), place] = offer.weights
    found = rule.approximate(list(children), whole)
    yield _Scored(kept, np.arange(len(kept)), np.zeros(len(kept), dtype=np.int64), found)


def _scored_subsets(
    offers: Sequence[Offer], whole: Integers, rule: ImpurityRule, min_leaf: int
) -> Iterator[_Scored]:
    """All subsets of few categories, and cuts of estimated counts, one attribute at a time."""
    for offer in offers:
        estimated = isinstance(offer.candidates, Cuts) and not _has_all_records(offer, whole)
        if not estimated and not isinstance(offer.candidates, AllSubsets):
            continue
        children = offer.candidates.spread(offer.weights)
        legal = np.minimum(*(rule.records(child) for child in children)) >= min_leaf
        rows = np.flatnonzero(legal if offer.legal is None else legal & offer.legal)
        if len(rows):
            found = rule.approximate([child[rows] for child in children], whole)
            yield _Scored([offer], np.zeros(len(rows), dtype=np.int64), rows, found)


def _first(near: list[Choice], rule: ImpurityRule, least: Fraction) -> Choice | None:
    """The first of candidates that floats cannot tell apart, or None if none gains anything."""
    if len(near) == 1 and least == 0 and near[0].score > near[0].error:
        return near[0]
    known: dict[tuple[Weights, ...], Any] = {}
    best: Choice | None = None
    best_exact: Any = None
    for choice in near:
        if choice.children not in known:
            known[choice.children] = choice.exact
        exact = known[choice.children]
        if best is not None and best_exact > exact:
            continue
        if best is None or exact > best_exact or choice.place < best.place:
            best, best_exact = choice, exact
    if best is None or not rule.reaches(best_exact, least):
        return None
    return best
