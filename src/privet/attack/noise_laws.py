"""The chance that noise turns a known cell into a released one, column by column and leaf by leaf.

Everything is read from mechanism.json and model.json, as an outsider would: which cells stay,
which are permuted within their leaf, which move on their grid, and which are drawn by the leaves of
a tree of their own. `likelihood` next door puts the columns together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.attack.whereabouts import Whereabouts
from privet.documents import json_of
from privet.mechanism.grids import Grid
from privet.mechanism.number_laws import NumberLaw
from privet.mechanism.shapes import shape_from
from privet.schema import Kind
from privet.table import Domain, Table
from privet.tree.exchange.model_file import from_data
from privet.tree.leaves import Leaves

Codes = npt.NDArray[np.int64]
RecordsIn = Callable[[int], npt.NDArray[np.intp]]  # the released records that lie in a leaf


@dataclass(frozen=True, eq=False)
class Cells:
    """One column, or several taken as one: codes of the people and of the released records."""

    names: tuple[str, ...]
    domains: tuple[Domain, ...]
    values: Codes  # for each code the codes of its columns
    people: Codes
    released: Codes

    @classmethod
    def of(cls, names: Sequence[str], people: Table, released: Table) -> "Cells":
        domains = tuple(people[n].domain.union(released[n].domain) for n in names)
        if len(names) == 1:
            one, every = domains[0], np.arange(domains[0].size, dtype=np.int64)
            codes = [
                table[names[0]].into(one).codes.astype(np.int64) for table in (people, released)
            ]
            return cls(tuple(names), domains, every[:, None], *codes)
        both = [
            np.stack([table[n].into(d).codes for n, d in zip(names, domains, strict=True)], axis=1)
            for table in (people, released)
        ]
        values, place = np.unique(
            np.concatenate(both).astype(np.int64), axis=0, return_inverse=True
        )
        place = place.ravel()
        return cls(tuple(names), domains, values, place[: people.n_rows], place[people.n_rows :])


class ColumnLaw:
    """A column that no category tree draws: it stays, is permuted within leaves, or moves."""

    def __init__(
        self, cells: Cells, told: Mapping[str, Any], leaves: Leaves, records_in: RecordsIn
    ) -> None:
        self.cells, self._leaves, self._records_in = cells, leaves, records_in
        name = cells.names[0]
        self._innocent = _entry(told["innocent"], name)
        self._influential = _entry(told["influential"], name)
        self._part = {"innocent": told["innocent"], "influential": told["influential"]}
        domain = cells.domains[0]
        self._kind = domain.kind
        self._values = domain.values
        spikes = {*_spikes(self._innocent), *_spikes(self._influential)}
        codes = cells.values[:, 0]
        is_number = codes < len(domain.values)
        self._spike = np.zeros(len(codes), dtype=bool)
        if self._kind.is_ordered:
            found = np.isin(domain.values, list(spikes)) if spikes else np.zeros(len(domain.values))
            self._spike[is_number] = found[codes[is_number]] > 0
        self._number = is_number
        self._asks, self._fixes = leaves.asks(name), leaves.fixes(name)

    def chances(self, leaf: int, people: Codes, released: Codes) -> Floats:
        """In a leaf, the chance of each released code (columns) for each of a person (rows)."""
        same = _equal(people, released)
        if self._asks[leaf]:
            if self._influential is None or self._fixes[leaf]:
                return same
            if self._part["influential"]["method"] == "shuffle" or not self._kind.is_ordered:
                law = _shares(self.cells, self._records_in(leaf), self._spike)
                return np.where(self._spike[people][:, None], same, law[released][None, :])
            law_on_path = self._on_path(leaf)
            if law_on_path.low == law_on_path.high:  # no room to move
                return same
            return self._moved(law_on_path, people, released, same)
        if not self.is_innocent_in(leaf):
            return same
        return self._moved(self.innocent_law, people, released, same)

    def is_innocent_in(self, leaf: int) -> bool:
        """Whether the numbers of a leaf are moved because its path does not ask them."""
        if self._innocent is None or self._asks[leaf]:
            return False
        everywhere = self._part["innocent"]["where"] == "all"
        return everywhere or bool(self._leaves.heterogeneous[leaf])

    @cached_property
    def innocent_law(self) -> NumberLaw:
        assert self._innocent is not None
        shape = shape_from(self._part["innocent"]["noise"])
        return NumberLaw.from_data(self._innocent, shape, self._kind)

    def is_movable(self, codes: Codes) -> npt.NDArray[np.bool_]:
        """For each code whether its cell may be moved: a number, and no spike."""
        return np.asarray(self._number[codes] & ~self._spike[codes])

    def is_number(self, codes: Codes) -> npt.NDArray[np.bool_]:
        return np.asarray(self._number[codes])

    def units(self, codes: Codes) -> npt.NDArray[np.int64]:
        """The grid point of each code, 0 where there is no number."""
        law, found = self.innocent_law, np.zeros(len(codes), dtype=np.int64)
        there = self._number[codes]
        found[there] = law.grid.units_of(self._values[self.cells.values[codes[there], 0]])
        return found

    def _on_path(self, leaf: int) -> NumberLaw:
        """The law of numbers that wrap or reflect between the thresholds of a leaf's path."""
        told, part = self._influential, self._part["influential"]
        assert told is not None
        grid = Grid.from_data(told["grid"], self._kind)
        low, high = self._leaves.ranges(self.cells.names[0], grid, *told["ends"])
        sizes = told["relative_to"]
        size = None if sizes == "the value" else float(sizes[leaf])
        shape, sd = shape_from(part["noise"]), float(told["sd"])
        return NumberLaw(grid, shape, sd, int(low[leaf]), int(high[leaf]), part["method"], size)

    def _moved(self, law: NumberLaw, people: Codes, released: Codes, same: Floats) -> Floats:
        """By a law of numbers; missing cells and spikes stay, and so does what has no room."""
        if not law.has_room:
            return same
        low, high = int(np.max(law.low)), int(np.min(law.high))
        found = same.copy()
        moves = self.is_movable(people)
        numbers = self.is_number(released)
        units = law.grid.units_of(self._values[self.cells.values[people[moves], 0]])
        to = law.grid.units_of(self._values[self.cells.values[released[numbers], 0]])
        block = np.zeros((int(moves.sum()), len(released)))
        block[:, numbers] = law.chances(np.clip(units, low, high), to)
        found[moves] = block
        return found


