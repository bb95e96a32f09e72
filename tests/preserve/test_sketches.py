"""What smaller sizes hand down: sketches, marked as such and as good as told, and large sizes."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import privet
from privet.cli.main import main
from privet.datasets import adult_like, hospital
from privet.files import write_table
from privet.pipeline import publish_table
from privet.preserve import choosing, leaf_recodings, search
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.drafts import Drafts
from privet.preserve.exploration import Exploration
from privet.preserve.judging import Judge
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.leaf_recodings import EXACT_TO, MOST_FAILED
from privet.preserve.settings import PublishSettings
from properties.seeded_tables import drawn

TABLES = 120
PATIENTS = hospital(900, seed=11)
ASKED: dict[str, Any] = {
    "target": "readmitted",
    "identifier": "patient_id",
    "k": 5,
    "leaves": 20,
    "recoding": "leaf",
}


def by_leaf(first_seed: int) -> list[Drafts]:
    """Drafts by leaf of random tables of one tree with several sizes."""
    found = []
    for seed in range(first_seed, first_seed + TABLES):
        case = drawn(seed)
        asked = replace(case.settings, recoding="leaf", trees=(), time_limit=None)
        drafts = Drafts(case.table(), case.schema(), asked)
        if len(drafts.trees) == 1 and len(drafts.sizes) > 1:
            found.append(drafts)
    assert len(found) > TABLES // 8
    return found


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sketches and stages from two leaves on, so that small tables have some."""
    monkeypatch.setattr(leaf_recodings, "EXACT_TO", 2)
    monkeypatch.setattr(leaf_recodings, "LARGE", 2)
    monkeypatch.setattr(search, "LARGE", 2)
    monkeypatch.setattr(choosing, "LARGE", 2)


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("made", ["sketched", "by_leaf"])
def test_what_is_handed_down_grows_the_same_tree_and_has_the_k_it_says(made: str) -> None:
    handed_down = offered_as_is = 0
    for drafts in by_leaf(71_000):
        judge = Judge(drafts)
        for size in drafts.sizes[1:]:
            for draft in getattr(drafts, made)(size):
                handed_down += 1
                assert draft.sketched == (made == "sketched")
                grows_again = bool(draft.grown_again(drafts.schema))
                assert bool(judge.same_tree(draft)) == grows_again
                assert grows_again or not drafts.is_checked(draft)
                rows = drafts.released(draft).table()
                quasi = [rows[name].codes.tolist() for name in drafts.schema.quasi if name in rows]
                assert draft.figures.k == min(Counter(zip(*quasi, strict=True)).values())
                if made == "by_leaf" and drafts.told_apart(size):
                    assert draft.figures.k >= drafts.settings.k
                offered_as_is += not drafts.is_checked(draft)
    assert handed_down > TABLES // 4
    assert offered_as_is > 0


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("made", ["sketched", "by_leaf"])
def test_it_does_not_matter_what_is_asked_first(made: str) -> None:
    pairs = zip(by_leaf(72_000), by_leaf(72_000), strict=True)
    for upwards, downwards in pairs:
        sizes = upwards.sizes[1:]
        some = {size: told(upwards, made, size) for size in sizes}
        assert {size: told(downwards, made, size) for size in reversed(sizes)} == some


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("gap", [MOST_FAILED - 1, MOST_FAILED])
def test_few_stages_may_fail_and_after_more_no_larger_size_is_tried(
    gap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = adult_like(2000, seed=5)
    schema = table.schema().with_roles(target="income")
    drafts = Drafts(table, schema, PublishSettings(k=2, leaves=40, recoding="leaf", guard=1))
    stages = [stage for stage in search.spaced(drafts.sizes) if stage > 2]
    failing, tried = stages[4 : 4 + gap], []

    def recode(leaf_counts: LeafCounts, *others: Any) -> LeafRecoding | None:
        size = len(leaf_counts.leaves)
        tried.append(size)
        return None if size in failing else recode_by_leaf(leaf_counts, *others)

    monkeypatch.setattr(leaf_recodings, "recode_by_leaf", recode)
    recoded = {size: bool(list(drafts.by_leaf(size))) for size in reversed(drafts.sizes)}
    assert all(recoded[size] for size in drafts.sizes if size < failing[0])
    assert all(recoded[size] == (gap < MOST_FAILED) for size in stages[4 + gap :])
    assert max(tried) == (drafts.sizes[-1] if gap < MOST_FAILED else failing[-1])
    assert len(tried) == len(set(tried))


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("limit", [None, 1e6])
def test_progress_hears_of_stages_and_an_interrupt_takes_the_last(limit: float | None) -> None:
    table = adult_like(2000, seed=5)
    schema = table.schema().with_roles(target="income")
    settings = PublishSettings(k=1, leaves=40, recoding="leaf", guard=1, time_limit=limit)
    stages = [stage for stage in search.spaced(Drafts(table, schema, settings).sizes) if stage > 2]
    heard: list[tuple[int, int, int]] = []

    def progress(done: int, sizes: int, leaves: int) -> None:
        heard.append((done, sizes, leaves))
        if limit is not None and leaves > stages[6]:
            raise KeyboardInterrupt

    release = publish_table(table, schema, settings, progress=progress)
    done = [done for done, _, _ in heard]
    assert done == sorted(done)
    assert all(done <= sizes for done, sizes, _ in heard)
    told = {leaves for _, _, leaves in heard}
    assert release.tree is not None
    if limit is None:
        assert set(stages) <= told
        assert release.tree.n_leaves == settings.leaves
    else:
        assert set(stages[:8]) <= told
        assert release.tree.n_leaves == stages[6]
        assert release.manifest.method["stopped_by_clock"] is True


def told(drafts: Drafts, made: str, size: int) -> list[Any]:
    tables = [drafts.released(draft).table() for draft in getattr(drafts, made)(size)]
    return [[table[name].codes.tolist() for name in table] for table in tables]


@pytest.fixture(scope="module")
def found() -> dict[bool, Exploration]:
    return {exact: privet.explore(PATIENTS, **ASKED, exact=exact) for exact in (False, True)}


def test_large_sizes_by_leaf_are_sketched_and_no_others(found: dict[bool, Exploration]) -> None:
    quick = found[False]
    assert quick.chosen is not None
    sketched = {line.leaves for line in quick.lines if line.sketched}
    assert sketched == {line.leaves for line in quick.lines if line.leaves > EXACT_TO} - {
        quick.chosen
    }
    assert len(sketched) > 3
    for recoding in ("rich", "global"):
        other = privet.explore(PATIENTS, **(ASKED | {"recoding": recoding}))
        assert not any(line.sketched for line in other.lines)


def test_exact_lines_are_the_same_and_sketches_are_near(found: dict[bool, Exploration]) -> None:
    quick, exact = found[False], found[True]
    assert (quick.chosen, quick.refusal) == (exact.chosen, exact.refusal)
    for sketch, line in zip(quick.lines, exact.lines, strict=True):
        assert not line.sketched
        if not sketch.sketched:
            assert sketch == line
            continue
        assert (sketch.leaves, sketch.told_by_boundaries) == (line.leaves, line.told_by_boundaries)
        assert (sketch.training, sketch.cross_validated) == (line.training, line.cross_validated)
        assert sketch.k >= ASKED["k"] or not sketch.passes


def test_each_exact_line_is_what_is_published(found: dict[bool, Exploration]) -> None:
    for line in found[True].lines:
        if line.passes:
            release = privet.publish(PATIENTS, **(ASKED | {"leaves": line.leaves}))
            assert release.tree is not None
            k = next(claim.measured for claim in release.claims if claim.name == "k-anonymity")
            assert (release.tree.n_leaves, k) == (line.leaves, line.k)


def test_the_audit_takes_no_sketch_for_an_exact_line(found: dict[bool, Exploration]) -> None:
    audits = [
        privet.publish(PATIENTS, **ASKED, explored=known).audit for known in (None, *found.values())
    ]
    data = [audit.data for audit in audits if audit is not None]
    assert len(data) == 3
    assert data[0] == data[1] == data[2]


def test_what_is_shown_while_it_is_made_ends_the_same(found: dict[bool, Exploration]) -> None:
    steps: list[Exploration] = []
    assert privet.explore(PATIENTS, **ASKED, seen=steps.append) == found[False]
    assert [len(step.lines) for step in steps] == list(range(1, len(steps) + 1))


def test_the_chosen_size_is_exact_under_a_limit_of_time_too(found: dict[bool, Exploration]) -> None:
    limited = privet.explore(PATIENTS, **ASKED, time_limit=600)
    assert limited.chosen == found[True].chosen
    chosen = next(line for line in limited.lines if line.leaves == limited.chosen)
    assert chosen == next(line for line in found[True].lines if line.leaves == limited.chosen)


def test_the_progress_never_falls_back() -> None:
    done: list[int] = []
    privet.explore(PATIENTS, **ASKED, progress=lambda *step: done.append(step[0]))
    assert done == sorted(done)
    assert done[-1] == len(privet.explore(PATIENTS, **ASKED).lines)


def test_the_command_says_what_was_sketched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    write_table(adult_like(1500, seed=3), path)
    asked = ["explore", str(path), "--target", "income", "-k", "2", "--leaves", "16"]
    assert main([*asked, "--recoding", "leaf"]) == 0
    said = capsys.readouterr().out
    assert "  ~\n" in said
    assert "--exact" in said
    assert main([*asked, "--recoding", "leaf", "--exact"]) == 0
    said = capsys.readouterr().out
    assert "~" not in said
    assert "--exact" not in said
