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
from privet.schema import Kind
from privet.table import Value
from privet.tree.model import Tree


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
            sound = _are_values(values, kind) and _are_places(of_leaf, len(values))
            sound = sound and list(map(str, of_leaf)) == list(entry["by_leaf"])
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


def _are_values(values: Sequence[Value], kind: Kind) -> bool:
    """Whether these are values of a column, each once."""
    known = all(value is None or is_value(value, kind) for value in values)
    return known and len(set(values)) == len(values)


def _are_places(of_leaf: Mapping[int, Sequence[Any]], values: int) -> bool:
    """Whether each leaf has a place for each cell, and every value is taken somewhere."""
    places = {place for row in of_leaf.values() for place in row}
    whole = all(type(place) is int for row in of_leaf.values() for place in row)
    return whole and places == set(range(values)) and len(set(map(len, of_leaf.values()))) == 1


def entry_of(recoding: Mapping[str, Any], column: str) -> Mapping[str, Any]:
    """What the manifest says of one column's recoding; nothing if it says nothing readable."""
    columns = recoding.get("columns")
    entry = columns.get(column) if isinstance(columns, Mapping) else None
    return entry if isinstance(entry, Mapping) else {}
