"""What the manifest says of a recoded column, read with care: cells, released values, leaves.

A cell is a set of original values that the recoding never tells apart: a group of categories with
its members, or the numbers between two cuts. With global recoding a cell has one released value;
with leaf recoding the value depends on the leaf. `meanings` next door says what values stand for.
`describe` in `privet.preserve` writes this, `columns`, `verify`, `new_rows` and the report read it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import Any

from privet.errors import InputError
from privet.schema import Kind
from privet.table import Value, parse_iso
from privet.tree.model import Multiway, Node, Subset, Threshold, Tree

MISSING = "(missing)"


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
        if self.kind is Kind.CATEGORY:
            everything = [member for group in self.members for member in group]
            texts = all(v is None or isinstance(v, str) for v in (*everything, *self.labels))
            distinct = len(set(everything)) == len(everything)
            named = len(set(self.labels)) == len(self.labels)
            return texts and distinct and named and all(self.members)
        rising = all(low < high for low, high in pairwise(self.cuts))
        if not rising or len(self.labels) != len(self.cuts) + 1:
            return False
        return all(self.holds(cell, label) for cell, label in enumerate(self.labels))

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
                # no threshold of the tree parts a cell, so its label speaks for all of it
                goes_left = [number <= threshold for number in self.numbers]
                yield from (c for c, left in enumerate(goes_left) if left == (side == 0))
                if side == 1:
                    yield len(self.labels)  # missing numbers go right
            case Subset(left=left, right=right, more_left=more_left, more_right=more_right):
                here = ({*left, *more_left}, {*right, *more_right})[side]
                yield from (cell for cell, label in enumerate(self.labels) if label in here)
            case Multiway(branches=branches):
                yield from (c for c, label in enumerate(self.labels) if label == branches[side])


@dataclass(frozen=True)
class ByLeaf:
    """A column recoded by leaf: the released values, and which one each cell takes in each leaf.

    `given_back`, in rich releases: the leaves in which records have values as in aggregated columns
    (some, if the leaf is in `of_leaf` as well); None in others.
    """

    cells: Cells
    values: tuple[Value, ...]
    of_leaf: Mapping[int, tuple[int, ...]]
    given_back: frozenset[int] | None = None

    @classmethod
    def of(cls, entry: Mapping[str, Any], kind: Kind) -> "ByLeaf":
        cells = Cells.of(entry["cells"], kind)
        try:
            values = tuple(entry["values"])
            of_leaf = {int(leaf): tuple(row) for leaf, row in entry["by_leaf"].items()}
            places = {place for row in of_leaf.values() for place in row}
            sound = (
                len(set(values)) == len(values)
                and all(type(place) is int for place in places)
                and places == set(range(len(values)))
                and len({len(row) for row in of_leaf.values()}) == 1
            )
            listed = entry.get("given_back")
            given_back = None if listed is None else frozenset(listed)
            sound = sound and all(type(leaf) is int for leaf in given_back or ())
        except (TypeError, KeyError, ValueError, AttributeError):
            sound = False
        if not sound:
            raise InputError(
                "The manifest describes a recoding by leaf that cannot be.",
                "the release may have been edited; ask for the original one.",
            )
        return cls(cells, values, of_leaf, given_back)

    def cells_of_values(self, tree: Tree, column: str) -> dict[int, list[int]]:
        """For each released value the cells whose records may have it."""
        found: dict[int, set[int]] = {}
        for leaf, cells in self.cells.possible(tree, column).items():
            row = self.of_leaf.get(leaf, ())
            for cell in cells:
                if cell < len(row):
                    found.setdefault(row[cell], set()).add(cell)
        return {value: sorted(cells) for value, cells in found.items()}

    def names_cells(self, tree: Tree, column: str) -> bool:
        """Whether every value is that of a cell which may occur in the leaf."""
        labels = (*self.cells.labels, None)
        return all(
            self.values[place] in {labels[c] for c in cells if c < len(labels)}
            for leaf, cells in self.cells.possible(tree, column).items()
            for cell in cells
            for place in self.of_leaf.get(leaf, ())[cell : cell + 1]
        )


def entry_of(recoding: Mapping[str, Any], column: str) -> Mapping[str, Any]:
    """What the manifest says of one column's recoding; nothing if it says nothing readable."""
    columns = recoding.get("columns")
    entry = columns.get(column) if isinstance(columns, Mapping) else None
    return entry if isinstance(entry, Mapping) else {}


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
