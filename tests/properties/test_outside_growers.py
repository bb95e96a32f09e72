"""Random tables published with the trees of other programs: each program grows them again from what
lies on disk, as it grew them from the original, or what flips was said.

`PRIVET_TESTS=long` draws ten times as many. A failure names its seed.
"""

import os
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oracles.independent_reader import Stranger, differences
from oracles.random_tables import TARGET
from oracles.refit import refit, same, sorted_order
from privet.errors import CriterionNotReached, TreeChanged, UsageError
from privet.preserve.publisher import TreePreservingPublisher
from privet.release import Release, verify
from properties.seeded_tables import Case, drawn
from tree.foreign.outside import needs

MORE = 10 if os.environ.get("PRIVET_TESTS") == "long" else 1
CRITERIA = {"gini": "gini", "entropy": "entropy", "deviance": "squared_error"}


def written(case: Case, folder: Path, **asked: Any) -> tuple[Release | None, str]:
    """The release of a table with another grower, saved; or why there is none."""
    impurity = "gini" if case.settings.impurity == "gain-ratio" else case.settings.impurity
    settings = replace(
        case.settings, target_known=False, categories="subset", impurity=impurity, **asked
    )
    try:
        release = TreePreservingPublisher(settings).publish(case.table(), case.schema())
    except (CriterionNotReached, UsageError, TreeChanged) as refused:
        return None, str(refused)
    release.save(folder, format="csv", report=False)
    assert verify(folder).holds, f"seed {case.seed}"
    return release, ""


@needs("sklearn")
@pytest.mark.parametrize("recoding", ["global", "leaf", "rich"])
def test_scikit_learn_grows_the_same_tree_from_what_lies_on_disk(
    tmp_path: Path, recoding: Any
) -> None:
    found: Counter[str] = Counter()
    first = 40_000
    for seed in range(first, first + 60 * MORE):
        case = drawn(seed)
        release, _ = written(case, tmp_path / str(seed), grower="sklearn", recoding=recoding)
        if release is None:
            found["refused"] += 1
            continue
        assert differences(tmp_path / str(seed)) == [], f"seed {seed}"
        stranger = Stranger(tmp_path / str(seed))
        told = stranger.manifest["method"]["grown_by"]
        flips = any("tie" in message for message in release.messages)
        if "ties" in told:
            assert flips
            assert not (tmp_path / str(seed) / "regrow.py").exists()
            found["tie"] += 1
            continue
        assert grows_alike(case, stranger) or flips, f"seed {seed}"
        found["same"] += 1
    assert found["same"] >= 25 * MORE
    assert found["tie"] <= 2 * MORE


def grows_alike(case: Case, stranger: Stranger) -> bool:
    """Whether a fit to the original and one to the release have the same nodes, bit for bit."""
    model, told = stranger.model, stranger.manifest["method"]["grown_by"]
    grower = model["grower"]
    asked = {
        "criterion": CRITERIA[grower["impurity"]],
        "max_leaf_nodes": grower["leaves"],
        "min_samples_leaf": grower["min_leaf"],
    }
    kinds = {name: str(kind) for name, kind in case.plain.kinds.items()}
    cells = case.plain.cells
    released = refit(
        stranger.cells,
        kinds,
        [name for name in grower["attributes"] if len(set(stranger.cells[name])) > 1],
        grower["category_orders"],
        TARGET,
        random_state=told["random_states"][0],
        **asked,
    )
    offered = [name for name in case.plain.attributes if name in grower["attributes"]]
    orders = {name: sorted_order(cells[name]) for name in offered}
    with_missing = {name for name in offered if None in cells[name]}
    originals = (
        refit(cells, kinds, offered, orders, TARGET, random_state=seed, **asked)
        for seed in range(8)
    )
    return any(same(original, released, with_missing) for original in originals)


@needs("rpart")
def test_rpart_grows_the_same_tree_from_what_lies_on_disk(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    first = 50_000
    for seed in range(first, first + 12 * MORE):
        folder = tmp_path / str(seed)
        recoding = ("rich", "leaf", "global")[seed % 3]
        release, _ = written(drawn(seed), folder, grower="rpart", recoding=recoding)
        if release is None:
            found["refused"] += 1
        elif "ties" in release.manifest.method["grown_by"]:
            assert any("up to a tie" in message for message in release.messages)
            found["tie"] += 1
        else:
            done = subprocess.run(["Rscript", "regrow.R"], cwd=folder, capture_output=True)
            assert (done.returncode, done.stderr) == (0, b""), f"seed {seed}: {done.stdout!r}"
            found["same"] += 1
    assert found["same"] >= 6 * MORE
