"""Random tables published by leaf: the tree never changes, K and strong L never fall below global.

`PRIVET_TESTS=long` draws ten times as many. A failure names its seed.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from oracles.independent_reader import differences
from privet.errors import PrivetError
from privet.preserve.drafts import Drafts
from privet.preserve.judging import Judge
from privet.preserve.publisher import TreePreservingPublisher
from privet.preserve.settings import PublishSettings
from properties.seeded_tables import Case, drawn

MORE = 10 if os.environ.get("PRIVET_TESTS") == "long" else 1
BLOCKS = 12
TABLES_A_BLOCK = 110 * MORE  # 1,320 drawn, over 1,000 of them have a tree
WRITTEN = 60 * MORE


def asked(case: Case, recoding: str, refine: bool = False) -> PublishSettings:
    """The case's settings with another recoding, and nothing asked but the tree itself."""
    return replace(
        case.settings, recoding=recoding, refine=refine, k=1, l=None, t=None, target_known=False
    )  # type: ignore[arg-type]


@pytest.mark.parametrize("block", range(BLOCKS))
def test_same_tree_and_never_worse_than_global(block: int) -> None:
    tried = by_leaf = 0
    for seed in range(block * TABLES_A_BLOCK, (block + 1) * TABLES_A_BLOCK):
        case = drawn(seed)
        table, schema = case.table(), case.schema()
        drafts = Drafts(table, schema, asked(case, "leaf"))
        if not drafts.sizes:
            continue
        tried += 1
        size = drafts.sizes[-1]
        leaf = Judge(drafts).draft(size)
        assert leaf.leaf is None or leaf.grown_again(schema), f"seed {seed}"
        whole = Drafts(table, schema, asked(case, "global")).by_one_map(size)
        assert leaf.figures.k >= whole.figures.k, f"seed {seed}"
        assert not leaf.figures.worse_than(whole.figures), f"seed {seed}"
        by_leaf += leaf.leaf is not None
    assert tried >= 85 * MORE
    assert by_leaf >= 0.95 * tried


@pytest.mark.parametrize("refine", [False, True])
def test_a_stranger_finds_the_same_tree(tmp_path: Path, refine: bool) -> None:
    written = 0
    for seed in range(5_000, 5_000 + WRITTEN):
        case = drawn(seed)
        settings = replace(asked(case, "leaf", refine), k=2 if refine else 1)
        try:
            release = TreePreservingPublisher(settings).publish(case.table(), case.schema())
        except PrivetError:
            continue
        release.save(tmp_path / str(seed), format="csv", report=False)
        assert differences(tmp_path / str(seed)) == [], f"seed {seed}"
        written += 1
    assert written >= 30 * MORE
