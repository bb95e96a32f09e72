"""How columns were recoded, as far as the released data can show it.

What the data contradict is a no. That a column is as it was, no data can show: it is attested.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from privet.release.checks import Check, yes_or_no
from privet.release.opened import OpenedRelease
from privet.release.recoded import ByLeaf, Cells, entry_of
from privet.schema import Column, Role
from privet.tree.model import Subset, Threshold, Tree

TREATMENTS = ("kept", "suppressed", "generalised", "coded")
_ATTESTED = {
    "kept": "that the values are the original ones, only the publisher knows",
    "generalised": "that each value holds the true one, only the publisher knows",
}


def recoding_checks(opened: OpenedRelease) -> Iterator[Check]:
    """What the manifest says of each column, as far as the data can show it."""
    manifest, schema = opened.manifest, opened.manifest.schema
    how = manifest.recoding.get("method")
    columns = manifest.recoding.get("columns")
    known = manifest.method.get("recoding") == how and how in ("leaf", "global")
    listed = isinstance(columns, Mapping) and set(columns) == set(schema.names())
    yield yes_or_no(
        "recoding",
        known and listed and set(manifest.recoding) == {"method", "columns"},
        f"the manifest says of every column what became of it ({how})",
        "the manifest does not say of every column what became of it",
    )
    if not (known and listed):
        return
    wrong = {c.name: said for c in schema if (said := _not_as_told(c, opened))}
    for name, said in wrong.items():
        yield Check(f"recoding of {name}", "no", said)
    for treatment, said in _ATTESTED.items():
        names = [
            c.name
            for c in schema
            if entry_of(manifest.recoding, c.name).get("treatment") == treatment
        ]
        if names and not wrong:
            yield Check(f"columns {treatment}", "attested", f"{', '.join(names)}: {said}")


def _not_as_told(column: Column, opened: OpenedRelease) -> str:
    """Where the data contradict what the manifest says of a column; empty if they do not."""
    manifest = opened.manifest
    entry = entry_of(manifest.recoding, column.name)
    treatment = entry.get("treatment")
    domain = opened.table[column.name].domain
    if treatment not in TREATMENTS or (treatment != "kept" and column.role is Role.TARGET):
        return "it cannot have been treated in that way"
    if treatment == "suppressed":
        empty = len(domain.values) == 0 if manifest.format > 1 else domain.size == 1
        return "" if empty else "it is not suppressed"
    if treatment == "kept":
        return "" if set(entry) == {"treatment"} else "a column as it was has no meanings"
    found = {domain.value(code) for code in range(domain.size)}
    tree = opened.tree
    if "by_leaf" not in entry:
        cells = Cells.of(entry, column.kind)
        if treatment != "generalised" or set(entry) - {"treatment", "groups", "values", "cuts"}:
            return "it is described in a way that cannot be"
        known = {*cells.labels, None} if not cells.is_grouped else set(cells.labels)
        if not found <= known or not set(cells.labels) <= found | {None}:
            return "it has other values than listed"
        return _against_tree(cells, column.name, tree)
    by_leaf = ByLeaf.of(entry, column.kind)
    if manifest.recoding.get("method") != "leaf":
        return "it is recoded by leaf, which this method does not do"
    if set(by_leaf.of_leaf) != {leaf.id for leaf in tree.leaves}:
        return "other leaves than the tree has"
    if found != set(by_leaf.values):
        return "it has other values than listed"
    if treatment == "generalised" and not by_leaf.names_cells(tree, column.name):
        return "it is called generalised, and its values are not those of its cells"
    return _by_leaf(by_leaf, opened, column.name) or _against_tree(by_leaf.cells, column.name, tree)


def _by_leaf(by_leaf: ByLeaf, opened: OpenedRelease, column: str) -> str:
    """In every leaf only the values that its cells take there."""
    coded = opened.table[column]
    leaves = opened.tree.leaf_of_rows(opened.table)
    possible = by_leaf.cells.possible(opened.tree, column)
    for leaf, row in by_leaf.of_leaf.items():
        allowed = {by_leaf.values[row[cell]] for cell in possible[leaf] if cell < len(row)}
        codes = set(coded.codes[leaves == leaf].tolist())
        if not {coded.domain.value(code) for code in codes} <= allowed:
            return "its values in a leaf are not those that the manifest lists for it"
    return ""


def _against_tree(cells: Cells, column: str, tree: Tree) -> str:
    """Where a threshold of the tree parts two cells it is their cut; its categories are groups."""
    splits = [node.split for node in tree.inner if node.split and node.split.attribute == column]
    for split in splits:
        if isinstance(split, Subset):
            named = {*split.left, *split.right, *split.more_left, *split.more_right}
            if not named <= set(cells.labels):
                return "the tree names groups that the manifest does not describe"
    if cells.is_grouped:
        return ""
    thresholds = {
        split.threshold
        for split in splits
        if isinstance(split, Threshold) and split.threshold is not None
    }
    for cut, (low, high) in zip(cells.cuts, pairwise(cells.numbers), strict=True):
        own = {threshold for threshold in thresholds if low <= threshold < high}
        thresholds -= own
        if own and cut not in own:
            return "a threshold of the tree is not among its cuts"
    return "a threshold of the tree parts none of its cells" if thresholds else ""
