"""Comparing without error: thresholds as fractions, products that never overflow, sums of logs.

A threshold is what its decimal text says: 0.3 is 3/10, not the nearest binary number. Entropies are
compared as sums of logarithms of whole numbers (`LogSum`), gain ratios as quotients of such sums
(`LogRatio`). Floats only sort out what is clear: `x_log_x` and `disorder` are for many at once.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from functools import lru_cache, total_ordering
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Floats
from privet.errors import InvalidParameter

_MOST_DIGITS = 30  # of a threshold, before or after the point: more is a slip of the pen
_SAFE = 1 << 62  # a product below this, and the sum of two of them, fits into 64 bits
_DIGITS = (30, 50, 80)  # rising precision of logarithms: about 100, 166 and 266 bits
_GUARD = 6  # digits beyond those, so that sums of up to 10^5 terms are right to them


def threshold(name: str, given: object, must: str) -> Fraction:
    """A threshold given as number or decimal text; `must` says what it has to be, for the error."""
    if isinstance(given, Fraction):
        return given
    try:
        number = Decimal(str(given))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise InvalidParameter(name, must, given, f"write {name} as a plain number.")
    return Fraction(number)


def times(values: npt.NDArray[Any], factor: int) -> npt.NDArray[Any]:
    """`values * factor`, exact: in 64 bits where that is safe, else in Python integers."""
    if values.dtype != object and max(1, peak(values)) * abs(factor) < _SAFE:
        return values.astype(np.int64, copy=False) * np.int64(factor)
    return values.astype(object) * factor


def wide_enough(values: npt.NDArray[Any], bound: int) -> npt.NDArray[Any]:
    """The same integers in a type that can hold every intermediate result up to `bound`."""
    return values.astype(np.int64 if bound < _SAFE else object, copy=False)


def peak(values: npt.NDArray[Any]) -> int:
    """The largest of some non-negative integers, 0 if there are none."""
    return int(values.max()) if values.size else 0


def in_single_precision(values: npt.NDArray[Any]) -> Booleans:
    """Which numbers are the same in single precision, in which some growers work."""
    with np.errstate(over="ignore"):
        return np.asarray(values.astype(np.float32).astype(np.float64) == values)


def smallest_ratio(
    numerators: npt.NDArray[Any], denominators: npt.NDArray[Any], largest: bool = False
) -> Fraction:
    """The smallest (or largest) of many fractions, exactly; denominators are positive.

    Floats only sort out what cannot be it: each quotient is right to a relative 1e-15, so every
    fraction farther than 1e-12 from the best float is truly worse.
    """
    quotients = numerators.astype(float) / denominators.astype(float)
    best = float(quotients.max() if largest else quotients.min())
    near = np.flatnonzero(np.abs(quotients - best) <= 1e-12 * abs(best))
    while True:
        found = Fraction(int(numerators[near[0]]), int(denominators[near[0]]))
        left = times(numerators[near], found.denominator)
        right = times(denominators[near], found.numerator)
        better = left > right if largest else left < right
        if not better.any():
            return found
        near = near[better]


# -- logarithms --------------------------------------------------------------------------------


@total_ordering
class LogSum:
    """A sum of whole multiples of log2 x, plus a constant; compared exactly.

    `terms` are (x, multiple). Sums with the same terms are equal by definition. Other sums are
    told apart by rising precision, once whole numbers have shown that they are not equal.
    """

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Sequence[tuple[int, int]], constant: Fraction = Fraction(0)) -> None:
        collected: Counter[int] = Counter()
        for x, multiple in terms:
            if x > 1:
                collected[x] += multiple
        self.terms = tuple(sorted((x, t) for x, t in collected.items() if t))
        self.constant = constant

    @classmethod
    def disorder(cls, weights: Sequence[int]) -> "LogSum":
        """n log n - sum of c log c: the entropy of a group in bits, times its records."""
        return cls([_x_log_x(sum(weights)), *_sum_x_log_x(weights, -1)])

    @classmethod
    def gain(cls, children: Sequence[Sequence[int]], parent: Sequence[int]) -> "LogSum":
        """The disorder of a group less that of its parts."""
        terms = [_x_log_x(sum(parent)), *_sum_x_log_x(parent, -1)]
        for child in children:
            terms += [_x_log_x(sum(child), -1), *_sum_x_log_x(child)]
        return cls(terms)

    def is_same_sum(self, other: "LogSum") -> bool:
        """Whether both have the same terms, which is enough to be equal but not needed for it."""
        return self.terms == other.terms and self.constant == other.constant

    def minus(self, other: "LogSum") -> "LogSum":
        terms = [*self.terms, *((x, -t) for x, t in other.terms)]
        return LogSum(terms, self.constant - other.constant)

    def value(self, digits: int) -> tuple[Decimal, Decimal]:
        """The sum at a precision, and a bound of its error."""
        with localcontext() as context:
            context.prec = digits + _GUARD
            total = Decimal(self.constant.numerator) / Decimal(self.constant.denominator)
            size = abs(total)
            for x, multiple in self.terms:
                term = multiple * _log2(x, digits + _GUARD)
                total += term
                size += abs(term)
            return total, size.scaleb(-digits) if size else Decimal(0)

    def sign(self) -> int:
        if not self.terms:
            return (self.constant > 0) - (self.constant < 0)
        for digits in _rising():
            value, error = self.value(digits)
            if abs(value) > error:
                return 1 if value > 0 else -1
            if digits == _DIGITS[0] and self._is_zero():
                return 0
        raise AssertionError("a sum that is not zero has a sign")

    def _is_zero(self) -> bool:
        """Whether the product behind the sum is one: x1^t1 ... xm^tm 2^constant.

        It is split into powers of numbers that have no factor in common; their product is one only
        if each power is zero. No number need be factored for that, so none is too large.
        """
        over, under = self.constant.numerator, self.constant.denominator
        waiting = [(x, multiple * under) for x, multiple in self.terms] + [(2, over)]
        apart: list[tuple[int, int]] = []
        while waiting:
            x, power = waiting.pop()
            if x == 1 or power == 0:
                continue
            for place, (other, its_power) in enumerate(apart):
                shared = gcd(x, other)
                if shared > 1:
                    del apart[place]
                    waiting += [(shared, power + its_power)]
                    waiting += [(x // shared, power), (other // shared, its_power)]
                    break
            else:
                apart.append((x, power))
        return not apart

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogSum) and self.minus(other).sign() == 0

    def __lt__(self, other: "LogSum") -> bool:
        return self.minus(other).sign() < 0

    def __gt__(self, other: "LogSum") -> bool:
        return self.minus(other).sign() > 0

    __hash__ = None  # type: ignore[assignment]


@total_ordering
class LogRatio:
    """A quotient of two log sums, the lower one positive (a split with two children or more).

    Quotients of equal sums are equal by definition; others that agree to 80 digits are, too.
    """

    __slots__ = ("gain", "info")

    def __init__(self, gain: LogSum, info: LogSum) -> None:
        self.gain = gain
        self.info = info

    def _against(self, other: "LogRatio") -> int:
        if self is other:
            return 0
        if self.gain.is_same_sum(other.gain) and self.info.is_same_sum(other.info):
            return 0
        if self.gain.is_same_sum(self.info) and other.gain.is_same_sum(other.info):
            return 0  # both are one
        for digits in _DIGITS:
            (a, da), (b, db) = self.gain.value(digits), other.info.value(digits)
            (c, dc), (d, dd) = other.gain.value(digits), self.info.value(digits)
            with localcontext() as context:
                context.prec = digits + _GUARD
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

    def __gt__(self, other: "LogRatio") -> bool:
        return self._against(other) > 0

    __hash__ = None  # type: ignore[assignment]


def _x_log_x(x: int, sign: int = 1) -> tuple[int, int]:
    return x, sign * x


def _sum_x_log_x(counts: Sequence[int], sign: int = 1) -> list[tuple[int, int]]:
    """The terms of many x log x: among many classes few counts are different."""
    return [_x_log_x(x, sign * times) for x, times in Counter(counts).items()]


def _rising() -> Iterator[int]:
    """Digits of rising precision, without an end."""
    yield from _DIGITS
    digits = _DIGITS[-1]
    while True:
        digits *= 2
        yield digits


@lru_cache(maxsize=4096)
def _log2(x: int, digits: int) -> Decimal:
    with localcontext() as context:
        context.prec = digits + 4
        return Decimal(x).ln() / Decimal(2).ln()


# -- floats ------------------------------------------------------------------------------------


def x_log_x(x: Floats) -> Floats:
    return np.asarray(x * np.log2(np.maximum(x, 1.0)))


def disorder(weights: Floats) -> Floats:
    """n log n - sum of c log c along the last axis: entropies in bits, times their records."""
    return np.asarray(x_log_x(weights.sum(axis=-1)) - x_log_x(weights).sum(axis=-1))
