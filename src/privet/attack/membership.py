"""Membership: whether a person of an outside table is among the released records at all.

The outside table is a register that holds everybody who could be in the table. Of a group (as
`linking` makes them) with f records and F people, a person is in the table with chance f / F; where
every person of a group must be in it, or none can be, the release tells so for certain. k-anonymity
promises nothing here: the figure says what joining the table gives away.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.attack.linking import linked, outside_table
from privet.attack.seen import what_is_seen
from privet.roles import Names


@dataclass(frozen=True)
class Membership:
    """How surely people of a register are in the table.

    `blind` is the chance without the release: records over people, at most 1. `highest` and
    `lowest` are over people who can be in at all; both are None if nobody can. `complete` is
    whether the register can hold everybody: where a group has more records than people it cannot,
    and then nobody of it is known to be in.
    """

    known: tuple[str, ...]
    compared: tuple[str, ...]
    by_leaf: bool
    records: int
    people: int
    certainly_in: int
    certainly_out: int
    highest: Fraction | None
    lowest: Fraction | None
    complete: bool

    @property
    def blind(self) -> Fraction:
        return min(Fraction(self.records, max(self.people, 1)), Fraction(1))

    def to_data(self) -> dict[str, Any]:
        return {
            "attack": "membership",
            "known": list(self.known),
            "compared": list(self.compared),
            "by_leaf": self.by_leaf,
            "records": self.records,
            "people": self.people,
            "certainly_in": self.certainly_in,
            "certainly_out": self.certainly_out,
            "highest": None if self.highest is None else float(self.highest),
            "lowest": None if self.lowest is None else float(self.lowest),
            "blind": float(self.blind),
            "register_is_complete": self.complete,
        }

    def sentences(self) -> list[str]:
        """The finding, for people."""
        found = [
            f"Of {self.people:,} people in the register, {self.certainly_in:,} are certainly in "
            f"the table and {self.certainly_out:,} certainly not."
        ]
        if not self.complete:
            found.append(
                "The register does not hold everybody who could be in the table: some group has "
                "more records than people. So these figures mean nothing; take a whole register."
            )
        if self.highest is not None and self.lowest is not None:
            found.append(
                f"Who can be in it is so with a chance from {float(self.lowest):.2%} to "
                f"{float(self.highest):.2%}; without the release it is {float(self.blind):.2%}."
            )
        return found


def attack_by_membership(
    release: Any,
    outside: Any,
    *,
    known: Names = None,
    kinds: Any = None,
    missing: "list[str] | tuple[str, ...]" = (),
) -> Membership:
    """Tell who of a register is in the table that was released, or in a plain table.

    >>> register = {"age": [30, 60, 60, 70]}
    >>> found = privet.attack.by_membership({"age": [30, 60]}, register, known="age")
    >>> found.certainly_in, found.certainly_out, found.highest, found.lowest
    (1, 1, Fraction(1, 1), Fraction(1, 2))
    """
    seen = what_is_seen(release, known, None, missing, kinds)
    register = outside_table(outside, seen, missing, kinds)
    groups = linked(seen, register)
    some = groups.people > 0
    records, people = groups.records[some], groups.people[some]
    possible = records > 0
    chances = [
        min(Fraction(int(f), int(of)), Fraction(1))
        for f, of in np.unique(np.column_stack([records, people])[possible], axis=0)
    ]
    return Membership(
        known=seen.known,
        compared=groups.columns,
        by_leaf=groups.by_leaf,
        records=seen.n_records,
        people=register.n_rows,
        certainly_in=int(people[records >= people].sum()),
        certainly_out=int(people[~possible].sum()),
        highest=max(chances, default=None),
        lowest=min(chances, default=None),
        complete=bool((groups.records <= groups.people).all()),
    )