class CategoryTreeLaw:
    """Columns that DETECTIVE draws, as one: by the leaves of a tree that predicts them."""

    def __init__(
        self,
        cells: Cells,
        entry: Mapping[str, Any],
        stays_on_path: bool,
        exchanges: bool,
        leaves: Leaves,
        records_in: RecordsIn,
        spikes: Mapping[str, Sequence[float]],
    ) -> None:
        self.cells, self._records_in = cells, records_in
        self.tree = from_data(entry["tree"])
        columns = entry["columns"]
        asked = np.any([leaves.asks(name) for name in columns], axis=0)
        self.is_drawn = ~asked if stays_on_path else np.ones_like(asked)
        fixed = np.any([leaves.fixes(name) for name in columns], axis=0)
        self._exchanged = asked & ~fixed if exchanges else np.zeros_like(asked)
        self._spike = _any_spike(cells, spikes)
        law = entry["law"]
        self._rate, self._random = float(law["participation"]), float(law["random_value"])
        drawn = np.array([law["by_leaf"][str(leaf.id)] for leaf in self.tree.leaves])
        shown = _shown_as(cells, columns, self.tree.classes or ())
        seen = shown >= 0
        self._drawn = np.zeros((len(drawn), len(cells.values)))
        np.add.at(self._drawn.T, shown[seen], drawn.T[seen])
        self._combinations = np.bincount(shown[seen], minlength=len(cells.values))
        self._number = drawn.shape[1]

    def asks(self, name: str) -> bool:
        """Whether the tree of the category asks a column."""
        return name in self.tree.attributes_used

    def chances_on_path(self, leaf: int, people: Codes, released: Codes) -> Floats:
        """Where the path of a leaf asks the columns: they stay or are exchanged within it."""
        same = _equal(people, released)
        if not self._exchanged[leaf]:
            return same
        shares = _shares(self.cells, self._records_in(leaf), self._spike)
        return np.where(self._spike[people][:, None], same, shares[released][None, :])

    def drawn_for(self, where: Whereabouts, rows: npt.NDArray[np.intp], released: Codes) -> Floats:
        """For some people the chance of each released code, where the columns are drawn."""
        own = self.cells.people[rows]
        same = _equal(own, released)
        v = self._random if self._number > 1 else 0.0
        found = (1 - v) * where.mean_of(self._drawn[:, released], rows)
        if v:
            others = self._combinations[released][None, :] - same
            found += v * np.maximum(others, 0.0) / (self._number - 1)
        return np.asarray((1 - self._rate) * same + self._rate * found)


def _equal(people: Codes, released: Codes) -> Floats:
    return np.asarray(people[:, None] == released[None, :], dtype=np.float64)


def _shares(cells: Cells, records: npt.NDArray[np.intp], spike: npt.NDArray[np.bool_]) -> Floats:
    """The shares of the values among some released records, spikes apart."""
    counts = np.bincount(cells.released[records], minlength=len(cells.values))
    counts[spike] = 0
    return np.asarray(counts / max(int(counts.sum()), 1))


def _shown_as(cells: Cells, columns: Sequence[str], classes: Sequence[Any]) -> Codes:
    """For each class of a category tree the code of the known columns in it, -1 where it has none.

    Of columns that are drawn together a class is the list of their texts.
    """
    place_of = {
        tuple(
            d.texts[c] if len(columns) > 1 else d.value(c)
            for d, c in zip(cells.domains, row, strict=True)
        ): code
        for code, row in enumerate(cells.values.tolist())
    }
    found = []
    for label in classes:
        parts = dict(
            zip(
                columns,
                json_of(label, "class of a tree") if len(columns) > 1 else [label],
                strict=True,
            )
        )
        found.append(place_of.get(tuple(parts[name] for name in cells.names), -1))
    return np.array(found, dtype=np.int64)


def _any_spike(cells: Cells, spikes: Mapping[str, Sequence[float]]) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(cells.values), dtype=bool)
    for place, (name, domain) in enumerate(zip(cells.names, cells.domains, strict=True)):
        if spikes.get(name) and domain.kind is not Kind.CATEGORY:
            is_spike = np.append(np.isin(domain.values, list(spikes[name])), [False])
            found |= is_spike[np.minimum(cells.values[:, place], len(domain.values))]
    return found


def _entry(part: Mapping[str, Any] | None, name: str) -> Mapping[str, Any] | None:
    return None if part is None else part["columns"].get(name)


def _spikes(entry: Mapping[str, Any] | None) -> Sequence[float]:
    return () if entry is None else entry["spikes"]
