"""What somebody who knows the matrices has to guess by: every released column, in few codes.

`Sought` are the perturbed columns of numbers and dates, `Clue` any column by which they are
guessed, itself included. `linear` guesses; `recovery` scores the guesses.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privet.arrays import Floats, Integers
from privet.mechanism.substitution import Block, Substitution
from privet.table import Codes, Domain, Table

_MOST_VALUES = 64  # of a clue; more are merged with their neighbours


@dataclass(frozen=True)
class Units:
    """How a column's numbers are weighed: from -1 to 1. Squares of numbers as they are may be
    beyond floats, and a column of small numbers would be lost beside one of large ones."""

    size: float  # numbers are divided by it first, so that no difference is beyond floats
    middle: float
    half: float

    @classmethod
    def of(cls, numbers: Floats) -> "Units":
        size = float(np.abs(numbers).max()) or 1.0
        low, high = float(numbers.min()) / size, float(numbers.max()) / size
        return cls(size, (low + high) / 2, (high - low) / 2 or 1.0)

    def inside(self, numbers: Floats) -> Floats:
        return np.asarray((numbers / self.size - self.middle) / self.half)

    def back(self, values: Floats) -> Floats:
        return np.asarray((values * self.half + self.middle) * self.size)


@dataclass(frozen=True, eq=False)
class Sought:
    """A perturbed column of numbers, with what each code of its block stands for, in its units."""

    name: str
    block: int
    values: Floats
    units: Units


@dataclass(frozen=True, eq=False)
class Clue:
    """A released column: few codes, each with a number where they are numbers, in its units.

    `of_outcome` has the code here for each code of the block; None where the column was released
    unchanged.
    """

    block: int
    codes: Codes
    size: int
    numbers: Floats | None
    of_outcome: Integers | None

    def features(self, by_number: bool) -> Floats:
        """What is added up, for each code: its number, or a figure for every code by itself.

        The last code needs none: it is known where no other is seen.
        """
        if by_number and self.numbers is not None:
            return self.numbers[:, None]
        return np.eye(self.size)[:, :-1]


def sought_in(mechanism: Substitution) -> list[Sought]:
    """The perturbed columns of numbers and dates."""
    found = []
    for place, block in enumerate(mechanism.blocks):
        parts = block.parts(_all_codes(block))
        for domain in block.domains:
            numbers = numbers_of(domain.shown)
            if numbers is not None and len(domain.shown.values) > 1:
                units = Units.of(numbers)
                values = units.inside(numbers)[parts[domain.column]]
                found.append(Sought(domain.column, place, values, units))
    return found


def clues_in(released: Table, mechanism: Substitution, outcomes: Sequence[Codes]) -> list[Clue]:
    """Every released column that has more than one value."""
    found = []
    for place, (block, seen) in enumerate(zip(mechanism.blocks, outcomes, strict=True)):
        everything, shown = block.parts(_all_codes(block)), block.parts(seen)
        for domain in block.domains:
            merge, numbers = _merged(domain.shown)
            codes, size = _few(merge, shown[domain.column]), int(merge[-1]) + 1
            found.append(Clue(place, codes, size, numbers, merge[everything[domain.column]]))
    for name in mechanism.unchanged:
        if name in released and released[name].domain.size > 1:
            merge, numbers = _merged(released[name].domain)
            codes, size = _few(merge, released[name].codes), int(merge[-1]) + 1
            found.append(Clue(-1, codes, size, numbers, None))
    return found


def _all_codes(block: Block) -> Codes:
    return np.arange(block.matrix.size, dtype=np.uint32)


def law_of(block: Block, outcomes: Codes) -> Floats:
    """The estimated shares of a block's originals; none is negative, and they sum to 1."""
    counts = np.bincount(outcomes, minlength=block.matrix.size).astype(np.float64)
    law = np.maximum(block.matrix.solve(counts), 0)
    return np.asarray(law / law.sum())


def numbers_of(domain: Domain) -> Floats | None:
    """The number of each code; missing stands in the middle. None for categories."""
    if not domain.kind.is_ordered or not len(domain.values):
        return None
    values = np.asarray(domain.values, dtype=np.float64)
    middle = (values / len(values)).sum()  # their sum may be beyond floats
    return np.append(values, middle) if domain.missing else values


def _few(merge: Integers, codes: Codes) -> Codes:
    return merge.astype(np.uint32)[codes]


def _merged(domain: Domain) -> tuple[Integers, Floats | None]:
    """A new code for each old one, and the mean number of each new one, in its units."""
    merge = np.arange(domain.size, dtype=np.int64) * min(domain.size, _MOST_VALUES) // domain.size
    numbers = numbers_of(domain)
    if numbers is None:
        return merge, None
    return merge, np.bincount(merge, Units.of(numbers).inside(numbers)) / np.bincount(merge)
