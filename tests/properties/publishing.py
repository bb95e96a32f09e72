"""Publish a small table through the front door and let a stranger read what was written."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oracles.independent_reader import differences
from privet.pipeline import publish
from privet.release import Release, verify


def published(cells: Mapping[str, Any], folder: Path, **asked: Any) -> Release:
    """The release of a table with global recoding, written, verified and read by a stranger."""
    release = publish(dict(cells), **({"target": "y", "k": 1, "recoding": "global"} | asked))
    release.save(folder, format="csv", report=False)
    assert differences(folder) == []
    assert verify(folder).holds
    return release


def thresholds(release: Release) -> list[tuple[str, Any]]:
    """Attribute and threshold (or left categories) of each split, oldest first."""
    return [
        (node.split.attribute, getattr(node.split, "threshold", getattr(node.split, "left", None)))
        for node in release.tree.inner
        if node.split is not None
    ]


def values(release: Release, column: str) -> list[Any]:
    """The different values of a released column, in order; missing is None."""
    domain = release.rows.table[column].domain
    return [domain.value(code) for code in range(domain.size)]
