"""Pruning: smaller trees out of a grown one, for analysis and comparison.

A release states its number of leaves and is never pruned; these are the two ways in which others
prune. `pessimistic` is C4.5's (subtree replacement, confidence 0.25). `cost_complexity_sequence`
is the weakest-link sequence of CART with exact strengths. `choose_alpha` takes the one of its
trees that cross-validation likes. `by_leaving_out` cuts what is chance, for trees of many classes.
All of it works on the counts in the nodes.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privet.errors import InvalidParameter, UsageError, param
from privet.schema import Schema
from privet.table import Table
from privet.tree.cross_validation import FOLDS, deal_folds
from privet.tree.model import Node, Tree

Pruning = Literal["none", "pessimistic", "cost-complexity"]
PRUNINGS: tuple[str, ...] = get_args(Pruning)
CONFIDENCE = 0.25

# C4.5's table: one-sided confidence and the matching deviation of the normal law.
_LEVELS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
_WORTH_IT = 0.1  # C4.5 replaces a subtree that is better by no more than this many errors


def prune(tree: Tree, method: Pruning, alpha: Fraction | float | None = None) -> Tree:
    """The tree pruned; cost-complexity needs an alpha (`choose_alpha` finds one)."""
    match method:
        case "none":
            return tree
        case "pessimistic":
            return pessimistic(tree)
        case "cost-complexity":
            if alpha is None:
                raise UsageError(
                    "Cost-complexity pruning needs an alpha.", "choose_alpha finds one."
                )
            return at_alpha(cost_complexity_sequence(tree), Fraction(alpha)).tree
    raise InvalidParameter("prune", "one of " + ", ".join(PRUNINGS), method)


def cut_below(tree: Tree, leaves: Collection[int]) -> Tree:
    """The tree with these nodes made leaves; ids are numbered anew in the order of creation."""
    kept: list[Node] = []
    alive = {0}
    for node in tree.nodes:
        if node.id not in alive:
            continue
        if node.id in leaves:
            node = replace(node, split=None, children=())
        alive |= set(node.children)
        kept.append(node)
    new_id = {node.id: place for place, node in enumerate(kept)}
    nodes = tuple(
        replace(
            node,
            id=new_id[node.id],
            parent=None if node.parent is None else new_id[node.parent],
            children=tuple(new_id[c] for c in node.children),
        )
        for node in kept
    )
    used = {node.split.attribute for node in nodes if node.split is not None}
    kinds = {name: kind for name, kind in tree.kinds.items() if name in used or name == tree.target}
    n_leaves = sum(node.is_leaf for node in nodes)
    return replace(tree, nodes=nodes, kinds=kinds, grower=replace(tree.grower, leaves=n_leaves))


# -- pessimistic ---------------------------------------------------------------------------------


def pessimistic(tree: Tree, confidence: float = CONFIDENCE) -> Tree:
    """C4.5's error-based pruning by subtree replacement (its subtree raising is not done).

    From the bottom up a subtree becomes a leaf if the errors expected of the leaf are at most
    those expected of the subtree plus 0.1. Expected are the errors seen plus `extra_errors`.
    """
    if tree.classes is None:
        raise UsageError(
            "Pessimistic pruning is for classes; this is a regression tree.",
            f"use {param('prune', 'cost-complexity')}.",
        )
    if not 0 < confidence < 1:
        raise InvalidParameter("confidence", "between 0 and 1", confidence)
    expected: dict[int, float] = {}
    leaves = set()
    for node in reversed(tree.nodes):  # children come after their parents
        errors = sum(node.weights) - max(node.weights)
        as_leaf = errors + extra_errors(sum(node.weights), errors, confidence)
        below = sum(expected[c] for c in node.children)
        if node.is_leaf or as_leaf <= below + _WORTH_IT:
            leaves.add(node.id)
            expected[node.id] = as_leaf
        else:
            expected[node.id] = below
    return cut_below(tree, leaves)


def by_leaving_out(tree: Tree) -> Tree:
    """Subtrees become leaves that, each record left out of the counts in turn, do not guess clearly
    more rightly than the leaf does with all: what only fits its own records goes, however many
    classes there are.

    Clearly is by two standard deviations: of the records that one guesses rightly and the other
    does not, b by the subtree and c by the leaf, (b - c)^2 > 4 (b + c).
    """
    right: dict[int, npt.NDArray[np.int64]] = {}  # by class
    leaves = set()
    for node in reversed(tree.nodes):
        weights = np.array(node.weights, dtype=np.int64)
        right[node.id] = _right_if_left_out(weights)
        if node.is_leaf:
            leaves.add(node.id)
            continue
        below = np.sum([right[c] for c in node.children], axis=0)
        as_leaf = np.where(np.arange(len(weights)) == weights.argmax(), weights, 0)
        better = int(np.maximum(below - as_leaf, 0).sum())
        worse = int(np.maximum(as_leaf - below, 0).sum())
        if better > worse and (better - worse) ** 2 > 4 * (better + worse):
            right[node.id] = below
        else:
            leaves.add(node.id)
    return cut_below(tree, leaves)


def _right_if_left_out(weights: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """By class, the records guessed rightly: those of the commonest class, if it is still the
    commonest without one of them."""
    found = np.zeros_like(weights)
    first = int(weights.argmax())
    others = np.delete(weights, first)
    if weights[first] > int(others.max(initial=0)) + 1:
        found[first] = weights[first]
    return found


def extra_errors(records: float, errors: float, confidence: float = CONFIDENCE) -> float:
    """What C4.5 adds to the errors of a leaf: up to the upper bound of a binomial share.

    Without errors the bound is exact, n (1 - cf^(1/n)). Below one error it runs in a straight line
    from there to the bound at one error. Up to half a record from all wrong it is 0.67 of the
    records left. Else it is the normal approximation with a continuity correction of one half,
    with the deviation read off C4.5's table by straight lines.
    """
    if errors < 1e-6:
        return records * -math.expm1(math.log(confidence) / records)
    if errors < 0.9999:
        at_zero = extra_errors(records, 0.0, confidence)
        return at_zero + errors * (extra_errors(records, 1.0, confidence) - at_zero)
    if errors + 0.5 >= records:
        return 0.67 * (records - errors)
    squared = _deviation(confidence) ** 2
    seen = errors + 0.5
    root = math.sqrt(squared * (seen * (1 - seen / records) + squared / 4))
    share = (seen + squared / 2 + root) / (records + squared)
    return records * share - errors


def _deviation(confidence: float) -> float:
    place = next(i for i in range(1, len(_LEVELS)) if confidence <= _LEVELS[i])
    low, high = _LEVELS[place - 1], _LEVELS[place]
    start, end = _DEVIATIONS[place - 1], _DEVIATIONS[place]
    return start + (end - start) * (confidence - low) / (high - low)


# -- cost-complexity -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Link:
    """One tree of the sequence: the best one for penalties from `alpha` up to the next link's."""

    alpha: Fraction
    whole: Tree
    cut: frozenset[int]  # inner nodes of the whole tree that are leaves here, or lie below one

    @property
    def tree(self) -> Tree:
        return cut_below(self.whole, self.cut)

    def leaf_above(self) -> npt.NDArray[np.int64]:
        """For each node of the whole tree, the leaf of this one that holds its records."""
        above = np.arange(len(self.whole.nodes))
        for node in self.whole.nodes:
            if node.parent is not None and node.parent in self.cut:
                above[node.id] = above[node.parent]
        return above


