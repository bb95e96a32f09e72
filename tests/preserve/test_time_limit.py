"""A limit of time: the best tree so far is taken, and the release says that it was cut short."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

import privet
from preserve.by_leaf.test_solver import hard_to_keep
from privet.errors import PrivetError
from privet.preserve import deadline
from privet.preserve.settings import PublishSettings
from privet.roles import Roles, schema_for

ASKED: dict[str, Any] = {"target": "y", "k": 4, "leaves": 12, "guard": 1}


def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by a second whenever somebody looks at it."""
    seconds = count()
    monkeypatch.setattr(deadline, "monotonic", lambda: float(next(seconds)))


@pytest.mark.parametrize("recoding", ["rich", "leaf"])
def test_the_best_so_far_is_published_and_says_so(
    monkeypatch: pytest.MonkeyPatch, recoding: str, tmp_path: Path
) -> None:
    whole = privet.publish(hard_to_keep(), **ASKED, recoding=recoding)
    ticking(monkeypatch)
    cut = privet.publish(hard_to_keep(), **ASKED, recoding=recoding, time_limit=16)
    assert 2 <= cut.tree.n_leaves < whole.tree.n_leaves
    assert cut.manifest.method["stopped_by_clock"] is True
    assert "stopped_by_clock" not in whole.manifest.method
    assert any("cut short" in message for message in cut.messages)
    assert privet.verify(tmp_path / "r", cut.save(tmp_path / "r", report=False))


def test_with_time_enough_nothing_changes() -> None:
    table = {"age": list(range(40)), "y": ["no"] * 19 + ["yes"] * 21}
    plain = privet.publish(table, target="y", k=3, leaves=3)
    timed = privet.publish(table, target="y", k=3, leaves=3, time_limit=3600)
    assert timed.manifest.content_sha256 == plain.manifest.content_sha256
    assert "stopped_by_clock" not in timed.manifest.method


def test_without_any_tree_in_time_a_coarser_recoding_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticking(monkeypatch)
    release = privet.publish(hard_to_keep(), **ASKED, time_limit=1)
    assert release.manifest.method["recoding"] != "rich"
    assert release.manifest.method["stopped_by_clock"] is True
    assert any("Rich recoding reaches no tree" in message for message in release.messages)


@pytest.mark.parametrize("limit", [None, 1e6])
def test_an_interrupt_keeps_the_best_so_far_if_a_limit_was_given(limit: float | None) -> None:
    from privet.pipeline import publish_table

    table = privet.table_of(hard_to_keep())
    schema = schema_for(table, None, Roles(target="y"))
    heard: list[tuple[int, int, int]] = []

    def progress(done: int, sizes: int, leaves: int) -> None:
        heard.append((done, sizes, leaves))
        if done == 2:
            raise KeyboardInterrupt

    settings = PublishSettings(k=4, leaves=12, guard=1, time_limit=limit)
    if limit is None:
        with pytest.raises(KeyboardInterrupt):
            publish_table(table, schema, settings, progress=progress)
        return
    release = publish_table(table, schema, settings, progress=progress)
    assert [done for done, _, _ in heard] == [0, 1, 2]
    assert release.tree.n_leaves == max(leaves for _, _, leaves in heard[:2])


def test_explore_shows_the_sizes_that_were_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = privet.explore(hard_to_keep(), **ASKED)
    ticking(monkeypatch)
    cut = privet.explore(hard_to_keep(), **ASKED, time_limit=16)
    assert cut.cut_short
    assert not whole.cut_short
    assert 0 < len(cut.lines) < len(whole.lines)
    assert cut.lines == whole.lines[: len(cut.lines)]


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_limit_is_a_number_of_seconds(seconds: float) -> None:
    with pytest.raises(PrivetError, match="seconds above 0"):
        privet.publish(hard_to_keep(), **ASKED, time_limit=seconds)
