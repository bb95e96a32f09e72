"""Intersection: two releases of one table, and people who are in both.

Each release alone leaves a person among K others. Who follows the person into a group of each
release keeps those who are in both groups, and they may be few. Groups are the equivalence classes
where the audit of a release says which class each row is in; else those of `linking`, which the
release itself shows to whoever knows the original quasi-identifiers. The ledger of `release` counts
the same while publishing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Booleans
from privet.attack.followed import Followed, followed
from privet.attack.linking import outside_table
from privet.attack.seen import Seen, what_is_seen
from privet.engine.grouping import numbers_of_rows
from privet.errors import UnknownColumn
from privet.roles import Names, listed


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
            f"Each release alone leaves a person in a group of {self.k[0]:,} and {self.k[1]:,} at "
            f"least; both together in one of {self.k_of_intersection:,}.",
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
    one, two = (followed(s, table, audit) for s, audit in zip(seen, audits, strict=True))
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


def _shown_by_both(seen: list[Seen], sought: Names) -> list[str]:
    named = listed(sought)
    for name in named:
        for one in seen:
            if name not in one.rows:
                raise UnknownColumn(name, one.rows.names, where="both releases")
    return named or [name for name in seen[0].sought if name in seen[1].sought]


def _told(column: str, one: Followed, two: Followed, there: Booleans) -> ToldByBoth:
    values = one.values(column), two.values(column)
    by_first = by_second = by_both = 0
    pairs = np.column_stack([one.of_people[there], two.of_people[there]])
    distinct, people = np.unique(pairs, axis=0, return_counts=True)
    for (a, b), n in zip(distinct.tolist(), people.tolist(), strict=True):
        by_first += n * (len(values[0][a]) == 1)
        by_second += n * (len(values[1][b]) == 1)
        by_both += n * (len(values[0][a] & values[1][b]) == 1)
    return ToldByBoth(by_first, by_second, by_both)
