"""Advice on gamma and the number of bins, as section 6 of Dowd, Xu and Zhang gives it.

A table (or a stand-in of the same kind) is perturbed with every gamma and N of a grid, several
times each. A tree is grown from what was perturbed, by the way that `choose` favours, and its
accuracy is measured on records held out in clear. For each gamma the smallest N that reaches the
best accuracy is advised. Entropy is that of the matrices that columns really have, in the mean.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.errors import InvalidParameter, UsageError
from privet.mechanism.matrices import GammaDiagonal
from privet.randomness import generator
from privet.schema import Schema
from privet.substitution.choose import grow_from_perturbed
from privet.substitution.perturb import RandomSubstitution
from privet.substitution.ways import Way
from privet.table import Table
from privet.tree.accuracy import accuracy_on

GAMMAS = (5, 7, 9, 12)
BINS = (5, 10, 20, 50)
NEAR_BEST = 0.005  # of accuracy: smaller N are preferred within it
_HELD_OUT = 3  # one record in so many
DRAWS = 5
_STUDENT = 2.132  # nine of ten, with four degrees of freedom
_DOUBLE = 8  # bytes


@dataclass(frozen=True)
class Trial:
    """What one gamma and one N gave."""

    gamma: float
    bins: int
    entropy: float  # of the columns' own matrices, in the mean
    accuracy: float  # in the mean over the draws
    seconds: float  # processor time of perturbing and growing, for one draw
    matrix_bytes: int  # of a dense matrix of this size
    standard_error: float = 0.0  # of the mean accuracy
    low: float = 0.0  # a further draw lies between these two in 90 of 100 cases
    high: float = 1.0
    epsilon: float = 0.0  # of a whole record

    def to_data(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Advice:
    """All trials, and for each gamma the one that is advised."""

    trials: tuple[Trial, ...]
    clean: float  # accuracy of a tree grown from the originals
    majority: float = 0.0  # the share of the commonest class

    @property
    def by_gamma(self) -> dict[float, Trial]:
        """For each gamma the smallest N within a hair of its best accuracy."""
        advised = {}
        for gamma in sorted({trial.gamma for trial in self.trials}):
            own = [trial for trial in self.trials if trial.gamma == gamma]
            best = max(trial.accuracy for trial in own)
            near = [trial for trial in own if trial.accuracy >= best - NEAR_BEST]
            advised[gamma] = min(near, key=lambda trial: trial.bins)
        return advised

    def best(self, target: float | None = None) -> Trial | None:
        """The smallest gamma that reaches the target, with its smallest such N; without a target
        the most accurate of those advised."""
        refuse_accuracy(target)
        if target is None:
            return max(self.by_gamma.values(), key=lambda trial: (trial.accuracy, -trial.gamma))
        reached = [trial for trial in self.trials if trial.accuracy >= target]
        return min(reached, key=lambda trial: (trial.gamma, trial.bins)) if reached else None


def refuse_accuracy(target: float | None) -> None:
    """Refuse what is no share, so that nobody tries for it."""
    if target is not None and not 0 <= target <= 1:
        raise InvalidParameter("accuracy", "a share from 0 to 1, such as 0.85", target)


def advise(
    table: Table,
    schema: Schema,
    gammas: Sequence[float] = GAMMAS,
    bins: Sequence[int] = BINS,
    way: Way = "stacked",
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Advice:
    """Try every gamma with every N on the table; domains come from it where none is declared."""
    from privet.engine import MemoryEngine
    from privet.substitution.ways import settings_for_perturbed
    from privet.tree import grow

    if table.n_rows < 2 * _HELD_OUT:
        raise UsageError("There are too few records for a trial.", "give a larger stand-in.")
    order = generator(seed, "advice").permutation(table.n_rows)
    test, train = table.take(order[::_HELD_OUT]), table.take(np.delete(order, np.s_[::_HELD_OUT]))
    clean = grow(MemoryEngine(train), schema, settings_for_perturbed(train.n_rows))
    counts = np.bincount(test[schema.target].codes)
    trials = []
    grid = [(gamma, count) for gamma in gammas for count in bins]
    for gamma, count in grid:
        GammaDiagonal(gamma, count)  # refuses, before any work, what no matrix can have
    for done, (gamma, count) in enumerate(grid):
        perturber = RandomSubstitution(gamma=gamma, bins=count, domain_from_data=True)
        perturber.fit(table, _with_bins(schema, count))
        trials.append(_trial(perturber, count, train, test, schema, way, seed))
        if progress is not None:
            progress((done + 1) / len(grid))
    return Advice(tuple(trials), accuracy_on(clean, test), float(counts.max() / counts.sum()))


def _trial(
    perturber: RandomSubstitution,
    bins: int,
    train: Table,
    test: Table,
    schema: Schema,
    way: Way,
    seed: int,
) -> Trial:
    """Several draws under one mechanism, each with a tree of its own."""
    mechanism = perturber.mechanism_
    right = []
    started = time.process_time()
    for draw in range(DRAWS):
        perturbed = perturber.transform(train, seed=seed + draw)
        tree = grow_from_perturbed(perturbed, mechanism, schema, None, way, seed + draw).tree
        right.append(accuracy_on(tree, test))
    spent = (time.process_time() - started) / DRAWS
    mean, deviation = float(np.mean(right)), float(np.std(right, ddof=1))
    half = _STUDENT * deviation * math.sqrt(1 + 1 / DRAWS)
    return Trial(
        float(perturber.chosen_gamma),
        bins,
        float(np.mean([block.matrix.entropy() for block in mechanism.blocks])),
        mean,
        spent,
        _DOUBLE * bins * bins,
        deviation / math.sqrt(DRAWS),
        max(mean - half, 0.0),
        min(mean + half, 1.0),
        mechanism.epsilon_of_a_record,
    )


def _with_bins(schema: Schema, bins: int) -> Schema:
    """The schema with another number of bins wherever it declares one."""
    from dataclasses import replace

    columns = [
        c
        if c.domain is None or c.domain.bins is None
        else replace(c, domain=replace(c.domain, bins=bins))
        for c in schema
    ]
    return replace(schema, columns=tuple(columns))
