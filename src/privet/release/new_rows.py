"""New rows under an old release: recoded like the released ones, and classified by its tree.

Both need only what the release says: the tree, and how each column was recoded. A category that the
release has never seen becomes missing when rows are recoded, and goes to the larger child when
they are classified.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import InputError, UnknownColumn, UsageError
from privet.files import column_names, read_table
from privet.release.manifest import Manifest
from privet.release.noise_claims import is_noise
from privet.schema import Kind, Role
from privet.table import Coded, Domain, Table, Value, code_type, parse_iso
from privet.tree.model import Tree

_UNSEEN = -1


def predict_rows(table: Table, manifest: Manifest, tree: Tree) -> list[Value]:
    """The prediction of the published tree for each new row."""
    return tree.predict(_in_words_of_the_tree(table, manifest, tree))


def recode_rows(table: Table, manifest: Manifest, tree: Tree) -> Table:
    """New rows recoded like the released ones, in the release's columns and order.

    The target may be absent; sensitive columns that were suppressed are suppressed here as well.
    """
    if is_noise(manifest):
        raise UsageError(
            "This release has noise, and noise is no recoding: new rows are left as they are.",
            "`privet predict` classifies them with the published tree.",
        )
    worded = _in_words_of_the_tree(table, manifest, tree)
    leaves = tree.leaf_of_rows(worded) if manifest.recoding.get("method") == "leaf" else None
    recoded: dict[str, Coded] = {}
    for column in manifest.schema:
        how = manifest.recoding["columns"].get(column.name, {"treatment": "kept"})
        if how["treatment"] == "suppressed":
            recoded[column.name] = _constant(how.get("value"), column.kind, table.n_rows)
        elif column.name not in table:
            if column.role is not Role.TARGET:
                raise UnknownColumn(column.name, table.names, where="the release")
        elif how["treatment"] == "kept":
            recoded[column.name] = table[column.name]
        elif "by_leaf" in how and leaves is not None:
            recoded[column.name] = _by_leaf(table[column.name], column.kind, how, leaves)
        else:
            cells = cells_of_codes(table[column.name].domain, how)
            values = _released_values(how, column.kind)
            recoded[column.name] = _coded(values, column.kind, cells[table[column.name].codes])
    return Table(recoded)


def _in_words_of_the_tree(table: Table, manifest: Manifest, tree: Tree) -> Table:
    """The columns that the tree asks, categories replaced by their groups; numbers as they are."""
    worded = {}
    for name in tree.attributes_used:
        if name not in table:
            raise UnknownColumn(name, table.names, where="the published tree")
        column, kind = table[name], manifest.schema[name].kind
        if column.domain.kind is not kind and not (
            column.domain.kind.is_ordered and kind.is_ordered
        ):
            raise InputError(
                f"Column '{name}' is of kind {column.domain.kind}, the release has {kind}.",
                "read the new rows with the same kinds (--category, --schema).",
            )
        how = manifest.recoding["columns"].get(name, {"treatment": "kept"})
        described = how.get("cells", how)  # leaf recoding starts from cells
        if "groups" in described:
            cells = cells_of_codes(column.domain, described)
            labels = [group["label"] for group in described["groups"]]
            column = _coded(labels, kind, cells[column.codes])
        worded[name] = column
    return Table(worded)


def cells_of_codes(domain: Domain, how: Mapping[str, Any]) -> npt.NDArray[np.int64]:
    """For each code of a column of new rows the number of its cell in the release."""
    if "groups" in how:
        cell_of = {m: place for place, g in enumerate(how["groups"]) for m in g["members"]}
        texts = [domain.value(code) for code in range(domain.size)]
        return np.array([cell_of.get(text, _UNSEEN) for text in texts], dtype=np.int64)
    cuts = np.array([_number(cut, domain.kind) for cut in how["cuts"]], dtype=np.float64)
    cells = np.searchsorted(cuts, domain.values.astype(np.float64), side="left")
    return np.append(cells, len(cuts) + 1) if domain.missing else cells  # missing comes last


def _number(cut: Value, kind: Kind) -> float:
    return parse_iso(cut, kind) if isinstance(cut, str) else float(cut or 0.0)


def _released_values(how: Mapping[str, Any], kind: Kind) -> list[Value]:
    """The released value of each cell; missing is the cell after the last."""
    if "groups" in how:
        return [group["label"] for group in how["groups"]]
    return [*how["values"], None]


def _by_leaf(
    column: Coded, kind: Kind, how: Mapping[str, Any], leaves: npt.NDArray[np.int64]
) -> Coded:
    """Leaf recoding: the released value depends on the leaf and the cell."""
    cells = cells_of_codes(column.domain, how["cells"])
    values: Sequence[Value] = [*how["values"], None]
    n_cells = max(len(row) for row in how["by_leaf"].values())
    table = np.full((int(leaves.max(initial=0)) + 1, n_cells + 1), len(values) - 1, dtype=np.int64)
    for leaf, row in how["by_leaf"].items():
        if int(leaf) < len(table):
            table[int(leaf), : len(row)] = row
    here = np.where(cells < 0, n_cells, np.minimum(cells, n_cells))[column.codes]
    return _coded(values, kind, table[leaves, here])


def _coded(values: Sequence[Value], kind: Kind, cells: npt.NDArray[np.int64]) -> Coded:
    """A column from the value of each cell and the cell of each row; unseen cells are missing."""
    plain = [parse_iso(v, kind) if isinstance(v, str) and kind.is_ordered else v for v in values]
    known: list[Any] = sorted({v for v in plain if v is not None})
    place = {value: code for code, value in enumerate(known)}
    new_of_cell = np.array([*(place.get(v, len(known)) for v in plain), len(known)])
    codes = new_of_cell[cells]
    array_type: Any = (
        object if kind is Kind.CATEGORY else np.float64 if kind is Kind.DECIMAL else np.int64
    )
    used = np.unique(codes)
    missing = bool(len(used) and used[-1] == len(known))
    present = [known[code] for code in used.tolist() if code < len(known)]
    domain = Domain(kind, np.array(present, dtype=array_type), missing)
    compact = np.searchsorted(used, codes)
    return Coded(domain, compact.astype(code_type(domain.size)))


def _constant(value: Value, kind: Kind, n: int) -> Coded:
    given = ("*" if kind is Kind.CATEGORY else 0) if value is None else value
    return _coded([given], kind, np.zeros(n, dtype=np.int64))


def read_new_rows(
    path: Path, manifest: Manifest, missing: Sequence[str], category: Sequence[str]
) -> Table:
    """New rows from a file, with the kinds of the release; other columns are read as they come."""
    known = column_names(path)
    kinds = {column.name: column.kind for column in manifest.schema if column.name in known}
    kinds |= {name: Kind.CATEGORY for name in category if name in known}
    return read_table(path, kinds=kinds, missing=missing)


def with_column(table: Table, name: str, values: Sequence[Value]) -> Table:
    """A table with one more column, whose name is made unique."""
    while name in table:
        name += "_"
    columns = {column: table[column] for column in table}
    numeric = all(isinstance(value, int | float) for value in values)
    whole = numeric and all(isinstance(value, int) for value in values)
    kind = Kind.INTEGER if whole else Kind.DECIMAL if numeric else Kind.CATEGORY
    absent = np.array([value is None for value in values], dtype=bool)
    if kind is Kind.CATEGORY:
        texts = ["" if value is None else str(value) for value in values]
        array: npt.NDArray[Any] = np.array(texts, dtype=object)
    else:
        array = np.array(values, dtype=np.int64 if whole else np.float64)
    return Table({**columns, name: Coded.of(array, kind, absent)})
