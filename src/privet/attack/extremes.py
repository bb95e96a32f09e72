"""Order: the attacker knows who has the smallest value of a column, or the order of all people.

A release that keeps the order of a number shows the smallest one to whoever looks for it; what
protects its owner is that others have it as well. A released value of n records gives the owner of
a place in the order away with chance 1/n. Where blocks have values of their own (rich releases) the
order of single people is not kept, and the chance is at most that. `order` next door guesses the
values themselves, of masked columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.attack.seen import Seen, what_is_seen
from privet.errors import UsageError, param
from privet.roles import Names


@dataclass(frozen=True)
class Ends:
    """How many records share the smallest, the largest and the rarest number of a column.

    `values` are its distinct numbers, `numbers` the records that have one; missing has no place in
    the order.
    """

    smallest: int
    largest: int
    fewest: int
    values: int
    numbers: int

    @property
    def highest(self) -> Fraction:
        """The highest chance to find somebody by their place in the order."""
        return Fraction(1, self.fewest)

    @property
    def mean(self) -> Fraction:
        """The same in the mean over records."""
        return Fraction(self.values, self.numbers)

    def to_data(self) -> dict[str, Any]:
        return {
            "records_with_smallest": self.smallest,
            "records_with_largest": self.largest,
            "fewest_records": self.fewest,
            "values": self.values,
            "numbers": self.numbers,
            "chance_smallest": 1 / self.smallest,
            "chance_largest": 1 / self.largest,
            "highest": float(self.highest),
            "mean": float(self.mean),
        }


@dataclass(frozen=True)
class OrderKnown:
    """For each known column of numbers or dates, what its order gives away."""

    known: tuple[str, ...]
    records: int
    columns: Mapping[str, Ends]

    def to_data(self) -> dict[str, Any]:
        return {
            "attack": "order",
            "known": list(self.known),
            "records": self.records,
            "columns": {name: ends.to_data() for name, ends in self.columns.items()},
        }

    def sentences(self) -> list[str]:
        """The finding, for people."""
        return [
            f"{name}: who has the smallest value is one of {ends.smallest:,} records, who has the "
            f"largest one of {ends.largest:,}; a place in the order leads to one of "
            f"{ends.fewest:,} at the worst."
            for name, ends in self.columns.items()
        ]


def attack_by_order(
    release: Any,
    *,
    known: Names = None,
    kinds: Any = None,
    missing: "list[str] | tuple[str, ...]" = (),
) -> OrderKnown:
    """Find people by their place in the order of a column, in a release or a plain table.

    >>> found = privet.attack.by_order({"age": [30, 31, 31, 60]}, known="age")
    >>> found.columns["age"].smallest, found.columns["age"].mean
    (1, Fraction(3, 4))
    """
    seen = what_is_seen(release, known, None, missing, kinds)
    columns = {
        name: _ends(seen, name)
        for name in seen.known
        if seen.rows[name].domain.kind.is_ordered and len(seen.rows[name].domain.values)
    }
    if not columns:
        raise UsageError(
            "The attacker knows no column of numbers or dates that is shown.",
            f"name one: {param('known', 'COLUMNS')}.",
        )
    return OrderKnown(seen.known, seen.n_records, columns)


def _ends(seen: Seen, name: str) -> Ends:
    found = seen.engine.count([name])
    counts = found.n[found.keys[:, 0] < len(seen.rows[name].domain.values)]
    return Ends(int(counts[0]), int(counts[-1]), int(counts.min()), len(counts), int(counts.sum()))
