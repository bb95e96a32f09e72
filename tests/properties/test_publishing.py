"""Random tables, published and grown again: the tree never changes.

Most tables are published in memory; some are written and read by a stranger who knows nothing of
Privet. `PRIVET_TESTS=long` draws ten times as many. A failure names its seed.
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from oracles.independent_reader import differences
from privet.engine import MemoryEngine
from privet.errors import CriterionNotReached, UsageError
from privet.preserve.drafts import Drafts
from privet.preserve.publisher import TreePreservingPublisher
from privet.release import Release, verify
from privet.release.claims.figures import count_figures
from privet.release.claims.tree_preserving import shown_sensitive
from privet.schema import Role
from privet.tree.compare import compare
from privet.tree.grow import grow
from properties.seeded_tables import Case, drawn

MORE = 10 if os.environ.get("PRIVET_TESTS") == "long" else 1
BLOCKS = 20
TABLES_A_BLOCK = 140 * MORE  # 2,800 drawn, some 2,280 of them published
WRITTEN: tuple[Any, ...] = ("csv", "parquet")
WRITTEN_A_BLOCK = 10 * MORE  # 200 drawn, some 165 of them published


def published(case: Case) -> Release | None:
    """The release of a case; None where there is nothing to publish."""
    try:
        return TreePreservingPublisher(case.settings).publish(case.table(), case.schema())
    except CriterionNotReached:
        assert case.settings.k > 1 or case.settings.l or case.settings.t
        return None
    except UsageError as error:
        refused = error.message
    nothing = "No split" in refused or "branches, more than the leaves" in refused
    assert nothing, f"seed {case.seed}: {refused}"
    return None


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_same_tree_grows_again(block: int) -> None:
    happened: Counter[str] = Counter()
    for seed in range(block * TABLES_A_BLOCK, (block + 1) * TABLES_A_BLOCK):
        case = drawn(seed)
        release = published(case)
        if release is None:
            happened["nothing to publish"] += 1
            continue
        happened["published"] += 1
        schema = release.manifest.schema
        engine = MemoryEngine(release.rows.records())
        outcome = compare(release.tree, grow(engine, schema, release.tree.grower))
        assert outcome, f"seed {seed}: {outcome}"
        shown = shown_sensitive(schema, release.manifest.recoding)
        figures = count_figures(engine, schema.quasi, schema.names(Role.TARGET), shown)
        assert figures.k == release.figure("k-anonymity"), f"seed {seed}"
        reached = figures.k_with_target if case.settings.target_known else figures.k
        assert reached >= case.settings.k, f"seed {seed}"
        assert figures.records == case.plain.n_rows, f"seed {seed}"
    assert happened["published"] >= 100 * MORE  # 2,000 over all blocks


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_stranger_finds_the_same_tree_in_the_files(block: int, tmp_path: Path) -> None:
    first = 100_000 + block * WRITTEN_A_BLOCK
    for seed in range(first, first + WRITTEN_A_BLOCK):
        release = published(drawn(seed))
        if release is not None:
            release.save(tmp_path / str(seed), format="csv", report=False)
            assert differences(tmp_path / str(seed)) == [], f"seed {seed}"


@pytest.mark.parametrize("block", range(4))
def test_every_size_of_the_tree_grows_again_in_most_tables(block: int) -> None:
    """Before any column is spared: only ties between nodes may change a tree, and seldom do."""
    sizes, changed = 0, 0
    first = 200_000 + block * 60 * MORE
    for seed in range(first, first + 60 * MORE):
        case = drawn(seed)
        drafts = Drafts(case.table(), case.schema(), case.settings)
        for size in drafts.sizes:
            sizes += 1
            changed += not drafts.by_one_map(size).grown_again(drafts.schema)
    assert sizes > 100 * MORE
    assert changed <= max(1, sizes // 500)


@pytest.mark.parametrize("min_leaf", [2, 3])
def test_minimum_leaves_never_publish_another_tree(min_leaf: int, tmp_path: Path) -> None:
    first = 300_000 + min_leaf * 1000
    for seed in range(first, first + 40 * MORE):
        release = published(drawn(seed, min_leaf))
        if release is None:
            continue
        assert min(map(release.tree.records, release.tree.nodes)) >= min_leaf, f"seed {seed}"
        release.save(tmp_path / str(seed), format="csv", report=False)
        assert differences(tmp_path / str(seed)) == [], f"seed {seed}"


def test_both_formats_hold_the_same_content(tmp_path: Path) -> None:
    for seed in range(400_000, 400_000 + 15 * MORE):
        release = published(drawn(seed))
        if release is None:
            continue
        for written in WRITTEN:
            folder = tmp_path / f"{seed}-{written}"
            fingerprint = release.save(folder, format=written, report=False)
            assert verify(folder, fingerprint).holds, f"seed {seed}"
