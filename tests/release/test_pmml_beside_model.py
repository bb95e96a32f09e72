"""model.pmml lies beside model.json, is the same tree, and cannot say another thing unnoticed."""

from pathlib import Path

import pytest

from privet import publish, read_pmml, read_release, verify

ROWS = {
    "age": [20, 20, 30, 30, 40, 40, 50, 50] * 3,
    "town": ["a", "b", "a", "b", "a", "b", "a", "b"] * 3,
    "y": ["no", "no", "no", "no", "yes", "yes", "yes", "yes"] * 3,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    publish(ROWS, target="y", k=2).save(tmp_path / "r", format="csv")
    return tmp_path / "r"


def test_it_is_the_published_tree_and_listed(folder: Path) -> None:
    release = read_release(folder)
    assert read_pmml(folder / "model.pmml") == release.tree
    assert "model.pmml" in release.manifest.files
    assert verify(folder)


def test_another_tree_is_noticed_even_where_its_hash_is_listed(folder: Path) -> None:
    from dataclasses import replace

    from privet.release.rows import sha256_of

    pmml = folder / "model.pmml"
    pmml.write_text(pmml.read_text().replace('score="no"', 'score="yes"'), newline="\n")
    assert {c.name for c in verify(folder).checks if c.answer == "no"} >= {"file model.pmml"}
    manifest = read_release(folder).manifest
    files = {**manifest.files, "model.pmml": sha256_of(pmml)}
    (folder / "manifest.json").write_text(replace(manifest, files=files).to_text(), newline="\n")
    told = {c.name: c.detail for c in verify(folder).checks if c.answer == "no"}
    assert told == {"pmml": "model.pmml is missing, or is not the tree of model.json"}


def test_a_tree_that_xml_cannot_hold_is_published_without_it(tmp_path: Path) -> None:
    odd = {**ROWS, "town": ["\x01a" if t == "a" else t for t in ROWS["town"]]}
    odd["y"] = ["no" if t == "b" else "yes" for t in odd["town"]]
    publish(odd, target="y", k=1).save(tmp_path / "r", format="csv")
    assert not (tmp_path / "r" / "model.pmml").exists()
    assert verify(tmp_path / "r")
