"""New rows under an old release: recoded like the released ones, and classified by its tree.

Both need only what the release says: the tree, and how each column was recoded. Where columns were
recoded by a map, a category that the release has never seen becomes missing; it goes to the larger
child when rows are classified. `nearest` next door gives new rows the values of released ones.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import InputError, UnknownColumn, UsageError, either
from privet.files import column_names, read_table
from privet.release.cells import Cells
from privet.release.claims.anonymised import METHODS as WITHOUT_A_TREE
from privet.release.claims.tree_titles import one_tree
from privet.release.leaf_groups import Leaves, groups_of_rows
from privet.release.manifest import Manifest
from privet.release.meanings import Joined
from privet.release.recoded import ByLeaf, entry_of
from privet.release.target_values import NORMALISED, ROUNDED, rounded, step_of
from privet.schema import Column, Kind, Role
from privet.table import Coded, Domain, Table, Value, code_type, parse_iso
from privet.tree.model import Tree

_UNSEEN = -1
_EXACT = 2**53  # whole numbers up to here are floats


def predict_rows(
    table: Table, manifest: Manifest, trees: Sequence[Tree], number: int = 1
) -> list[Value]:
    """The prediction of a published tree for each new row; trees are counted from 1."""
    if not trees:
        raise UsageError("This release has no tree.", "`privet tree` grows one from its records.")
    tree = one_tree(trees, number)
    return tree.predict(in_words_of_the_tree(table, manifest, tree))


def recode_rows(table: Table, manifest: Manifest, trees: Sequence[Tree]) -> Table:
    """New rows recoded like the released ones, in the release's columns and order.

    The target may be absent; columns that were suppressed are suppressed here as well.
    """
    if drawn_at_random(manifest):
        raise UsageError(
            "This release draws at random, which is no recoding: new rows are left as they are.",
            "`privet predict` classifies them, if the release has a tree.",
        )
    leaves = groups_of(table, manifest, trees)
    _refuse_where_nobody_is(leaves[0], manifest)
    recoded: dict[str, Coded] = {}
    for column in manifest.schema:
        entry = entry_of(manifest.recoding, column.name)
        treatment = entry.get("treatment", "kept")
        if treatment == "suppressed":
            values = [None] if manifest.format > 1 else [_old_constant(entry, column.kind)]
            recoded[column.name] = _coded(values, column.kind, np.zeros(len(table), dtype=np.int64))
        elif column.name not in table:
            if column.role is not Role.TARGET:
                raise UnknownColumn(column.name, table.names, where="the release")
        else:
            recoded[column.name] = recode_column(table[column.name], column, manifest, leaves)
    return Table(recoded)


def recode_column(new: Coded, column: Column, manifest: Manifest, leaves: "InLeaves") -> Coded:
    """One column of new rows as the release would have it, if it is not suppressed there."""
    entry = entry_of(manifest.recoding, column.name)
    treatment = entry.get("treatment", "kept")
    if treatment == "kept":
        return new
    if treatment == ROUNDED:
        return rounded(column.name, new, step_of(entry) or Fraction(1))
    if treatment == NORMALISED:
        raise UsageError(
            f"Column '{column.name}' is normalised in the release, which does not tell its range.",
            "leave that column out of the new rows.",
        )
    if treatment == "aggregated":
        return _joined(new, entry, column.kind)
    if "by_leaf" in entry:
        return _by_leaf(new, ByLeaf.of(entry, column.kind), *leaves)
    cells = Cells.of(entry, column.kind)
    released = cells.labels if cells.is_grouped else [*cells.labels, None]
    return _coded(released, column.kind, cells_of_codes(new.domain, cells)[new.codes])


def _refuse_where_nobody_is(groups: Sequence[Leaves], manifest: Manifest) -> None:
    """No recoding by leaf is known where leaves of several trees intersect and nobody is."""
    for column in manifest.schema:
        entry = entry_of(manifest.recoding, column.name)
        if "by_leaf" in entry and not set(groups) <= ByLeaf.of(entry, column.kind).groups:
            raise UsageError(
                "A new row is in leaves of several trees that no released record is in together.",
                "no recoding is known for it; leave such rows out, or classify them with "
                "`privet predict`.",
            )


def never_seen(new: Coded, column: Column, manifest: Manifest) -> npt.NDArray[np.bool_]:
    """For each new row, whether its category is none of those that the release names."""
    entry = entry_of(manifest.recoding, column.name)
    described = entry.get("cells", entry)
    if "groups" not in described:
        return np.zeros(len(new.codes), dtype=bool)
    unseen: npt.NDArray[np.bool_] = (
        cells_of_codes(new.domain, Cells.of(described, column.kind)) == _UNSEEN
    )
    return unseen[new.codes]


def drawn_at_random(manifest: Manifest) -> bool:
    """Whether released values were drawn, so that no map leads to them."""
    return manifest.recoding.get("method") not in ("rich", "leaf", "global", *WITHOUT_A_TREE)


InLeaves = tuple[list[Leaves], npt.NDArray[np.int64]]


def groups_of(table: Table, manifest: Manifest, trees: Sequence[Tree]) -> InLeaves:
    """The leaves that new rows are in, and the place of each row's; without a tree there is one."""
    if not trees:
        return [()], np.zeros(len(table), dtype=np.int64)
    return groups_of_rows(trees, in_words_of_the_tree(table, manifest, *trees))


