"""Intersection: two releases of one table, and people who are in both.

Each release alone leaves a person among K others. Who follows the person into a group of each
release keeps those who are in both groups, and they may be few. Groups are the equivalence classes
where the audit of a release says which class each row is in; else those of `linking`, which the
release itself shows to whoever knows the original quasi-identifiers. The ledger of `release` counts
the same while publishing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.arrays import Booleans, Integers
from privet.attack.linking import linked, outside_table
from privet.attack.seen import Seen, what_is_seen
from privet.engine.grouping import numbers_of_rows
from privet.errors import InputError, UnknownColumn
from privet.release.audit import classes_in_audit
from privet.roles import Names, listed
from privet.table import Table, Value


@dataclass(frozen=True)
class ToldByBoth:
    """People for whom one value of a column is left: in either release alone, and in both."""

    by_first: int
    by_second: int
    by_both: int


@dataclass(frozen=True)
class Intersection:
    """What two releases of one table tell together.

    `followed` says by what people were followed into each release, `k` the smallest group in each,
    `groups` how many there are; `k_of_intersection` is None if nobody is in both.
    """

    followed: tuple[str, str]
    people: int
    unmatched: int
    k: tuple[int, int]
    groups: tuple[int, int]
    intersections: int
    k_of_intersection: int | None
    alone: int
    columns: Mapping[str, ToldByBoth]

    def to_data(self) -> dict[str, Any]:
        return {
            "attack": "intersection",
            "followed_by": list(self.followed),
            "people": self.people,
            "unmatched": self.unmatched,
            "k": list(self.k),
            "groups": list(self.groups),
            "intersections": self.intersections,
            "k_of_intersection": self.k_of_intersection,
            "people_alone": self.alone,
            "columns": {name: vars(told) for name, told in self.columns.items()},
        }

    def sentences(self) -> list[str]:
        """The finding, for people."""
        if self.k_of_intersection is None:
            return ["Nobody of the original table is in both releases."]
        found = [
            f"Each release alone leaves a person among {self.k[0]:,} and {self.k[1]:,} others at "
            f"least; both together among {self.k_of_intersection:,}.",
            f"{self.alone:,} of {self.people:,} people are alone in their intersection.",
        ]
        if "groups" in self.followed:
            found.append(
                "Of a release without its audit only what it shows for certain was followed; who "
                "knows its blocks gets smaller intersections."
            )
        for name, told in self.columns.items():
            found.append(
                f"{name}: one value is left for {told.by_both:,} people; the releases alone leave "
                f"one for {told.by_first:,} and {told.by_second:,}."
            )
        return found


def attack_by_intersection(
    first: Any,
    second: Any,
    *,
    original: Any,
    first_audit: Any = None,
    second_audit: Any = None,
    sought: Names = None,
    kinds: Any = None,
    missing: "list[str] | tuple[str, ...]" = (),
) -> Intersection:
    """Follow the people of the original table through two releases of it.

    >>> people = {"age": [30, 31, 60, 61], "sex": ["f", "m", "f", "m"], "ill": [1, 2, 3, 4]}
    >>> asked = {"k": 2, "other": "ill", "rest": "drop"}
    >>> by_age = privet.anonymise(people, quasi="age", **asked)
    >>> by_sex = privet.anonymise(people, quasi="sex", **asked)
    >>> by_age.save("a", audit="a-audit") == by_sex.save("s", audit="s-audit")
    False
    >>> found = privet.attack.by_intersection(
    ...     "a", "s", original=people, first_audit="a-audit", second_audit="s-audit")
    >>> found.k, found.k_of_intersection
    ((2, 2), 1)
    """
    seen = [what_is_seen(one, None, None, missing, kinds) for one in (first, second)]
    table = outside_table(original, seen[0], missing, kinds)
    audits = (first_audit, second_audit)
    one, two = (_followed(s, table, audit) for s, audit in zip(seen, audits, strict=True))
    there = one.is_there & two.is_there
    pairs = numbers_of_rows([one.of_people[there], two.of_people[there]], [one.size, two.size])
    sizes = np.bincount(pairs)
    told = {name: _told(name, one, two, there) for name in _shown_by_both(seen, sought)}
    return Intersection(
        followed=(one.by, two.by),
        people=len(table),
        unmatched=int((~there).sum()),
        k=(one.k, two.k),
        groups=(one.groups, two.groups),
        intersections=len(sizes),
        k_of_intersection=int(sizes.min()) if len(sizes) else None,
        alone=int((sizes == 1).sum()),
        columns=told,
    )


@dataclass(frozen=True, eq=False)
class _Followed:
    """The group of each released record and of each person, by number."""

    by: str
    table: Table
    of_records: Integers
    of_people: Integers

    @property
    def size(self) -> int:
        return int(max(self.of_records.max(), self.of_people.max())) + 1

    @property
    def records(self) -> Integers:
        return np.bincount(self.of_records, minlength=self.size)

    @property
    def is_there(self) -> Booleans:
        """For each person, whether the group has any record."""
        return np.asarray(self.records[self.of_people] > 0)

    @property
    def k(self) -> int:
        return int(self.records[self.records > 0].min())

    @property
    def groups(self) -> int:
        return int((self.records > 0).sum())

    def values(self, column: str) -> list[set[Value]]:
        """The values of a column in each group."""
        coded = self.table[column]
        found: list[set[Value]] = [set() for _ in range(self.size)]
        pairs = np.column_stack([self.of_records, coded.codes.astype(np.int64)])
        for group, code in np.unique(pairs, axis=0).tolist():
            found[group].add(coded.domain.value(code))
        return found


def _followed(seen: Seen, table: Table, audit: Any) -> _Followed:
    if audit is None:
        groups = linked(seen, table)
        return _Followed("groups", seen.table, groups.of_records, groups.of_people)
    of_people = np.array(classes_in_audit(Path(audit)), dtype=np.int64)
    columns = [seen.table[name] for name in seen.known]
    of_records = numbers_of_rows([c.codes for c in columns], [c.domain.size for c in columns])
    sizes = np.bincount(of_records)
    same = len(of_people) == len(table) and np.array_equal(np.bincount(of_people), sizes)
    if not same:
        raise InputError(
            "An audit is not of its release, or the original has other rows.",
            "name the audits in the order of their releases, and the table they were made from.",
        )
    return _Followed("classes", seen.table, of_records, of_people)


def _shown_by_both(seen: list[Seen], sought: Names) -> list[str]:
    named = listed(sought)
    for name in named:
        for one in seen:
            if name not in one.table:
                raise UnknownColumn(name, one.table.names, where="both releases")
    return named or [name for name in seen[0].sought if name in seen[1].sought]


def _told(column: str, one: _Followed, two: _Followed, there: Booleans) -> ToldByBoth:
    values = one.values(column), two.values(column)
    by_first = by_second = by_both = 0
    pairs = np.column_stack([one.of_people[there], two.of_people[there]])
    distinct, people = np.unique(pairs, axis=0, return_counts=True)
    for (a, b), n in zip(distinct.tolist(), people.tolist(), strict=True):
        by_first += n * (len(values[0][a]) == 1)
        by_second += n * (len(values[1][b]) == 1)
        by_both += n * (len(values[0][a] & values[1][b]) == 1)
    return ToldByBoth(by_first, by_second, by_both)
