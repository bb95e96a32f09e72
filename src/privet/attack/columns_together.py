"""The chance of a released record where several columns of numbers were moved together.

The law is a product, column after column, only if all of them are known. Of an intruder who knows
fewer it is taken as if these alone had been moved: that is what normal noise would do, and off by
no more than rounding and the ends of columns. `noise_laws` next door has columns moved alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.attack.noise_laws import ColumnLaw
from privet.mechanism.correlated_laws import CorrelatedLaw

Rows = npt.NDArray[np.intp]


class ColumnsTogether:
    """The known columns among those that mechanism.json says are moved together."""

    def __init__(self, told: Mapping[str, Any], columns: Sequence[ColumnLaw]) -> None:
        known = {column.cells.names[0]: column for column in columns}
        self._columns = {name: known[name] for name in told["columns"] if name in known}
        places = [place for place, name in enumerate(told["columns"]) if name in known]
        self._law = CorrelatedLaw(
            {name: column.innocent_law for name, column in self._columns.items()},
            [[float(told["correlations"][a][b]) for b in places] for a in places],
        )

    def moved_in(self, leaf: int) -> dict[str, ColumnLaw]:
        """The columns that are moved together in a leaf."""
        return {
            name: column
            for name, column in self._columns.items()
            if column.is_innocent_in(leaf) and self._law.laws[name].has_room
        }

    def log_chances(self, columns: Mapping[str, ColumnLaw], rows: Rows, people: Rows) -> Floats:
        """For each record and person; cells that are missing or spikes stay as they are."""
        total: Floats = np.zeros((len(rows), len(people)))
        for here, moves in _alike(columns, people):
            those = people[here]
            for name, column in columns.items():
                if name not in moves:
                    own, shown = column.cells.people[those], column.cells.released[rows]
                    with np.errstate(divide="ignore"):
                        total[:, here] += np.log((shown[:, None] == own[None, :]).astype(float))
            if moves:
                total[:, here] += self._of_moved(moves, rows, those)
        return total

    def _of_moved(self, moves: Mapping[str, ColumnLaw], rows: Rows, people: Rows) -> Floats:
        cells = [(column, column.cells) for column in moves.values()]
        found = self._law.among(list(moves)).log_chances(
            [column.units(own.people[people]) for column, own in cells],
            [column.units(own.released[rows]) for column, own in cells],
        )
        for column, own in cells:  # what was moved is still a number
            found[~column.is_number(own.released[rows])] = -np.inf
        return found


def _alike(
    columns: Mapping[str, ColumnLaw], people: Rows
) -> Iterator[tuple[Rows, dict[str, ColumnLaw]]]:
    """People in portions whose cells are moved in the same columns, with these."""
    is_moved = np.stack(
        [column.is_movable(column.cells.people[people]) for column in columns.values()], axis=1
    )
    patterns, pattern_of = np.unique(is_moved, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns.tolist()):
        here = np.flatnonzero(pattern_of.ravel() == number)
        both = zip(columns.items(), pattern, strict=True)
        yield here, {name: column for (name, column), moves in both if moves}
