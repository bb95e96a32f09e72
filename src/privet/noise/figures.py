"""What noise will do and what it did: expected and observed changes of each column.

Expected figures follow from the laws and the original table, before anything is drawn. The squared
correlation of original and released numbers is the share of their variance that the released ones
still tell: near 1 they give the original away, near 0 they hide it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.combinations import Combinations
from privet.mechanism.number_laws import NumberLaw
from privet.noise.framework import NoiseFramework
from privet.noise.observed import Observed
from privet.noise.parts.detective import Suspect
from privet.noise.parts.innocent import correlations_in
from privet.table import Coded, Table, stretches
from privet.tree.leaves import Leaves

_FINE = 1 << 30  # parts of 1, each of as many: floats add up those of a stretch exactly


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
    noise: NoiseFramework, table: Table, released: Table, seen: Observed | None = None
) -> tuple[ColumnFigures, ...]:
    """The figures of every released column, in order; `seen` is what was counted of the two."""
    seen = seen or Observed.of(noise, table, released)
    expected: dict[str, tuple[str, float, float | None]] = {}
    technique = noise.settings.class_noise
    target = noise.tree_.target
    expected[target] = (f"class, {technique}", float(noise.class_.law_.expected), None)
    for suspect in noise.suspects_.values():
        for name in suspect.together.columns:
            expected[name] = ("detective", _of_suspect(noise, suspect, name, seen), None)
    for name in noise.numbers_:
        expected[name] = _of_number(noise, name, _Distinct.of(noise, table, name, seen))
    if noise.influential_:
        for name in noise.influential_.columns_:
            if name not in expected:
                column = _Distinct.of(noise, table, name, seen)
                rows = noise.influential_.rows_of(column.coded, column.leaves, name)
                expected[name] = ("exchange", column.permuted(rows), None)
    found = []
    for name in released:
        method, changes, shift = expected.get(name, ("kept", 0.0, None))
        r2 = squared_correlation(table[name], released[name]) if name in noise.numbers_ else None
        observed = seen.changed[name]
        found.append(ColumnFigures(name, method, changes, observed, table.n_rows, r2, shift))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Distinct:
    """A column with one row for each pair of leaf and value that occurs, and how often it does."""

    coded: Coded
    leaves: Leaves
    times: Integers
    records: int

    @classmethod
    def of(cls, noise: NoiseFramework, table: Table, name: str, seen: Observed) -> "_Distinct":
        counted = seen.by_leaf[name]
        leaf, codes = counted.keys.T
        coded = Coded(table[name].domain, codes)
        return cls(coded, Leaves.placed(noise.tree_, leaf), counted.n, table.n_rows)

    def permuted(self, rows: npt.NDArray[np.intp]) -> float:
        """How many of these rows' records get another value when values are permuted in leaves."""
        return _permuted(self.leaves.rank[rows], self.times[rows])

    def one_of_each(self, rows: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], Integers]:
        """One of these rows for each value, and how many records have it."""
        codes, size = self.coded.codes[rows], self.coded.domain.size
        times = np.zeros(size, dtype=np.int64)
        np.add.at(times, codes, self.times[rows])
        row_of = np.zeros(size, dtype=np.intp)
        row_of[codes] = rows
        return row_of[times > 0], times[times > 0]


def squared_correlation(before: Coded, after: Coded) -> float | None:
    """Of the records that have a number before and after; None if a column is constant."""
    one, two = _Centred.of(before, after), _Centred.of(after, before)
    if one is None or two is None:
        return None
    high = low = 0  # whole numbers add up to the same in whatever order rows come
    for codes in zip(stretches(before.codes), stretches(after.codes), strict=True):
        present = _present(before, codes[0]) & _present(after, codes[1])
        products = one.numbers[codes[0][present]] * two.numbers[codes[1][present]] * _FINE
        whole = np.rint(products)
        high += int(whole.sum())
        low += int(np.rint((products - whole) * _FINE).sum())
    both = (high * _FINE + low) / _FINE**2
    return min(both**2 / (one.squares * two.squares), 1.0)


