"""The cells of a recoded column, as the manifest describes them, read with care.

A cell is a set of original values that the recoding never tells apart: a group of categories with
its members, or the numbers between two cuts. `recoded` next door says which released value a cell
takes, as a whole or by leaf.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import Any

from privet.errors import InputError
from privet.schema import Kind
from privet.table import Value, parse_iso
from privet.tree.model import Multiway, Node, Subset, Threshold, Tree

MISSING = "(missing)"
_NAMED = 4  # members a label spells out; of larger groups it tells the first and how many more
_NUMBERED = re.compile(r"\d+: ")  # before labels that would not sort like their groups


@dataclass(frozen=True)
class Cells:
    """The cells of one column: groups of categories, or numbers parted by cuts.

    `labels` has what stands for each cell where the column is recoded as a whole. The cell of
    missing numbers comes after the last number.
    """

    kind: Kind
    labels: tuple[Value, ...]
    members: tuple[tuple[Value, ...], ...] = ()
    cuts: tuple[float, ...] = ()
    cut_texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, entry: Mapping[str, Any], kind: Kind) -> "Cells":
        """Cells as the manifest describes them; nonsense is an InputError."""
        try:
            if "groups" in entry:
                groups = entry["groups"]
                if any(set(group) != {"label", "members"} for group in groups):
                    raise ValueError
                members = tuple(tuple(group["members"]) for group in groups)
                cells = cls(kind, tuple(group["label"] for group in groups), members)
            else:
                cuts = tuple(number_of(cut, kind) for cut in entry["cuts"])
                texts = tuple(cell_text(cut) for cut in entry["cuts"])
                cells = cls(kind, tuple(entry["values"]), (), cuts, texts)
            sound = cells._is_sound()
        except (TypeError, KeyError, ValueError, AttributeError):
            sound = False
        if not sound:
            raise InputError(
                "The manifest describes cells of a column that cannot be.",
                "the release may have been edited; ask for the original one.",
            )
        return cells

    def _is_sound(self) -> bool:
        return self._are_groups() if self.kind is Kind.CATEGORY else self._are_ranges()

    def _are_groups(self) -> bool:
        """Labels, each with its members; nothing stands for two."""
        everything = [member for group in self.members for member in group]
        texts = all(v is None or isinstance(v, str) for v in (*everything, *self.labels))
        distinct = len(set(everything)) == len(everything)
        named = len(set(self.labels)) == len(self.labels) == len(self.members)
        return texts and distinct and named and all(self.members) and self._names_its_members()

    def _are_ranges(self) -> bool:
        """Rising cuts, and between each two a value of the column."""
        rising = all(low < high for low, high in pairwise(self.cuts))
        if not rising or self.members or len(self.labels) != len(self.cuts) + 1:
            return False
        kinds = all(is_value(label, self.kind) for label in self.labels)
        return kinds and all(self.holds(cell, label) for cell, label in enumerate(self.labels))

    def _names_its_members(self) -> bool:
        """Whether no label is that of another group; one of several members may have any name."""
        usual = [spelled_out(members) for members in self.members]
        for label, own, members in zip(self.labels, usual, self.members, strict=True):
            told = {label, None if label is None else _NUMBERED.sub("", str(label), count=1)}
            if own not in told and (len(members) == 1 or told & set(usual)):
                return False
        return True

    @property
    def is_grouped(self) -> bool:
        return bool(self.members)

    @property
    def number(self) -> int:
        """How many cells there are, that of missing numbers included."""
        return len(self.labels) + (not self.is_grouped)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The labels of cells of numbers, as numbers."""
        return tuple(number_of(label, self.kind) for label in self.labels)

    def ends(self, cell: int) -> tuple[float | None, float | None]:
        """A cell of numbers lies above the first end and reaches up to the second."""
        low = self.cuts[cell - 1] if cell > 0 else None
        high = self.cuts[cell] if cell < len(self.cuts) else None
        return low, high

    def holds(self, cell: int, value: Value) -> bool:
        """Whether a released value may be a true one of a record in this cell."""
        if self.is_grouped:
            return value == self.labels[cell]
        if value is None or cell >= len(self.labels):
            return value is None and cell >= len(self.labels)
        low, high = self.ends(cell)
        number = number_of(value, self.kind)
        return (low is None or number > low) and (high is None or number <= high)

    def meaning(self, cells: list[int]) -> str:
        """What some cells hold, in full: every member, every range; neighbours become one."""
        if self.is_grouped:
            return " | ".join(cell_text(m) for cell in cells for m in self.members[cell])
        parts = []
        for first, last in _runs([c for c in cells if c < len(self.labels)]):
            low = self.cut_texts[first - 1] if first > 0 else None
            high = self.cut_texts[last] if last < len(self.cut_texts) else None
            parts.append(interval(low, high))
        return "; ".join([*parts, *([MISSING] if len(self.labels) in cells else [])])

    def possible(self, tree: Tree, column: str) -> dict[int, list[int]]:
        """For each leaf the cells that its path lets a record have."""
        found = {}
        for leaf in tree.leaves:
            allowed = set(range(self.number))
            at = leaf
            while at.parent is not None:
                parent = tree.nodes[at.parent]
                if parent.split is not None and parent.split.attribute == column:
                    allowed &= set(self._on_side(parent, at.id))
                at = parent
            found[leaf.id] = sorted(allowed)
        return found

    def _on_side(self, node: Node, child: int) -> Iterator[int]:
        """The cells that a node sends to one of its children."""
        side = node.children.index(child)
        match node.split:
            case Threshold(threshold=None):
                numbers = range(len(self.labels))
                yield from [numbers, [len(self.labels)]][side]
            case Threshold(threshold=threshold) if threshold is not None:
                # a threshold parts no cell whose records meet it: the label speaks for the cell
                goes_left = [number <= threshold for number in self.numbers]
                yield from (c for c, left in enumerate(goes_left) if left == (side == 0))
                if side == 1:
                    yield len(self.labels)  # missing numbers go right
            case Subset(left=left, right=right, more_left=more_left, more_right=more_right):
                here = ({*left, *more_left}, {*right, *more_right})[side]
                yield from (cell for cell, label in enumerate(self.labels) if label in here)
            case Multiway(branches=branches):
                yield from (c for c, label in enumerate(self.labels) if label == branches[side])


