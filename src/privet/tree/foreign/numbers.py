"""Columns as other programs can hold them: numbers for numbers, codes for categories.

Missing numbers become one number above all others, for that is where our trees have them. A column
whose numbers a program would round together is given by rank; that changes no split, only how its
threshold is written.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.table import Domain
from privet.tree.candidates import midpoint
from privet.tree.foreign.grown import Inexpressible

_LARGEST = 1e300  # sums of two larger numbers may overflow


def as_numbers(
    domain: Domain, apart: Callable[[Floats], bool], by_value: bool = False
) -> tuple[Floats, bool]:
    """A number for each code, and whether it is the value itself (else the rank).

    `apart` says whether the program tells such ascending numbers apart; `by_value` gives values
    even where it does not.
    """
    ranks = np.arange(domain.size, dtype=np.float64)
    if not domain.kind.is_ordered:
        return ranks, False
    refuse_what_no_threshold_separates(domain)
    numbers = domain.values.astype(np.float64)
    if domain.missing:
        largest = float(numbers[-1]) if len(numbers) else 0.0
        numbers = np.append(numbers, largest + max(1.0, abs(largest)))
    if by_value:
        return numbers, True
    if not bool((np.abs(numbers) < _LARGEST).all()) or not apart(numbers):
        return ranks, False
    return numbers, True


def refuse_what_no_threshold_separates(domain: Domain) -> None:
    """Our trees do not cut between whole numbers that have no float between them."""
    if not domain.kind.is_integral or len(domain.values) < 2:
        return
    ends = (int(domain.values[0]), int(domain.values[-1]))
    if max(map(abs, ends)) <= 2**53:
        return
    values = domain.values.tolist()
    if not all(a <= midpoint(a, b) < b for a, b in pairwise(values)):
        raise Inexpressible("whole numbers beyond 2^53 lie too close for floats to tell apart")


def apart_in_doubles(numbers: Floats) -> bool:
    """rpart sends what is below the middle left, so the middle must lie above the lower number."""
    return bool(((numbers[:-1] + numbers[1:]) / 2 > numbers[:-1]).all())


def apart_in_singles(numbers: Floats) -> bool:
    """scikit-learn holds columns in 32 bits and does not cut between numbers nearer than 1e-7."""
    if not bool((np.abs(numbers) < np.finfo(np.float32).max / 4).all()):
        return False
    singles: npt.NDArray[Any] = numbers.astype(np.float32)
    return bool((singles[1:] > singles[:-1] + np.float32(1e-7)).all())
