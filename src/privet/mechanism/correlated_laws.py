"""Noise on several columns of numbers at once, with the correlations that the columns have.

Such noise has the covariances of the columns, times the square of its deviation; since values are
drawn towards their means as well, the released columns keep means and covariances (but for rounding
and the ends of columns). Columns are drawn one after the other, each by a curve whose centre
depends on the moves before: so the chance of a released record is a product, which anybody can work
out. `number_laws` next door has the law of each column alone.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from privet.arrays import Booleans, Floats
from privet.mechanism.grids import Units
from privet.mechanism.number_laws import ROUNDED, NumberLaw, folded
from privet.mechanism.shapes import Bars

OWN = 0.01  # the share of a column's noise that no other column tells, however alike they are
_BITS = 62  # of a sum of products


@dataclass(frozen=True, eq=False)
class CorrelatedLaw:
    """Columns that are moved together: the law of each alone, and their correlations."""

    laws: Mapping[str, NumberLaw]
    correlations: Sequence[Sequence[float]]

    def to_data(self) -> dict[str, Any]:
        """For mechanism.json, which tells the laws of the columns beside."""
        return {"columns": list(self.laws), "correlations": [list(r) for r in self.correlations]}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], laws: Mapping[str, NumberLaw]) -> "CorrelatedLaw":
        """What mechanism.json tells; nonsense is a ValueError."""
        names, rows = data["columns"], data["correlations"]
        square = all(len(row) == len(names) for row in rows) and len(rows) == len(names)
        if not square or any(rows[i][i] != 1 for i in range(len(names))):
            raise ValueError("as many correlations as columns, each with itself 1")
        if any(rows[i][j] != rows[j][i] for i in range(len(names)) for j in range(i)):
            raise ValueError("a correlation is the same from both sides")
        return cls({name: laws[name] for name in names}, rows)

    def among(self, columns: Sequence[str]) -> "MovedTogether":
        """The law of those records whose cells are moved in these columns alone."""
        names = list(self.laws)
        places = [names.index(name) for name in names if name in columns]
        return MovedTogether(
            [self.laws[names[place]] for place in places],
            [[self.correlations[a][b] for b in places] for a in places],
        )


@dataclass(frozen=True, eq=False)
class MovedTogether:
    """The laws of columns that are moved together, in the order they are drawn."""

    laws: Sequence[NumberLaw]
    correlations: Sequence[Sequence[float]]

    @cached_property
    def factors(self) -> list[list[float]]:
        """The lower triangle whose product with its transpose is the covariance of the noise. Plain
        sums in one order: the same numbers on every machine."""
        deviations = [law.shrinkage * law.sd * float(np.max(law.size or 0.0)) for law in self.laws]
        found: list[list[float]] = []
        for i, row in enumerate(self.correlations):
            line: list[float] = []
            for j in range(i):
                covariance = (1 - OWN) * row[j] * deviations[i] * deviations[j]
                known = sum(a * b for a, b in zip(line, found[j], strict=False))
                line.append((covariance - known) / found[j][j])
            rest = deviations[i] ** 2 - sum(a * a for a in line)
            if not rest > 0:
                raise ValueError("correlations that no columns can have")
            found.append([*line, math.sqrt(rest)])
        return found

    def draw(
        self, units: Sequence[Units], uniform: Sequence[Floats], within: Sequence[Floats]
    ) -> list[Units]:
        """The released units of each column, from two numbers in [0, 1) for each cell."""
        released: list[Units] = []
        moves: list[Floats] = []
        for place, law in enumerate(self.laws):
            assert isinstance(law.shape, Bars)
            centre = self._centre(place, law.centres(units[place]), moves)
            noise = law.shape.draw(uniform[place], within[place]) * self._stretch(place)
            moved = np.floor(centre + noise + 0.5).astype(np.int64)
            released.append(folded(moved, law.low, law.high, law.ends))
            moves.append(self._move(place, centre, released[-1]))
        return released

    def log_chances(self, units: Sequence[Units], released: Sequence[Units]) -> Floats:
        """The logarithm of the chance of each released record (rows) for each original one."""
        total: Floats = np.zeros((len(released[0]), len(units[0])))
        moves: list[Floats] = []
        for place, law in enumerate(self.laws):
            shown = released[place][:, None]
            centre = self._centre(place, law.centres(units[place])[None, :], moves)
            with np.errstate(divide="ignore"):
                total += np.log(_chance(law, centre, self._stretch(place), shown))
            moves.append(self._move(place, centre, shown))
        return total

    def _centre(self, place: int, start: Any, moves: Sequence[Floats]) -> Floats:
        """Where the curve of a column lies, the moves of those before being known."""
        for factor, move in zip(self.factors[place], moves, strict=False):
            start = start + factor * move
        return np.asarray(start, dtype=np.float64)

    def _stretch(self, place: int) -> float:
        """What the curve of a column is stretched by; rounding adds the rest of its variance."""
        return math.sqrt(max(self.factors[place][place] ** 2 - ROUNDED, 0.0))

    def _move(self, place: int, centre: Floats, released: Units) -> Floats:
        """How far a cell was moved from its centre, in deviations of a column on a fine grid; where
        a grid is so coarse that rounding alone moves further, it counts less."""
        own = self.factors[place][place]
        return np.asarray((released - centre) * (own / max(own**2, ROUNDED)))


def _chance(law: NumberLaw, centre: Floats, stretch: float, released: Units) -> Floats:
    """The chance of each released unit if the curve lies about a centre."""
    low, high = int(np.max(law.low)), int(np.min(law.high))
    if stretch == 0:
        nearest = np.floor(centre + 0.5).astype(np.int64)
        return np.asarray(folded(nearest, low, high, law.ends) == released, dtype=np.float64)
    assert isinstance(law.shape, Bars)
    edges, below = law.shape.edges * stretch, law.shape.below

    def up_to(place: Any) -> Floats:
        return np.asarray(np.interp(place - centre, edges, below))

    if law.ends == "clamp":
        upper = np.where(released == high, 1.0, up_to(released + 0.5))
        return upper - np.where(released == low, 0.0, up_to(released - 0.5))
    room = high - low + 1
    whole = law.ends == "reflect-whole"
    period = max(2 * (room - 1), 1) if whole else 2 * room
    first = released - low
    second = period - first - (0 if whole else 1)  # the image in the mirror
    twice = 2 * first % period != 0 if whole else True  # the ends of a whole mirror have none
    found: Floats = np.zeros(np.broadcast_shapes(centre.shape, released.shape))
    start = math.floor((float(centre.min()) + edges[0] - low) / period) - 1
    for turn in range(start, math.ceil((float(centre.max()) + edges[-1] - low) / period) + 1):
        for image, counts in ((first, True), (second, twice)):
            at = low + turn * period + image
            if (
                at.max() + 0.5 - centre.min() > edges[0]
                and at.min() - 0.5 - centre.max() < edges[-1]
            ):
                found += (up_to(at + 0.5) - up_to(at - 0.5)) * counts
    return found


@dataclass(frozen=True)
class Extent:
    """The least and the greatest unit of a column; both 0 where no cell is present."""

    low: int
    high: int


def correlations_of(
    parts: Iterable[tuple[Sequence[Units], Sequence[Booleans]]],
    extents: Sequence[Extent],
    records: int,
) -> list[list[float]]:
    """The correlations of columns, from whole numbers: whatever the order of the rows, the same.

    The rows come in parts: for each column their units, and which of them are present. Cells that
    are missing count as the mean of their column, and a constant goes with no other.
    """
    bits = max((_BITS - records.bit_length()) // 2, 1)  # so that no sum of products overflows
    pairs = list(combinations_with_replacement(range(len(extents)), 2))
    sums = {pair: [0, 0, 0, 0] for pair in pairs}
    for units, present in parts:
        columns = zip(units, present, extents, strict=True)
        coarse = [_coarse(own, there, extent, bits) for own, there, extent in columns]
        for i, j in pairs:
            both = present[i] & present[j]
            one, two = coarse[i][both], coarse[j][both]
            more = int(one @ two), int(one.sum()), int(two.sum()), int(both.sum())
            sums[i, j] = [a + b for a, b in zip(sums[i, j], more, strict=True)]
    means = [Fraction(sums[i, i][1], max(sums[i, i][3], 1)) for i in range(len(extents))]
    products = [[Fraction(0)] * len(extents) for _ in extents]
    for i, j in pairs:
        both_products, of_one, of_two, n = sums[i, j]
        products[i][j] = products[j][i] = (
            both_products - means[i] * of_two - means[j] * of_one + n * means[i] * means[j]
        )
    places = range(len(extents))
    return [[_correlation(products, i, j) for j in places] for i in places]


def _correlation(products: Sequence[Sequence[Fraction]], i: int, j: int) -> float:
    if i == j:
        return 1.0
    squares = float(products[i][i]) * float(products[j][j])
    return float(products[i][j]) / math.sqrt(squares) if squares > 0 else 0.0


def _coarse(units: Units, present: Booleans, extent: Extent, bits: int) -> Units:
    """Units from the lowest on, in steps so long that they have only so many bits; missing 0."""
    width = extent.high - extent.low
    return np.where(present, (units - extent.low) >> max(width.bit_length() - bits, 0), 0)
