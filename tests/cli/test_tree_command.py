"""`privet tree` from outside: what it prints, what it writes, how it refuses."""

import json
from pathlib import Path

import pytest

from privet.cli.main import main
from privet.tree.exchange.model_file import read_model

ROWS = ["id,age,sex,weight,born,y,only"]
ROWS += [
    f"{i},{20 + i % 40},{'mf'[i % 2]},{i % 7}.5,2020-01-{1 + i % 28:02d},"
    f"{'yes' if i % 40 > 15 and i % 2 else 'no'},same"
    for i in range(120)
]


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text("\n".join(ROWS) + "\n")
    return str(path)


def test_the_tree_is_drawn_and_the_growth_explained(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tree", table, "--target", "y", "--identifier", "id", "--rules"]) == 0
    out = capsys.readouterr().out
    assert "├── " in out
    assert "└── " in out
    assert "sex is m" in out
    assert "If " in out
    assert "at most 16 leaves" in out
    assert "training accuracy 1.0000 on 120 records." in out


def test_json_has_the_figures_and_the_model(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.json"
    wanted = ["tree", table, "--target", "y", "--drop", "id,born", "--leaves", "3"]
    assert main([*wanted, "--out", str(model), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == [
        "leaves", "depth", "records", "accuracy", "target", "impurity", "model",
    ]  # fmt: skip
    assert (found["leaves"], found["records"], found["impurity"]) == (3, 120, "gini")
    assert found["model"] == json.loads(model.read_text())
    assert read_model(model).n_leaves == 3
    assert set(found["model"]["grower"]["attributes"]) == {"age", "sex", "weight", "only"}


def test_by_the_rule_of_c45_it_is_pruned_unless_something_limits_it(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["tree", table, "--target", "y", "--drop", "id", "--impurity", "c45"]
    told = {}
    for name, more in {"usual": [], "four": ["--leaves", "4"], "none": ["--prune", "none"]}.items():
        assert main([*wanted, *more]) == 0
        told[name] = capsys.readouterr().out
    assert "Pruned (pessimistic)" in told["usual"]
    assert "Pruned" not in told["four"]
    assert "Pruned" not in told["none"]
    assert "at most 16 leaves" in told["none"]
    assert main([*wanted, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["grower"]["min_leaf"] == 2
    assert main([*wanted, "--min-leaf", "7", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["grower"]["min_leaf"] == 7


def test_a_number_is_regressed(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ["tree", table, "--target", "age", "--drop", "id", "--min-leaf", "5", "--json"]
    assert main(wanted) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["impurity"] == "deviance"
    assert 0 < found["r2"] <= 1
    assert "accuracy" not in found
    assert min(node["records"] for node in found["model"]["nodes"]) >= 5


@pytest.mark.parametrize("method", ["pessimistic", "cost-complexity"])
def test_pruning(method: str, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tree", table, "--target", "y", "--drop", "id", "--prune", method]) == 0
    assert f"Pruned ({method})" in capsys.readouterr().out


@pytest.mark.parametrize("impurity", ["entropy", "gini", "gain-ratio"])
@pytest.mark.parametrize("mode", ["subset", "multiway"])
def test_every_impurity_and_mode(
    impurity: str, mode: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["tree", table, "--target", "y", "--impurity", impurity, "--categories", mode]
    assert main([*wanted, "--depth", "3", "--min-gain", "0.01", "--json"]) == 0
    grower = json.loads(capsys.readouterr().out)["model"]["grower"]
    assert (grower["impurity"], grower["categories"], grower["depth"]) == (impurity, mode, 3)


def test_nothing_is_overwritten_without_force(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option, name in (("--out", "model.json"), ("--picture", "tree.svg")):
        path = tmp_path / name
        path.write_text("mine")
        wanted = ["tree", table, "--target", "y", option, str(path)]
        assert main(wanted) == 2
        assert path.read_text() == "mine"
        assert "--force" in capsys.readouterr().err
        assert main([*wanted, "--force"]) == 0
        assert path.read_text() != "mine"


WRONG = {
    "no target": [],
    "unknown target": ["--target", "z"],
    "one value": ["--target", "only"],
    "no column left": ["--target", "y", "--drop", "id,age,sex,weight,born,only"],
    "no leaf": ["--target", "y", "--leaves", "0"],
    "no depth": ["--target", "y", "--depth", "-1"],
    "empty leaves": ["--target", "y", "--min-leaf", "0"],
    "negative gain": ["--target", "y", "--min-gain", "-1"],
    "nan gain": ["--target", "y", "--min-gain", "nan"],
    "unknown impurity": ["--target", "y", "--impurity", "luck"],
    "unknown mode": ["--target", "y", "--categories", "some"],
    "unknown pruning": ["--target", "y", "--prune", "all"],
    "deviance of categories": ["--target", "y", "--impurity", "deviance"],
    "deviance of dates": ["--target", "born", "--impurity", "deviance"],
    "pessimistic regression": ["--target", "age", "--prune", "pessimistic"],
    "alpha without pruning": ["--target", "y", "--alpha", "0.1"],
    "negative alpha": ["--target", "y", "--prune", "cost-complexity", "--alpha", "-1"],
    "dropped target": ["--target", "y", "--drop", "y"],
    "unknown dropped": ["--target", "y", "--drop", "z"],
    "unknown identifier": ["--target", "y", "--identifier", "z"],
    "bad picture": ["--target", "y", "--picture", "tree.docx"],
    "not a number": ["--target", "y", "--leaves", "many"],
}


@pytest.mark.parametrize("options", WRONG.values(), ids=WRONG.keys())
def test_wrong_usage_is_refused_with_a_hint(
    options: list[str],
    table: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "model.json"
    assert main(["tree", table, *options, "--out", str(model)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("Error: ")
    assert "\nHint: " in told.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_classes_of_many_decimals_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "\n".join(f"{i % 3},{i}.25" for i in range(50)))
    assert main(["tree", str(path), "--target", "y", "--impurity", "gini"]) == 2
    assert "--impurity deviance" in capsys.readouterr().err
    assert main(["tree", str(path), "--target", "y"]) == 0


def test_a_schema_file_gives_target_and_identifiers(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = tmp_path / "s.toml"
    schema.write_text(
        '[columns.id]\nkind = "integer"\nrole = "identifier"\n[columns.age]\nkind = "integer"\n'
        '[columns.sex]\n[columns.y]\nrole = "target"\n'
    )
    assert main(["tree", table, "--schema", str(schema), "--json"]) == 0
    model = json.loads(capsys.readouterr().out)["model"]
    assert (model["target"], model["grower"]["attributes"]) == ("y", ["age", "sex"])


def test_a_guarded_tree_says_that_it_needs_its_guard(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["tree", table, "--target", "y", "--identifier", "id", "--leaves", "4"]
    assert main(asked) == 0
    free = capsys.readouterr().out
    assert main([*asked, "--guard", "1"]) == 0
    assert capsys.readouterr().out == free
    assert main([*asked, "--guard", "9", "--json"]) == 0
    guarded = json.loads(capsys.readouterr().out)
    assert min(node["records"] for node in guarded["model"]["nodes"]) >= 9
    assert main([*asked, "--guard", "9"]) == 0
    assert "Guarded (9)." in capsys.readouterr().out
    assert main([*asked, "--guard", "0"]) == 2
    assert "guard must be at least 1" in capsys.readouterr().err
