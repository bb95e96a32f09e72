"""Columns that fall back to leaf recoding and get their values back, leaf by leaf."""

from dataclasses import replace
from pathlib import Path

import privet
from oracles.independent_reader import differences
from privet.preserve.publisher import TreePreservingPublisher
from properties.seeded_tables import drawn


def test_a_column_given_back_in_every_leaf_is_aggregated(tmp_path: Path) -> None:
    """Nothing of leaf recoding is left to describe, and the release can be written and read."""
    case = drawn(23)
    asked = replace(case.settings, recoding="rich", k=5, min_leaf=None)
    release = TreePreservingPublisher(asked).publish(case.table(), case.schema())
    assert release.manifest.recoding["columns"]["c0"]["treatment"] == "aggregated"
    release.save(tmp_path / "release", format="csv", report=False)
    assert privet.verify(tmp_path / "release")
    assert differences(tmp_path / "release") == []
