"""How each column was recoded, as plain data for the manifest, so that new rows can follow.

Numbers: `values[i]` stands for everything above `cuts[i-1]` up to `cuts[i]`. A cut is a threshold
of the tree where there is one between two groups, else the middle between their values. Categories:
each label with its members (null is missing). With leaf recoding these are the cells, and
`by_leaf` says for each leaf which released value each cell takes.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.arrays import Integers
from privet.engine import Engine
from privet.engine.distribution import Ranges, distribution
from privet.preserve.by_leaf.column import LeafColumn
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, Treatment
from privet.preserve.rich.column import RichColumn
from privet.release.leaf_groups import listed_name, name_of
from privet.schema import Kind
from privet.table import Domain, Value, iso_text
from privet.tree.candidates import midpoint


def describe_recoding(recoding: ColumnRecoding, leaf_counts: LeafCounts) -> dict[str, Any]:
    """One column's recoding for the manifest."""
    column = recoding.column
    data: dict[str, Any] = {"treatment": str(recoding.treatment)}
    if recoding.treatment is Treatment.SUPPRESSED:
        return data
    if recoding.treatment is Treatment.KEPT:
        return data
    return data | cells_of(recoding, leaf_counts.domains[column], _thresholds(leaf_counts, column))


def describe_leaf_column(
    column: LeafColumn, base: ColumnRecoding, leaf_counts: LeafCounts
) -> dict[str, Any]:
    """One column's recoding by leaf: its cells, its released values, and which cell takes which.

    `form` says why the tree stays: every rival split is worse ("strict": safe for any grower), or
    some tie and lose by Privet's rule of ties ("index"), or the column is recoded as a whole
    ("global").
    """
    name = column.column
    has_values = np.bincount(base.new_of_old, minlength=base.domain.size) > 0
    by_leaf = {
        name_of(leaves): np.where(has_values, of_cell, 0).tolist()
        for leaves, of_cell in zip(leaf_counts.leaves, column.of_cell, strict=True)
    }
    values = [column.domain.value(code) for code in range(column.domain.size)]
    return {
        "treatment": str(column.treatment),
        "form": column.form,
        "complete_lists": column.complete_lists,
        "cells": cells_of(base, leaf_counts.domains[name], _thresholds(leaf_counts, name)),
        "values": values,
        "by_leaf": by_leaf,
    }


def describe_rich_column(
    column: RichColumn, base: ColumnRecoding, leaf_counts: LeafCounts
) -> dict[str, Any]:
    """One column of a rich release: how it was filled, or which leaves kept codes."""
    if column.treatment is Treatment.SUPPRESSED:
        return {"treatment": str(column.treatment)}
    if column.treatment is Treatment.AGGREGATED:
        return {
            "treatment": str(column.treatment),
            "fill": column.fill,
            "within_class_range": column.near,
            "joined": [_joined(column, codes) for codes in column.joined],
            "moved_records": column.moved_records,
            "pinned_classes": column.pinned,
            "form": column.form,
        }
    assert column.of_cell is not None
    used = np.unique([_row(column.of_cell[group]) for group in sorted(column.coded)])
    place = {code: number for number, code in enumerate(used.tolist())}
    name = column.column
    return {
        "treatment": str(column.treatment),
        "form": column.form,
        "cells": cells_of(base, leaf_counts.domains[name], _thresholds(leaf_counts, name)),
        "values": [column.domain.value(code) for code in used.tolist()],
        "by_leaf": {
            name_of(leaf_counts.leaves[group]): [
                place[c] for c in _row(column.of_cell[group]).tolist()
            ]
            for group in sorted(column.coded)
        },
        "given_back": [listed_name(leaf_counts.leaves[g]) for g in sorted(column.given_back)],
    }


def _row(of_cell: Integers) -> Integers:
    """The value of every cell; those that the group does not have go with the nearest it has."""
    known = np.flatnonzero(of_cell >= 0)
    nearest = known[np.abs(known[None, :] - np.arange(len(of_cell))[:, None]).argmin(axis=1)]
    return np.asarray(of_cell[nearest])


def _joined(column: RichColumn, codes: tuple[int, ...]) -> dict[str, Any]:
    """Values that became one: the one that stayed, and what it stands for."""
    value = column.domain.value(codes[0])
    if column.domain.kind is Kind.CATEGORY:
        return {"value": value, "members": [column.domain.value(code) for code in sorted(codes)]}
    low, high = column.domain.value(min(codes)), column.domain.value(max(codes))
    return {"value": value, "low": low, "high": high}


def cells_of(recoding: ColumnRecoding, domain: Domain, thresholds: list[float]) -> dict[str, Any]:
    """The cells of a generalised column: labels with members, or values with cuts."""
    if domain.kind is Kind.CATEGORY:
        members: dict[int, list[Value]] = {}
        for old, new in enumerate(recoding.new_of_old.tolist()):
            members.setdefault(new, []).append(domain.value(old))
        groups = [
            {"label": recoding.domain.value(new), "members": members[new]}
            for new in sorted(members)
        ]
        return {"groups": groups}
    ends = np.flatnonzero(np.diff(recoding.new_of_old[: len(domain.values)]))
    cuts = [_cut(domain, int(end), thresholds) for end in ends]
    values = [recoding.domain.value(code) for code in range(len(recoding.domain.values))]
    return {"values": values, "cuts": [_out(cut, domain.kind) for cut in cuts]}


def _cut(domain: Domain, end: int, thresholds: list[float]) -> int | float:
    low: int | float = domain.values[end].item()
    high: int | float = domain.values[end + 1].item()
    between = [t for t in thresholds if low <= t < high]
    if between:
        return between[0]
    middle = midpoint(low, high)
    if low <= middle < high:
        return middle
    return low + (high - low) // 2  # integers so large that no float lies between them


def _out(cut: int | float, kind: Kind) -> Value:
    return iso_text(cut, kind) if kind in (Kind.DATE, Kind.DATETIME) else cut


def _thresholds(leaf_counts: LeafCounts, column: str) -> list[float]:
    return sorted({gap.threshold for gap in leaf_counts.gaps(column)})


def before_and_after(
    before: Engine, after: Engine, recoding: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """For the steward: what values each released column had and has, and how many records each."""
    return {
        name: {
            "kind": str(before.domain(name).kind),
            "treatment": how["treatment"],
            "values_before": before.domain(name).size,
            "values_after": len(after.count([name]).n),
            "distribution": _distributions(name, before, after),
        }
        for name, how in recoding["columns"].items()
    }


def _distributions(name: str, before: Engine, after: Engine) -> list[dict[str, Any]]:
    """Records by value, numbers by ten even ranges; a value of None is missing."""
    domains = [engine.domain(name) for engine in (before, after)]
    ranges = Ranges.over(domains) if domains[0].kind.is_ordered else None
    was, became = (
        {share.text: share.records for share in distribution(engine, name, ranges)}
        for engine in (before, after)
    )
    return [
        {"value": text, "before": was.get(text, 0), "after": became.get(text, 0)}
        for text in sorted({**was, **became}, key=lambda text: text is None)
    ]