def cost_complexity_sequence(tree: Tree) -> list[Link]:
    """The weakest-link sequence, from the least tree of full accuracy to the root alone.

    The cost of a node is its share of all records that it gets wrong, or its squared deviations
    over all records. The strength of a subtree is the cost it saves for each leaf it adds. All
    weakest subtrees go at once. Strengths are fractions, so that equal ones are equal.
    """
    chain = _Chain(tree)
    links = []
    alpha = Fraction(0)
    while True:
        while chain.strengths and chain.weakest() <= alpha:
            chain.collapse_weakest()
        links.append(Link(alpha, tree, frozenset(chain.cut)))
        if not chain.strengths:
            return links
        alpha = chain.weakest()


def at_alpha(sequence: list[Link], alpha: Fraction) -> Link:
    """The link of a sequence for a penalty."""
    if alpha < 0:
        raise InvalidParameter("alpha", "a number from 0 on", float(alpha))
    return [link for link in sequence if link.alpha <= alpha][-1]


class _Chain:
    """A tree that loses its weakest subtree again and again."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.costs = _costs(tree)
        self.saved: dict[int, Fraction] = {}  # by the subtree of a node
        self.added: dict[int, int] = {}  # leaves that the subtree has more than its node alone
        self.strengths: dict[int, Fraction] = {}
        self.cut: set[int] = set()
        for node in reversed(tree.inner):
            below = [self.costs[c] - self.saved.get(c, 0) for c in node.children]
            self.saved[node.id] = self.costs[node.id] - sum(below)
            more = sum(self.added.get(c, 0) for c in node.children)
            self.added[node.id] = more + len(node.children) - 1
            self.strengths[node.id] = self.saved[node.id] / self.added[node.id]

    def weakest(self) -> Fraction:
        return min(self.strengths.values())

    def collapse_weakest(self) -> None:
        weakest = min(self.strengths, key=lambda i: (self.strengths[i], i))
        saved, added = self.saved[weakest], self.added[weakest]
        waiting = [weakest]
        while waiting:
            node = waiting.pop()
            if self.strengths.pop(node, None) is not None:
                self.cut.add(node)
                waiting += self.tree.nodes[node].children
        above = self.tree.nodes[weakest].parent
        while above is not None:
            self.saved[above] -= saved
            self.added[above] -= added
            self.strengths[above] = self.saved[above] / self.added[above]
            above = self.tree.nodes[above].parent


def _costs(tree: Tree) -> list[Fraction]:
    total = tree.records(tree.root)
    if tree.classes is not None:
        return [Fraction(sum(n.weights) - max(n.weights), total) for n in tree.nodes]
    # Squared deviations up to a constant: the squares themselves cancel in every saving.
    unit = Fraction(tree.step or 1.0) ** 2 / total
    return [-Fraction(s * s, n) * unit for n, s in (node.weights for node in tree.nodes)]


# -- cross-validation ----------------------------------------------------------------------------

GrowOn = Callable[[Table], Tree]


def choose_alpha(tree: Tree, table: Table, schema: Schema, grow_on: GrowOn) -> Fraction:
    """The largest alpha of the sequence whose error is within one standard error of the least.

    Ten folds; `grow_on` grows a tree from the other nine with the same settings. Between two
    alphas of the sequence their geometric mean is tried, as in CART. Folds are dealt along the
    records sorted by target, then by the other columns, so that row order does not matter.
    """
    sequence = cost_complexity_sequence(tree)
    if len(sequence) == 1:
        return sequence[0].alpha
    folds = deal_folds(table, schema, min(FOLDS, table.n_rows))
    tried = [_between(sequence, place) for place in range(len(sequence))]
    losses = np.zeros((len(tried), table.n_rows))
    for fold in range(int(folds.max()) + 1):
        held_out = np.flatnonzero(folds == fold)
        of_fold = grow_on(table.take(np.flatnonzero(folds != fold)))
        links = cost_complexity_sequence(of_fold)
        reached = of_fold.leaf_of_rows(table.take(held_out))
        loss = _losses(of_fold, table.take(held_out))
        for place, alpha in enumerate(tried):
            leaves = at_alpha(links, alpha).leaf_above()[reached]
            losses[place, held_out] = loss(leaves)
    return sequence[_one_standard_error(losses)].alpha


def _between(sequence: list[Link], place: int) -> Fraction:
    low = sequence[place].alpha
    if place + 1 == len(sequence):
        return low
    high = sequence[place + 1].alpha
    return min(max(high * Fraction(math.sqrt(low / high)), low), high)


def _losses(tree: Tree, table: Table) -> Callable[[npt.NDArray[np.int64]], npt.NDArray[Any]]:
    """From the node that predicts each record: 1 for a wrong class, or the squared error."""
    column = table[tree.target]
    if tree.classes is not None:
        winners = np.array([node.weights.index(max(node.weights)) for node in tree.nodes])
        return lambda nodes: (winners[nodes] != column.codes).astype(np.float64)
    numbers = column.domain.values.astype(np.float64)
    largest = float(np.abs(numbers).max(initial=0.0)) or 1.0  # in this unit no square overflows
    means = np.array([tree.mean(node) for node in tree.nodes]) / largest
    truth = (numbers / largest)[column.codes]
    return lambda nodes: np.asarray((means[nodes] - truth) ** 2)


def _one_standard_error(losses: npt.NDArray[Any]) -> int:
    # Sums by `fsum` do not depend on the order of the records.
    n = losses.shape[1]
    means = [math.fsum(row) / n for row in losses]
    best = means.index(min(means))
    spread = math.fsum((losses[best] - means[best]) ** 2) / n
    allowed = means[best] + math.sqrt(spread / n)
    return max(place for place, mean in enumerate(means) if mean <= allowed)
