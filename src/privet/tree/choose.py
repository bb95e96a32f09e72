"""The best candidate of a node: floats first, exact comparison for what they cannot tell apart.

`candidates` lists the splits that a node could have, `impurity` scores them; `grow` compares the
choices of different nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.tree.candidates import Candidates
from privet.tree.impurity import ImpurityRule, Weights

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
