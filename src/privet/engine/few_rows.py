"""Relations of few rows: fetched from a database once, and counted in memory from then on.

A recoded table is mostly some hundred rows, each of which stands for many records, and is asked
about again and again. `small_regions` does the same for regions of few records of a large table.
Answers of a large relation that are asked for twice are kept by `Heard`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.grouping import added_up, numbers_of_rows
from privet.engine.protocol import Counts, Region, Response, RunTally, Tally
from privet.engine.regions import KnownRegions
from privet.table import Table

_KEPT = 64  # answers
_SHORT = 4096  # combinations of an answer that is kept

_Asked = tuple[tuple[str, ...], tuple[Region, ...], str]  # columns, regions, and target


class FewRows:
    """Rows in memory; row i stands for n[i] records."""

    def __init__(self, table: Table, n: Integers) -> None:
        self._table, self._n = table, n
        self._regions = KnownRegions(table)

    def whole(self) -> Table:
        """The records, each of them a row."""
        return self._table.take(np.repeat(np.arange(len(self._n)), self._n))

    def count(self, by: Sequence[str], within: Region = ()) -> Counts:
        n, codes = self._inside(within, by)
        if not by or not len(n):
            here = int(len(n) > 0)
            keys = np.zeros((here, len(by)), dtype=np.int64)
            return Counts(tuple(by), keys, np.full(here, n.sum(), dtype=np.int64))
        numbers = numbers_of_rows(codes, [self._table[name].domain.size for name in by])
        counted = added_up(numbers, n, int(numbers.max()) + 1)
        keys = np.empty((len(counted), len(by)), dtype=np.int64)
        for place, column in enumerate(codes):
            keys[numbers, place] = column
        return Counts(tuple(by), keys, counted)

    def tally(
        self, columns: Sequence[str], regions: Sequence[Region], target: str | Response
    ) -> list[dict[str, Tally]]:
        return [self._tally(columns, region, target) for region in regions]

    def _tally(
        self, columns: Sequence[str], region: Region, target: str | Response
    ) -> dict[str, Tally]:
        name = target if isinstance(target, str) else target.column
        n, (response, *codes) = self._inside(region, [name, *columns])
        width = self._table[name].domain.size if isinstance(target, str) else 2
        found = {}
        for column, own in zip(columns, codes, strict=True):
            present, place = np.unique(own, return_inverse=True)
            weights = np.zeros((len(present), width), dtype=np.int64)
            if isinstance(target, str):
                np.add.at(weights, (place, response), n)
            else:
                np.add.at(weights[:, 0], place, n)
                np.add.at(weights[:, 1], place, n * target.units[response])
            found[column] = Tally(present.astype(np.int64), weights)
        return found

    def _inside(
        self, region: Region, columns: Sequence[str]
    ) -> tuple[Integers, list[npt.NDArray[Any]]]:
        """The rows of a region: for how many records they stand, and codes of columns."""
        rows = self._regions[region].rows
        here = slice(None) if rows is None else rows
        return self._n[here], [self._table[name].codes[here] for name in columns]


class Heard:
    """Short answers of one relation, so that none is asked for twice."""

    def __init__(self) -> None:
        self._counts: dict[tuple[tuple[str, ...], Region], Counts] = {}
        self._tallies: dict[_Asked, list[dict[str, Tally]]] = {}

    def count(self, by: Sequence[str], within: Region) -> Counts | None:
        return self._counts.get((tuple(by), within))

    def keep(self, counts: Counts, within: Region = ()) -> Counts:
        if len(counts.n) <= _SHORT and len(self._counts) < _KEPT:
            _sealed(counts.keys, counts.n)
            self._counts[counts.by, within] = counts
        return counts

    def tally(
        self, columns: Sequence[str], regions: Sequence[Region], target: str | Response
    ) -> list[dict[str, Tally]] | None:
        known = self._tallies.get(_asked(columns, regions, target))
        return None if known is None else [dict(answer) for answer in known]

    def keep_tally(
        self,
        found: list[dict[str, Tally]],
        columns: Sequence[str],
        regions: Sequence[Region],
        target: str | Response,
    ) -> None:
        """Keep all columns of some regions; of the whole table also the records by value."""
        rows = sum(len(tally.codes) for answer in found for tally in answer.values())
        if rows <= _SHORT and len(self._tallies) < _KEPT:
            for tally in (tally for answer in found for tally in answer.values()):
                _sealed(tally.codes, tally.weights)
            self._tallies[_asked(columns, regions, target)] = [dict(answer) for answer in found]
        if not regions[0]:
            self._learn(found[0], target)

    def _learn(self, tallies: Mapping[str, Tally], target: str | Response) -> None:
        """The records by value of each column, from its counts against a target in all records."""
        for name, tally in tallies.items():
            if not isinstance(tally, RunTally):
                by_class = isinstance(target, str)
                n = tally.weights.sum(axis=1) if by_class else tally.weights[:, 0].copy()
                codes = tally.codes.astype(np.int64).reshape(-1, 1)
                self.keep(Counts((name,), codes, n.astype(np.int64, copy=False)))


def _sealed(*arrays: Integers) -> None:
    """Whoever asks next must get the same."""
    for array in arrays:
        array.setflags(write=False)


def _asked(columns: Sequence[str], regions: Sequence[Region], target: str | Response) -> _Asked:
    key = f"class {target}" if isinstance(target, str) else target.key
    return tuple(columns), tuple(regions), key
