"""The grid that a column of numbers lies on: whole numbers, decimals, or a power of two.

Noise moves a value by whole steps of its column's grid, so that a released value looks like any
other, and one exact comparison with a threshold decides on which side of it a grid point lies.
`noise_laws` next door moves the units.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.schema import Kind
from privet.table import Domain

Units = npt.NDArray[np.int64]

MOST_DECIMALS = 15
_TOO_LONG = 1 << 63  # as a step: the lowest 64-bit integer reaches that far, the highest does not
_MOST_BITS = 52  # of a unit: every unit and its neighbours are exact as floats


@dataclass(frozen=True)
class Grid:
    """Points `units * step / 10**decimals`, or `units * 2**exponent` where no decimals will do.

    `is_exact` says whether every value of the column lies on the grid. If not, a value that is
    moved starts from the grid point next to it.
    """

    kind: Kind
    step: int = 1
    decimals: int = 0
    exponent: int | None = None
    is_exact: bool = True

    @classmethod
    def of(cls, domain: Domain) -> "Grid":
        """The coarsest grid through zero that holds the values of a column."""
        values = domain.values
        if domain.kind.is_integral:
            return _whole(domain.kind, values)
        return _decimal(values) or _binary(values)

    def units_of(self, values: npt.NDArray[Any]) -> Units:
        """For each value the number of its grid point, or of the one next to it."""
        if self.exponent is not None:
            nearest = np.rint(np.ldexp(values, -self.exponent))
            return np.asarray(nearest, dtype=np.int64)
        if self.kind.is_integral:
            return np.asarray(values.astype(np.int64) // self.step)
        units = np.rint(values * 10.0**self.decimals).astype(np.int64)
        return np.asarray(units // self.step)

    def values_of(self, units: Units) -> npt.NDArray[Any]:
        """The value of each grid point: for decimals the float nearest to the true decimal."""
        if self.exponent is not None:
            with np.errstate(over="ignore"):  # the point beside the largest float is infinite
                return np.ldexp(units.astype(np.float64), self.exponent)
        if self.kind.is_integral:
            return units * np.int64(self.step)
        return (units * self.step).astype(np.float64) / 10.0**self.decimals

    @property
    def width(self) -> Fraction:
        """The distance of two neighbouring points."""
        if self.exponent is not None:
            return Fraction(2) ** self.exponent
        return Fraction(self.step, 10**self.decimals)

    def first_above(self, bound: float) -> int:
        """The lowest grid point whose value is above a bound, compared exactly."""
        unit = math.floor(Fraction(bound) / self.width) - 2
        while not self._value(unit) > bound:
            unit += 1
        return unit

    def last_up_to(self, bound: float) -> int:
        """The highest grid point whose value is at most a bound."""
        return self.first_above(bound) - 1

    def ends_of(self, domain: Domain) -> tuple[int, int]:
        """The first and the last grid point within the values of a column; the first is the later
        one if there is none between them."""
        lowest, highest = domain.values[0].item(), domain.values[-1].item()
        first = self.first_above(lowest)
        if self._value(first - 1) == lowest:
            first -= 1
        return first, self.last_up_to(highest)

    def _value(self, unit: int) -> float:
        """The value of one point, of any size: what `values_of` gives, and further out as well."""
        if self.exponent is not None:
            exact = unit * self.width
            too_far = abs(exact) >= 2**1024
            return math.copysign(math.inf, unit) if too_far else float(exact)
        if self.kind.is_integral:
            return unit * self.step
        return float(Fraction(unit * self.step, 10**self.decimals))

    def to_data(self) -> dict[str, Any]:
        if self.exponent is not None:
            return {"power_of_two": self.exponent}
        return {"step": self.step, "decimals": self.decimals}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], kind: Kind) -> "Grid":
        if "power_of_two" in data:
            return cls(kind, exponent=int(data["power_of_two"]))
        return cls(kind, int(data["step"]), int(data["decimals"]))


def _whole(kind: Kind, values: npt.NDArray[Any]) -> Grid:
    numbers = values.astype(np.int64)
    step = int(np.gcd.reduce(numbers)) if len(numbers) else 1
    step = abs(step) or 1
    if step == _TOO_LONG:
        step //= 2
    largest = (
        max((abs(int(n)) for n in (numbers[0], numbers[-1])), default=0) if len(numbers) else 0
    )
    if (largest // step).bit_length() <= _MOST_BITS:
        return Grid(kind, step)
    return Grid(kind, 1 << (largest.bit_length() - _MOST_BITS), is_exact=False)


def _decimal(values: npt.NDArray[Any]) -> Grid | None:
    largest = float(np.abs(values).max(initial=0.0))
    for decimals in range(MOST_DECIMALS + 1):
        if largest * 10.0**decimals >= 2.0**_MOST_BITS:
            return None
        units = np.rint(values * 10.0**decimals)
        if np.array_equal(units / 10.0**decimals, values):
            step = abs(int(np.gcd.reduce(units.astype(np.int64)))) if len(units) else 1
            return Grid(Kind.DECIMAL, step or 1, decimals)
    return None


def _binary(values: npt.NDArray[Any]) -> Grid:
    largest = float(np.abs(values).max(initial=1e-300))
    exponent = max(math.frexp(largest)[1] - _MOST_BITS, -1074)
    grid = Grid(Kind.DECIMAL, exponent=exponent)
    is_exact = np.array_equal(grid.values_of(grid.units_of(values)), values)
    return Grid(Kind.DECIMAL, exponent=exponent, is_exact=is_exact)
