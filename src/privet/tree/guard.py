"""Guarded growth: which values of a column a split must keep together.

A split that may stand anywhere tells something of the one record next to it
(docs/guarantees/what-the-tree-tells.md). With a guard of G, the values of a column in a node are
joined into units of at least G records, without a look at the target, and a split may only part
units. Where a person may have several records, it is G people. `candidates` lists the splits
between units; `grow` asks for the units of each node.
"""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from privet.arrays import Booleans, Integers
from privet.errors import InvalidParameter
from privet.table import Domain


@dataclass(frozen=True)
class Guard:
    """At least `least` records in each unit; columns in `besides` keep all their splits.

    `person` names the column that tells people apart, where people are counted.
    """

    least: int
    besides: Set[str] = frozenset()
    person: str | None = None

    def __post_init__(self) -> None:
        if self.least < 1:
            raise InvalidParameter("guard", "at least 1", self.least, "1 is growth without guard.")

    def covers(self, attribute: str) -> bool:
        return self.least > 1 and attribute not in self.besides

    def units(
        self, attribute: str, domain: Domain, codes: Integers, records: Integers
    ) -> Integers | None:
        """The unit of each value that occurs in a node, numbered from 0 by their first values.

        `codes` are the values that occur, ascending, `records` how many have each. None: every
        value is a unit of its own.
        """
        if not self.covers(attribute):
            return None
        least = min(self.least, int(records.sum()) + 1)  # more than all is as good as any number
        if int(records.min(initial=least)) >= least:
            return None
        if domain.kind.is_ordered:
            return _blocks(records, int(codes[-1]) == domain.missing_code, least)
        return _joined(records, int(records[records < least].sum()), least)

    def units_of_people(
        self, domain: Domain, codes: Integers, present: Booleans
    ) -> Integers | None:
        """The same by people: `present` says for each value that occurs and each person whether
        some record has both."""
        people = present.sum(axis=1)
        least = min(self.least, int(present.any(axis=0).sum()) + 1)
        if int(people.min(initial=least)) >= least:
            return None
        if domain.kind.is_ordered:
            return _blocks_of_people(present, int(codes[-1]) == domain.missing_code, least)
        return _joined(people, int(present[people < least].any(axis=0).sum()), least)


def _blocks(records: Integers, missing_last: bool, least: int) -> Integers:
    """Numbers in ascending order, laid into blocks from the lowest on.

    A block ends with the value that fills it; a short rest joins the block before. Missing is a
    block of its own if both it and the numbers have enough records, else part of the last block.
    """
    apart = missing_last and int(records[-1]) >= least and int(records[:-1].sum()) >= least
    numbers = records[:-1] if missing_last else records
    reached = np.cumsum(numbers)
    following = np.searchsorted(reached, reached + least).tolist()  # where the next block ends
    ends = []
    end = int(np.searchsorted(reached, least))
    while end < len(numbers):
        ends.append(end)
        end = following[end]
    begins = np.zeros(len(records), dtype=np.int64)
    begins[np.array(ends[:-1], dtype=np.int64) + 1] = 1
    if apart:
        begins[-1] = 1
    return np.cumsum(begins)


def _blocks_of_people(present: Booleans, missing_last: bool, least: int) -> Integers:
    """As `_blocks`; a person with several values of a block counts once."""
    numbers = len(present) - missing_last
    apart = (
        missing_last and min(int(present[-1].sum()), int(present[:-1].any(axis=0).sum())) >= least
    )
    begins = np.zeros(len(present), dtype=np.int64)
    last, here = 0, np.zeros(present.shape[1], dtype=bool)
    for value in range(numbers):
        here |= present[value]
        if int(here.sum()) >= least:
            begins[last] = last > 0
            last, here = value + 1, np.zeros_like(here)
    if apart:
        begins[-1] = 1
    return np.cumsum(begins)


def _joined(records: Integers, of_small: int, least: int) -> Integers:
    """Categories with too few records in one unit; if that has too few (`of_small`), with the next
    smallest."""
    small = records < least
    if of_small < least and not small.all():
        others = np.flatnonzero(~small)
        small[others[records[others].argmin()]] = True
    first_small = int(np.flatnonzero(small)[0])
    begins = (~small).astype(np.int64)
    begins[first_small] = 1
    units = np.cumsum(begins) - 1
    units[small] = units[first_small]
    return units
