"""`--tree` of publish and explore, and what verify says of an edited second tree."""

import json
from pathlib import Path
from typing import Any

import pytest

from privet.cli.main import main
from privet.datasets import hospital
from privet.files import write_table
from privet.tree.exchange.model_file import read_models
from privet.tree.exchange.pmml_write import to_pmml
from release.tampering import edit_json, mend_hashes

ROLES = ["--target", "readmitted", "--identifier", "patient_id", "--drop", "diagnosis"]
TREES = ["--leaves", 3, "--tree", "target=stay_days,leaves=3", "--tree", "leaves=2"]


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    write_table(hospital(500, 5), path)
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any, str]:
    status = main([*map(str, words), "--json"])
    said = capsys.readouterr()
    return status, json.loads(said.out) if said.out else None, said.err


@pytest.fixture
def folder(patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    place = tmp_path / "release"
    asked = ["-k", 4, "--recoding", "leaf", "--out", place]
    status, found, err = run(capsys, "publish", patients, *ROLES, *TREES, *asked)
    assert status == 0, err
    assert found["same_tree"] is True
    assert [tree["target"] for tree in found["more_trees"]] == ["stay_days", "readmitted"]
    return place


def test_verify_answers_for_each_tree(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found, _ = run(capsys, "verify", folder)
    assert (status, found["same_tree"]) == (0, True)
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert [tree["target"] for tree in model["more_trees"]] == ["stay_days", "readmitted"]
    assert {"grower", "nodes", "classes", "kinds"} <= set(model["more_trees"][0])


def test_a_second_tree_that_does_not_grow_is_found(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its settings are changed everywhere, so that only growing it again can tell."""

    def smaller(model: Any) -> None:
        model["more_trees"][0]["grower"]["min_leaf"] = 200

    edit_json(folder / "model.json", smaller)
    second = to_pmml(read_models(folder / "model.json")[1])
    (folder / "model-2.pmml").write_text(second, encoding="utf-8", newline="\n")
    edit_json(
        folder / "manifest.json",
        lambda manifest: manifest["method"]["more_growers"][0].update(min_leaf=200),
    )
    mend_hashes(folder)
    status, found, _ = run(capsys, "verify", folder)
    wrong = [check["name"] for check in found["checks"] if check["answer"] == "no"]
    assert (status, found["same_tree"]) == (1, False)
    assert wrong == ["same-tree (tree 2, of stay_days)"]


@pytest.mark.parametrize("where", ["model.json", "manifest.json"])
def test_a_tree_that_is_left_out_is_missed(
    folder: Path, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    def less(data: Any) -> None:
        if where == "model.json":
            data["more_trees"].pop()
        else:
            data["claims"] = [c for c in data["claims"] if c["parameters"].get("tree") != 3]

    edit_json(folder / where, less)
    mend_hashes(folder)
    status, found, _ = run(capsys, "verify", folder)
    assert (status, found["holds"]) == (1, False)


def test_trees_come_from_a_configuration(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "publish.toml"
    config.write_text(
        'target = "readmitted"\nidentifier = ["patient_id"]\ndrop = ["diagnosis"]\nk = 4\n'
        'leaves = 3\nrecoding = "leaf"\n[[trees]]\ntarget = "stay_days"\nleaves = 3\n'
    )
    place = tmp_path / "release"
    status, found, err = run(capsys, "publish", patients, "--config", config, "--out", place)
    assert status == 0, err
    assert [tree["target"] for tree in found["more_trees"]] == ["stay_days"]


def test_a_tree_is_for_a_column_of_any_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = ' "x",leaves=3 '
    quoted = name.replace('"', '""')
    rows = [f"{a % 7},{'yn'[a % 2]},{'uv'[a % 7 > 3]}" for a in range(60)]
    table = tmp_path / "odd.csv"
    table.write_text(f'a,y,"{quoted}"\n' + "\n".join(rows) + "\n")
    asked = ["publish", table, "--target", "y", "-k", 2, "--leaves", 2, "--guard", 1]
    config = tmp_path / "odd.toml"
    config.write_text(f"[[trees]]\ntarget = '{name}'\nleaves = 2\n")
    for number, tree in enumerate(
        [("--tree", f'target="{quoted}",leaves=2'), ("--config", config)]
    ):
        status, found, err = run(capsys, *asked, *tree, "--out", tmp_path / str(number))
        assert status == 0, err
        assert [tree["target"] for tree in found["more_trees"]] == [name]


def test_explore_shows_both_trees(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--recoding", "leaf", "-k", 4, "--leaves", 3, "--tree", "target=stay_days,leaves=2"]
    status, found, err = run(capsys, "explore", patients, *ROLES, *asked)
    assert status == 0, err
    assert len(found["chosen_leaves"]) == 2
    for size in found["sizes"]:
        assert [tree["target"] for tree in size["trees"]] == ["readmitted", "stay_days"]
        assert max(tree["leaves"] for tree in size["trees"]) == size["leaves"]
    assert main([str(w) for w in ("explore", patients, *ROLES, *asked)]) == 0
    assert "stay_days: leaves" in capsys.readouterr().out
