"""Several columns counted at once: their codes laid side by side in one range of numbers.

A small region costs calls, not records: one pass over all columns together is far cheaper than one
for each of them. `Layout` gives each column a stretch of one long range, so that a table of counts
holds them all; narrow columns come first, wide ones (too many values for a table of counts that is
kept) last. `memory` decides which regions are counted how.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.protocol import Tally
from privet.table import Coded

_WORTH_MARKING = 16  # a range is marked rather than sorted up to so many times the codes in it


@dataclass(frozen=True, eq=False)
class Layout:
    """Columns in one range of numbers: column i has those from `starts[i]` up to `starts[i+1]`."""

    columns: tuple[str, ...]  # narrow ones first
    coded: tuple[Coded, ...]
    n_narrow: int

    @cached_property
    def starts(self) -> Integers:
        sizes = [column.domain.size for column in self.coded]
        return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)

    @cached_property
    def narrow_size(self) -> int:
        """How many numbers the narrow columns have together."""
        return int(self.starts[self.n_narrow])

    @cached_property
    def numbers(self) -> npt.NDArray[Any]:
        """For each row the number of its value in each column."""
        fits = np.int32 if self.starts[-1] < 1 << 31 else np.int64
        numbers = np.empty((len(self.coded[0].codes), len(self.coded)), dtype=fits)
        for place, column in enumerate(self.coded):
            np.add(column.codes, self.starts[place], out=numbers[:, place], casting="unsafe")
        return numbers

    def stretch(self, place: int) -> slice:
        """The numbers of one column."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    def tallies_of(self, dense: Integers) -> dict[str, Tally]:
        """The narrow columns of a table of counts that has a row for each of their numbers."""
        occurs = np.flatnonzero(_any_in_row(dense))
        return self._split(0, self.n_narrow, occurs, dense[occurs])

    def tallies_within(
        self, first: int, rows: Any, response: npt.NDArray[Any], width: int, by_class: bool
    ) -> dict[str, Tally]:
        """The columns from the `first` on, counted within some rows by the values that occur."""
        numbers = self.numbers[rows, first:]
        own = response[rows]
        present, place = numbered(numbers.ravel(), int(self.starts[first]), int(self.starts[-1]))
        place = place.reshape(numbers.shape)
        weights = counted(place, own, len(present), width, by_class)
        return self._split(first, len(self.columns), present, weights)

    def _split(
        self, first: int, stop: int, present: Integers, weights: Integers
    ) -> dict[str, Tally]:
        """Numbers that occur, with their weights, told apart by column."""
        edges = np.searchsorted(present, self.starts[first : stop + 1]).tolist()
        own = present - np.repeat(self.starts[first:stop], np.diff(edges))
        return {
            self.columns[first + i]: Tally(own[low:high], weights[low:high])
            for i, (low, high) in enumerate(pairwise(edges))
        }


def _any_in_row(weights: Integers) -> npt.NDArray[np.bool_]:
    if weights.shape[1] > 8:
        return np.asarray(weights.any(axis=1))
    seen = weights[:, 0] != 0  # NumPy is slow along a short axis
    for column in range(1, weights.shape[1]):
        seen |= weights[:, column] != 0
    return np.asarray(seen)


def counted(
    numbers: npt.NDArray[Any], response: npt.NDArray[Any], size: int, width: int, by_class: bool
) -> Integers:
    """Weights of each number: records by class, or (records, sum of the response).

    `numbers` has a row for each record and a column for each column of the table.
    """
    if by_class:
        index = numbers.astype(np.int64)
        index *= width
        index += response[:, None]
        return np.bincount(index.ravel(), minlength=size * width).reshape(size, width)
    weights = np.empty((size, width), dtype=np.int64)
    weights[:, 0] = np.bincount(numbers.ravel(), minlength=size)
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, numbers.ravel(), np.repeat(response, numbers.shape[1]))
    weights[:, 1] = sums
    return weights


def numbered(codes: npt.NDArray[Any], low: int, high: int) -> tuple[Integers, Integers]:
    """The distinct codes in ascending order, and for each code its place among them.

    The codes lie from `low` up to, not including, `high`.
    """
    if high - low > _WORTH_MARKING * len(codes):
        distinct, place = np.unique(codes, return_inverse=True)
        return distinct.astype(np.int64), place
    seen = np.zeros(high - low, dtype=bool)
    shifted = codes - low if low else codes
    seen[shifted] = True
    distinct = np.flatnonzero(seen)
    place_of = np.empty(high - low, dtype=np.int64)
    place_of[distinct] = np.arange(len(distinct))
    return distinct + low, place_of[shifted]
