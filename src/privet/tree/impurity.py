"""What a split is worth: gains of Gini, entropy, gain ratio and deviance.

Each impurity scores candidates twice. `Approximate` scores are floats with an error bound, for
many candidates at once. `exact` scores are compared without error: fractions for Gini and
deviance, sums of x log x for entropy and gain ratio. Only candidates whose bounds overlap (or that
lie within one part in 10^9) are ever scored exactly; `candidates` decides which.

A gain is a total over the records of a node (not a mean), so that gains of different nodes compare.
Weights are the records in each class, or (records, sum of the response in grid steps).
"""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, total_ordering
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Weights = tuple[int, ...]

_EPS = 2.0**-52
_DIGITS = (30, 50, 80)  # rising precision for logarithms: about 100, 166 and 266 bits


@dataclass(frozen=True)
class Approximate:
    """Gains as floats, none of them farther than `error` from the true gain."""

    scores: Floats
    error: float


class ImpurityRule(ABC):
    """One impurity: fast scores for many candidates, exact ones for few."""

    @abstractmethod
    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        """Gains of many candidates: `children[j]` holds the weights of their j-th child by row."""

    @abstractmethod
    def exact(self, children: Sequence[Weights], parent: Weights) -> Any:
        """The gain of one candidate as a value that compares exactly with others of its rule."""

    @abstractmethod
    def reaches(self, score: Any, least: Fraction) -> bool:
        """Whether an exact score is above zero and at least `least`."""


class Gini(ImpurityRule):
    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        first = _squares(parent[None, :])[0]
        total = np.zeros(len(children[0]))
        for child in children:
            total += _squares(child)
        steps = 4 * (len(children) + len(parent))  # each rounding at most _EPS of the records
        return Approximate(total - first, steps * _EPS * float(parent.sum() + 1))

    def exact(self, children: Sequence[Weights], parent: Weights) -> Fraction:
        return sum(map(_exact_squares, children), Fraction(0)) - _exact_squares(parent)

    def reaches(self, score: Fraction, least: Fraction) -> bool:
        return score > 0 and score >= least


class Deviance(ImpurityRule):
    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        # centred on the node's own mean (a whole number of steps), so that floats see deviations
        centre = int(parent[1]) // int(parent[0])
        total = np.zeros(len(children[0]))
        for child in children:
            total += _centred_square(child, centre)
        first = float(_centred_square(parent[None, :], centre)[0])
        largest = float(total.max(initial=0.0)) + first
        return Approximate(total - first, 64 * len(children) * _EPS * (largest + 1))

    def exact(self, children: Sequence[Weights], parent: Weights) -> Fraction:
        parts = (Fraction(s * s, n) for n, s in children if n)
        return sum(parts, Fraction(0)) - Fraction(parent[1] ** 2, parent[0])

    def reaches(self, score: Fraction, least: Fraction) -> bool:
        return score > 0 and score >= least


class Entropy(ImpurityRule):
    """Information gain, in bits times records."""

    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        gain = np.full(len(children[0]), _disorder(parent[None, :])[0])
        for child in children:
            gain -= _disorder(child)
        return Approximate(gain, _log_error(parent, len(children)))

    def exact(self, children: Sequence[Weights], parent: Weights) -> "LogSum":
        return LogSum.gain(children, parent)

    def reaches(self, score: "LogSum", least: Fraction) -> bool:
        return score > LogSum(()) and (least == 0 or not score < LogSum((), least))


class GainRatio(ImpurityRule):
    """Information gain divided by the information of the split itself."""

    def approximate(self, children: Sequence[Integers], parent: Integers) -> Approximate:
        gain = Entropy().approximate(children, parent)
        sizes = np.stack([child.sum(axis=1) for child in children], axis=1)
        info = _disorder(sizes)
        scores = np.divide(gain.scores, info, out=np.zeros_like(info), where=info > 0)
        least = float(info[info > 0].min(initial=1.0))
        return Approximate(scores, 4 * gain.error / min(least, 1.0))

    def exact(self, children: Sequence[Weights], parent: Weights) -> "LogRatio":
        sizes = tuple(sum(child) for child in children)
        return LogRatio(LogSum.gain(children, parent), LogSum.disorder(sizes))

    def reaches(self, score: "LogRatio", least: Fraction) -> bool:
        floor = LogRatio(LogSum((), least), LogSum((), Fraction(1)))
        return score.gain > LogSum(()) and (least == 0 or not score < floor)


RULES: dict[str, ImpurityRule] = {
    "gini": Gini(),
    "entropy": Entropy(),
    "gain-ratio": GainRatio(),
    "deviance": Deviance(),
}


# -- floats ------------------------------------------------------------------------------------


def _squares(weights: Integers) -> Floats:
    """Sum of squared class counts over the number of records."""
    w = weights.astype(np.float64)
    n = w @ np.ones(w.shape[1])  # much faster than sums along a short axis
    squares = np.einsum("ij,ij->i", w, w)
    return np.asarray(np.divide(squares, n, out=np.zeros_like(n), where=n > 0))


