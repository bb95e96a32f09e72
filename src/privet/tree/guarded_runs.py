"""Runs of values of a guarded column: where units end, though single values are not known.

`guard` fills units from the lowest value on. Here that is done from run to run: an engine says what
becomes of an unfinished unit in each of them (`engine.sql_units`). So it is known of each end of a
run whether a unit ends there, and of each run whether one may end inside. `long_columns` asks.
"""

from dataclasses import dataclass

import numpy as np

from privet.arrays import Booleans, Integers
from privet.engine.protocol import RunTally
from privet.engine.sql_units import Fillings


@dataclass(frozen=True, eq=False)
class GuardedRuns(RunTally):
    """Runs, the records of the unfinished unit before each, and how many records of each have a
    number. The others of all `records` are missing, which is the last value."""

    before: Integers
    numbers: Integers
    records: int

    @classmethod
    def linked(cls, runs: RunTally, found: Fillings, records: int) -> "GuardedRuns":
        """All runs of a column in a node of so many records."""
        nothing = np.zeros(1, dtype=np.int64)
        none_yet = cls(nothing, runs.weights[:1], nothing, nothing, nothing, records)
        return none_yet.with_finer(runs, found)

    def with_finer(self, runs: RunTally, found: Fillings) -> "GuardedRuns":
        """The same with some runs cut; `found` are the pieces of these."""
        parent = np.searchsorted(self.codes, runs.codes, side="right") - 1
        cut = self.lengths[parent] != runs.lengths
        numbers = np.where(cut, 0, self.numbers[parent])
        before = self.before[parent]
        place = np.searchsorted(found.codes, runs.codes)
        known = np.append(found.codes, -1)[place] == runs.codes
        numbers[cut & known] = found.records[place[cut & known]]
        follows = np.append(False, cut[1:] & (parent[1:] == parent[:-1]))
        for run in np.flatnonzero(follows).tolist():
            last = run - 1  # of the same run as it was
            left = int(before[last])
            before[run] = found.left[place[last], left] if known[last] else left
        return GuardedRuns(runs.codes, runs.weights, runs.lengths, before, numbers, self.records)

    def units(self, least: int) -> Integers:
        """The unit of each run; runs are in one where no unit ends between them, and where what
        is left behind that end is too little for another."""
        begins = np.zeros(len(self.codes), dtype=np.int64)
        total = int(self.numbers.sum())
        rest = total - np.cumsum(self.numbers)[:-1]
        begins[1:] = (self.before[1:] == 0) & (rest >= least)
        if not self.numbers[-1]:  # a run of nothing but missing
            begins[-1] = min(total, self.records - total) >= least
        return np.cumsum(begins)

    def may_be_cut(self, least: int) -> Booleans:
        """Whether a unit may end in a run, or just before it."""
        may = (self.before == 0) | (self.before + self.numbers >= least)
        may[-1] |= int(self.numbers.sum()) < self.records
        return np.asarray(may)
