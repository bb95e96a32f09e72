"""Equivalence classes and the sensitive values in them, as flat arrays of integers.

A group is a run of cells: one for each sensitive value that occurs in it. The same view serves
counts of an engine (one group for each equivalence class) and arrays of candidate groups that a
grower or recoding wants judged.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.engine import Counts
from privet.errors import UsageError


@dataclass(frozen=True, eq=False)
class Groups:
    """Cells of all groups, one group after the other; no group is empty."""

    starts: Integers  # where each group begins
    values: Integers  # the code of each cell's sensitive value, ascending within a group
    n: Integers  # the records of each cell, never 0

    @classmethod
    def of(cls, counts: Counts) -> "Groups":
        """The equivalence classes of counts whose last column is the sensitive one."""
        must_have_records(counts)
        if not counts.by:
            raise UsageError(
                "The counts name no sensitive column.",
                "count by the quasi-identifiers and the sensitive column, this one last.",
            )
        if counts not in _SEEN:
            _SEEN[counts] = cls(counts.runs(len(counts.by) - 1), counts.keys[:, -1], counts.n)
        return _SEEN[counts]

    @classmethod
    def of_arrays(cls, arrays: npt.NDArray[Any]) -> tuple["Groups", Booleans]:
        """Candidate groups: the last axis holds the records by sensitive value.

        Returns the groups that have records, and for each candidate (leading axes flattened)
        whether it is one of them.
        """
        flat = arrays.reshape(-1, arrays.shape[-1])
        group, value = np.nonzero(flat)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        occupied = np.zeros(len(flat), dtype=bool)
        occupied[group] = True
        return cls(starts, value, flat[group, value].astype(np.int64, copy=False)), occupied

    @cached_property
    def sizes(self) -> Integers:
        """The records of each group."""
        return self.total(self.n)

    @cached_property
    def tops(self) -> Integers:
        """The records of each group's most frequent sensitive value."""
        return np.maximum.reduceat(self.n, self.starts) if len(self.starts) else self.n

    @cached_property
    def distinct(self) -> Integers:
        """How many sensitive values each group has."""
        return np.diff(self.starts, append=len(self.n))

    @cached_property
    def of_cell(self) -> Integers:
        """For each cell, the number of its group."""
        return np.repeat(np.arange(len(self.starts)), self.distinct)

    def total(self, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Sums over the cells of each group."""
        return np.add.reduceat(cells, self.starts) if len(self.starts) else cells[:0]

    def members(self, group: int) -> list[int]:
        """The records of one group by sensitive value."""
        start = int(self.starts[group])
        counts: list[int] = self.n[start : start + int(self.distinct[group])].tolist()
        return counts


# Several criteria judge the same counts: what they share is worked out once, while the counts live.
_SEEN: WeakKeyDictionary[Counts, Groups] = WeakKeyDictionary()


def must_have_records(counts: Counts) -> None:
    if len(counts.n) == 0:
        raise UsageError(
            "A table without records cannot be judged.", "give a table with at least one record."
        )


def spread(verdicts: Booleans, occupied: Booleans, shape: tuple[int, ...]) -> Booleans:
    """Verdicts on groups back in the shape of the candidates; empty ones expose nobody and pass."""
    answer = np.ones(len(occupied), dtype=bool)
    answer[occupied] = verdicts
    return answer.reshape(shape)
