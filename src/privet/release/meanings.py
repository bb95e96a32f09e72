"""What released values stand for: cells of a map, values by leaf, values that were joined.

`recoded` next door reads cells and values by leaf; values of aggregated columns that became one are
read here. `columns` and the report show them, `new_rows` follows them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privet.errors import InputError
from privet.release.cells import Cells, cell_text, number_of
from privet.release.recoded import ByLeaf
from privet.schema import Kind
from privet.table import Value
from privet.tree.model import Tree


def meanings(
    entry: Mapping[str, Any], kind: Kind, trees: Sequence[Tree], column: str
) -> list[tuple[Value, str]]:
    """Each released value that stands for others, and all that it stands for."""
    if entry.get("treatment") == "aggregated":
        return [(joined.value, joined.meaning()) for joined in Joined.all_of(entry, kind)]
    if entry.get("treatment") not in ("generalised", "coded"):
        return []
    if "by_leaf" in entry:
        if not trees:
            return []
        by_leaf = ByLeaf.of(entry, kind)
        of_value = by_leaf.cells_of_values(trees, column)
        return [
            (value, by_leaf.cells.meaning(of_value[place]))
            for place, value in enumerate(by_leaf.values)
            if place in of_value
        ]
    cells = Cells.of(entry, kind)
    return [(label, cells.meaning([cell])) for cell, label in enumerate(cells.labels)]


@dataclass(frozen=True)
class Joined:
    """Values of an aggregated column that became one: `members`, or those from `low` to `high`."""

    kind: Kind
    value: Value
    members: tuple[Value, ...] = ()
    low: Value = None
    high: Value = None

    @classmethod
    def all_of(cls, entry: Mapping[str, Any], kind: Kind) -> "list[Joined]":
        """What the manifest says of an aggregated column; nonsense is an InputError."""
        try:
            joined = entry.get("joined", [])  # without a tree nothing is
            found = [cls(kind, **{**some, **_tuples(some)}) for some in joined]
            fields = {"value", "members"} if kind is Kind.CATEGORY else {"value", "low", "high"}
            sound = all(set(some) == fields for some in joined)
            sound = sound and all(some.holds(some.value) for some in found)
        except (TypeError, KeyError, ValueError, AttributeError):
            sound = False
        if not sound:
            raise InputError(
                "The manifest describes values that were joined, and that cannot be.",
                "the release may have been edited; ask for the original one.",
            )
        return found

    def holds(self, value: Value) -> bool:
        """Whether a value is one of those that became one."""
        if self.kind is Kind.CATEGORY:
            return value in self.members  # missing may be one of them
        if value is None:
            return False
        low, number, high = (number_of(v, self.kind) for v in (self.low, value, self.high))
        return bool(low <= number <= high)

    def meaning(self) -> str:
        if self.kind is Kind.CATEGORY:
            return " | ".join(cell_text(member) for member in self.members)
        return f"{cell_text(self.low)} to {cell_text(self.high)}"


def _tuples(some: Mapping[str, Any]) -> dict[str, Any]:
    return {"members": tuple(some["members"])} if "members" in some else {}
