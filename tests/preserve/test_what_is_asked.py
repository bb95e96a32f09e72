"""What the steward may ask for, and what is said where it cannot be had."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privet
from privet.cli.main import main

COLOURS = "abcdefg"


@pytest.fixture
def people() -> dict[str, list[Any]]:
    rng = random.Random(3)
    colour = [rng.choice(COLOURS) for _ in range(120)]
    age = [rng.randint(20, 60) for _ in colour]
    return {
        "age": age,
        "colour": colour,
        "disease": [rng.choice(["flu", "cold"]) for _ in colour],
        "ill": ["yes" if (c > "d") != (rng.random() < 0.1) else "no" for c in colour],
    }


def frame(columns: dict[str, list[Any]]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


@pytest.mark.parametrize("recoding", ["rich", "leaf"])
@pytest.mark.parametrize("asked", [{"k": 100}, {"k": 5, "sensitive": "disease", "l": 1.93}])
def test_what_could_be_reached_is_said_with_recoding_by_leaf(
    people: dict[str, list[Any]], asked: dict[str, Any], recoding: Any
) -> None:
    with pytest.raises(privet.PrivetError, match=r"it reaches k = \d\d") as caught:
        privet.publish(frame(people), target="ill", recoding=recoding, **asked)
    assert caught.value.exit_status == 1


def test_explore_shows_every_size_where_none_passes(
    people: dict[str, list[Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "people.csv"
    frame(people).to_csv(table, index=False)
    asked = ["explore", str(table), "--target", "ill", "-k", "100"]
    assert main(asked) == 1
    said = capsys.readouterr().out
    assert "No size passes. Not even the smallest tree" in said
    assert len(said.splitlines()) > 3
    assert main([*asked, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["chosen"] is None
    assert found["sizes"]
    assert not any(line["passes"] for line in found["sizes"])
    assert "k" in found["refusal"]


@pytest.mark.parametrize("asked", [{"k": 3}, {"k": 5, "leaves": 4}, {"k": 3, "recoding": "global"}])
def test_explore_marks_the_size_that_publish_takes(
    people: dict[str, list[Any]], asked: dict[str, Any]
) -> None:
    found = privet.explore(frame(people), target="ill", **asked)
    release = privet.publish(frame(people), target="ill", **asked)
    assert release.tree is not None
    assert found.chosen == release.tree.n_leaves
    assert [found.cells(line)[-1][:2] for line in found.lines].count("<-") == 1


def test_a_first_split_with_too_many_branches_is_named(people: dict[str, list[Any]]) -> None:
    with pytest.raises(privet.PrivetError, match="first split has 7 branches"):
        privet.publish(frame(people), target="ill", k=2, leaves=4, categories="multiway")


@pytest.mark.parametrize("k", [2.5, "5", True])
def test_k_is_a_whole_number(people: dict[str, list[Any]], k: Any) -> None:
    with pytest.raises(privet.PrivetError, match="k must be a whole number"):
        privet.publish(frame(people), target="ill", k=k)


def test_k_may_come_from_numpy(people: dict[str, list[Any]], tmp_path: Path) -> None:
    release = privet.publish(frame(people), target="ill", k=np.int64(5), leaves=3)
    release.save(tmp_path / "release")
    assert privet.verify(tmp_path / "release")


def test_sensitive_columns_used_by_the_tree_can_be_released_as_they_are(
    people: dict[str, list[Any]],
) -> None:
    release = privet.publish(
        frame(people),
        target="ill",
        sensitive="disease",
        k=2,
        use_sensitive=True,
        release_sensitive=True,
    )
    assert sorted(release.data["disease"]) == sorted(people["disease"])


@pytest.mark.parametrize("audit", ["release", "release/inside", "."])
def test_the_audit_never_lies_in_the_release(
    people: dict[str, list[Any]], tmp_path: Path, audit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "people.csv"
    frame(people).to_csv(table, index=False)
    home = tmp_path / "home"
    arguments = ["publish", str(table), "--target", "ill", "-k", "2", "--force"]
    arguments += ["--out", str(home / "release"), "--audit", str(home / audit)]
    assert main(arguments) == 2
    assert "apart" in capsys.readouterr().err
    assert not home.exists()


def test_a_name_for_a_group_with_missing_cells() -> None:
    from privet.preserve.by_column.categories import group_labels
    from privet.schema import Kind
    from privet.table import Domain

    domain = Domain(Kind.CATEGORY, np.array(["a", "b", "c"], dtype=object), True)
    groups = [[0, 1, 3], [2]]
    assert group_labels(domain, groups, {"south": ["a", "b", ""]}) == ["south", "c"]
    assert group_labels(domain, groups, {"south": ["a", "b"]})[0] != "south"


def test_an_l_that_no_release_can_have_is_named_with_the_largest(
    people: dict[str, list[Any]],
) -> None:
    rare = {**frame(people), "x": ["a"] * (len(people["ill"]) - 3) + ["b", "c", "d"]}
    with pytest.raises(
        privet.PrivetError, match="No release of this table can reach l = 2"
    ) as told:
        privet.publish(rare, target="ill", sensitive="x", k=1, l=2, leaves=3)
    assert "distinct up to 4" in told.value.hint
    largest = float(told.value.hint.split("l = ")[1].split(" ")[0])
    assert 1 < largest < 2
    with pytest.raises(privet.PrivetError, match="No release"):
        privet.publish(rare, target="ill", sensitive="x", k=1, l=largest + 0.001, leaves=3)


def test_what_became_of_sensitive_columns_is_said(people: dict[str, list[Any]]) -> None:
    cells = {**frame(people), "x": [("a", "b")[i % 2] for i in range(len(people["ill"]))]}
    hidden = privet.publish(cells, target="ill", sensitive="x", k=1, leaves=2)
    assert any("Suppressed" in m and "x" in m for m in hidden.messages)
    forced = privet.publish(
        cells, target="ill", sensitive="x", k=1, leaves=2, release_sensitive=True
    )
    assert any("nothing bounds" in m for m in forced.messages)
    shown = privet.publish(cells, target="ill", sensitive="x", k=1, l=1.1, leaves=2)
    assert not any("Suppressed" in m or "nothing bounds" in m for m in shown.messages)


def test_rare_categories_that_are_named_are_counted() -> None:
    towns = ["Aix"] * 30 + ["Bonn"] * 30 + ["Tuvalu"]
    cells = {"town": towns, "age": list(range(61)), "y": ["no"] * 30 + ["yes"] * 31}
    release = privet.publish(cells, target="y", k=2, leaves=2, recoding="global", drop="age")
    assert any("1 named categories have fewer than 2" in m for m in release.messages)
