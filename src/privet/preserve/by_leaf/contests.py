"""Candidates of a recoded column against the splits that a tree has.

A `NodeSeen` is a node of a tree as one column sees it: the groups below it and the splits that the
column's candidates must not beat (`KeptSplit`): in an inner node the split of that node, in a leaf
every split that was made after the leaf was born. `Offered` are the candidates in one node; it
compares gains as the grower does, floats first and exactly where floats cannot tell.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from privet.arrays import Booleans, Integers
from privet.tree.candidates import Candidates, Cuts
from privet.tree.choose import NEAR
from privet.tree.impurity import ImpurityRule, Weights
from privet.tree.model import Node, Threshold


@dataclass(frozen=True, eq=False)
class KeptSplit:
    """A split of a tree that candidates of the column must not beat."""

    node: Node
    index: int  # of its attribute, in the order that breaks ties
    children: tuple[Weights, ...]
    rule: ImpurityRule

    @cached_property
    def score(self) -> float:
        return self._approximate[0]

    @cached_property
    def error(self) -> float:
        return self._approximate[1]

    @property
    def _approximate(self) -> tuple[float, float]:
        return _gain_and_error(self.rule, self.children, self.node.weights)

    @cached_property
    def exact(self) -> Any:
        return self.rule.exact(self.children, self.node.weights)

    @cached_property
    def own_slack(self) -> float:
        """How near gains may be to this one before they are compared exactly."""
        return self.slack(self.score, self.error)

    def slack(self, score: float, error: float) -> float:
        """How near floats may come before gains are compared exactly."""
        return self.error + error + NEAR * max(abs(score), abs(self.score))


@lru_cache(maxsize=4096)  # every column of every size asks for the splits of one tree
def _gain_and_error(
    rule: ImpurityRule, children: tuple[Weights, ...], parent: Weights
) -> tuple[float, float]:
    rows = [np.array([child], dtype=np.int64) for child in children]
    found = rule.approximate(rows, np.array(parent, dtype=np.int64))
    return float(found.scores[0]), found.error


@dataclass(frozen=True, eq=False)
class NodeSeen:
    """A node of a tree as one column sees it."""

    tree: int
    node: Node
    groups: Integers
    sides: tuple[Integers, ...]  # groups below each child, where the node splits this column
    kept_splits: tuple[KeptSplit, ...]

    @property
    def own(self) -> bool:
        """Whether the tree splits this very column here."""
        return bool(self.sides)

    @cached_property
    def least(self) -> float:
        """The least gain of the kept splits."""
        return min(kept.score for kept in self.kept_splits)

    @cached_property
    def floor(self) -> float:
        """A candidate that stays below it neither beats nor ties with any kept split."""
        return self.least - 2 * max(kept.slack(self.least, kept.error) for kept in self.kept_splits)

    @property
    def threshold(self) -> float | None:
        split = self.node.split
        return split.threshold if self.own and isinstance(split, Threshold) else None


@dataclass(frozen=True, eq=False)
class Offered:
    """The candidates of the recoded column in one node."""

    seen: NodeSeen
    candidates: Candidates
    children: list[Integers]
    legal: Booleans

    def left_codes(self, number: int) -> Integers:
        if isinstance(self.candidates, Cuts):
            cut = int(self.candidates.after[number]) + 1
            return np.sort(self.candidates.codes[self.candidates.order[:cut]])
        masks = getattr(self.candidates, "masks", None)
        codes = self.candidates.codes
        return codes[:1] if masks is None else codes[masks[number]]

    def winners(
        self, keys: dict[tuple[int, int], Any], chosen: int | None
    ) -> Iterator[tuple[int, bool]]:
        """Candidates that beat a kept split (False), or that only tie and lose by place (True)."""
        kept_splits = self.seen.kept_splits
        rule = kept_splits[0].rule
        parent = self.seen.node.weights
        found = rule.approximate(self.children, np.array(parent, dtype=np.int64))
        least = self.seen.least
        floor = least - max(o.slack(least, found.error) for o in kept_splits)
        for number in np.flatnonzero(self.legal & (found.scores >= floor)).tolist():
            if number == chosen:
                continue
            results = [
                self._against(kept_split, number, float(found.scores[number]), found.error, keys)
                for kept_split in kept_splits
            ]
            if "wins" in results:
                yield number, False
            elif "ties" in results:
                yield number, True

    def _against(
        self,
        kept_split: KeptSplit,
        number: int,
        score: float,
        error: float,
        keys: dict[tuple[int, int], Any],
    ) -> str:
        if abs(score - kept_split.score) > kept_split.slack(score, error):
            return "wins" if score > kept_split.score else "loses"
        children = tuple(tuple(child[number].tolist()) for child in self.children)
        exact = kept_split.rule.exact(children, self.seen.node.weights)
        if exact != kept_split.exact:
            return "wins" if exact > kept_split.exact else "loses"
        if self.seen.node.id != kept_split.node.id:  # between nodes the oldest comes first
            return "wins" if self.seen.node.id < kept_split.node.id else "ties"
        mine = self.candidates.index
        if mine != kept_split.index:
            return "wins" if mine < kept_split.index else "ties"
        theirs = keys.get((self.seen.tree, kept_split.node.id))
        if theirs is None:
            return "wins"
        return "wins" if self.candidates.tie_key(number) < theirs else "ties"


@dataclass(frozen=True, eq=False)
class Violation:
    """A candidate that wins where it must not: the atoms it would send left and right.

    `left` empty: the tree's own split is not offered as it should be (threshold, side, order).
    """

    seen: NodeSeen
    left: Integers
    right: Integers
    tie: bool = False


@dataclass(frozen=True, eq=False)
class Standing:
    """What a recoded column offers in one node, and the number of the tree's own split there."""

    seen: NodeSeen
    inside: Integers  # the atoms below the node
    offered: Offered | None
    chosen: int | None

    @property
    def is_lost(self) -> bool:
        """Whether the tree's own split is not offered as it should be."""
        return self.seen.own and self.chosen is None

    @cached_property
    def key(self) -> Any:
        """The place of the tree's own split among equal gains of this node."""
        assert self.offered is not None
        assert self.chosen is not None
        return self.offered.candidates.tie_key(self.chosen)

    def winners(self, codes: Integers) -> Iterator[Violation]:
        """The candidates that win or tie, where the tree's own split is offered."""
        if self.offered is None or self.is_lost:
            return
        seen = self.seen
        keys = {(seen.tree, seen.node.id): self.key} if seen.own else {}
        for number, tie in self.offered.winners(keys, self.chosen):
            on_left = np.zeros(self.offered.candidates.domain.size, dtype=bool)
            on_left[self.offered.left_codes(number)] = True
            goes_left = on_left[codes[self.inside]]
            yield Violation(seen, self.inside[goes_left], self.inside[~goes_left], tie)
