"""l, t, smallest leaves and one-class equivalence classes of releases count people: each figure is
a naive count over the original rows, by the classes that the audit tells."""

from typing import Any

import pytest

import privet
from oracles.naive_people import guessed_of_people, k_of_people, l_of_people, t_of_people
from preserve.test_people import visits
from privet.cli.main import main
from privet.criteria.verdict import plain
from privet.errors import CriterionNotReached
from privet.release import verify
from release.tampering import edit_json, mend_hashes

WAYS = ["rich", "leaf", "global", "anonymise"]


def released(way: str, seed: int, **asked: Any) -> tuple[Any, dict[str, list[Any]], list[int]]:
    """A release by one way of recoding, its original cells, and the class of each row."""
    cells = visits(150, seed)
    settings = {"target": "cost", "person": "pid", "k": 3, "sensitive": "town"} | asked
    if way == "anonymise":
        release = privet.anonymise(cells, **settings)
    else:
        release = privet.publish(cells, recoding=way, leaves=4, **settings)
    return release, cells, release.audit.data["class_of_row"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", [1, 2])
def test_l_and_t_are_those_of_a_naive_count(way: str, seed: int, tmp_path: Any) -> None:
    release, cells, classes = released(way, seed, l="1.2", t="0.6")
    rows = list(zip(classes, cells["town"], cells["pid"], strict=True))
    assert release.figure("k-anonymity-people") == k_of_people(rows) >= 3
    assert release.figure("l-diversity-people", "town") == plain(l_of_people(rows))
    assert release.figure("t-closeness-people", "town") == plain(t_of_people(rows, ordered=False))
    assert l_of_people(rows) >= 1.2
    assert t_of_people(rows, ordered=False) <= 0.6
    told = list(zip(classes, cells["cost"], cells["pid"], strict=True))
    people, share = guessed_of_people(told)
    assert release.figure("one-class-people") == people
    assert release.figure("target-guessed-people") == float(share)
    release.save(tmp_path / "r", report=False)
    assert verify(tmp_path / "r")


@pytest.mark.parametrize("way", ["rich", "leaf", "global"])
def test_the_smallest_leaf_has_so_many_people(way: str) -> None:
    release, cells, _ = released(way, 1, min_leaf=25)
    table = privet.table_of(cells)
    from privet.tree.exchange.model_file import from_data

    tree = from_data(release.audit.data["original_model"] | {"more_trees": []})
    of_leaf: dict[int, set[str]] = {}
    for leaf, person in zip(tree.leaf_of_rows(table).tolist(), cells["pid"], strict=True):
        of_leaf.setdefault(leaf, set()).add(person)
    assert tree.n_leaves == release.tree.n_leaves >= 2
    assert min(map(len, of_leaf.values())) >= 25


@pytest.mark.parametrize("way", ["rich", "anonymise"])
def test_no_class_in_which_everybody_has_one_value(way: str) -> None:
    """Records may be mixed where people are not: everybody has been ill once."""
    allowed, cells, classes = released(way, 1, one_class="allow", k=2)
    forbidden, _, others = released(way, 1, one_class="forbid", k=2)

    def told(of_rows: list[int]) -> int:
        rows = list(zip(of_rows, cells["cost"], cells["pid"], strict=True))
        return guessed_of_people(rows)[0]

    assert forbidden.figure("one-class-people") == told(others) < told(classes)
    assert allowed.figure("one-class-people") == told(classes)


def test_records_would_not_do() -> None:
    """A person with many records sways shares of records, not those of people."""
    cells = {
        "age": [30] * 12 + [60] * 12,
        "ill": ["x"] * 9 + ["y", "z", "z"] + ["x", "y", "z"] * 4,
        "pid": ["a"] * 9 + ["b", "c", "d", *"efghijklmnop"],
        "y": ["no", "yes"] * 12,
    }
    by_records = privet.check(cells, quasi="age", sensitive="ill", l=2)
    by_people = privet.check(cells, quasi="age", sensitive="ill", l=2, person="pid")
    assert (by_records.holds, by_people.holds) == (False, True)


def test_too_much_is_refused_with_what_is_reached() -> None:
    with pytest.raises(CriterionNotReached) as refused:
        released("rich", 1, l=3)
    assert refused.value.hint


def test_the_command_line_tells_of_people(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    privet.write_table(privet.table_of(visits(150, 1)), tmp_path / "v.csv")
    command = ["publish", str(tmp_path / "v.csv"), "--target", "cost", "--person", "pid"]
    command += ["--sensitive", "town", "-k", "3", "-l", "1.2", "--leaves", "3"]
    assert main([*command, "--out", str(tmp_path / "r")]) == 0
    assert "in people" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("l-diversity-people", {"measured": 1.0}),
        ("l-diversity-people", {"claimed": 1000}),
        ("t-closeness-people", {"measured": 0.9}),
        ("one-class-people", {"measured": 10**6}),
        ("target-guessed-people", {"measured": 1.5}),
        ("one-class-people", {"checkable": "release"}),
    ],
)
def test_what_cannot_be_attested_is_found(tmp_path: Any, name: str, change: Any) -> None:
    release, _, _ = released("leaf", 1, l="1.2", t="0.6")
    release.save(tmp_path / "r", report=False)

    def edit(manifest: Any) -> None:
        for claim in manifest["claims"]:
            if claim["name"] == name:
                claim.update(change)

    edit_json(tmp_path / "r" / "manifest.json", edit)
    mend_hashes(tmp_path / "r")
    wrong = [check.name for check in verify(tmp_path / "r").checks if check.answer == "no"]
    assert [title.partition(" of ")[0] for title in wrong] == [name]
