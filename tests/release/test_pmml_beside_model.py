"""model.pmml lies beside model.json, is the same tree, and cannot say another thing unnoticed."""

from pathlib import Path

import pytest

from privet import predict, publish, read_pmml, read_release, verify
from privet.cli.main import main
from privet.errors import InvalidParameter

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


@pytest.fixture
def two_trees(tmp_path: Path) -> Path:
    rows = {**ROWS, "z": ["x", "x", "y", "y", "y", "y", "y", "y"] * 3}
    publish(rows, target="y", k=2, trees="target=z").save(tmp_path / "two", format="csv")
    return tmp_path / "two"


def test_every_tree_has_its_own(two_trees: Path) -> None:
    release = read_release(two_trees)
    assert read_pmml(two_trees / "model.pmml") == release.trees[0]
    assert read_pmml(two_trees / "model-2.pmml") == release.trees[1]
    assert "model-2.pmml" in release.manifest.files
    assert verify(two_trees)
    (two_trees / "model-3.pmml").write_text("<PMML/>")
    assert not verify(two_trees)


def test_every_tree_predicts(two_trees: Path, tmp_path: Path) -> None:
    new = {"age": [20, 35, 50], "town": ["a", "b", "a"]}
    release = read_release(two_trees)
    assert predict(release, new, tree=1) == ["no", "no", "yes"]
    second = predict(release, new, tree=2)
    assert set(second) <= {"x", "y"}
    with pytest.raises(InvalidParameter, match="from 1 to 2"):
        predict(release, new, tree=3)
    (tmp_path / "new.csv").write_text("age,town\n20,a\n35,b\n50,a\n")
    asked = ["predict", str(two_trees), str(tmp_path / "new.csv"), "--tree", "2"]
    assert main([*asked, "--out", str(tmp_path / "out.csv")]) == 0
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert [line.rpartition(",")[2] for line in lines[1:]] == second
