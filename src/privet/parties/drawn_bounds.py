"""Bounds that nobody gives: drawn so that a masked response is of the same sort as the clear one.

A response of few whole numbers is classes, any other column of numbers is numbers
(`privet.tree.response.looks_numeric`). A tree, and many other miners, decides so from the numbers
that it sees. So masks of few whole numbers are whole, and masks of few decimals are not, whichever
rows a join keeps. `grading` is the mask itself.
"""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.parties.grading import Grading, are_rising, plain_numbers, random_bounds
from privet.schema import Kind
from privet.table import Domain
from privet.tree.response import looks_numeric

# Over ten values are numbers already, but a join may leave out people until ten are left.
_FEW_VALUES = 32
_MOST_STEPS = 10_000
_STARTS = 16  # places at which the lowest of whole masks may stand
_FINE_STARTS = 64  # at most one in two makes some mask of few decimals whole
_DRAWS = 64
# Of whole numbers that have pairwise different sums the first ten (Mian and Chowla).
_NO_COMMON_MIDDLE = (1, 2, 4, 8, 13, 21, 31, 45, 66, 81)
_EXACT = 1 << 53  # whole floats beyond it have no neighbours that differ by one


def drawn_bounds(
    values: npt.NDArray[Any], kind: Kind, rng: np.random.Generator
) -> tuple[int | float, ...]:
    """Random bounds for the distinct values of a column, in order."""
    low, high = values[0].item(), values[-1].item()
    if len(values) > _FEW_VALUES:
        return random_bounds(low, high, kind.is_integral, rng)
    if kind.is_integral or not (values % 1).any():
        whole = [int(value) for value in values.tolist()]
        steps = _in_whole_steps(whole, rng)
        if steps is None and _may_be_classes(values, kind):
            steps = _far_apart(whole, rng)
        return steps or random_bounds(low, high, kind.is_integral, rng)
    for _ in range(_DRAWS):
        bounds = random_bounds(low, high, False, rng, starts=_FINE_STARTS)
        if (Grading(bounds).apply(values) % 1).all():
            break
    return bounds


def _may_be_classes(values: npt.NDArray[Any], kind: Kind) -> bool:
    """Whether whole masks are worth more than equal groups: dates are hardly ever a response."""
    return kind in (Kind.INTEGER, Kind.DECIMAL) and not looks_numeric(Domain(kind, values))


def _in_whole_steps(values: list[int], rng: np.random.Generator) -> tuple[int | float, ...] | None:
    """Equal groups that begin at every value, so that each mask is whole.

    They are one wide, or as wide as the values are apart. None if they were too many.
    """
    low, high = values[0], values[-1]
    step = 1 if high - low <= _MOST_STEPS else math.gcd(*(value - low for value in values))
    below = int(rng.integers(0, _STARTS))
    above = int(rng.integers(_STARTS, 2 * _STARTS))  # room for what a later party adds
    start = low - step * below
    if start == step == 1:  # the first group begins at 1: nothing would be masked
        start -= 1
    end = high + step * above
    if high - low > step * _MOST_STEPS or max(abs(start), abs(end)) > _EXACT:
        return None
    return plain_numbers(map(Fraction, range(start, end + 1, step)))


def _far_apart(values: list[int], rng: np.random.Generator) -> tuple[int | float, ...] | None:
    """Groups that begin at every value, for values far apart in no common step.

    Their masks are whole, and no two pairs of masks have the same middle, so that a cut midway
    between two still tells which. The groups are not equal: means of them cannot be decoded.
    None if floats are too coarse for groups so far from zero.
    """
    low, high = Fraction(values[0]), Fraction(values[-1])
    below = int(rng.integers(1, _STARTS + 1))
    bounds = [low - max(abs(low), Fraction(1)) * i for i in range(below, 0, -1)]
    for (value, after), (place, place_after) in zip(
        pairwise(map(Fraction, values)), pairwise(_NO_COMMON_MIDDLE), strict=False
    ):
        groups = place_after - place
        bounds += [value + (after - value) * i / groups for i in range(groups)]
    made = plain_numbers([*bounds, high, high + max(abs(high), Fraction(1))])
    return made if are_rising(made) else None