@dataclass(frozen=True, eq=False)
class _Centred:
    """The numbers of a column about their mean, by code, scaled so that the farthest is 1 away from
    it; `squares` is the sum of theirs."""

    numbers: npt.NDArray[np.float64]
    squares: float

    @classmethod
    def of(cls, column: Coded, other: Coded) -> "_Centred | None":
        """Of the records that have a number in both columns; None if it is one number only."""
        counts = np.zeros(column.domain.size, dtype=np.int64)
        for codes in zip(stretches(column.codes), stretches(other.codes), strict=True):
            present = _present(column, codes[0]) & _present(other, codes[1])
            counts += np.bincount(codes[0][present], minlength=column.domain.size)
        counts = counts[: len(column.domain.values)]
        occurs = counts > 0
        if occurs.sum() < 2:
            return None
        values = column.domain.values.astype(np.float64)
        scaled = values / np.abs(values[occurs]).max()
        if np.ptp(scaled[occurs]) == 0:  # floats do not tell them apart
            return None
        centred = scaled - float(scaled[occurs] @ counts[occurs]) / int(counts.sum())
        centred /= np.abs(centred[occurs]).max()
        return cls(centred, float(centred[occurs] ** 2 @ counts[occurs]))


def _present(column: Coded, codes: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return np.asarray(codes < len(column.domain.values))


def change_of_correlations(noise: NoiseFramework, table: Table, released: Table) -> float | None:
    """By how much a correlation of two columns that were moved together changed at most; None if
    there are no such columns."""
    together = noise.innocent_.together_ if noise.innocent_ else None
    if together is None or len(together.laws) < 2:
        return None
    before, after = (np.array(correlations_in(rows, together.laws)) for rows in (table, released))
    return float(np.abs(before - after).max())


def _of_number(
    noise: NoiseFramework, name: str, column: _Distinct
) -> tuple[str, float, float | None]:
    methods: list[str] = []
    changes, shift = 0.0, 0.0
    coded, leaves = column.coded, column.leaves
    if noise.influential_ and name in noise.influential_.columns_:
        part = noise.influential_
        rows = part.rows_of(coded, leaves, name)
        methods.append(part.method)
        if part.method == "shuffle":
            changes += column.permuted(rows)
        else:
            law, rows, units = part.law_of(coded, leaves, name, rows)
            changes += _moved(law, coded, rows, units, column.times[rows])[0]
    if noise.innocent_ and name in noise.innocent_.columns_:
        part_2 = noise.innocent_
        rows, times = column.one_of_each(part_2.rows_of(coded, leaves, name))
        law = part_2.laws_[name]
        units = law.grid.units_of(coded.domain.values)[coded.codes[rows]]
        moved, shift = _moved(law, coded, rows, units, times)
        methods.append("innocent")
        changes += moved
    return " and ".join(methods) or "kept", changes, shift / max(column.records, 1)


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


def _permuted(leaf: npt.NDArray[Any], times: Integers) -> float:
    """How many records get another value when values are permuted within leaves; for each value
    of a leaf there is a row, and how many records have it."""
    if len(leaf) == 0:
        return 0.0
    of_leaf = np.bincount(leaf, times)
    return float(times.sum() - (times.astype(np.float64) ** 2 / of_leaf[leaf]).sum())


def _of_suspect(noise: NoiseFramework, suspect: Suspect, name: str, seen: Observed) -> float:
    """Expected changes of one column of a suspect."""
    place = suspect.together.columns.index(name)
    value_of = suspect.together.combinations[:, place]
    changes = 0.0
    if name in seen.exchanged:
        counted: Combinations = seen.exchanged[name]
        changes += _permuted(counted.keys[:, 0], counted.n)
    same = (value_of[:, None] == value_of[None, :]).astype(np.float64)
    law = suspect.law
    v = law.random_value if law.drawn.shape[1] > 1 else 0.0
    stay = (1 - v) * law.drawn @ same
    stay += v * (same.sum(axis=1) - 1)[None, :] / max(len(value_of) - 1, 1)
    changed = law.participation * (1 - stay)
    drawn = seen.drawn[suspect.name]
    return changes + float(changed[drawn.keys[:, 0], drawn.keys[:, 1]] @ drawn.n)
