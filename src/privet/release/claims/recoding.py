"""How columns were recoded, as far as the released data can show it.

What the data contradict is a no. That a column is as it was, no data can show: it is attested.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from privet.engine.grouping import distinct_combinations
from privet.release.cells import Cells
from privet.release.checks import Check, yes_or_no
from privet.release.claims.rich import not_aggregated
from privet.release.manifest import Manifest
from privet.release.opened import OpenedRelease
from privet.release.recoded import ByLeaf, entry_of
from privet.release.target_values import NORMALISED, ROUNDED, not_as_released
from privet.schema import Column, Role
from privet.table import Domain, Value
from privet.tree.model import Split, Subset, Threshold, Tree

RECODINGS = ("rich", "leaf", "global")
TREATMENTS = ("kept", "suppressed", "aggregated", "generalised", "coded", ROUNDED, NORMALISED)
_BY_LEAF = {"treatment", "form", "complete_lists", "cells", "values", "by_leaf"}
_IN_PART = {"treatment", "form", "cells", "values", "by_leaf", "given_back"}
_FORMS = ("strict", "index", "global")  # which of them holds for other growers is attested
_Place = tuple[int, int]  # the number of a tree, and a node of it
_ATTESTED = {
    "kept": "that the values are the original ones, only the publisher knows",
    "aggregated": "that values come from the records themselves, only the publisher knows",
    "generalised": "that each value holds the true one, only the publisher knows",
    ROUNDED: "that the values are the original ones to the nearest step, only the publisher knows",
    NORMALISED: "that the values are the original ones on another scale, only the publisher knows",
}


def recoding_checks(opened: OpenedRelease) -> Iterator[Check]:
    """What the manifest says of each column, as far as the data can show it."""
    manifest, schema = opened.manifest, opened.manifest.schema
    how = manifest.recoding.get("method")
    columns = manifest.recoding.get("columns")
    known = manifest.method.get("recoding") == how and how in RECODINGS
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
    if not wrong:
        yield from attested_treatments(manifest)


def attested_treatments(manifest: Manifest) -> Iterator[Check]:
    """What no data can show of what became of columns."""
    for treatment, said in _ATTESTED.items():
        names = [
            c.name
            for c in manifest.schema
            if entry_of(manifest.recoding, c.name).get("treatment") == treatment
        ]
        if names:
            yield Check(f"columns {treatment}", "attested", f"{', '.join(names)}: {said}")


def _not_as_told(column: Column, opened: OpenedRelease) -> str:
    """Where the data contradict what the manifest says of a column; empty if they do not."""
    entry = entry_of(opened.manifest.recoding, column.name)
    treatment = entry.get("treatment")
    possible = {Role.TARGET: ("kept", ROUNDED, NORMALISED), Role.OTHER: ("kept",)}
    if treatment not in possible.get(column.role, TREATMENTS[:5]):
        return "it cannot have been treated in that way"
    if treatment in (ROUNDED, NORMALISED):
        return not_as_released(entry, opened.table[column.name], column.name)
    if treatment == "kept":
        return "" if set(entry) == {"treatment"} else "a column as it was has no meanings"
    if treatment == "suppressed":
        return _not_suppressed(entry, opened.table[column.name].domain, opened.manifest.format)
    if treatment == "aggregated":
        if opened.manifest.recoding.get("method") != "rich":
            return "it is aggregated, which this method does not do"
        return not_aggregated(column, entry, _values(opened, column.name))
    if "by_leaf" in entry:
        return _not_by_leaf(column, entry, opened)
    return _not_by_one_map(column, entry, opened)


def _not_suppressed(entry: Mapping[str, Any], domain: Domain, form: int) -> str:
    if form > 1:
        if set(entry) != {"treatment"}:
            return "a suppressed column has no meanings"
        return "it is not suppressed" if len(domain.values) else ""
    if domain.size != 1:
        return "it is not suppressed"
    told = entry.get("value", domain.value(0))
    known = set(entry) <= {"treatment", "value"} and told == domain.value(0)
    return "" if known else "it is suppressed to another value than listed"


def _not_by_one_map(column: Column, entry: Mapping[str, Any], opened: OpenedRelease) -> str:
    if opened.manifest.recoding.get("method") != "global":
        return "it is recoded by one map, which this method does not do"
    fields = set(entry) - {"treatment"}
    if entry["treatment"] != "generalised" or fields not in ({"groups"}, {"values", "cuts"}):
        return "it is described in a way that cannot be"
    cells = Cells.of(entry, column.kind)
    found = _values(opened, column.name)
    allowed = set(cells.labels) if cells.is_grouped else {*cells.labels, None}
    if not found <= allowed or not set(cells.labels) <= found | {None}:
        return "it has other values than listed"
    return _against_tree(cells, column.name, opened, shown=True)


def _not_by_leaf(column: Column, entry: Mapping[str, Any], opened: OpenedRelease) -> str:
    name, trees = column.name, opened.trees
    how = opened.manifest.recoding.get("method")
    if how not in ("leaf", "rich"):
        return "it is recoded by leaf, which this method does not do"
    if not _is_told_by_leaf(entry):
        return "it is described in a way that cannot be"
    complete = _have_complete_lists(trees, name)
    if entry.get("complete_lists", complete) is not complete:
        return "the tree says otherwise whether lists of categories are complete"
    by_leaf = ByLeaf.of(entry, column.kind)
    if (how == "rich") != (by_leaf.given_back is not None):
        return "it is described in a way that cannot be"
    free = by_leaf.given_back or frozenset()
    groups, _ = opened.leaf_groups
    if by_leaf.groups != set(groups):
        return "other leaves than the tree has"
    found = _values(opened, name)
    if not set(by_leaf.values) <= found or (not free and found != set(by_leaf.values)):
        return "it has other values than listed"
    if entry["treatment"] == "generalised" and not by_leaf.names_cells(trees, name):
        return "it is called generalised, and its values are not those of its cells"
    return _against_leaves(by_leaf, opened, name) or _against_tree(
        by_leaf.cells, name, opened, shown=False
    )


def _is_told_by_leaf(entry: Mapping[str, Any]) -> bool:
    """Whether an entry has the fields of a column recoded by leaf, and no other."""
    if set(entry) not in (_BY_LEAF, _IN_PART) or not isinstance(entry["cells"], Mapping):
        return False
    return set(entry["cells"]) in ({"groups"}, {"values", "cuts"}) and entry["form"] in _FORMS


def _have_complete_lists(trees: Sequence[Tree], column: str) -> bool:
    """Whether every category that a node lists is carried by a released record below it."""
    splits = _splits_on(column, trees).values()
    return not any(isinstance(s, Subset) and (s.more_left or s.more_right) for s in splits)


def _values(opened: OpenedRelease, column: str) -> set[Value]:
    domain = opened.table[column].domain
    return {domain.value(code) for code in range(domain.size)}


def _against_leaves(by_leaf: ByLeaf, opened: OpenedRelease, column: str) -> str:
    """In every leaf only the values that its cells take there."""
    coded = opened.sorted_rows.table[column]
    groups, number = opened.leaf_groups
    sizes = (len(groups), coded.domain.size)
    pairs, _ = distinct_combinations((number, coded.codes), sizes, len(number), compiled=False)
    held = {leaves: pairs[pairs[:, 0] == place, 1] for place, leaves in enumerate(groups)}
    possible = by_leaf.possible(opened.trees, column)
    for leaves, row in by_leaf.of_leaf.items():
        if leaves in (by_leaf.given_back or ()):
            continue  # some of its records have filled values
        allowed = {by_leaf.values[row[cell]] for cell in possible[leaves] if cell < len(row)}
        if not {coded.domain.value(code) for code in held[leaves].tolist()} <= allowed:
            return "its values in a leaf are not those that the manifest lists for it"
    return ""


def _against_tree(cells: Cells, column: str, opened: OpenedRelease, shown: bool) -> str:
    """Where a threshold of the tree parts two cells it is their cut; its categories are groups.

    `shown`: the cells are the values of the column, so the data say which of them a node has.
    """
    splits = _splits_on(column, opened.trees)
    if cells.is_grouped:
        named = {label for split in splits.values() for label in _labels(split)}
        known = named <= set(cells.labels)
        return "" if known else "the tree names groups that the manifest does not describe"
    thresholds: dict[float, list[_Place]] = {}
    for place, split in splits.items():
        if isinstance(split, Threshold) and split.threshold is not None:
            thresholds.setdefault(split.threshold, []).append(place)
    if not shown:
        return _against_thresholds(cells, thresholds, lambda *_: False)
    domain, domains = opened.table[column].domain, _domains(opened)
    regions = [tree.regions(domains) for tree in opened.trees]
    held = {
        (number, node): {
            domain.value(c) for c in opened.engine.count([column], regions[number][node]).keys[:, 0]
        }
        for some in thresholds.values()
        for number, node in some
    }
    return _against_thresholds(cells, thresholds, lambda place, number: number in held[place])


def _splits_on(column: str, trees: Sequence[Tree]) -> dict[_Place, Split]:
    """The splits of a column, by the tree and the node that they are in."""
    return {
        (number, node.id): node.split
        for number, tree in enumerate(trees)
        for node in tree.inner
        if node.split and node.split.attribute == column
    }


def _domains(opened: OpenedRelease) -> dict[str, Domain]:
    return {name: opened.table[name].domain for name in opened.table.names}


def _labels(split: Split) -> tuple[Value, ...]:
    if isinstance(split, Subset):
        return (*split.left, *split.right, *split.more_left, *split.more_right)
    return ()


def _against_thresholds(
    cells: Cells, thresholds: Mapping[float, list[_Place]], held: Callable[[_Place, float], bool]
) -> str:
    """`thresholds` with their nodes; `held`: whether records of a cell are seen in a node.

    A cell of records that never come to a node may lie on both sides of its threshold. So the cut
    between two cells must be a threshold if both are seen there; and some cut must be.
    """
    kept, left = 0, set(thresholds)
    moved = False
    for cut, (low, high) in zip(cells.cuts, pairwise(cells.numbers), strict=True):
        own = {threshold for threshold in left if low <= threshold < high}
        left -= own
        if not own:
            continue
        kept += cut in own
        moved |= cut not in own
        nodes = [node for threshold in own for node in thresholds[threshold]]
        if cut not in own and any(held(node, low) and held(node, high) for node in nodes):
            return "a threshold of the tree is not among its cuts"
    if moved and not kept:
        return "no threshold of the tree is among its cuts"
    return "a threshold of the tree parts none of its cells" if left else ""
