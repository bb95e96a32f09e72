"""What noise will do and what it did: expected and observed changes of each column.

Expected figures follow from the laws and the original table, before anything is drawn. The squared
correlation of original and released numbers is the share of their variance that the released ones
still tell: near 1 they give the original away, near 0 they hide it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.mechanism.correlated_laws import correlations_of
from privet.mechanism.number_laws import NumberLaw
from privet.noise.draws import is_changed, units_of
from privet.noise.framework import NoiseFramework
from privet.noise.parts.detective import Suspect
from privet.noise.parts.innocent import movable
from privet.table import Coded, Table
from privet.tree.leaves import Leaves


@dataclass(frozen=True)
class ColumnFigures:
    """One column: `method` in words, the records expected to change and those that did.

    `shift` is how far the mean is expected to move, because no rule at the ends of a column is
    without bias; `r2` the squared correlation (numbers only).
    """

    column: str
    method: str
    expected: float
    observed: int
    records: int
    r2: float | None = None
    shift: float | None = None

    def to_data(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "method": self.method,
            "expected": self.expected,
            "observed": self.observed,
            "r2": self.r2,
            "shift": self.shift,
        }


def figures_of(
    noise: NoiseFramework, table: Table, released: Table, leaves: Leaves | None = None
) -> tuple[ColumnFigures, ...]:
    """The figures of every released column, in order; `leaves` are those of the original rows."""
    table = table.select(released.names)
    leaves = leaves or Leaves(noise.tree_, table)
    expected: dict[str, tuple[str, float, float | None]] = {}
    technique = noise.settings.class_noise
    target = noise.tree_.target
    expected[target] = (f"class, {technique}", float(noise.class_.law_.expected), None)
    for suspect in noise.suspects_.values():
        for name in suspect.together.columns:
            expected[name] = ("detective", _of_suspect(noise, suspect, name, table, leaves), None)
    for name in noise.numbers_:
        expected[name] = _of_number(noise, name, table[name], leaves)
    if noise.influential_:
        for name in noise.influential_.columns_:
            if name not in expected:
                rows = noise.influential_.rows_of(table[name], leaves, name)
                expected[name] = ("exchange", _permuted(leaves, table[name], rows), None)
    found = []
    for name in released:
        method, changes, shift = expected.get(name, ("kept", 0.0, None))
        observed = int(is_changed(table[name], released[name]).sum())
        r2 = squared_correlation(table[name], released[name]) if name in noise.numbers_ else None
        found.append(ColumnFigures(name, method, changes, observed, table.n_rows, r2, shift))
    return tuple(found)


def squared_correlation(before: Coded, after: Coded) -> float | None:
    """Of the records that have a number before and after; None if a column is constant."""
    present = np.ones(len(before.codes), dtype=bool)
    for column in (before, after):
        if column.domain.missing:
            present &= column.codes != column.domain.missing_code
    one, two = (
        _centred(c.domain.values.astype(np.float64)[c.codes[present]]) for c in (before, after)
    )
    squares = float((one * one).sum()) * float((two * two).sum())
    return min(float((one * two).sum()) ** 2 / squares, 1.0) if squares > 0 else None


def change_of_correlations(noise: NoiseFramework, table: Table, released: Table) -> float | None:
    """By how much a correlation of two columns that were moved together changed at most; None if
    there are no such columns."""
    together = noise.innocent_.together_ if noise.innocent_ else None
    if together is None or len(together.laws) < 2:
        return None
    found = []
    for rows in (table, released):
        columns = {name: rows[name] for name in together.laws}
        units = [units_of(columns[name], law.grid) for name, law in together.laws.items()]
        present = [movable(column.domain, ())[column.codes] for column in columns.values()]
        found.append(np.array(correlations_of(units, present)))
    return float(np.abs(found[0] - found[1]).max())


def _centred(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Numbers about their mean, scaled so that no square overflows; a constant is exactly 0."""
    if len(numbers) == 0 or numbers.min() == numbers.max():
        return np.zeros(len(numbers))
    scaled = numbers / np.abs(numbers).max()
    return np.asarray(scaled - scaled.mean())


