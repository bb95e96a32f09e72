"""New rows that take the place of released ones: `recode --nearest`.

A new row goes down the tree to its leaf and takes what the nearest released row of that leaf has,
so it looks like at least k released records; without a tree all released rows are looked at. The
release alone is needed. `new_rows` next door recodes rows by the release's maps.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np

from privet.arrays import Floats, Integers
from privet.errors import UnknownColumn, UsageError, param
from privet.release.claims.anonymised import METHODS as WITHOUT_A_TREE
from privet.release.leaf_groups import groups_of_rows
from privet.release.manifest import Manifest
from privet.release.new_rows import groups_of, refuse_other_kind
from privet.release.recoded import entry_of
from privet.schema import Role
from privet.table import Coded, Table
from privet.tree.model import Tree

_NEAR = 1e-9  # distances as close as this are compared exactly
_FAR = 1e300  # floats end soon after
_AT_ONCE = 1 << 20  # distances held in memory


def nearest_rows(table: Table, released: Table, manifest: Manifest, trees: Sequence[Tree]) -> Table:
    """New rows with the values of their nearest released rows; columns kept as they were stay.

    The distance of two rows adds up over the columns that were treated: numbers by their
    difference over the released range, categories 0 or 1, missing against a number 1. Of equally
    near rows the first in the release's order is taken.
    """
    if manifest.recoding.get("method") not in ("rich", *WITHOUT_A_TREE):
        raise UsageError(
            "Only rich releases, and those without a tree, have rows that new ones can be like.",
            f"leave out {param('nearest')}: rows are then recoded by the release's maps.",
        )
    treated = _treated(table, manifest)
    told = [n for n in treated if n in table and len(released[n].domain.values)]
    places = _nearest(table, released, told, manifest, trees)
    recoded = {}
    for column in manifest.schema:
        if column.name in treated:
            here = released[column.name]
            recoded[column.name] = Coded(here.domain, here.codes[places]).compact()
        elif column.name in table:
            recoded[column.name] = table[column.name]
    return Table(recoded)


def _treated(table: Table, manifest: Manifest) -> list[str]:
    """The columns that are not as they were; new rows need not have suppressed ones."""
    found = []
    for column in manifest.schema:
        treatment = entry_of(manifest.recoding, column.name).get("treatment", "kept")
        if treatment != "kept" and column.role is not Role.TARGET:
            found.append(column.name)
        needed = treatment != "suppressed" and column.role is not Role.TARGET
        if needed and column.name not in table:
            raise UnknownColumn(column.name, table.names, where="the release")
        if needed:
            refuse_other_kind(column.name, table[column.name].domain.kind, column.kind)
    return found


def _nearest(
    table: Table,
    released: Table,
    columns: Sequence[str],
    manifest: Manifest,
    trees: Sequence[Tree],
) -> Integers:
    """For each new row the place of its nearest released row."""
    distances = [_distance(table[name], released[name]) for name in columns]
    groups, number = groups_of(table, manifest, trees)
    of_released, number_of_released = (
        groups_of_rows(trees, released) if trees else groups_of(released, manifest, ())
    )
    found = np.zeros(len(table), dtype=np.int64)
    for place, leaves in enumerate(groups):
        if leaves not in of_released:
            raise UsageError(
                "The release has no record in the leaves that a new row is in.",
                "leave such rows out, or classify them with `privet predict`.",
            )
        rivals = np.flatnonzero(number_of_released == of_released.index(leaves))
        rows = np.flatnonzero(number == place)
        step = max(1, _AT_ONCE // len(rivals))
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            sums = np.zeros((len(some), len(rivals)))
            for distance in distances:
                sums += distance.approximate(some, rivals)
            for row, line in zip(some.tolist(), sums, strict=True):
                found[row] = rivals[_least(row, line, rivals, distances)]
    return found


def _least(row: int, sums: Floats, rivals: Integers, distances: "Sequence[_Distance]") -> int:
    """The first of the least distances; floats tell which are far, fractions which are equal."""
    least = float(sums.min())
    near = np.flatnonzero(sums <= least + _NEAR * (1 + least)).tolist()
    if len(near) == 1:
        return int(near[0])
    exact = [sum(d.exact(row, int(rivals[place])) for d in distances) for place in near]
    return int(near[exact.index(min(exact))])


class _Distance(Protocol):
    """Distances in one column, of new rows to released ones."""

    def approximate(self, rows: Integers, rivals: Integers) -> Floats: ...

    def exact(self, row: int, rival: int) -> Fraction: ...


class _Labels:
    """Categories: 0 or 1."""

    def __init__(self, new: Coded, released: Coded) -> None:
        self._new = new.domain.places_in(released.domain)[new.codes]
        self._released = released.codes.astype(np.int64)

    def approximate(self, rows: Integers, rivals: Integers) -> Floats:
        differ = self._new[rows][:, None] != self._released[rivals][None, :]
        return np.asarray(differ, dtype=np.float64)

    def exact(self, row: int, rival: int) -> Fraction:
        return Fraction(int(self._new[row] != self._released[rival]))


class _Numbers:
    """Numbers and dates: by their places in the released range; missing is 1 from all others."""

    def __init__(self, new: Coded, released: Coded) -> None:
        values = released.domain.values.tolist()
        low = Fraction(values[0]) if values else Fraction(0)
        span = (Fraction(values[-1]) - low if values else Fraction(0)) or Fraction(1)
        self._places: list[list[Fraction | None]] = [
            [*((Fraction(v) - low) / span for v in coded.domain.values.tolist()), None]
            for coded in (new, released)
        ]
        self._floats = [np.array([_float(p) for p in places]) for places in self._places]
        self._codes = [coded.codes.astype(np.int64) for coded in (new, released)]

    def approximate(self, rows: Integers, rivals: Integers) -> Floats:
        one = self._floats[0][self._codes[0][rows]][:, None]
        two = self._floats[1][self._codes[1][rivals]][None, :]
        apart = np.abs(one - two)
        return np.asarray(np.where(np.isnan(apart), np.isnan(one) != np.isnan(two), apart))

    def exact(self, row: int, rival: int) -> Fraction:
        one = self._places[0][self._codes[0][row]]
        two = self._places[1][self._codes[1][rival]]
        if one is None or two is None:
            return Fraction(int((one is None) != (two is None)))
        apart: Fraction = abs(one - two)
        return apart


def _float(place: Fraction | None) -> float:
    if place is None:
        return np.nan
    return float(place) if abs(place) < _FAR else math.copysign(_FAR, place)


def _distance(new: Coded, released: Coded) -> _Distance:
    kind = _Numbers if new.domain.kind.is_ordered else _Labels
    return kind(new, released)
