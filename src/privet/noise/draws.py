"""Cells of a column drawn anew: permuted within leaves, moved on the grid, or replaced.

Streams of random numbers are keyed by seed, part and column, so that no part and no column depends
on which others are perturbed. Rows are drawn in the order of their values (`in_one_order`), so that
nothing depends on the order they come in. Everything here works on whole columns of codes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.mechanism.grids import Grid, Units
from privet.randomness import generator
from privet.table import Coded, Domain, Table

Rows = npt.NDArray[np.intp]

_FEW = 1 << 22  # units that may be numbered by a table instead of by sorting


@dataclass(frozen=True)
class Stream:
    """The random numbers of one part for one column."""

    seed: int | None = field(repr=False)
    part: str
    column: str

    def uniform(self, rows: int, purpose: str = "") -> npt.NDArray[np.float64]:
        """A number in [0, 1) for each row."""
        return self._generator(purpose).random(rows)

    def bits(self, rows: int, purpose: str = "") -> npt.NDArray[np.uint64]:
        return np.asarray(self._generator(purpose).bit_generator.random_raw(rows))

    def _generator(self, purpose: str) -> np.random.Generator:
        return generator(self.seed, f"noise:{self.part}:{purpose}:{self.column}")


def in_one_order(table: Table, draw: Callable[[Table], Table]) -> Table:
    """What is drawn for the rows sorted by their values, each put back into its place.

    A seed then gives the same records, as a whole, in whatever order the rows were.
    """
    order = table.sorted_rows()
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    rows = table.take(order)
    drawn = draw(rows)
    changed = {name: drawn[name] for name in drawn if drawn[name] is not rows[name]}
    return table.replace({name: Coded(c.domain, c.codes[back]) for name, c in changed.items()})


def permuted(
    codes: npt.NDArray[Any], group: npt.NDArray[Any], rows: Rows | None, stream: Stream
) -> npt.NDArray[Any]:
    """The codes of some rows, permuted at random among those of the same group."""
    from_rows, to_rows = permutation(group, rows, stream)
    result = codes.copy()
    result[to_rows] = codes[from_rows]
    return result


def permutation(group: npt.NDArray[Any], rows: Rows | None, stream: Stream) -> tuple[Rows, Rows]:
    """A random permutation within groups: the cell of row `to[i]` becomes that of `from[i]`."""
    bits = stream.bits(len(group))
    here = group if rows is None else group[rows]
    bits = bits if rows is None else bits[rows]
    width = max(int(here.max(initial=0)).bit_length(), 1)
    keys = (here.astype(np.uint64) << np.uint64(64 - width)) | (bits >> np.uint64(width))
    drawn = np.argsort(keys)
    sorted_rows = np.argsort(here, kind="stable")
    return (sorted_rows, drawn) if rows is None else (rows[sorted_rows], rows[drawn])


def units_of(column: Coded, grid: Grid) -> Units:
    """For each row the grid point of its value; 0 for a missing one."""
    of_codes = np.zeros(column.domain.size, dtype=np.int64)
    of_codes[: len(column.domain.values)] = grid.units_of(column.domain.values)
    return of_codes[column.codes]


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


def is_changed(before: Coded, after: Coded) -> npt.NDArray[np.bool_]:
    """For each row whether its value is another one."""
    both = before.domain.union(after.domain)
    return np.asarray(before.into(both).codes != after.into(both).codes)
