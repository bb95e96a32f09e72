"""`privet compare`: words and figures agree, several trees are all compared."""

import json
from pathlib import Path

import pytest

import privet
from privet.cli.main import main

ROWS = {
    "age": [20, 21, 22, 23, 40, 41, 42, 43, 60, 61, 62, 63],
    "pay": [10, 11, 12, 13, 20, 21, 22, 23, 50, 51, 52, 53],
    "y": ["no"] * 4 + ["yes"] * 4 + ["no"] * 4,
}


def released(folder: Path, **asked) -> Path:
    privet.publish(ROWS, target="y", k=2, recoding="leaf", guard=1, **asked).save(folder)
    return folder


def test_every_tree_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small, large = (
        released(tmp_path / str(leaves), leaves=2, trees=[{"target": "pay", "leaves": leaves}])
        for leaves in (2, 3)
    )
    alone = released(tmp_path / "alone", leaves=2)
    capsys.readouterr()
    assert main(["compare", str(small), str(small)]) == 0
    assert "Tree 2" in capsys.readouterr().out
    assert main(["compare", str(small), str(large), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [each["identical"] for each in told["more_trees"]] == [False]
    assert main(["compare", str(small), str(alone)]) == 1
    assert "2 trees against 1 tree: the first is compared." in capsys.readouterr().out


def test_a_regression_tree_is_its_conditions(tmp_path: Path) -> None:
    trees = [
        privet.grow(
            {"age": ROWS["age"], "pay": [factor * pay for pay in ROWS["pay"]]},
            target="pay",
            leaves=3,
        )
        for factor in (1, 100)
    ]
    found = privet.tree_likeness(*trees)
    assert found.word == "exactly same"
    assert found.same_rule == found.within_tolerance == found.kin == 1.0


def test_thresholds_of_huge_numbers(tmp_path: Path) -> None:
    table = {"x": [-1.7e308, -1e308, 1e308, 1.7e308] * 3, "y": ["a", "a", "b", "b"] * 3}
    tree = privet.grow(table, target="y", leaves=2)
    assert privet.tree_likeness(tree, tree, table).within_tolerance == 1.0
