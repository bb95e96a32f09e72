"""columns.csv: what each released column and each released value means, for people and programs.

It follows from the manifest and the trees, so anybody can make it again and compare. The same
treatment stands in the field metadata of data.parquet.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privet.release.manifest import Manifest
from privet.release.meanings import meanings
from privet.release.recoded import entry_of
from privet.schema import Column, Role
from privet.table import Value
from privet.tree.model import Tree

HEADER = ("column", "kind", "role", "treatment", "meaning", "value", "stands_for")
TREATMENT_MEANINGS = {
    "kept": "The values are those of the original table.",
    "suppressed": "Not released: every cell is missing.",
    "aggregated": "Each value is shared by at least k records: a number lies between their "
    "smallest and largest value, a category is one that some of them have. Each leaf nearly keeps "
    "its distribution; a single record's value need not be its true one.",
    "generalised": "Each value stands for a range or a set that holds the true value.",
    "coded": "The values regrow the tree. A single record's value need not be its true one.",
    "rounded": "Numbers rounded to steps before the tree was grown: each stands for those nearest "
    "to it. Steps that few records have may be one with the next.",
    "normalised": "Numbers on a scale from 0, the smallest, to 1, the largest, before the tree was "
    "grown.",
    "noise": "The values have noise that follows the tree; mechanism.json says which.",
    "substituted": "Each value was drawn at random by the matrix in mechanism.json.",
}
AGGREGATED_WITHOUT_A_TREE = (
    "Each value is shared by at least k records: a number lies between their smallest and largest "
    "value, a category is one that some of them have. Categories of fewer than k records are not "
    "named: their records have a commoner one. The column nearly keeps its distribution; a single "
    "record's value need not be its true one."
)
_OF_TARGET = {True: "What the tree predicts. ", False: "The target. "}
_SHARED = "Shared by at least k records; "
_NEAR = {True: "lies between their smallest and largest value", False: "some of them have it"}
_JOINED = ", but for values that were joined or renamed so that the tree stays"
_LEAVES = "Each leaf nearly keeps its distribution; a"
_TABLE = "The column nearly keeps its distribution; a"
# what the fills of releases without a tree do besides
_OF_TABLE = {
    "quantile": "",
    "quota": " Categories of fewer than k records are not named: their records have a commoner "
    "one.",
}
_ALONE = " single record's value need not be its true one."


def columns_csv(manifest: Manifest, trees: Sequence[Tree]) -> str:
    """The text of columns.csv: a line for each column, then one for each value that needs it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for column in manifest.schema:
        writer.writerows(_lines(column, manifest, trees))
    return text.getvalue()


def _lines(column: Column, manifest: Manifest, trees: Sequence[Tree]) -> Iterator[list[str]]:
    entry = entry_of(manifest.recoding, column.name)
    treatment = str(entry.get("treatment", "kept"))
    about = [column.name, str(column.kind), str(column.role), treatment]
    yield [*about, meaning_of(column, manifest), "", ""]
    for value, stands_for in meanings(entry, column.kind, trees, column.name):
        yield [*about, "", _cell(value), stands_for]


def meaning_of(column: Column, manifest: Manifest) -> str:
    """What a column is now, in a sentence or two, by its entry in the manifest."""
    entry = entry_of(manifest.recoding, column.name)
    treatment = str(entry.get("treatment", "kept"))
    meaning = TREATMENT_MEANINGS.get(treatment, "")
    if treatment == "aggregated":
        meaning = f"{_SHARED}{_NEAR[column.kind.is_ordered]}{_as_filled(entry)}"
    return (_OF_TARGET[bool(manifest.grower)] if column.role is Role.TARGET else "") + meaning


def _as_filled(entry: Mapping[str, Any]) -> str:
    """What else an aggregated column is, by the way it was filled."""
    fill = str(entry.get("fill"))
    if fill in _OF_TABLE:
        return f". {_TABLE}{_ALONE}{_OF_TABLE[fill]}"
    joined = "" if entry.get("within_class_range") is True else _JOINED
    return f"{joined}. {_LEAVES if fill.startswith('leaf-') else 'A'}{_ALONE}"


def field_metadata(manifest: Manifest) -> dict[str, dict[str, str]]:
    """What the fields of data.parquet say of themselves."""
    found = {}
    for column in manifest.schema:
        entry = entry_of(manifest.recoding, column.name)
        found[column.name] = {
            "privet.role": str(column.role),
            "privet.treatment": str(entry.get("treatment", "kept")),
            "privet.meaning": meaning_of(column, manifest),
        }
    return found


def _cell(value: Value) -> str:
    """A value as the data files have it; a missing one is empty."""
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)
