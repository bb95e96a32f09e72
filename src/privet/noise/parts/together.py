"""Innocent numbers drawn together, so that the noise has their correlations.

Which cells of a record are moved depends on its leaf and on what is missing; records that are alike
in this are drawn at once. `innocent` next door says which cells, `privet.mechanism` has the law.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.mechanism.correlated_laws import CorrelatedLaw, MovedTogether
from privet.mechanism.grids import Units
from privet.noise.draws import units_of
from privet.noise.streams import Draws, Rows
from privet.table import Coded

_MOST_BITS = 30  # after so many columns the patterns of moved cells are numbered anew


def draw_together(
    law: CorrelatedLaw, columns: Mapping[str, Coded], rows: Mapping[str, Rows], draws: Draws
) -> dict[str, Units]:
    """For each column the released units of those rows whose cell is moved."""
    records = len(next(iter(columns.values())).codes) if columns else 0
    is_moved = np.zeros((records, len(columns)), dtype=bool)
    for place, name in enumerate(law.laws):
        is_moved[rows[name], place] = True
    units = {name: units_of(columns[name], own.grid) for name, own in law.laws.items()}
    found = {name: np.zeros(records, dtype=np.int64) for name in law.laws}
    for here in _alike(is_moved):
        names = [name for place, name in enumerate(law.laws) if is_moved[here[0], place]]
        own = law.among(names)
        numbers = _numbers(own, names, here, draws)
        released = own.draw([units[name][here] for name in names], *numbers)
        for name, moved in zip(names, released, strict=True):
            found[name][here] = moved
    return {name: found[name][rows[name]] for name in law.laws}


def _numbers(
    law: MovedTogether, names: Sequence[str], rows: Rows, draws: Draws
) -> tuple[list[Floats], list[Floats]]:
    """Two numbers for each cell of some rows, which belong to the law that moves them together."""
    laws = [(one.shape.name, float(one.sd), one.size, one.mean) for one in law.laws]
    told = (laws, law.correlations)
    streams = (draws.stream("innocent", name).under(*told, list(names)) for name in names)
    pairs = [stream.uniform(rows, "size", "rounding") for stream in streams]
    return [uniform for uniform, _ in pairs], [within for _, within in pairs]


def _alike(is_moved: npt.NDArray[np.bool_]) -> Iterator[Rows]:
    """The rows in portions that are moved in the same columns."""
    number = np.zeros(len(is_moved), dtype=np.int64)
    for place in range(is_moved.shape[1]):
        number = 2 * number + is_moved[:, place]
        if place % _MOST_BITS == _MOST_BITS - 1:
            number = np.unique(number, return_inverse=True)[1]
    for pattern in np.unique(number).tolist():
        yield np.flatnonzero(number == pattern)
