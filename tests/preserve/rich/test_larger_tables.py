"""Tables of a few hundred rows, published richly and read by a stranger: the same tree, K, and
nothing in the manifest that the data contradict. `PRIVET_TESTS=long` draws ten times as many."""

import os
from pathlib import Path

import numpy as np
import pytest

import privet
from oracles.independent_reader import differences
from privet.errors import CriterionNotReached, UsageError
from properties.larger_tables import larger

BLOCKS, TABLES = 6, 40 if os.environ.get("PRIVET_TESTS") == "long" else 4

LISTED_TOO_MUCH = (15, 43, 45)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_stranger_finds_what_is_claimed(block: int, tmp_path: Path) -> None:
    published = 0
    for seed in range(block * TABLES, (block + 1) * TABLES):
        columns, asked = larger(seed)
        try:
            release = privet.publish(columns, target="y", **asked)
        except (CriterionNotReached, UsageError):
            continue
        folder = tmp_path / str(seed)
        release.save(folder, format="csv", report=False)
        assert differences(folder) == [], f"seed {seed}"
        assert release.figure("k-anonymity") >= asked["k"], f"seed {seed}"
        published += 1
    assert published > TABLES / 2


def test_values_that_nobody_has_any_more_are_not_listed(tmp_path: Path) -> None:
    """A leaf that gets some of its records back keeps codes for the others alone."""
    for seed in LISTED_TOO_MUCH:
        columns, asked = larger(seed)
        release = privet.publish(columns, target="y", **asked)
        assert any("given_back" in c for c in release.manifest.recoding["columns"].values())
        release.save(tmp_path / str(seed), report=False)


def test_a_cell_may_lie_on_both_sides_of_a_threshold_that_it_never_meets(tmp_path: Path) -> None:
    chance = np.random.default_rng(24)
    x = [np.round(chance.exponential(3, 160), 2) for _ in range(3)]
    y = x[0] * 2 + np.sin(3 * x[1]) * 4 + x[0] * x[2] + chance.normal(0, 1, 160)
    columns = {f"x{number}": cells.tolist() for number, cells in enumerate(x)}
    columns["y"] = np.round(y, 1).tolist()
    release = privet.publish(columns, target="y", k=4, leaves=20, guard=1)
    cells = release.manifest.recoding["columns"]["x2"]["cells"]
    thresholds = {n.split.threshold for n in release.tree.inner if n.split.attribute == "x2"}
    assert thresholds - set(cells["cuts"])
    release.save(tmp_path / "release", report=False)
