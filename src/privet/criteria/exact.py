"""Exact numbers for the criteria: thresholds as fractions, products that never overflow.

A threshold is what its decimal text says: 0.3 is 3/10, not the nearest binary number.
"""

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import InvalidParameter

_MOST_DIGITS = 30  # of a threshold, before or after the point: more is a slip of the pen
_SAFE = 1 << 62  # a product below this, and the sum of two of them, fits into 64 bits


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