def _exact_squares(weights: Weights) -> Fraction:
    n = sum(weights)
    return Fraction(sum(w * w for w in weights), n) if n else Fraction(0)


def _centred_square(weights: Integers, centre: int) -> Floats:
    n = weights[:, 0]
    s = (weights[:, 1] - n * centre).astype(np.float64)
    return np.divide(s * s, n, out=np.zeros(len(n)), where=n > 0)


def _xlogx(x: Floats) -> Floats:
    return x * np.log2(np.maximum(x, 1.0))


def _disorder(weights: Integers) -> Floats:
    """n log n - sum of c log c: the entropy of a group times its records."""
    w = weights.astype(np.float64)
    return np.asarray(_xlogx(w.sum(axis=1)) - _xlogx(w).sum(axis=1))


def _log_error(parent: Integers, n_children: int) -> float:
    n = float(parent.sum())
    steps = 16 * (n_children + 1) + 2 * len(parent)  # each rounding at most _EPS of n log n
    return steps * _EPS * (n * math.log2(n + 2) + 1)


# -- exact logarithms --------------------------------------------------------------------------


@total_ordering
class LogSum:
    """A sum of whole multiples of x log2 x, plus a constant; compared by rising precision.

    Two sums with the same terms are equal by definition; two that agree to 80 digits are too.
    """

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Sequence[tuple[int, int]], constant: Fraction = Fraction(0)) -> None:
        collected: Counter[int] = Counter()
        for x, times in terms:
            if x > 1:
                collected[x] += times
        self.terms = tuple(sorted((x, t) for x, t in collected.items() if t))
        self.constant = constant

    @classmethod
    def disorder(cls, weights: Weights) -> "LogSum":
        return cls([(sum(weights), 1), *((w, -1) for w in weights)])

    @classmethod
    def gain(cls, children: Sequence[Weights], parent: Weights) -> "LogSum":
        terms = [(sum(parent), 1), *((w, -1) for w in parent)]
        for child in children:
            terms += [(sum(child), -1), *((w, 1) for w in child)]
        return cls(terms)

    def minus(self, other: "LogSum") -> "LogSum":
        terms = [*self.terms, *((x, -t) for x, t in other.terms)]
        return LogSum(terms, self.constant - other.constant)

    def value(self, digits: int) -> tuple[Decimal, Decimal]:
        """The sum at a precision, and a bound of its error."""
        with localcontext() as context:
            context.prec = digits + 6
            total = Decimal(self.constant.numerator) / Decimal(self.constant.denominator)
            size = abs(total)
            for x, times in self.terms:
                term = times * x * _log2(x, digits + 6)
                total += term
                size += abs(term)
            return total, size.scaleb(-digits) if size else Decimal(0)

    def sign(self) -> int:
        if not self.terms:
            return (self.constant > 0) - (self.constant < 0)
        for digits in _DIGITS:
            value, error = self.value(digits)
            if abs(value) > error:
                return 1 if value > 0 else -1
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogSum) and self.minus(other).sign() == 0

    def __lt__(self, other: "LogSum") -> bool:
        return self.minus(other).sign() < 0

    def __gt__(self, other: "LogSum") -> bool:
        return self.minus(other).sign() > 0

    __hash__ = None  # type: ignore[assignment]


@total_ordering
class LogRatio:
    """A quotient of two log sums, the lower one positive (a split with two children or more)."""

    __slots__ = ("gain", "info")

    def __init__(self, gain: LogSum, info: LogSum) -> None:
        self.gain = gain
        self.info = info

    def _against(self, other: "LogRatio") -> int:
        same_gain = (self.gain.terms, self.gain.constant) == (other.gain.terms, other.gain.constant)
        same_info = (self.info.terms, self.info.constant) == (other.info.terms, other.info.constant)
        if same_gain and same_info:
            return 0
        for digits in _DIGITS:
            (a, da), (b, db) = self.gain.value(digits), other.info.value(digits)
            (c, dc), (d, dd) = other.gain.value(digits), self.info.value(digits)
            with localcontext() as context:
                context.prec = digits + 6
                difference = a * b - c * d
                error = 2 * (abs(a) * db + abs(b) * da + abs(c) * dd + abs(d) * dc)
                error += (abs(a * b) + abs(c * d)).scaleb(-digits)
                if abs(difference) > error:
                    return 1 if difference > 0 else -1
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogRatio) and self._against(other) == 0

    def __lt__(self, other: "LogRatio") -> bool:
        return self._against(other) < 0

    __hash__ = None  # type: ignore[assignment]


@lru_cache(maxsize=4096)
def _log2(x: int, digits: int) -> Decimal:
    with localcontext() as context:
        context.prec = digits + 4
        return Decimal(x).ln() / Decimal(2).ln()
