"""What a release and an audit hold, and what they must not hold."""

import csv
import json
import random
import re
import stat
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tampering import CELLS, ROWS, content_by_hand, read_json, read_rows, small_release

from privet.pipeline import publish
from privet.release import read_release, verify

FILES = ["columns.csv", "data.csv", "manifest.json", "model.json", "model.pmml"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small_release().save(tmp_path / "r", format="csv", report=False)
    return tmp_path / "r"


def test_the_files(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == FILES
    manifest = read_json(folder / "manifest.json")
    assert set(manifest["files"]) == {"columns.csv", "data.csv", "model.json", "model.pmml"}
    assert [path.name for path in folder.parent.iterdir()] == ["r"]


def test_no_path_no_seed_no_time_of_day(folder: Path) -> None:
    for name in ("manifest.json", "model.json"):
        text = (folder / name).read_text(encoding="utf-8")
        assert str(folder) not in text
        assert "/" not in text.replace("+/", "")
        assert not re.search(r"\d\d:\d\d", text)
        assert "seed" not in text
    assert date.fromisoformat(read_json(folder / "manifest.json")["published"])


def test_no_identifier_and_no_original_value_of_unused_columns(folder: Path) -> None:
    header, *rows = read_rows(folder)
    assert header == ["age", "town", "height", "illness", "y"]
    assert "id" not in (folder / "manifest.json").read_text(encoding="utf-8").split('"')
    assert {row[2] for row in rows} == {""}


def test_rows_are_sorted_by_value(tmp_path: Path) -> None:
    cells = {"A": [9, 10, 100, 2, None, 1], "y": [0, 1, 0, 1, 0, 1]}
    publish(cells, target="y", k=1, recoding="global", leaves=6).save(
        tmp_path / "r", format="csv", report=False
    )
    with (tmp_path / "r" / "data.csv").open(newline="") as file:
        column = [row["A"] for row in csv.DictReader(file)]
    numbers = [int(text) for text in column if text]
    assert numbers == sorted(numbers)
    assert column[len(numbers) :] == [""]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("asked", [{}, {"release_sensitive": False}, {"leaves": 8, "k": 1}])
def test_the_order_of_the_input_does_not_matter(
    form: Any, asked: dict[str, Any], tmp_path: Path
) -> None:
    usual: dict[str, Any] = {
        "target": "y",
        "identifier": "id",
        "sensitive": "illness",
        "recoding": "global",
        "k": 2,
        "leaves": 3,
        "release_sensitive": True,
    }
    written = set()
    for number in range(4):
        order = list(range(ROWS))
        if number:
            random.Random(number).shuffle(order)
        cells = {name: [values[i] for i in order] for name, values in CELLS.items()}
        folder = tmp_path / str(number)
        publish(cells, **(usual | asked)).save(folder, format=form, report=False)
        names = sorted(path.name for path in folder.iterdir())
        written.add(tuple((name, (folder / name).read_bytes()) for name in names))
    assert len(written) == 1


def test_the_content_hash_does_not_depend_on_the_format(tmp_path: Path) -> None:
    release = small_release()
    release.save(tmp_path / "c", format="csv", report=False)
    release.save(tmp_path / "p", format="parquet", report=False)
    hashes = {read_json(tmp_path / f / "manifest.json")["content_sha256"] for f in "cp"}
    assert hashes == {content_by_hand(tmp_path / "c")}


def test_a_release_reads_back(folder: Path) -> None:
    release = small_release()
    again = read_release(folder)
    assert again.tree == release.tree
    assert again.claims == release.claims
    assert again.audit is None
    assert again.rows.n_records == ROWS
    again.save(folder.parent / "copy", format="csv", report=False)
    for name in FILES:
        assert (folder.parent / "copy" / name).read_bytes() == (folder / name).read_bytes()


def test_suppressed_sensitive_columns_are_gone(tmp_path: Path) -> None:
    release = small_release(release_sensitive=False, l=None)
    release.save(tmp_path / "r", format="csv", report=False)
    assert {row[3] for row in read_rows(tmp_path / "r")[1:]} == {""}
    for path in (tmp_path / "r").iterdir():
        assert b"gout" not in path.read_bytes()
    names = {claim.name for claim in release.claims}
    assert not names & {"l-diversity", "t-closeness"}  # nothing was asked of what is hidden


def test_a_sensitive_column_with_the_l_asked_for_is_released(tmp_path: Path) -> None:
    release = small_release(release_sensitive=False, l=1.2)
    release.save(tmp_path / "r", format="csv", report=False)
    assert {row[3] for row in read_rows(tmp_path / "r")[1:]} == {"flu", "gout", "cold"}
    answers = {check.name: check.answer for check in verify(tmp_path / "r").checks}
    assert answers["l-diversity of illness"] == answers["t-closeness of illness"] == "yes"
    assert "illness" not in (release.tree.grower.attributes or ())  # type: ignore[union-attr]


def test_l_is_judged_on_original_values_where_the_tree_may_ask_them(tmp_path: Path) -> None:
    release = small_release(use_sensitive=True, release_sensitive=False, l=1.2)
    plain = small_release(release_sensitive=False, l=1.2)
    assert release.figure("l-diversity") == plain.figure("l-diversity")
    release.save(tmp_path / "r", format="csv", report=False)


def test_a_sensitive_target_is_judged(tmp_path: Path) -> None:
    release = small_release(sensitive=["illness", "y"], l=1)
    assert release.figure("l-diversity", "y") == 1
    assert any("one target value" in message for message in release.messages)
    release.save(tmp_path / "r", format="csv", report=False)
    answers = {check.name: check.answer for check in verify(tmp_path / "r").checks}
    assert answers["l-diversity of y"] == "yes"


def test_the_audit_is_for_its_owner_alone(tmp_path: Path) -> None:
    small_release().save(tmp_path / "r", audit=tmp_path / "a", report=False)
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "audit.json",
        "steward.html",
    ]
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    for path in (tmp_path / "a").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    data = json.loads((tmp_path / "a" / "audit.json").read_text(encoding="utf-8"))
    assert data["chosen_leaves"] == 3
    assert [size["leaves"] for size in data["sizes"]] == [2, 3]


def test_the_share_of_a_target_is_the_nearest_float(tmp_path: Path) -> None:
    """25 of 27: rounded once, not the inverse of a rounded inverse."""
    cells = {
        "age": [30] * 27 + [60] * 27,
        "y": ["no"] * 25 + ["yes"] * 2 + ["no", "yes"] * 13 + ["no"],
    }
    publish(cells, target="y", k=5, leaves=2, recoding="leaf").save(tmp_path / "r")
    shares = [
        c for c in read_json(tmp_path / "r/manifest.json")["claims"] if "guessed" in c["name"]
    ]
    assert [claim["measured"] for claim in shares] == [25 / 27]
    assert 25 / 27 != 1 / (27 / 25)
