"""Cells of a column replaced by what was drawn: moved on the grid, or other codes.

`streams` next door has the random numbers. Everything here works on whole columns of codes.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.mechanism.grids import Grid, Units
from privet.mechanism.number_laws import NumberLaw
from privet.noise.streams import Rows, Stream
from privet.table import Coded, Codes, Domain

_FEW = 1 << 22  # units that may be numbered by a table instead of by sorting


def units_of(column: Coded, grid: Grid) -> Units:
    """For each row the grid point of its value; 0 for a missing one."""
    of_codes = np.zeros(column.domain.size, dtype=np.int64)
    of_codes[: len(column.domain.values)] = grid.units_of(column.domain.values)
    return of_codes[column.codes]


def drawn_by(
    law: NumberLaw, units: Units, stream: Stream, rows: Rows, spreads: Floats | None = None
) -> Units:
    """The released units of some rows, whose draws belong to the deviation of the law as well."""
    told = (law.shape.name, float(law.sd), law.mean)
    if not isinstance(law.size, np.ndarray):
        uniform, rounding = stream.under(*told, law.size).uniform(rows, "size", "rounding")
        return law.draw(units, uniform, rounding, spreads)
    found = np.empty((2, len(rows)))
    sizes, size_of_row = np.unique(law.size, return_inverse=True)
    for number, size in enumerate(sizes.tolist()):
        here = np.flatnonzero(size_of_row == number)
        found[:, here] = stream.under(*told, size).uniform(rows[here], "size", "rounding")
    return law.draw(units, found[0], found[1], spreads)


def moved(column: Coded, rows: Rows, grid: Grid, units: Units) -> Coded:
    """The column with some rows put on grid points; the domain grows by what is new."""
    if len(rows) == 0:
        return column
    points, place = _numbered(units)
    values = grid.values_of(points).astype(column.domain.values.dtype)
    return replaced(column, rows, place, Domain(column.domain.kind, values))


def _numbered(units: Units) -> tuple[Units, npt.NDArray[Any]]:
    """The distinct units in order, and for each unit its number among them."""
    low = int(units.min())
    span = int(units.max()) - low + 1
    if span > _FEW:
        points, place = np.unique(units, return_inverse=True)
        return points, place
    seen = np.zeros(span, dtype=bool)
    seen[units - low] = True
    number = np.cumsum(seen) - 1
    return np.flatnonzero(seen) + low, number[units - low]


def replaced(column: Coded, rows: Rows, drawn: npt.NDArray[Any], domain: Domain) -> Coded:
    """The column with some rows replaced by codes of another domain of the same kind."""
    if column.domain == domain:
        codes = column.codes.copy()
        codes[rows] = drawn
        return Coded(domain, codes)
    both = column.domain.union(domain)
    codes = column.into(both).codes.copy()
    codes[rows] = domain.places_in(both)[drawn]
    return Coded(both, codes)


class Changes:
    """Which cells of a column have another value than before."""

    def __init__(self, before: Domain, after: Domain) -> None:
        both = before.union(after)
        self._places = before.places_in(both), after.places_in(both)

    def among(self, before: Codes, after: Codes) -> npt.NDArray[np.bool_]:
        """For each of some rows, given by codes before and after, whether its value is another."""
        return np.asarray(self._places[0][before] != self._places[1][after])


def is_changed(before: Coded, after: Coded) -> npt.NDArray[np.bool_]:
    """For each row whether its value is another one."""
    return Changes(before.domain, after.domain).among(before.codes, after.codes)
