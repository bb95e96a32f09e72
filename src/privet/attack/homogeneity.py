"""Homogeneity: everybody in an equivalence class has one value, so finding the class tells it.

K does not protect from this attack: whoever knows the class of a person reads the value off,
however many share it. `what_is_seen` says which columns are known and which are sought.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.attack.seen import Seen, require_sought, what_is_seen
from privet.criteria import measure_l
from privet.criteria.groups import Groups
from privet.roles import Names


@dataclass(frozen=True)
class OneValue:
    """What equivalence classes tell of one column; missing is a value like others.

    `guessed` is the share of people whose value is the commonest of their class, `blind` the share
    of the commonest value of all, `surest` the largest share of one value in a class.
    """

    classes: int
    people: int
    guessed: Fraction
    blind: Fraction
    surest: Fraction

    def to_data(self, records: int) -> dict[str, Any]:
        return {
            "one_value_classes": self.classes,
            "people_told": self.people,
            "share_told": self.people / records,
            "guessed_right": float(self.guessed),
            "blind": float(self.blind),
            "surest_guess": float(self.surest),
        }


@dataclass(frozen=True)
class Homogeneity:
    """For each sought column, whom equivalence classes of one value tell."""

    known: tuple[str, ...]
    records: int
    equivalence_classes: int
    columns: Mapping[str, OneValue]

    @property
    def succeeds(self) -> bool:
        """Whether anybody is told anything."""
        return any(found.people for found in self.columns.values())

    def to_data(self) -> dict[str, Any]:
        return {
            "attack": "homogeneity",
            "known": list(self.known),
            "records": self.records,
            "equivalence_classes": self.equivalence_classes,
            "columns": {name: one.to_data(self.records) for name, one in self.columns.items()},
        }

    def sentences(self) -> list[str]:
        """The finding, for people."""
        return [
            f"{name}: {one.people:,} of {self.records:,} people are told, since all in their "
            f"{one.classes:,} of {self.equivalence_classes:,} equivalence classes have one value; "
            f"the best guess is right for {float(one.guessed):.1%} ({float(one.blind):.1%} by "
            "always saying the commonest value)."
            for name, one in self.columns.items()
        ]


def attack_by_homogeneity(
    release: Any,
    *,
    known: Names = None,
    sought: Names = None,
    kinds: Any = None,
    missing: "list[str] | tuple[str, ...]" = (),
) -> Homogeneity:
    """Count the people whose equivalence class has one value of a sought column.

    `release` is a Release, its folder, or a plain table with `known` columns named.

    >>> people = {"age": [30, 30, 60], "ill": ["yes", "yes", "no"]}
    >>> found = privet.attack.by_homogeneity(people, known="age", sought="ill")
    >>> found.columns["ill"].people
    3
    """
    seen = what_is_seen(release, known, sought, missing, kinds)
    require_sought(seen)
    columns = {name: _told(seen, name) for name in seen.sought}
    return Homogeneity(seen.known, seen.n_records, len(seen.classes.n), columns)


def _told(seen: Seen, column: str) -> OneValue:
    counts = seen.engine.count([*seen.known, column])
    groups = Groups.of(counts)
    alone = groups.distinct == 1
    records = seen.n_records
    commonest = int(seen.engine.count([column]).n.max())
    return OneValue(
        int(alone.sum()),
        int(groups.sizes[alone].sum()),
        Fraction(int(groups.tops.sum()), records),
        Fraction(commonest, records),
        1 / Fraction(measure_l(counts)),
    )
