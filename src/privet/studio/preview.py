"""A release before it is published: its tree, its columns before and after, some rows, what stays
exposed. All of it is counted from a written release, as the report counts it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privet.engine import engine_of
from privet.preserve.describe import before_and_after
from privet.release import Release
from privet.release.audit import Audit
from privet.release.columns import meaning_of
from privet.release.meanings import meanings
from privet.release.opened import OpenedRelease
from privet.release.recoded import entry_of
from privet.report.before_and_after import columns_before_and_after
from privet.report.summary import summarise, summarise_table
from privet.studio.fragments import fragment
from privet.studio.look import shortened
from privet.tree.exchange.tree_svg import tree_svg
from privet.tree.model import Node, Tree
from privet.tree.rules import branch_words, outcome

_ROWS = 10
_MOST_CLASSES = 6


def preview_of(release: Release, folder: Path, report: str) -> str:
    """The piece of the page for a release that was written to a folder."""
    opened = OpenedRelease.at(folder)
    if release.origin is None:  # drawn at random: its report says it all
        return fragment(
            "preview_drawn.html.j2", release=release, rows=_rows(release), report=report
        )
    summary = summarise(opened) if release.trees else summarise_table(opened)
    return fragment(
        "preview_found.html.j2",
        s=summary,
        tree=release.tree,
        picture=tree_svg(release.tree, numbered=True) if release.tree else None,
        nodes=list(_outline(release.tree)) if release.tree else [],
        columns=_columns(release),
        rows=_rows(release),
        notes=release.said,
        report=report,
    )


def _columns(release: Release) -> list[dict[str, Any]]:
    """Every column before and after."""
    if release.origin is None:
        return []
    recoding = release.manifest.recoding
    before, after = engine_of(release.origin.original), engine_of(release.origin.released())
    counted = before_and_after(before, after, recoding)
    audit = Audit(release.method, {}, {"recodings": recoding, "columns": counted})
    return columns_before_and_after(audit, release.trees)


def _rows(release: Release) -> dict[str, Any]:
    """Some rows from all over the release, and what each of their cells means."""
    table, counts = release.rows.table, release.rows.counts
    chosen = sorted({n * table.n_rows // _ROWS for n in range(_ROWS)})
    columns = []
    for column in release.manifest.schema:
        entry = entry_of(release.manifest.recoding, column.name)
        stands_for = dict(meanings(entry, column.kind, release.trees, column.name))
        coded = table[column.name]
        values = [coded.domain.value(int(coded.codes[row])) for row in chosen]
        columns.append(
            {
                "name": column.name,
                "treatment": str(entry.get("treatment", "kept")),
                "meaning": meaning_of(column, release.manifest),
                "cells": [_cell(value, stands_for) for value in values],
            }
        )
    return {"columns": columns, "records": [int(counts[row]) for row in chosen]}


def _cell(value: Any, stands_for: dict[Any, str]) -> tuple[str | None, str]:
    text = f"{value:.15g}" if isinstance(value, float) else str(value)
    return None if value is None else shortened(text), shortened(stands_for.get(value, ""))


def _outline(tree: Tree) -> Iterator[dict[str, Any]]:
    """Every node as a line, parents before children."""
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        yield _line(tree, node)
        waiting += [tree.nodes[child] for child in reversed(node.children)]


def _line(tree: Tree, node: Node) -> dict[str, Any]:
    condition = "All records"
    if node.parent is not None:
        parent = tree.nodes[node.parent]
        assert parent.split is not None
        condition = branch_words(parent.split, parent.children.index(node.id))
    records, classes = tree.records(node), []
    if tree.classes is not None:
        pairs = sorted(zip(tree.classes, node.weights, strict=True), key=lambda pair: -pair[1])
        classes = [
            ("missing" if value is None else str(value), n, n / records)
            for value, n in pairs[:_MOST_CLASSES]
            if n
        ]
    return {
        "id": node.id,
        "depth": node.depth,
        "condition": condition,
        "asks": None if node.split is None else node.split.attribute,
        "outcome": outcome(tree, node),
        "records": records,
        "classes": classes,
    }
