"""What a split is worth: gains of Gini, entropy, gain ratio and deviance.

Each impurity scores candidates twice. `Approximate` scores are floats with an error bound, for
many candidates at once. `exact` scores are compared without error: fractions for Gini and
deviance, sums of x log x for entropy and gain ratio. Only candidates whose bounds overlap (or that
lie within one part in 10^9) are ever scored exactly; `choose` decides which.

A gain is a total over the records of a node (not a mean), so that gains of different nodes compare.
Weights are the records in each class, or (records, sum of the response in grid steps).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from privet.arrays import Floats, Integers, row_sums
from privet.exact import LogRatio, LogSum, disorder, x_log_x
from privet.tree.cut_gains import MOST, cut_terms

Weights = tuple[int, ...]

_EPS = 2.0**-52


@dataclass(frozen=True)
class Approximate:
    """Gains as floats, none of them farther than `error` from the true gain."""

    scores: Floats
    error: float


class ImpurityRule(ABC):
    """One impurity: fast scores for many candidates, exact ones for few."""

    whole_classes_first = False  # whether no score is above that of a split that parts no class

    @abstractmethod
    def purity(self, weights: Floats) -> Floats:
        """What is added up over children, for any number of them: the last axis are the weights."""

    def worth(self, gain: Floats, sizes: Sequence[Floats]) -> Floats:
        """The scores of candidates from what they gain and the records of their children."""
        return gain

    @abstractmethod
    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        """Gains of many candidates: `children[j]` holds the weights of their j-th child by row.

        A candidate with fewer children than others has rows of zeros for those it lacks.
        """

    def gains(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        """What `valued` makes scores of: convex in the weights of one of two children."""
        return self.approximate(children, parent)

    def valued(self, gains: Approximate, sizes: Sequence[Floats]) -> Approximate:
        """The scores of candidates with such gains, whose children have so many records."""
        return gains

    def cuts(
        self, weights: Integers, columns: Integers, parent: Integers, rows: Integers
    ) -> Approximate:
        """Gains of cuts after some rows of the weights of ordered values.

        The values of several columns lie one below the other; `columns` numbers them by row. Each
        column has all records of the parent.
        """
        # records of all columns so far, less those of full columns; sums that wrap wrap back
        left = (np.cumsum(weights, axis=0) - columns[:, None] * parent)[rows]
        return self.approximate([left, parent - left], parent)

    def error_of_stream(self, parent: Integers) -> float | None:
        """The bound of error of `cuts_in_order`; None where that does not know the impurity."""
        return None

    def records(self, weights: Integers) -> Integers:
        """The number of records of each row of weights."""
        return row_sums(weights)

    def telling(self, parent: Integers) -> Integers:
        """The columns of weights that tell anything in a node: those of classes that it has."""
        return np.flatnonzero(parent)

    @abstractmethod
    def exact(self, children: Sequence[Weights], parent: Weights) -> Any:
        """The gain of one candidate as a value that compares exactly with others of its rule."""

    @abstractmethod
    def reaches(self, score: Any, least: Fraction) -> bool:
        """Whether an exact score is above zero and at least `least`."""

    def _gain(self, children: Sequence[Floats], parent: Floats) -> Floats:
        if len(children) == 2:
            total = self.purity(children[0]) + self.purity(children[1])
        else:  # many small arrays are worked out in one go
            total = self.purity(np.stack(children)).sum(axis=0)
        return np.asarray(total - self.purity(parent))


class Gini(ImpurityRule):
    def purity(self, weights: Floats) -> Floats:
        """Sum of squared class counts over the number of records."""
        n = weights @ _ones(weights.shape[-1])  # much faster than sums along a short axis
        squares = np.einsum("...j,...j->...", weights, weights)
        return _quotients(squares, n)

    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        gain = self._gain(*_as_floats(children, parent))
        return Approximate(gain, self._error(parent, len(children)))

    def error_of_stream(self, parent: Integers) -> float:
        return self._error(parent, 2)

    def _error(self, parent: Integers, n_children: int) -> float:
        steps = 4 * (n_children + len(parent))  # each rounding at most _EPS of the records
        return steps * _EPS * float(parent.sum() + 1)

    def exact(self, children: Sequence[Weights], parent: Weights) -> Fraction:
        return sum(map(_exact_squares, children), Fraction(0)) - _exact_squares(parent)

    def reaches(self, score: Fraction, least: Fraction) -> bool:
        return score > 0 and score >= least


class Deviance(ImpurityRule):
    def purity(self, weights: Floats) -> Floats:
        """The squared sum over the number of records."""
        n, s = weights[..., 0], weights[..., 1]
        return _quotients(s * s, n)

    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        # centred on the node's own mean (a whole number of steps), so that floats see deviations
        centre = int(parent[1]) // int(parent[0])
        whole = _centred(parent, centre)
        gain = self._gain([_centred(child, centre) for child in children], whole)
        first = float(self.purity(whole))
        largest = float(gain.max(initial=0.0)) + 2 * first
        return Approximate(gain, 64 * len(children) * _EPS * (largest + 1))

    def records(self, weights: Integers) -> Integers:
        return np.asarray(weights[:, 0])

    def telling(self, parent: Integers) -> Integers:
        return np.arange(len(parent))

    def exact(self, children: Sequence[Weights], parent: Weights) -> Fraction:
        parts = (Fraction(s * s, n) for n, s in children if n)
        return sum(parts, Fraction(0)) - Fraction(parent[1] ** 2, parent[0])

    def reaches(self, score: Fraction, least: Fraction) -> bool:
        return score > 0 and score >= least


class Entropy(ImpurityRule):
    """Information gain, in bits times records."""

    def purity(self, weights: Floats) -> Floats:
        return -disorder(weights)

    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        gain = self._gain(*_as_floats(children, parent))
        return Approximate(gain, _log_error(parent, len(children)))

    def cuts(
        self, weights: Integers, columns: Integers, parent: Integers, rows: Integers
    ) -> Approximate:
        found = _gains_of_cuts(weights, columns, parent, rows)
        return super().cuts(weights, columns, parent, rows) if found is None else found[0]

    def exact(self, children: Sequence[Weights], parent: Weights) -> LogSum:
        return LogSum.gain(children, parent)

    def reaches(self, score: LogSum, least: Fraction) -> bool:
        return score > LogSum(()) and (least == 0 or not score < LogSum((), least))


class GainRatio(ImpurityRule):
    """Information gain divided by the information of the split itself."""

    whole_classes_first = True

    def purity(self, weights: Floats) -> Floats:
        return -disorder(weights)

    def worth(self, gain: Floats, sizes: Sequence[Floats]) -> Floats:
        return _quotients(gain, _information(sizes))

    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        sizes = [row_sums(child).astype(np.float64) for child in children]
        return self.valued(self.gains(children, parent), sizes)

    def gains(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        return Entropy().approximate(children, parent)

    def valued(self, gains: Approximate, sizes: Sequence[Floats]) -> Approximate:
        return _ratio(gains, _information(sizes))

    def cuts(
        self, weights: Integers, columns: Integers, parent: Integers, rows: Integers
    ) -> Approximate:
        found = _gains_of_cuts(weights, columns, parent, rows)
        return super().cuts(weights, columns, parent, rows) if found is None else _ratio(*found)

    def exact(self, children: Sequence[Weights], parent: Weights) -> LogRatio:
        if sum(map(_classes, children)) == _classes(parent):
            return _ONE  # no class is parted: all that the split tells is told of the class
        sizes = tuple(sum(child) for child in children)
        return LogRatio(LogSum.gain(children, parent), LogSum.disorder(sizes))

    def reaches(self, score: LogRatio, least: Fraction) -> bool:
        floor = LogRatio(LogSum((), least), LogSum((), Fraction(1)))
        return score.gain > LogSum(()) and (least == 0 or not score < floor)


_ONE = LogRatio(LogSum((), Fraction(1)), LogSum((), Fraction(1)))

RULES: dict[str, ImpurityRule] = {
    "gini": Gini(),
    "entropy": Entropy(),
    "gain-ratio": GainRatio(),
    "c45": GainRatio(),  # of the tests that `c45` admits
    "deviance": Deviance(),
}


def _as_floats(children: Sequence[Integers], parent: Integers) -> tuple[list[Floats], Floats]:
    return [child.astype(np.float64) for child in children], parent.astype(np.float64)


def _exact_squares(weights: Weights) -> Fraction:
    n = sum(weights)
    return Fraction(sum(w * w for w in weights), n) if n else Fraction(0)


def _classes(weights: Weights) -> int:
    return len(weights) - weights.count(0)


def _centred(weights: Integers, centre: int) -> Floats:
    """Records and sums as floats, the response counted from a centre."""
    centred = weights.astype(np.float64)
    centred[..., 1] = weights[..., 1] - weights[..., 0] * centre
    return centred


def _quotients(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.zeros(np.shape(above)), where=below > 0))


@cache
def _ones(size: int) -> Floats:
    ones = np.ones(size)
    ones.setflags(write=False)
    return ones


def _information(sizes: Sequence[Floats]) -> Floats:
    return disorder(np.stack(sizes, axis=-1))


def _ratio(gain: Approximate, info: Floats) -> Approximate:
    least = float(info[info > 0].min(initial=1.0))
    return Approximate(_quotients(gain.scores, info), 4 * gain.error / min(least, 1.0))


def _gains_of_cuts(
    weights: Integers, columns: Integers, parent: Integers, rows: Integers
) -> tuple[Approximate, Floats] | None:
    """Information gains of cuts and the information of the cuts themselves; None if the node is
    too large for a table of logarithms."""
    n = int(parent.sum())
    if n > MOST:
        return None
    terms, error = cut_terms(weights, int(columns[-1]) + 1, parent)
    left = (np.cumsum(row_sums(weights))[rows] - n * columns[rows]).astype(np.float64)
    info = x_log_x(np.array([n], dtype=np.float64)) - x_log_x(left) - x_log_x(n - left)
    return Approximate(info + terms[rows], error + _log_error(parent, 2)), info


def _log_error(parent: Integers, n_children: int) -> float:
    n = float(parent.sum())
    steps = 16 * (n_children + 1) + 2 * len(parent)  # each rounding at most _EPS of n log n
    return steps * _EPS * (n * math.log2(n + 2) + 1)
