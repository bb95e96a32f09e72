"""k, l and t of people, where a person may have several records.

k      an equivalence class has k different people
l      the people with the most frequent value are at most 1 in l of the people of the class; a
       person who has several values there counts for each (distinct: as with records, l values)
t      each person weighs one in a class, shared over their records there, and one in the table

A person whose records are in several classes counts in each. Records of which it is not known
whose they are count as one person's. Counts come by value and person, or by pairs of both
(`OfPeople`), so that a grower or a cut can ask for them as for any column.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.criteria.groups import Groups, spread
from privet.criteria.l_diversity import LDiversity, measure_l
from privet.criteria.t_closeness import TCloseness
from privet.criteria.verdict import Verdict
from privet.engine import Counts
from privet.errors import UsageError, param

K_PEOPLE, L_PEOPLE, T_PEOPLE = "k-anonymity-people", "l-diversity-people", "t-closeness-people"
KINDS_OF_PEOPLE = ("strong", "distinct")  # the kinds of l that can be asked of people
_SAFE = 2**62  # sums of weights up to this are whole numbers of 64 bits
_LARGEST_SCALE = 2**300  # products of two such numbers are still floats, by which fractions sort


def people_of(k: int) -> LDiversity:
    """The criterion that a class has k people, for counts by the column of people."""
    return LDiversity(k, "distinct")


def measure_people(counts: Counts) -> int:
    """The fewest people of an equivalence class; the last column of the counts tells people."""
    return int(measure_l(counts, "distinct"))


def judge_people(k: int, counts: Counts) -> Verdict:
    """Whether every equivalence class has k people."""
    return replace(people_of(k).judge(counts), criterion=K_PEOPLE, parameters={"k": k})


def require_kind_of_people(kind: str) -> None:
    """Refuse kinds of l that are defined by counts of records alone."""
    if kind not in KINDS_OF_PEOPLE:
        raise UsageError(
            f"The {kind} kind of l counts records and not people.",
            f"beside {param('person')} the kind of l is one of {', '.join(KINDS_OF_PEOPLE)}.",
        )


@dataclass(frozen=True, eq=False)
class _PeopleGroups(Groups):
    """Groups whose cells count the people with a value; `people` are those of each group."""

    people: Integers

    @cached_property
    def sizes(self) -> Integers:
        return self.people


@dataclass(frozen=True, eq=False)
class Presence:
    """The records of each person with each value in each group, one cell for each such triple."""

    group: Integers
    value: Integers
    person: Integers
    n: Integers

    @classmethod
    def of(cls, counts: Counts) -> "Presence":
        """From counts whose last two columns are the sensitive one and that of people."""
        classes = counts.runs(len(counts.by) - 2)
        sizes = np.diff(classes, append=len(counts.n))
        group = np.repeat(np.arange(len(classes)), sizes)
        return cls(group, counts.keys[:, -2], counts.keys[:, -1], counts.n)

    def with_each_value(self) -> Groups:
        """The people who have each value, and all people of each group."""
        starts, values, people = _summed(self.group, self.value, np.ones_like(self.n))
        firsts, _, ones = _summed(self.group, self.person, np.ones_like(self.n))
        together = np.add.reduceat(np.minimum(ones, 1), firsts) if len(firsts) else ones
        return _PeopleGroups(starts, values, people, together)

    def records_of_people(self) -> Integers:
        """For each cell the records that its person has in its group."""
        _, place = np.unique(_keys(self.group, self.person), return_inverse=True)
        return np.asarray(np.bincount(place, self.n).astype(np.int64)[place])

    def shared(self, scale: int) -> Groups:
        """The weight of each value where everybody weighs `scale`, shared over their records."""
        distinct, place = np.unique(self.records_of_people(), return_inverse=True)
        parts = np.array([scale // records for records in distinct.tolist()], dtype=object)[place]
        weights = self.n * parts
        if scale * max(len(self.n), 1) < _SAFE:
            weights = weights.astype(np.int64)
        return Groups(*_summed(self.group, self.value, weights))

    def as_one(self) -> "Presence":
        """The whole table as one group."""
        keys, place = np.unique(_keys(self.value, self.person), return_inverse=True)
        first = np.zeros(len(keys), dtype=np.int64)
        first[place[::-1]] = np.arange(len(place))[::-1]
        added = np.bincount(place, self.n).astype(np.int64)
        nowhere = np.zeros(len(keys), dtype=np.int64)
        return Presence(nowhere, self.value[first], self.person[first], added)


@dataclass(frozen=True, eq=False)
class _ByPairs(ABC):
    """What is asked of people, for counts by pairs of a value and a person.

    `value_of` and `person_of` say what each code of the column of pairs stands for.
    """

    value_of: Integers
    person_of: Integers

    @abstractmethod
    def keeps(self, groups: Groups, totals: Integers) -> Booleans:
        """Whether each group satisfies it; `totals` are the records of the table by pair."""

    def admits(self, groups: npt.NDArray[Any], totals: npt.NDArray[Any]) -> Booleans:
        """Whether each candidate group satisfies it (or is empty); see `Criterion.admits`."""
        occupied_groups, occupied = Groups.of_arrays(groups)
        return spread(self.keeps(occupied_groups, totals), occupied, groups.shape[:-1])

    def presence(self, groups: Groups) -> Presence:
        pair = groups.values
        return Presence(groups.of_cell, self.value_of[pair], self.person_of[pair], groups.n)


@dataclass(frozen=True, eq=False)
class OfPeople(_ByPairs):
    """l or t asked of people."""

    criterion: LDiversity | TCloseness

    def keeps(self, groups: Groups, totals: Integers) -> Booleans:
        if not len(groups.starts):
            return np.ones(0, dtype=bool)
        here = self.presence(groups)
        if isinstance(self.criterion, LDiversity):
            return self.criterion.keeps(here.with_each_value())
        pairs = np.flatnonzero(totals)
        whole = Groups(np.zeros(1, dtype=np.int64), pairs, totals[pairs])
        return self.criterion.keeps(*_shared(here, self.presence(whole)))


class NotEverybody(_ByPairs):
    """No value is had by all people of a group: else who is in it is known to have it."""

    def keeps(self, groups: Groups, totals: Integers) -> Booleans:
        here = self.presence(groups).with_each_value()
        return np.asarray(here.tops < here.sizes)


def judge_of_people(
    criterion: LDiversity | TCloseness, counts: Counts, whole: Presence | None = None
) -> Verdict:
    """The verdict on counts whose last two columns are the sensitive one and that of people."""
    here = Presence.of(counts)
    if isinstance(criterion, LDiversity):
        found, name = criterion.judge_groups(here.with_each_value()), L_PEOPLE
    else:
        weights, totals = _shared(here, whole or here.as_one())
        found, name = criterion.judge_groups(weights, totals), T_PEOPLE
    records = np.bincount(here.group, here.n).astype(np.int64)
    return Verdict.of(name, found.parameters, found.worst, found.broken, records)


def _shared(here: Presence, whole: Presence) -> tuple[Groups, npt.NDArray[Any]]:
    """The weights of values in groups and in the whole table, in the same whole units."""
    scale = math.lcm(*_distinct(here), *_distinct(whole))
    if scale > _LARGEST_SCALE:
        raise UsageError(
            "People have too many different numbers of records for an exact t.",
            f"leave out t, or {param('person')}.",
        )
    weights = whole.shared(scale)
    totals = np.zeros(int(weights.values.max()) + 1, dtype=weights.n.dtype)
    totals[weights.values] = weights.n
    return here.shared(scale), totals


def _distinct(presence: Presence) -> list[int]:
    return [int(records) for records in np.unique(presence.records_of_people())]


def _keys(first: Integers, second: Integers) -> Integers:
    """One number for each pair of codes."""
    return np.asarray(first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second)


def _summed(
    group: Integers, code: Integers, n: npt.NDArray[Any]
) -> tuple[Integers, Integers, npt.NDArray[Any]]:
    """Sums by group and code: where each group starts, codes, sums."""
    keys, first, place = np.unique(_keys(group, code), return_index=True, return_inverse=True)
    total = np.zeros(len(keys), dtype=n.dtype)
    np.add.at(total, place, n)
    starts = np.flatnonzero(np.diff(group[first], prepend=-1))
    return starts, code[first].astype(np.int64), total
