"""Advice on gamma and the number of bins, as section 6 of Dowd, Xu and Zhang gives it.

A table (or a stand-in of the same kind) is perturbed with every gamma and N of a grid, several
times each. A tree is grown from what was perturbed, by the way that `choose` favours, and its
accuracy is measured on records held out in clear. For each gamma the smallest N that reaches the
best accuracy is advised. Entropy is that of the matrices that columns really have, in the mean.
What more records would bring is told by trees from a quarter of them.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privet.errors import InvalidParameter, UsageError, param
from privet.mechanism.domains import declared_domain, domain_from_data
from privet.mechanism.matrices import GammaDiagonal, Number, gamma_for_draws
from privet.randomness import generator
from privet.schema import Role, Schema
from privet.substitution.choose import grow_from_perturbed
from privet.substitution.outlook import Outlook
from privet.substitution.perturb import RandomSubstitution
from privet.substitution.ways import Way
from privet.table import Table
from privet.tree.accuracy import accuracy_on

GAMMAS = (5, 7, 9, 12)
BINS = (5, 10, 20, 50)
NEAR_BEST = 0.005  # of accuracy: smaller N are preferred within it
_HELD_OUT = 3  # one record in so many
DRAWS = 5
_STUDENT = 2.132  # nine of ten, with the four degrees of freedom that five draws leave
_QUARTER = 4
FEWEST_RECORDS = 40  # of a trial, to say what more would bring
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
    low: float = 0.0  # on other originals, a further draw's tree is between these in 90 of 100
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
    records: int = 0  # that were perturbed in each trial; the others judged the trees
    outlook: Outlook | None = None  # of the most accurate trial; None with few records

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

    @property
    def most_accurate(self) -> Trial:
        """Of those that are the best of their gamma; it may be worth nothing."""
        return max(self.by_gamma.values(), key=_by_accuracy)

    def best(self, target: float | None = None) -> Trial | None:
        """The smallest gamma that reaches the target, with its smallest such N; without a target
        the most accurate. None where nothing is more often right than naming the commonest class:
        a tree that is not tells its readers less than nothing."""
        refuse_accuracy(target)
        worth = [trial for trial in self.trials if trial.accuracy > self.majority]
        if target is None:
            # the smallest N near the best may be worth nothing where the best is
            near = [trial for trial in self.by_gamma.values() if trial in worth] or worth
            return max(near, key=_by_accuracy, default=None)
        reached = [trial for trial in worth if trial.accuracy >= target]
        return min(reached, key=lambda trial: (trial.gamma, trial.bins)) if reached else None


def _by_accuracy(trial: Trial) -> tuple[float, float]:
    """Of two that are as accurate, the smaller gamma tells less."""
    return trial.accuracy, -trial.gamma


def refuse_accuracy(target: float | None) -> None:
    """Refuse what is no share, so that nobody tries for it."""
    if target is not None and not 0 <= target <= 1:
        raise InvalidParameter("accuracy", "a share from 0 to 1, such as 0.85", target)


def refuse_gammas(gammas: Sequence[Number]) -> None:
    """Refuse what no matrix can have, also once it is rounded to be drawn exactly."""
    for gamma in gammas:
        if gamma_for_draws(gamma) <= 1:
            raise InvalidParameter("gammas", "numbers from 1.001 on, such as 5, 7.5 and 12", gamma)


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
    refuse_gammas(gammas)
    grid = [(gamma, count) for gamma in gammas for count in bins]
    for gamma, count in grid:
        GammaDiagonal(gamma, count)  # refuses, before any work, what no matrix can have
    _refuse_constants(table, schema)
    order = generator(seed, "advice").permutation(table.n_rows)
    test, train = table.take(order[::_HELD_OUT]), table.take(np.delete(order, np.s_[::_HELD_OUT]))
    clean = grow(MemoryEngine(train), schema, settings_for_perturbed(train.n_rows))
    counts = np.bincount(test[schema.target].codes)
    trials, tries = [], []
    for done, (gamma, count) in enumerate(grid):
        perturber = RandomSubstitution(gamma=gamma, bins=count, domain_from_data=True)
        perturber.fit(table, _with_bins(schema, count))
        tries.append(_Tries(perturber, test, schema, way, seed))
        trials.append(_trial(tries[-1], count, train))
        if progress is not None:
            progress((done + 1) / len(grid))
    majority = float(counts.max() / counts.sum())
    advice = Advice(tuple(trials), accuracy_on(clean, test), majority, train.n_rows)
    best = advice.most_accurate
    if train.n_rows < FEWEST_RECORDS:
        return advice
    return replace(advice, outlook=_outlook(best, tries[trials.index(best)], train, majority))


@dataclass(frozen=True)
class _Tries:
    """One mechanism, and the originals by which trees are judged."""

    perturber: RandomSubstitution
    test: Table
    schema: Schema
    way: Way
    seed: int

    def accuracies(self, parts: Sequence[Table]) -> list[float]:
        """Of the trees of several draws, each from a part of its own."""
        mechanism, right = self.perturber.mechanism_, []
        for seed, part in enumerate(parts, self.seed):
            perturbed = self.perturber.transform(part, seed=seed)
            tree = grow_from_perturbed(perturbed, mechanism, self.schema, None, self.way, seed).tree
            right.append(accuracy_on(tree, self.test))
        return right


def _trial(tries: _Tries, bins: int, train: Table) -> Trial:
    """Several draws under one mechanism, each with a tree of its own."""
    mechanism = tries.perturber.mechanism_
    started = time.process_time()
    right = tries.accuracies([train] * DRAWS)
    spent = (time.process_time() - started) / DRAWS
    mean, deviation = float(np.mean(right)), float(np.std(right, ddof=1))
    half = _STUDENT * math.sqrt(
        deviation**2 * (1 + 1 / DRAWS) + _variance_of_share(mean, tries.test.n_rows)
    )
    return Trial(
        float(tries.perturber.chosen_gamma),
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


def _variance_of_share(share: float, records: int) -> float:
    """Of a share that so many records show. Two right and two wrong ones are added, as Agresti and
    Coull do: records that are all right do not prove that others will be."""
    likely = (share * records + 2) / (records + 4)
    return likely * (1 - likely) / records


def _outlook(best: Trial, tries: _Tries, train: Table, majority: float) -> Outlook:
    """What more records would bring. Accuracy is taken to lack a constant over the root of the
    records, which a quarter of them lacks twice."""
    parts = [train.take(np.arange(k % _QUARTER, train.n_rows, _QUARTER)) for k in range(DRAWS)]
    gained = best.accuracy - float(np.mean(tries.accuracies(parts)))
    slope = max(gained, 0.0) * math.sqrt(train.n_rows)
    return Outlook(train.n_rows, best.accuracy, best.low, best.high, majority, slope)


def _refuse_constants(table: Table, schema: Schema) -> None:
    """Refuse columns that have nothing to perturb; elsewhere they are left out of `columns`."""
    for name in schema.names(Role.QUASI, Role.SENSITIVE, Role.OTHER):
        column = schema[name]
        from_data = column.domain is None
        domain = domain_from_data(name, table[name], 2) if from_data else declared_domain(column, 2)
        if domain.size < 2:
            raise UsageError(
                f"Column '{name}' has one value only: there is nothing to perturb.",
                f"leave it out: {param('drop', name)}.",
            )


def _with_bins(schema: Schema, bins: int) -> Schema:
    """The schema with another number of bins wherever it declares one."""
    columns = [
        c
        if c.domain is None or c.domain.bins is None
        else replace(c, domain=replace(c.domain, bins=bins))
        for c in schema
    ]
    return replace(schema, columns=tuple(columns))
