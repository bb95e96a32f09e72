"""People instead of records: K in people is a naive count, and their column is never released."""

import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.cli.main import main
from privet.errors import CriterionNotReached, UnknownColumn, UsageError
from privet.release import verify
from release.tampering import edit_json, mend_hashes

ASKED: dict[str, Any] = {"target": "cost", "person": "pid", "k": 4}
Cells = dict[str, list[Any]]


def visits(people: int, seed: int) -> Cells:
    """People with one visit or many; their own values are the same at each."""
    chance = random.Random(seed)
    cells: Cells = {name: [] for name in ("pid", "age", "sex", "town", "month", "cost")}
    for person in range(people):
        age, sex, town = chance.randint(20, 70), chance.choice("fm"), chance.choice("ABC")
        for _ in range(chance.choice([1, 1, 2, 4, 9])):
            dear = chance.random() < (0.7 if age > 45 else 0.3)
            row = [f"p{person}", age, sex, town, chance.randint(1, 12), "high" if dear else "low"]
            for name, value in zip(cells, row, strict=True):
                cells[name].append(value)
    return cells


def fewest_people(classes: list[Any], people: list[Any]) -> int:
    of_class = defaultdict(set)
    for key, person in zip(classes, people, strict=True):
        of_class[key].add(person)
    return min(map(len, of_class.values()))


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2, None]), st.integers(0, 5)),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 4),
)
def test_a_table_is_judged_by_people(rows: list[tuple[str, Any, int]], k: int) -> None:
    cells = {"pid": [r[2] for r in rows], "a": [r[0] for r in rows], "b": [r[1] for r in rows]}
    k = min(k, len(rows))
    found = privet.check(cells, quasi=["a", "b"], person="pid", k=k)
    naive = fewest_people([r[:2] for r in rows], cells["pid"])
    assert (found.k_people, found.holds) == (naive, naive >= k)


@pytest.mark.parametrize("recoding", ["global", "leaf", "rich", None])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_class_of_a_release_has_k_people(
    tmp_path: Path, recoding: Any, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counted from the audit, which has the class of each row of the original table."""
    cells = visits(150, seed)
    privet.write_table(privet.table_of(cells), tmp_path / "visits.csv")
    words = ["--leaves", "5", "--recoding", recoding] if recoding else []
    command = ["publish" if recoding else "anonymise", str(tmp_path / "visits.csv"), *words]
    command += ["--target", "cost", "--person", "pid", "-k", "4", "--format", "csv", "--json"]
    command += ["--out", str(tmp_path / "r"), "--audit", str(tmp_path / "a")]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    audit = json.loads((tmp_path / "a" / "audit.json").read_text(encoding="utf-8"))
    naive = fewest_people(audit["class_of_row"], cells["pid"])
    assert said["k_people"] == naive >= 4
    assert said["k"] >= naive
    for path in (tmp_path / "r").iterdir():
        assert b"pid" not in path.read_bytes()
    assert verify(tmp_path / "r")


def test_records_alone_would_not_protect_people() -> None:
    """Without the column of people, classes of four records have fewer people."""
    cells = visits(150, 1)
    blind = {name: values for name, values in cells.items() if name != "pid"}
    release = privet.publish(blind, target="cost", k=4, leaves=5)
    assert release.figure("k-anonymity-people") is None
    seeing = privet.publish(cells, **ASKED, leaves=5)
    assert seeing.figure("k-anonymity-people") >= 4
    assert seeing.figure("equivalence-classes") < release.figure("equivalence-classes")


def test_explore_shows_people() -> None:
    found = privet.explore(visits(150, 1), **ASKED, leaves=4, recoding="leaf")
    assert all(line.k_people is not None and line.k_people <= line.k for line in found.lines)
    assert "K in people" in found.head


def test_what_cannot_be_claimed_of_people_is_found(tmp_path: Path) -> None:
    release = privet.publish(visits(150, 1), **ASKED, leaves=3, recoding="leaf")
    release.save(tmp_path / "r", report=False)

    def more(manifest: Any) -> None:
        for claim in manifest["claims"]:
            if claim["name"] == "k-anonymity-people":
                claim["measured"] = 10_000

    edit_json(tmp_path / "r" / "manifest.json", more)
    mend_hashes(tmp_path / "r")
    wrong = [check.name for check in verify(tmp_path / "r").checks if check.answer == "no"]
    assert wrong == ["k-anonymity-people"]


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        (
            {"l": 2, "l_kind": "entropy", "sensitive": "town"},
            UsageError,
            "counts records and not people",
        ),
        ({"quasi": ["pid", "age"], "rest": "quasi"}, UsageError, "both as"),
        ({"person": "nobody"}, UnknownColumn, r"'nobody' \(named in person\)"),
        ({"k": 200}, CriterionNotReached, "only 150 people"),
    ],
)
def test_what_does_not_go_with_people_is_refused(asked: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        privet.publish(visits(150, 1), **(ASKED | asked))


def test_people_and_no_column_to_ask_are_refused_in_a_sentence(tmp_path: Path) -> None:
    rows = "".join(f"{i % 5},{'ab'[i % 2]},p{i % 20}\n" for i in range(60))
    (tmp_path / "visits.csv").write_text("d,y,who\n" + rows)
    asked: dict[str, Any] = {"target": "y", "person": "who", "k": 2, "recoding": "leaf"}
    with pytest.raises(UsageError, match="No column is left"):
        privet.publish(
            tmp_path / "visits.csv", **asked, leaves=2, trees=[{"target": "d", "leaves": 2}]
        )
