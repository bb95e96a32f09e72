"""Where sizes are recoded by leaf in vain for long, they are climbed from a small tree."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import privet
from preserve.test_sketches import by_leaf
from privet.datasets import adult_like
from privet.preserve import choosing, judging, leaf_recodings, search
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.choosing import choose
from privet.preserve.judging import Judge
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.publisher import prepared
from privet.preserve.settings import PublishSettings
from privet.release.release import Release

LAST_ANEW = 20  # leaves
ASKED = 40


@pytest.fixture
def only_small_trees_anew(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Larger trees have no recoding but what is handed down; the sizes that were looked at anew."""
    anew: list[int] = []

    def recode(leaf_counts: LeafCounts, *others: Any) -> LeafRecoding | None:
        size, inherited = len(leaf_counts.leaves), others[-1]
        if inherited is None:
            anew.append(size)
        return recode_by_leaf(leaf_counts, *others) if size <= LAST_ANEW or inherited else None

    monkeypatch.setattr(leaf_recodings, "recode_by_leaf", recode)
    return anew


def published(leaves: int = ASKED, k: int = 2) -> Release:
    table = adult_like(2000, seed=5)
    return privet.publish(
        table, target="income", k=k, leaves=leaves, recoding="leaf", guard=1, min_leaf=k
    )


def test_the_patient_take_the_largest_that_is_found_anew(only_small_trees_anew: list[int]) -> None:
    assert published().tree.n_leaves == LAST_ANEW
    assert only_small_trees_anew == list(range(ASKED, LAST_ANEW - 1, -1))


def test_who_has_looked_in_vain_for_long_climbs(
    only_small_trees_anew: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(choosing, "_PATIENCE", 5 * search._SIZE_IN_VAIN - 0.1)
    release = published()
    in_vain = only_small_trees_anew[:5]
    assert in_vain == list(range(ASKED, ASKED - 5, -1))
    assert only_small_trees_anew[5:] == [leaf_recodings.EXACT_TO]
    assert release.tree.n_leaves == ASKED
    table = privet.table_of(release.data)
    quasi = [table[name].codes.tolist() for name in release.manifest.schema.quasi if name in table]
    k = next(claim.measured for claim in release.claims if claim.name == "k-anonymity")
    assert min(Counter(zip(*quasi, strict=True)).values()) == k >= 2
    assert privet.verify(tmp_path / "r", release.save(tmp_path / "r", report=False))
    assert published().manifest.content_sha256 == release.manifest.content_sha256


@pytest.mark.parametrize("large", [16, 24])
def test_of_large_trees_less_is_tried_in_vain(
    only_small_trees_anew: list[int], monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    for module in (choosing, judging, leaf_recodings, search):
        monkeypatch.setattr(module, "LARGE", large)
    monkeypatch.setattr(choosing, "_PATIENCE_FOR_LARGE", 2 * search._SIZE_IN_VAIN - 0.1)
    assert published().tree.n_leaves == ASKED
    if large > LAST_ANEW:  # larger ones are climbed, too, though the last small one has none anew
        assert only_small_trees_anew == [large, large - 1, leaf_recodings.EXACT_TO]
    else:
        assert only_small_trees_anew == [large]


def test_what_is_climbed_grows_the_same_tree_and_has_k(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaf_recodings, "EXACT_TO", 2)
    climbed = 0
    for drafts in by_leaf(73_000):
        judge = Judge(drafts)
        for size in judge.climbed():
            for draft in drafts.by_leaf(size):
                climbed += 1
                assert not draft.sketched
                assert draft.grown_again(drafts.schema) or not drafts.is_checked(draft)
                if drafts.told_apart(size):
                    assert draft.figures.k >= drafts.settings.k
    assert climbed > 20


def test_sizes_that_were_decided_are_decided_anew(only_small_trees_anew: list[int]) -> None:
    table = adult_like(2000, seed=5)
    schema = table.schema().with_roles(target="income")
    settings = PublishSettings(k=2, leaves=ASKED, recoding="leaf", guard=1, min_leaf=2)
    judge = prepared(table, schema, settings)
    assert judge.draft(ASKED).recoding == "global"
    assert ASKED in judge.climbed()
    assert judge.draft(ASKED).recoding == "leaf"


def other_columns_may_be_asked(seed: int = 1) -> dict[str, Any]:
    """The tree asks columns that are released as they are; few records are told apart."""
    draw = np.random.default_rng(seed)
    q = draw.integers(0, 4, (3, 3000))
    o = draw.normal(size=(4, 3000)).round(3)
    score = q[0] - q[1] * q[2] % 3 + np.sin(3 * o[0]) * 2 + o[1] * o[2] + draw.normal(size=3000)
    columns = {f"q{i}": q[i] for i in range(3)} | {f"o{i}": o[i] for i in range(4)}
    return columns | {"y": np.where(score > np.median(score), "a", "b")}


@pytest.mark.parametrize("limit", [None, 1e6])
def test_a_size_whose_tree_changes_is_not_taken_for_one_that_passes(
    monkeypatch: pytest.MonkeyPatch, limit: float | None
) -> None:
    """By one map it has K; but nobody may believe so and try all sizes below it."""
    for module in (choosing, judging, leaf_recodings, search):
        monkeypatch.setattr(module, "LARGE", 4)
    table = privet.table_of(other_columns_may_be_asked())
    schema = table.schema().with_roles(target="y", other=["o0", "o1", "o2", "o3"], sensitive="y")
    asked = PublishSettings(k=5, leaves=40, recoding="leaf", l=1.05, time_limit=limit)
    judge = prepared(table, schema, asked)
    _, draft, _ = choose(judge)
    assert judge.passes(draft)
    mistaken = [s for s in judge.decided if judge.size_holds(s) and not judge.size_passes(s)]
    assert len(mistaken) > 3
    assert set(judge.decided) <= set(search.tried(judge.drafts.sizes)) | {1, 2, 4, 8, 16, 32}


def test_when_time_is_up_nothing_more_is_grown_but_the_sizes_at_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = privet.table_of(other_columns_may_be_asked())
    schema = table.schema().with_roles(target="y", other=["o0", "o1", "o2", "o3"], sensitive="y")
    asked = PublishSettings(k=5, leaves=40, recoding="leaf", l=1.05, time_limit=1e6)
    decided: list[int] = []

    def interrupt(done: int, sizes: int, leaves: int) -> None:
        decided.append(leaves)
        if len(decided) > 3:
            raise KeyboardInterrupt

    judge = prepared(table, schema, asked, interrupt)
    _, draft, _ = choose(judge)
    assert draft.n_leaves in decided[:3]
    assert judge.passes(draft)
    assert len(decided) == 4


def test_explore_shows_of_large_sizes_those_that_publish_tries() -> None:
    table = adult_like(3000, seed=2)
    asked: dict[str, Any] = {"target": "income", "k": 2, "recoding": "leaf", "guard": 1}
    found = privet.explore(table, **asked, leaves=75)
    assert [line.leaves for line in found.lines][-5:] == [63, 64, 68, 72, 75]
    assert not any(line.sketched for line in found.lines if line.leaves > search.LARGE)
    for line in found.lines[-3:]:
        release = privet.publish(table, **asked, leaves=line.leaves)
        same = release.tree.n_leaves == line.leaves
        assert same == (line.passes and line.same_tree)