def in_words_of_the_tree(table: Table, manifest: Manifest, *trees: Tree) -> Table:
    """The columns that trees ask, categories replaced by their groups; numbers as they are."""
    worded = {}
    for name in dict.fromkeys(name for tree in trees for name in tree.attributes_used):
        if name not in table:
            raise UnknownColumn(name, table.names, where="the published tree")
        column, kind = table[name], manifest.schema[name].kind
        refuse_other_kind(name, column.domain.kind, kind)
        entry = entry_of(manifest.recoding, name)
        described = entry.get("cells", entry)  # leaf recoding starts from cells
        if "groups" in described:
            cells = Cells.of(described, kind)
            column = _coded(cells.labels, kind, cells_of_codes(column.domain, cells)[column.codes])
        elif entry.get("treatment") == "aggregated" and kind is Kind.CATEGORY:
            column = _joined(column, entry, kind)
        worded[name] = column
    return Table(worded) if worded else table  # a tree of one leaf asks nothing


def refuse_other_kind(name: str, kind: Kind, released: Kind) -> None:
    """New numbers may be of any ordered kind; categories and numbers are not compared."""
    if kind is not released and not (kind.is_ordered and released.is_ordered):
        raise InputError(
            f"Column '{name}' is of kind {kind}, the release has {released}.",
            f"read the new rows with the same kinds ({either('kinds', '--category')}).",
        )


def cells_of_codes(domain: Domain, cells: Cells) -> npt.NDArray[np.int64]:
    """For each code of a column of new rows the number of its cell in the release."""
    if cells.is_grouped:
        cell_of = {m: place for place, members in enumerate(cells.members) for m in members}
        texts = [domain.value(code) for code in range(domain.size)]
        return np.array([cell_of.get(text, _UNSEEN) for text in texts], dtype=np.int64)
    values = domain.values
    ends = values[[0, -1]].tolist() if len(values) else []
    cuts = cells.cuts
    if values.dtype.kind == "i" and any(abs(end) > _EXACT for end in ends):
        places = np.array([bisect_left(cuts, value) for value in values.tolist()])
    else:
        places = np.searchsorted(np.array(cuts, np.float64), values.astype(np.float64), side="left")
    return np.append(places, len(cuts) + 1) if domain.missing else places  # missing comes last


def _joined(column: Coded, entry: Mapping[str, Any], kind: Kind) -> Coded:
    """Aggregated columns have values of the original: only joined ones become one."""
    values = [column.domain.value(code) for code in range(column.domain.size)]
    for joined in Joined.all_of(entry, kind):
        values = [joined.value if joined.holds(value) else value for value in values]
    return _coded(values, kind, column.codes.astype(np.int64))


def _by_leaf(
    column: Coded, by_leaf: ByLeaf, groups: Sequence[Leaves], number: npt.NDArray[np.int64]
) -> Coded:
    """Leaf recoding: the released value depends on the leaf and the cell; it is missing where the
    leaves of several trees intersect and nobody is."""
    cells = cells_of_codes(column.domain, by_leaf.cells)
    values: Sequence[Value] = [*by_leaf.values, None]
    n_cells = max(len(row) for row in by_leaf.of_leaf.values())
    table = np.full((len(groups), n_cells + 1), len(values) - 1, dtype=np.int64)
    for place, leaves in enumerate(groups):
        row = by_leaf.of_leaf.get(leaves, ())
        table[place, : len(row)] = row
    here = np.where(cells < 0, n_cells, np.minimum(cells, n_cells))[column.codes]
    places = table[number, here]
    if by_leaf.given_back:  # rows of the other leaves stay as they are
        own = np.array([g in by_leaf.groups - set(by_leaf.of_leaf) for g in groups], dtype=bool)
        own = own[number]
        places[own] = len(values) + column.codes[own]
        values = [*values, *(column.domain.value(code) for code in range(column.domain.size))]
    return _coded(values, by_leaf.cells.kind, places)


def _old_constant(entry: Mapping[str, Any], kind: Kind) -> Value:
    """What releases of format 1 have in suppressed columns."""
    value: Value = entry.get("value")
    return ("*" if kind is Kind.CATEGORY else 0) if value is None else value


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
