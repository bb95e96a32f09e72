"""Graded grouping: numbers masked by a strictly increasing, reversible map.

With bounds b0 < b1 < ... < bk a value x of group i (half open, the last group closed) becomes

    n(x) = i + (x - b[i-1]) / (b[i] - b[i-1])

Equal widths make the map affine; widths that are powers of two also make it exact in binary, which
is why bounds that nobody gives are of that sort, with a random start and width; `drawn_bounds`
draws them. The mode "paper" keeps the rule of the article (0.999 at the upper bound of a
group) for comparison: it can change the order of values. Categories are next door, in `aliases`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.errors import InvalidParameter, UsageError
from privet.parties.secret_file import Secret

Mode = Literal["exact", "paper"]
MODES: tuple[str, ...] = get_args(Mode)

_AT_UPPER_BOUND = 0.999
_USUAL_GROUPS = 8
_STARTS = 8  # places in a group at which random bounds may start
_MOST_GROUPS = 100_000
_FLOAT_BITS = 53
_MOST_DIGITS = 400


@dataclass(frozen=True, repr=False)
class Grading(Secret):
    """Bounds of the groups, and the rule inside them."""

    bounds: tuple[int | float, ...]
    mode: Mode = "exact"

    def __repr__(self) -> str:
        return f"<Grading of {self.groups} groups, {self.mode}>"

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidParameter("mode", "one of " + ", ".join(MODES), self.mode)
        finite = all(math.isfinite(bound) for bound in self.bounds)
        if len(self.bounds) < 2 or not finite or not are_rising(self.bounds):
            raise UsageError(
                "The bounds of a graded column must be at least two rising numbers.",
                "write them as age=16,24,32,40.",
            )

    @property
    def groups(self) -> int:
        return len(self.bounds) - 1

    @cached_property
    def is_affine(self) -> bool:
        """Whether all groups are equally wide, so that masked results decode exactly."""
        exact = [Fraction(bound) for bound in self.bounds]
        widths = {b - a for a, b in pairwise(exact)}
        return self.mode == "exact" and len(widths) == 1

    @cached_property
    def _edges(self) -> npt.NDArray[Any]:
        whole = all(isinstance(bound, int) for bound in self.bounds)
        return np.array(self.bounds, dtype=np.int64 if whole else np.float64)

    def outside(self, values: npt.NDArray[Any]) -> int:
        """How many values no group holds."""
        return int(((values < self.bounds[0]) | (values > self.bounds[-1])).sum())

    def apply(self, values: npt.NDArray[Any]) -> Floats:
        """The masked values; all must lie within the bounds."""
        edges = self._edges
        if self.mode == "paper":
            # Ranges share their bounds, and the first range that holds a value takes it.
            group = np.maximum(np.searchsorted(edges, values, side="left"), 1)
        else:
            group = np.minimum(np.searchsorted(edges, values, side="right"), self.groups)
        low = edges[group - 1]
        part = (values - low) / (edges[group] - low)
        if self.mode == "paper":
            part = np.where(values == edges[group], _AT_UPPER_BOUND, part)
        return np.asarray(group + part, dtype=np.float64)

    def invert(self, masked: float) -> float:
        """The number whose masked value this is, by the exact formula and rounded once."""
        if not 1 <= masked <= self.groups + 1:
            raise UsageError(
                "A masked number lies outside what these bounds can give.",
                "the result may belong to another codebook.",
            )
        group = min(int(masked), self.groups)
        low, high = Fraction(self.bounds[group - 1]), Fraction(self.bounds[group])
        return float(low + (Fraction(masked) - group) * (high - low))

    @property
    def hides_nothing(self) -> bool:
        """Whether every number would stay as it is."""
        return self.bounds == tuple(range(1, self.groups + 2))

    def affine(self) -> tuple[Fraction, Fraction]:
        """(a, b) with x = a + b n, for an affine grading."""
        width = Fraction(self.bounds[1]) - Fraction(self.bounds[0])
        return Fraction(self.bounds[0]) - width, width


def are_rising(bounds: Sequence[int | float]) -> bool:
    return all(a < b for a, b in pairwise(bounds))


def equal_groups(low: float, high: float, groups: int) -> tuple[int | float, ...]:
    """Bounds of equally wide groups from the lowest to the highest value."""
    if not 1 <= groups <= _MOST_GROUPS:
        raise InvalidParameter("the number of groups", f"from 1 to {_MOST_GROUPS:,}", groups)
    span = Fraction(high) - Fraction(low) or Fraction(1)
    return plain_numbers(Fraction(low) + span * i / groups for i in range(groups + 1))


def random_bounds(
    low: float, high: float, whole: bool, rng: np.random.Generator, *, starts: int = _STARTS
) -> tuple[int | float, ...]:
    """Bounds around the values whose width is a power of two; width and start are random.

    Formula and range of a column are often known to everybody, so bounds that follow from them
    would hide nothing. `starts`, a power of two, is the number of places in a group at which the
    first may begin.
    """
    span = Fraction(high) - Fraction(low) or Fraction(1)
    size = math.log2(span.numerator) - math.log2(span.denominator * _USUAL_GROUPS)
    exponent = math.ceil(size) + int(rng.integers(0, 3))
    # Bounds must be floats that are exact, even where the values lie close together far from zero.
    finest = math.frexp(max(abs(low), abs(high)))[1] - _FLOAT_BITS + 1 + starts.bit_length()
    exponent = max(exponent, 0 if whole else max(finest, -1000))
    width = Fraction(2) ** exponent
    step = max(width / starts, Fraction(1)) if whole else width / starts
    start = (Fraction(low) / step).__floor__() * step - step * int(rng.integers(0, 2 * starts))
    if width == start == 1:  # the first group begins at 1: nothing would be masked
        start -= step
    groups = math.ceil((Fraction(high) - start) / width) + int(rng.integers(0, 2))
    return plain_numbers(start + width * i for i in range(max(groups, 1) + 1))


def progression(texts: Sequence[str], highest: float) -> tuple[int | float, ...]:
    """Bounds as people write them: `17,25,33`, `17,25,..,97`, or `17,25,..` up to the values."""
    dots = [place for place, text in enumerate(texts) if text in ("..", "...")]
    try:
        numbers = [exact_number(text) for text in texts if text not in ("..", "...")]
    except (ValueError, ArithmeticError):
        numbers = []
    if not numbers or len(dots) > 1 or (dots and not 2 <= dots[0] >= len(texts) - 2):
        raise UsageError(
            "Bounds must be numbers, with at most one `..` after two or more of them.",
            "write age=16,24,32,40 or age=16,24,..,96.",
        )
    if not dots:
        return plain_numbers(numbers)
    given = numbers[: dots[0]]
    width = given[-1] - given[-2]
    end = numbers[-1] if len(numbers) > len(given) else Fraction(highest)
    if width <= 0 or (end - given[-1]) / width > _MOST_GROUPS:
        raise UsageError(
            f"Bounds with `..` must rise in at most {_MOST_GROUPS:,} steps to their end.",
            "write age=16,24,.. or age=16,24,..,96.",
        )
    while given[-1] < end:
        given.append(given[-1] + width)
    return plain_numbers(given)


def exact_number(text: str) -> Fraction:
    """A number as people write it; a ValueError for what no float comes near."""
    number = Fraction(text) if "/" in text and len(text) < _MOST_DIGITS else Decimal(text)
    if isinstance(number, Decimal):
        digits = number.as_tuple().digits
        if not number.is_finite() or len(digits) > _MOST_DIGITS or abs(number.adjusted()) > 308:
            raise ValueError("beyond what a float can hold")
    return Fraction(number)


def plain_numbers(numbers: Any) -> tuple[int | float, ...]:
    """Fractions as integers where they all are whole, as floats else."""
    exact = list(numbers)
    if all(number.denominator == 1 and abs(number) < 2**62 for number in exact):
        return tuple(int(number) for number in exact)
    try:
        return tuple(float(number) for number in exact)
    except OverflowError:
        raise UsageError(
            "Bounds of these numbers lie beyond what a float can hold.",
            "divide the column by a power of ten before it is masked.",
        ) from None
