"""The verbs of an engine, and the small tables of integers that it answers with.

Growers, criteria and recodings ask an engine for counts within a region; they never see rows. Two
engines that hold the same table give the same integers, so everything built on them is the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.table import Domain, Table

if TYPE_CHECKING:
    from privet.engine.blocks import Blocks


@dataclass(frozen=True)
class Between:
    """A condition on an ordered column: low <= code <= high."""

    column: str
    low: int
    high: int
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.column, self.low, self.high)))

    def __hash__(self) -> int:  # asked for once for each region below
        return self._hash

    def allowed(self, size: int) -> npt.NDArray[np.bool_]:
        """For each code of a domain of this size, whether the condition lets it through."""
        codes = np.arange(size)
        return (codes >= self.low) & (codes <= self.high)


@dataclass(frozen=True)
class AnyOf:
    """A condition on a column of categories: the code is one of these."""

    column: str
    codes: frozenset[int]
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.column, self.codes)))

    def __hash__(self) -> int:
        return self._hash

    def allowed(self, size: int) -> npt.NDArray[np.bool_]:
        mask = np.zeros(size, dtype=bool)
        mask[list(self.codes)] = True
        return mask


Condition = Between | AnyOf
Region = tuple[Condition, ...]  # a conjunction: the path from the root to a node; () is the table


class Path(Region):
    """A region that remembers its hash and the region above it.

    Engines look up what they know of a region, and deep trees have long paths: without this most
    of the time would go into hashing conditions. It equals the plain tuple of its conditions.
    """

    above: "Path"
    _hash: int

    def then(self, condition: Condition) -> "Path":
        """The region with one condition more."""
        path = Path((*self, condition))
        path.above = self
        return path

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = super().__hash__()
            return self._hash


@dataclass(frozen=True, eq=False)
class Response:
    """A numeric response on its grid: `units[code]` whole steps for each code of the column."""

    column: str
    units: Integers

    @cached_property
    def key(self) -> str:
        """A name for what was counted; the same column on another grid has another name."""
        return f"sum of {self.column} on grid {sha256(self.units.tobytes()).hexdigest()}"


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of one column within one region, by class or with exact sums of the response.

    `codes` are the codes that occur, ascending. `weights` has one row for each of them: the number
    of records in each class, or (records, sum of the response in grid steps). Records may be
    numbers of 32 bits, which hold any number of them.
    """

    codes: Integers
    weights: Integers


@dataclass(frozen=True, eq=False)
class RunTally(Tally):
    """Counts of runs of neighbouring codes: run i are the `lengths[i]` codes from `codes[i]` on.

    Some code of each run occurs, not always the first one. A run of length 1 is a code.
    """

    lengths: Integers


@dataclass(frozen=True, eq=False)
class Counts:
    """How many records have each combination of values of some columns.

    `keys[i]` are the codes of the i-th combination that occurs, `n[i]` its number of records.
    Combinations are sorted by their codes, first column first.
    """

    by: tuple[str, ...]
    keys: Integers
    n: Integers

    @property
    def records(self) -> int:
        return int(self.n.sum())

    def part(self, start: int, stop: int | None = None) -> "Counts":
        """Some of the combinations, which follow one another."""
        return Counts(self.by, self.keys[start:stop], self.n[start:stop])

    def runs(self, columns: int) -> Integers:
        """Where combinations of the first `columns` columns begin, as row numbers of `keys`."""
        if len(self.n) == 0:
            return np.zeros(0, dtype=np.int64)
        changed = (self.keys[1:, :columns] != self.keys[:-1, :columns]).any(axis=1)
        return np.concatenate(([0], np.flatnonzero(changed) + 1)).astype(np.int64)

    def over(self, columns: int) -> "Counts":
        """The counts of the first `columns` columns alone."""
        starts = self.runs(columns)
        n = np.add.reduceat(self.n, starts) if len(starts) else self.n
        return Counts(self.by[:columns], self.keys[starts, :columns], n)


class CountSource(Protocol):
    """All that a grower needs: whatever can count, be it over true or over estimated records."""

    def n_rows(self) -> int: ...

    def domain(self, column: str) -> Domain: ...

    def tally(
        self,
        columns: Sequence[str],
        regions: Sequence[Region],
        target: str | Response,
        beside: Sequence[Region] = (),
    ) -> list[dict[str, Tally]]:
        """For each region, the counts of each column against the target.

        Regions asked for together should be children of one node (or the root alone), `beside`
        its other children, whose counts are not wanted: an engine may count all children but the
        largest and take that one as the rest of its parent.
        """


class Engine(CountSource, Protocol):
    """Where a table lies: it counts, and recodes."""

    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    def count(self, by: Sequence[str], within: Region = ()) -> Counts:
        """How many records of a region have each combination of values."""

    def portions(self, by: Sequence[str], whole: int) -> Iterator[Counts]:
        """The same counts in portions, each of a bearable size, one after the other in order.

        No combination of the first `whole` columns is cut in two. A table without records has no
        portion, or an empty one.
        """

    def recode(
        self,
        edits: Mapping[str, tuple[npt.NDArray[Any], Domain]],
        regions: Sequence[Region] | None = None,
    ) -> "Engine":
        """The same table recoded: `edits[column] = (new code of each old code, new domain)`.

        With regions, which must divide the table, the map has one row for each of them.
        """

    def part(self, region: Region) -> "Engine":
        """The records of a region, as a table of their own."""

    def blocks(self, regions: Sequence[Region]) -> "Blocks":
        """The table dealt out to regions, which must divide it."""

    def table(self) -> Table:
        """The rows themselves, for methods that need them (numeric noise, small tables)."""
