"""Releases that Privet 0.1.0 wrote are still verified, by the rules of their format."""

import shutil
from pathlib import Path

import pytest
from tampering import edit_json, mend_hashes

from privet.release import read_release, verify
from privet.release.new_rows import recode_rows
from privet.release.pages import report_of

OLD = Path(__file__).with_name("format_1")
NAMES = sorted(path.name for path in OLD.iterdir())


def noes(folder: Path) -> set[str]:
    return {check.name for check in verify(folder).checks if check.answer == "no"}


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    shutil.copytree(OLD / request.param, tmp_path / "r")
    return tmp_path / "r"


def test_there_are_releases_of_every_method() -> None:
    assert NAMES == ["global", "leaf", "noise", "regression"]


@pytest.mark.parametrize("folder", NAMES, indirect=True)
def test_they_hold_and_can_be_read(folder: Path) -> None:
    outcome = verify(folder)
    assert outcome.holds, outcome.first_no
    assert read_release(folder).manifest.format == 1
    assert report_of(folder).startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("folder", ["leaf", "regression"], indirect=True)
def test_what_can_be_refuted_is_refuted(folder: Path) -> None:
    def boast(data: dict) -> None:
        for claim in data["claims"]:
            if claim["name"] == "l-diversity":
                claim["measured"] = "a great deal"

    edit_json(folder / "manifest.json", boast)
    assert "l-diversity of illness" in noes(folder)
    (folder / "notes.txt").write_text("x")
    assert noes(folder) == {"file notes.txt"}


@pytest.mark.parametrize("folder", ["leaf"], indirect=True)
def test_lies_about_leaves_are_found(folder: Path) -> None:
    def reverse(data: dict) -> None:
        for entry in data["recoding"]["columns"].values():
            if "by_leaf" in entry:
                entry["values"] = entry["values"][::-1]

    edit_json(folder / "manifest.json", reverse)
    mend_hashes(folder)
    assert any(name.startswith("recoding of") for name in noes(folder))


@pytest.mark.parametrize("folder", ["leaf", "global"], indirect=True)
def test_new_rows_are_recoded_as_they_were_then(folder: Path) -> None:
    release = read_release(folder)
    recoded = recode_rows(release.rows.records(), release.manifest, release.trees)
    assert recoded.names == release.rows.table.names
