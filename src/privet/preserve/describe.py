"""How each column was recoded, as plain data for the manifest, so that new rows can follow.

Numbers: `values[i]` stands for everything above `cuts[i-1]` up to `cuts[i]`. A cut is a threshold
of the tree where there is one between two groups, else the middle between their values. Categories:
each label with its members (null is missing). With leaf recoding these are the cells, and
`by_leaf` says for each leaf which released value each cell takes.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.engine import Engine
from privet.preserve.by_leaf.recode import LeafColumn
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, Treatment
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
    of_cell = np.zeros(base.domain.size, dtype=np.int64)
    by_leaf = {}
    for group, (leaf, *_) in enumerate(leaf_counts.leaves):
        of_cell[base.new_of_old] = column.new[group]
        by_leaf[str(leaf)] = of_cell.tolist()
    values = [column.domain.value(code) for code in range(column.domain.size)]
    return {
        "treatment": str(column.treatment),
        "form": column.form,
        "complete_lists": column.complete_lists,
        "cells": cells_of(base, leaf_counts.domains[name], _thresholds(leaf_counts, name)),
        "values": values,
        "by_leaf": by_leaf,
    }


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


def _cut(domain: Domain, end: int, thresholds: list[float]) -> float:
    low, high = domain.values[end].item(), domain.values[end + 1].item()
    between = [t for t in thresholds if low <= t < high]
    return between[0] if between else midpoint(low, high)


def _out(cut: float, kind: Kind) -> Value:
    return iso_text(cut, kind) if kind in (Kind.DATE, Kind.DATETIME) else cut


def _thresholds(leaf_counts: LeafCounts, column: str) -> list[float]:
    return sorted({gap.threshold for gap in leaf_counts.gaps(column)})


def before_and_after(
    before: Mapping[str, Domain], after: Engine, recoding: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """For the steward: how many values each released column had and has."""
    return {
        name: {
            "kind": str(before[name].kind),
            "treatment": how["treatment"],
            "values_before": before[name].size,
            "values_after": len(after.count([name]).n),
        }
        for name, how in recoding["columns"].items()
    }