def _of_number(
    noise: NoiseFramework, name: str, column: Coded, leaves: Leaves
) -> tuple[str, float, float | None]:
    methods: list[str] = []
    changes, shift = 0.0, 0.0
    if noise.influential_ and name in noise.influential_.columns_:
        part = noise.influential_
        rows = part.rows_of(column, leaves, name)
        methods.append(part.method)
        if part.method == "shuffle":
            changes += _permuted(leaves, column, rows)
        else:
            rows, times = _distinct(leaves, column, rows)
            law, kept, units = part.law_of(column, leaves, name, rows)
            changes += _moved(law, column, kept, units, times[np.isin(rows, kept)])[0]
    if noise.innocent_ and name in noise.innocent_.columns_:
        part_2 = noise.innocent_
        rows, times = _one_of_each(column, part_2.rows_of(column, leaves, name))
        law = part_2.laws_[name]
        units = law.grid.units_of(column.domain.values)[column.codes[rows]]
        moved, shift = _moved(law, column, rows, units, times)
        methods.append("innocent")
        changes += moved
    return " and ".join(methods) or "kept", changes, shift / max(leaves.n_rows, 1)


def _moved(
    law: NumberLaw,
    column: Coded,
    rows: npt.NDArray[np.intp],
    units: npt.NDArray[np.int64],
    times: npt.NDArray[np.int64],
) -> tuple[float, float]:
    """Expected changes and the expected sum of what values move, for rows that occur so often."""
    if len(rows) == 0:
        return 0.0, 0.0
    bias, changed = law.bias(units), 1 - law.stays(units)
    beside = law.grid.values_of(units) != column.domain.values[column.codes[rows]]
    changed = np.where(beside, 1.0, changed)  # a value beside its grid point always changes
    return float(changed @ times), float(bias @ times) * float(law.grid.width)


def _one_of_each(
    column: Coded, rows: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """One row for each value that occurs, and how many rows have it."""
    codes = column.codes[rows]
    times = np.bincount(codes, minlength=column.domain.size)
    row_of = np.zeros(column.domain.size, dtype=np.intp)
    row_of[codes] = rows
    return row_of[times > 0], times[times > 0]


def _distinct(
    leaves: Leaves, column: Coded, rows: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """One row for each pair of leaf and value, and how many rows have it."""
    pairs = leaves.rank[rows].astype(np.int64) * column.domain.size + column.codes[rows]
    _, first, times = np.unique(pairs, return_index=True, return_counts=True)
    return rows[first], times


def _permuted(leaves: Leaves, column: Coded, rows: npt.NDArray[np.intp]) -> float:
    """How many of these rows get another value when values are permuted within leaves."""
    one_of_each, times = _distinct(leaves, column, rows)
    of_leaf = np.bincount(leaves.rank[rows], minlength=leaves.number)
    stay = times.astype(np.float64) ** 2 / np.maximum(of_leaf[leaves.rank[one_of_each]], 1)
    return float(len(rows) - stay.sum())


def _of_suspect(
    noise: NoiseFramework, suspect: Suspect, name: str, table: Table, leaves: Leaves
) -> float:
    """Expected changes of one column of a suspect."""
    place = suspect.together.columns.index(name)
    value_of = suspect.together.combinations[:, place]
    own = Leaves(suspect.tree, table)
    codes = suspect.together.codes_of(table)
    rows = np.arange(table.n_rows)
    changes = 0.0
    if noise.settings.strict:
        rows = np.flatnonzero(~noise.asked(suspect, leaves)[leaves.rank])
        if noise.influential_:
            exchanged = noise.exchange_rows(suspect.together.columns, table, leaves)
            changes += _permuted(leaves, table[name], exchanged)
    same = (value_of[:, None] == value_of[None, :]).astype(np.float64)
    law = suspect.law
    v = law.random_value if law.drawn.shape[1] > 1 else 0.0
    stay = (1 - v) * law.drawn @ same
    stay += v * (same.sum(axis=1) - 1)[None, :] / max(len(value_of) - 1, 1)
    changed = law.participation * (1 - stay)
    return changes + float(changed[own.rank[rows], codes[rows]].sum())