def spelled_out(members: Sequence[Value]) -> str | None:
    """The label of a group that nobody gave a name."""
    texts = [cell_text(member) for member in members]
    if len(texts) == 1:
        return None if members[0] is None else texts[0]
    if len(texts) <= _NAMED:
        return " | ".join(texts)
    return " | ".join(texts[: _NAMED - 1]) + f" | +{len(texts) - _NAMED + 1} more"


def interval(low: str | None, high: str | None) -> str:
    if low is None:
        return "any value" if high is None else f"up to {high}"
    return f"above {low}" if high is None else f"above {low}, up to {high}"


def _runs(cells: list[int]) -> Iterator[tuple[int, int]]:
    start = None
    for cell, following in zip_longest(cells, cells[1:]):
        start = cell if start is None else start
        if following != cell + 1:
            yield start, cell
            start = None


def is_value(value: Any, kind: Kind) -> bool:
    """Whether a value is written as those of this kind are: 5 is no decimal, and 5.0 no integer."""
    match kind:
        case Kind.INTEGER:
            return type(value) is int
        case Kind.DECIMAL:
            return type(value) is float
        case _:
            return isinstance(value, str)


def number_of(value: Value, kind: Kind) -> float:
    """A number or date of a manifest as a number; anything else is a TypeError."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError
    if isinstance(value, str):
        if kind not in (Kind.DATE, Kind.DATETIME):
            raise TypeError
        return float(parse_iso(value, kind))
    return value


def cell_text(value: Value) -> str:
    """A value of a manifest in words."""
    if value is None:
        return MISSING
    return repr(value) if isinstance(value, float) else str(value)
