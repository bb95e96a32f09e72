"""The ledger: whom it knows again, how few share their classes, and what it never holds."""

import json
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.cli.main import main
from privet.datasets import hospital
from privet.errors import InputError, PrivetError
from privet.files import write_table
from privet.release.ledger import Entry, Ledger
from privet.table import Table

K = 5
people_in_classes = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2), min_size=1)


@given(st.lists(people_in_classes, max_size=3), people_in_classes)
def test_who_shares_classes_is_counted_as_naively(
    former: list[dict[str, int]], new: dict[str, int]
) -> None:
    book = Ledger(b"0" * 32, tuple(Entry(str(n), "", one, "") for n, one in enumerate(former)))
    met = book.meet(Entry("", "", new, ""))
    alike = [sum(all(one.get(p) == one.get(q) for one in (*former, new)) for q in new) for p in new]
    assert met.k == min(alike)
    for old, told in zip(former, met.former, strict=True):
        shared = Counter((old[p], new[p]) for p in new if p in old)
        newcomers = Counter(new[p] for p in new if p not in old)
        leavers = Counter(old[p] for p in old if p not in new)
        assert told.shared == shared.total()
        assert told.k == min(shared.values(), default=None)
        assert told.newcomers_k == min(newcomers.values(), default=None)
        assert told.leavers_k == min(leavers.values(), default=None)


@pytest.fixture(scope="module")
def people() -> Table:
    return hospital(200, seed=9)


@pytest.fixture
def home(people: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_table(people, "people.csv")
    write_table(people.take(np.arange(20, 200)), "later.csv")
    return tmp_path


def published(
    table: str, out: str, *more: str, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    asked = ["publish", table, "--identifier", "patient_id", "-k", str(K), "--out", out]
    assert main([*asked, "--ledger", "ledger.json", "--json", *more]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_a_second_release_of_the_same_people_is_told(
    home: Path, people: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    titled = ("--target", "readmitted", "--title", "Patients of May")
    first = published("people.csv", "a", *titled, "--audit", "aa", capsys=capsys)
    assert first["ledger"]["former"] == []
    assert stat.S_IMODE(Path("ledger.json").stat().st_mode) == 0o600
    second = published("later.csv", "b", "--target", "sex", "--audit", "bb", capsys=capsys)
    classes = [json.loads(Path(a, "audit.json").read_text())["class_of_row"] for a in ("aa", "bb")]
    (former,) = second["ledger"]["former"]
    assert former["fingerprint"] == first["fingerprint"]
    assert former["shared"] == 180
    assert former["k"] == min(Counter(zip(classes[0][20:], classes[1], strict=True)).values())
    assert former["newcomers_k"] is None
    assert former["leavers_k"] == min(Counter(classes[0][:20]).values())
    assert second["ledger"]["k_of_intersection"] == former["k"] < K
    said = " ".join(second["messages"])
    assert "180 people of this table are in the release of" in said
    assert former["title"] == "Patients of May"
    assert f"(Patients of May, fingerprint {first['fingerprint'][:12]}) already" in said
    assert f"finds groups of {former['k']}, fewer than k = {K}" in said
    assert "no longer here" in said


def test_no_cell_is_in_the_ledger(
    home: Path, people: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    published("people.csv", "a", "--target", "readmitted", capsys=capsys)
    text = Path("ledger.json").read_text()
    held = json.loads(text)
    assert set(held) == {"format", "salt", "releases"}
    (one,) = held["releases"]
    assert set(one) == {"fingerprint", "published", "title", "told_by", "people", "classes"}
    assert len(set(one["people"])) == len(one["people"]) == 200
    assert all(len(person) == 32 and int(person, 16) >= 0 for person in one["people"])
    for name in ("patient_id", "diagnosis"):
        assert not any(value in text for value in people[name].domain.texts if len(value) > 3)


def test_nothing_is_entered_where_nothing_is_published(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published("people.csv", "a", "--target", "readmitted", capsys=capsys)
    before = Path("ledger.json").read_bytes()
    told = published("people.csv", "b", "--target", "sex", "--dry-run", capsys=capsys)
    assert told["ledger"]["former"][0]["shared"] == 200
    assert main(["publish", "people.csv", "--target", "sex", "-k", "500", "--out", "b"]) != 0
    assert Path("ledger.json").read_bytes() == before
    Path("other.json").write_text("{}")
    asked = ["publish", "people.csv", "--target", "sex", "-k", "5", "--out", "b", "--ledger"]
    assert main([*asked, "other.json"]) == 3
    assert "is no ledger" in capsys.readouterr().err
    assert main([*asked, "people.csv"]) == 2
    assert not Path("b").exists()


def test_without_identifiers_rows_are_known_by_their_cells(home: Path, people: Table) -> None:
    asked: Any = {"identifier": "patient_id", "k": K}
    first = privet.publish(people, **asked, target="readmitted").in_ledger("l.json")
    first.save("a")
    again = privet.anonymise(people, **asked).in_ledger("l.json")
    assert again.ledger is not None
    (former,) = again.ledger.meeting.former
    assert former.shared == 200
    with pytest.raises(PrivetError, match="when it is made"):
        privet.read_release("a").in_ledger("l.json")
    with pytest.raises(PrivetError, match="other rows"):
        privet.anonymise(people, **asked).in_ledger("l.json", people={"id": [1, 2]})


ROWS = {
    "id": [f"p{n}" for n in range(12)],
    "age": [20, 21, 22, 23, 40, 41, 42, 43, 60, 61, 62, 63],
    "y": ["no"] * 4 + ["yes"] * 4 + ["no"] * 4,
}


def entered(home: Path, name: str, rows: dict, **asked) -> tuple[str, ...]:
    release = privet.publish(rows, target="y", k=2, **asked).in_ledger(
        home / "ledger.json", people=None if "identifier" not in asked else _who(rows, asked)
    )
    release.save(home / name)
    return release.messages


def _who(rows: dict, asked: dict) -> dict:
    return {asked["identifier"]: rows[asked["identifier"]]}


def test_an_identifier_may_be_renamed(tmp_path: Path) -> None:
    entered(tmp_path, "a", ROWS, identifier="id")
    renamed = {"person": ROWS["id"], "age": ROWS["age"], "y": ROWS["y"]}
    said = entered(tmp_path, "b", renamed, identifier="person", leaves=2)
    assert any("12 people of this table are in the release" in line for line in said)


def test_people_told_apart_otherwise_are_said_to_be_unknown(tmp_path: Path) -> None:
    entered(tmp_path, "a", ROWS, drop="id")
    said = entered(tmp_path, "b", ROWS, identifier="id", leaves=2)
    assert any("people were told apart by other columns" in line for line in said)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entry: entry["people"].__setitem__(1, entry["people"][0]),
        lambda entry: entry["classes"].__setitem__(0, 1.5),
        lambda entry: entry.update(people="abc", classes="123"),
        lambda entry: entry.update(published="2026-01-01\nNote: all is well"),
        lambda entry: entry.update(told_by="age"),
    ],
)
def test_an_unsound_ledger_is_refused(tmp_path: Path, spoil) -> None:
    entered(tmp_path, "a", ROWS, identifier="id")
    data = json.loads((tmp_path / "ledger.json").read_text())
    spoil(data["releases"][0])
    (tmp_path / "ledger.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="no ledger"):
        entered(tmp_path, "b", ROWS, identifier="id")
