"""What the manifest says of a recoded column, read with care: cells, released values, leaves.

With global recoding a cell has one released value; with leaf recoding the value depends on the
leaf. `cells` next door has the cells, `meanings` what values stand for. `describe` in
`privet.preserve` writes this, `columns`, `verify`, `new_rows` and the report read it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privet.errors import InputError
from privet.release.cells import Cells, is_value
from privet.release.leaf_groups import Leaves, leaves_named, listed_name
from privet.schema import Kind
from privet.table import Value
from privet.tree.model import Tree


@dataclass(frozen=True)
class ByLeaf:
    """A column recoded by leaf: the released values, and which one each cell takes in each leaf
    (with several trees: where leaves intersect, see `leaf_groups`).

    `given_back`, in rich releases: the leaves in which records have values as in aggregated columns
    (some, if the leaf is in `of_leaf` as well); None in others.
    """

    cells: Cells
    values: tuple[Value, ...]
    of_leaf: Mapping[Leaves, tuple[int, ...]]
    given_back: frozenset[Leaves] | None = None

    @classmethod
    def of(cls, entry: Mapping[str, Any], kind: Kind) -> "ByLeaf":
        cells = Cells.of(entry["cells"], kind)
        try:
            values = tuple(entry["values"])
            of_leaf = {leaves_named(leaf): tuple(row) for leaf, row in entry["by_leaf"].items()}
            sound = _are_values(values, kind) and _are_places(of_leaf, len(values))
            listed = entry.get("given_back")
            given_back = None if listed is None else frozenset(map(leaves_named, listed))
            sound = sound and (listed or []) == [listed_name(leaves_named(x)) for x in listed or []]
        except (TypeError, KeyError, ValueError, AttributeError):
            sound = False
        if not sound:
            raise InputError(
                "The manifest describes a recoding by leaf that cannot be.",
                "the release may have been edited; ask for the original one.",
            )
        return cls(cells, values, of_leaf, given_back)

    @property
    def groups(self) -> set[Leaves]:
        """Where records are, as far as it is told."""
        return {*self.of_leaf, *(self.given_back or ())}

    def possible(self, trees: Sequence[Tree], column: str) -> dict[Leaves, list[int]]:
        """For each of them the cells that the paths to its leaves let a record have."""
        of_trees = [self.cells.possible(tree, column) for tree in trees]
        return {
            leaves: sorted(
                set[int].intersection(
                    *(set(cells[leaf]) for cells, leaf in zip(of_trees, leaves, strict=True))
                )
            )
            for leaves in sorted(self.groups)
        }

    def cells_of_values(self, trees: Sequence[Tree], column: str) -> dict[int, list[int]]:
        """For each released value the cells whose records may have it."""
        found: dict[int, set[int]] = {}
        for leaves, cells in self.possible(trees, column).items():
            row = self.of_leaf.get(leaves, ())
            for cell in cells:
                if cell < len(row):
                    found.setdefault(row[cell], set()).add(cell)
        return {value: sorted(cells) for value, cells in found.items()}

    def names_cells(self, trees: Sequence[Tree], column: str) -> bool:
        """Whether every value is that of a cell which may occur in the leaf."""
        labels = (*self.cells.labels, None)
        return all(
            self.values[place] in {labels[c] for c in cells if c < len(labels)}
            for leaves, cells in self.possible(trees, column).items()
            for cell in cells
            for place in self.of_leaf.get(leaves, ())[cell : cell + 1]
        )


def _are_values(values: Sequence[Value], kind: Kind) -> bool:
    """Whether these are values of a column, each once."""
    known = all(value is None or is_value(value, kind) for value in values)
    return known and len(set(values)) == len(values)


def _are_places(of_leaf: Mapping[Leaves, Sequence[Any]], values: int) -> bool:
    """Whether each leaf has a place for each cell, and every value is taken somewhere."""
    places = {place for row in of_leaf.values() for place in row}
    whole = all(type(place) is int for row in of_leaf.values() for place in row)
    return whole and places == set(range(values)) and len(set(map(len, of_leaf.values()))) == 1


def entry_of(recoding: Mapping[str, Any], column: str) -> Mapping[str, Any]:
    """What the manifest says of one column's recoding; nothing if it says nothing readable."""
    columns = recoding.get("columns")
    entry = columns.get(column) if isinstance(columns, Mapping) else None
    return entry if isinstance(entry, Mapping) else {}
