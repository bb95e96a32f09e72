"""Advice on gamma and the number of bins, as section 6 of Dowd, Xu and Zhang gives it.

A table (or a stand-in of the same kind) is perturbed with every gamma and N of a grid, a tree is
grown from what was perturbed, and its accuracy is measured on records held out in clear. For each
gamma the smallest N that reaches the best accuracy is advised. The entropy of the matrix ties the
two together: the paper's Figure 5 plots accuracy, gamma and N against it.
"""

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
_DOUBLE = 8  # bytes


@dataclass(frozen=True)
class Trial:
    """What one gamma and one N gave."""

    gamma: int
    bins: int
    entropy: float
    accuracy: float
    seconds: float  # processor time of perturbing and growing
    matrix_bytes: int  # of a dense matrix of this size

    def to_data(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Advice:
    """All trials, and for each gamma the one that is advised."""

    trials: tuple[Trial, ...]
    clean: float  # accuracy of a tree grown from the originals

    @property
    def by_gamma(self) -> dict[int, Trial]:
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
    gammas: Sequence[int] = GAMMAS,
    bins: Sequence[int] = BINS,
    way: Way = "by-class",
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
    trials = []
    grid = [(gamma, count) for gamma in gammas for count in bins]
    for done, (gamma, count) in enumerate(grid):
        started = time.process_time()
        perturber = RandomSubstitution(gamma=gamma, bins=count, domain_from_data=True)
        perturber.fit(table, _with_bins(schema, count))
        perturbed = perturber.transform(train, seed=seed)
        tree = grow_from_perturbed(perturbed, perturber.mechanism_, schema, None, way, seed).tree
        spent = time.process_time() - started
        entropy = GammaDiagonal(gamma, count).entropy()
        accuracy = accuracy_on(tree, test)
        trials.append(Trial(gamma, count, entropy, accuracy, spent, _DOUBLE * count * count))
        if progress is not None:
            progress((done + 1) / len(grid))
    return Advice(tuple(trials), accuracy_on(clean, test))


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
