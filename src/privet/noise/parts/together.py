"""Innocent numbers drawn together, so that the noise has their correlations.

Which cells of a record are moved depends on its leaf and on what is missing; records that are alike
in this are drawn at once. `innocent` next door says which cells, `privet.mechanism` has the law.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.mechanism.correlated_laws import CorrelatedLaw
from privet.mechanism.grids import Units
from privet.mechanism.number_laws import NumberLaw
from privet.noise.draws import units_of
from privet.noise.streams import Draws, Rows
from privet.table import Coded

_MOST_BITS = 30  # after so many columns the patterns of moved cells are numbered anew


@dataclass(frozen=True, eq=False)
class _Cells:
    """A column's units, and two random numbers for each of its cells."""

    units: Units
    uniform: Floats
    within: Floats

    @classmethod
    def of(cls, column: Coded, law: NumberLaw, name: str, draws: Draws) -> "_Cells":
        everybody, stream = np.arange(len(column.codes)), draws.stream("innocent", name)
        return cls(units_of(column, law.grid), *stream.uniform(everybody, "size", "rounding"))


def draw_together(
    law: CorrelatedLaw, columns: Mapping[str, Coded], rows: Mapping[str, Rows], draws: Draws
) -> dict[str, Units]:
    """For each column the released units of those rows whose cell is moved."""
    records = len(next(iter(columns.values())).codes) if columns else 0
    is_moved = np.zeros((records, len(columns)), dtype=bool)
    for place, name in enumerate(law.laws):
        is_moved[rows[name], place] = True
    cells = {
        name: _Cells.of(column, law.laws[name], name, draws) for name, column in columns.items()
    }
    found = {name: np.zeros(records, dtype=np.int64) for name in law.laws}
    for here in _alike(is_moved):
        names = [name for place, name in enumerate(law.laws) if is_moved[here[0], place]]
        own = [cells[name] for name in names]
        released = law.among(names).draw(
            [one.units[here] for one in own],
            [one.uniform[here] for one in own],
            [one.within[here] for one in own],
        )
        for name, units in zip(names, released, strict=True):
            found[name][here] = units
    return {name: found[name][rows[name]] for name in law.laws}


def _alike(is_moved: npt.NDArray[np.bool_]) -> Iterator[Rows]:
    """The rows in portions that are moved in the same columns."""
    number = np.zeros(len(is_moved), dtype=np.int64)
    for place in range(is_moved.shape[1]):
        number = 2 * number + is_moved[:, place]
        if place % _MOST_BITS == _MOST_BITS - 1:
            number = np.unique(number, return_inverse=True)[1]
    for pattern in np.unique(number).tolist():
        yield np.flatnonzero(number == pattern)
