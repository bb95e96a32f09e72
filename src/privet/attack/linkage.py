"""Linkage with an outside table: how surely its people are found among the released records.

Three attackers, as the literature has them:

- the *prosecutor* knows that a person is in the table and has found the equivalence class: the
  chance to pick the person's record is 1 over the class's records;
- the *journalist* wants to name anybody at all: a record and an outside person of one group (as
  `linking` makes them) belong together with chance 1 over the larger of both sides of the group;
- the *marketer* links as many as possible, at random within groups: the share that is right.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.attack.linking import linked, outside_table
from privet.attack.seen import what_is_seen
from privet.criteria import measure_k
from privet.roles import Names


@dataclass(frozen=True)
class Linkage:
    """What three attackers with one outside table reach; chances are exact fractions.

    `compared` are the columns that can contradict, `by_leaf` whether leaves of the tree can, too.
    `matched_people` agree with some record, `matched_records` with some person. `journalist` is 0
    where nobody agrees with anything.
    """

    known: tuple[str, ...]
    compared: tuple[str, ...]
    by_leaf: bool
    records: int
    people: int
    groups: int
    matched_people: int
    matched_records: int
    smallest_class: int
    equivalence_classes: int
    smallest_group: int | None
    marketer_right: Fraction  # expected number of right links

    @property
    def prosecutor(self) -> Fraction:
        """The highest chance of the prosecutor."""
        return Fraction(1, self.smallest_class)

    @property
    def prosecutor_mean(self) -> Fraction:
        """The prosecutor's chance, in the mean over records."""
        return Fraction(self.equivalence_classes, self.records)

    @property
    def journalist(self) -> Fraction:
        """The highest chance of the journalist."""
        return Fraction(1, self.smallest_group) if self.smallest_group else Fraction(0)

    @property
    def marketer(self) -> Fraction:
        """The share of records that the marketer links rightly, as is to be expected."""
        return self.marketer_right / self.records

    def to_data(self) -> dict[str, Any]:
        return {
            "attack": "linkage",
            "known": list(self.known),
            "compared": list(self.compared),
            "by_leaf": self.by_leaf,
            "records": self.records,
            "people": self.people,
            "equivalence_classes": self.equivalence_classes,
            "groups": self.groups,
            "matched_people": self.matched_people,
            "matched_records": self.matched_records,
            "prosecutor": {
                "smallest_class": self.smallest_class,
                "highest": float(self.prosecutor),
                "mean": float(self.prosecutor_mean),
            },
            "journalist": {
                "smallest_group": self.smallest_group,
                "highest": float(self.journalist),
            },
            "marketer": {
                "expected_right": float(self.marketer_right),
                "share": float(self.marketer),
            },
        }

    def sentences(self) -> list[str]:
        """The finding, for people."""
        by = ", ".join([*self.compared, *(["the leaf of the tree"] if self.by_leaf else [])])
        return [
            f"{self.matched_people:,} of {self.people:,} outside people agree with some of "
            f"{self.records:,} records, by {by or 'nothing: no released column contradicts'}.",
            f"Prosecutor: at most {float(self.prosecutor):.3%} sure of a record, "
            f"{float(self.prosecutor_mean):.3%} in the mean.",
            f"Journalist: at most {float(self.journalist):.3%} sure of the best link.",
            f"Marketer: {float(self.marketer_right):,.1f} records rightly linked, as is to be "
            f"expected ({float(self.marketer):.3%}).",
        ]


def attack_by_linkage(
    release: Any,
    outside: Any,
    *,
    known: Names = None,
    kinds: Any = None,
    missing: "list[str] | tuple[str, ...]" = (),
) -> Linkage:
    """Link people of an outside table with the records of a release, or of a plain table.

    >>> people = {"age": [30, 30, 60], "ill": ["yes", "no", "no"]}
    >>> found = privet.attack.by_linkage(people, {"age": [30, 60, 60, 70]}, known="age")
    >>> found.prosecutor, found.journalist, found.marketer_right
    (Fraction(1, 1), Fraction(1, 2), Fraction(1, 1))
    """
    seen = what_is_seen(release, known, None, missing, kinds)
    outsiders = outside_table(outside, seen, missing, kinds)
    groups = linked(seen, outsiders)
    records, people = groups.records, groups.people
    both = (records > 0) & (people > 0)
    larger = np.maximum(records, people)[both]
    smaller = np.minimum(records, people)[both]
    right = sum(
        (Fraction(int(a), int(b)) for a, b in zip(smaller, larger, strict=True)), Fraction(0)
    )
    return Linkage(
        known=seen.known,
        compared=groups.columns,
        by_leaf=groups.by_leaf,
        records=seen.n_records,
        people=outsiders.n_rows,
        groups=int((records > 0).sum()),
        matched_people=int(people[both].sum()),
        matched_records=int(records[both].sum()),
        smallest_class=measure_k(seen.classes),
        equivalence_classes=len(seen.classes.n),
        smallest_group=int(larger.min()) if len(larger) else None,
        marketer_right=right,
    )
