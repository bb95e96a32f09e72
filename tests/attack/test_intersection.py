"""Intersection: two releases of one table keep fewer people together than each of them."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import privet
from oracles import naive_attacks
from oracles.independent_reader import Stranger
from privet.cli.main import main
from privet.datasets import hospital
from privet.errors import PrivetError
from privet.files import write_table
from privet.table import Table

ROLES = {"identifier": "patient_id", "k": 5, "leaves": 5}


@pytest.fixture(scope="module")
def people() -> Table:
    return hospital(300, seed=7)


@pytest.fixture(scope="module", params=["rich", "leaf", "global"])
def home(request: pytest.FixtureRequest, people: Table, tmp_path_factory: Any) -> Path:
    place: Path = tmp_path_factory.mktemp("two")
    write_table(people, place / "people.csv")
    for name, target, other in (("a", "readmitted", "sex"), ("b", "sex", "readmitted")):
        asked: Any = {**ROLES, "target": target, "other": other, "one_class": "allow"}
        release = privet.publish(people, **asked, recoding=request.param)
        release.save(place / name, audit=place / f"{name}-audit", format="csv")
    return place


def told_of(home: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    asked = [str(home / "a"), str(home / "b"), "--original", str(home / "people.csv"), *more]
    assert main(["attack", "intersection", *asked, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert main(["attack", "intersection", *asked]) == 0
    assert f"in one of {found['k_of_intersection']:,}." in capsys.readouterr().out
    return found


def with_audits(home: Path) -> list[str]:
    return ["--first-audit", str(home / "a-audit"), "--second-audit", str(home / "b-audit")]


def naive_groups(folder: Path, people: Sequence[dict[str, Any]]) -> list[Any]:
    """By what the folder shows: the leaf, and each column that can contradict."""
    stranger = Stranger(folder)
    linker = naive_attacks.Linker(stranger.manifest, stranger.model, stranger.quasi)
    return [
        (
            linker.leaf(linker.worded(row)) if linker.by_leaf else None,
            *(linker.expected(row, name) for name in linker.compared()),
        )
        for row in people
    ]


def test_groups_that_releases_show(
    home: Path, people: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    told = told_of(home, capsys)
    rows = naive_attacks.rows_of(people)
    first, second = (naive_groups(home / name, rows) for name in "ab")
    assert told == told | naive_attacks.intersection(first, second)
    assert told["k"] == [min(Counter(groups).values()) for groups in (first, second)]
    assert told["groups"] == [len(set(groups)) for groups in (first, second)]
    assert told["followed_by"] == ["groups", "groups"]


def test_classes_that_audits_keep(
    home: Path, people: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    told = told_of(home, capsys, *with_audits(home), "--sought", "readmitted")
    rows = naive_attacks.rows_of(people)
    classes = []
    for name, target in (("a", "readmitted"), ("b", "sex")):
        audit = json.loads((home / f"{name}-audit" / "audit.json").read_text(encoding="utf-8"))
        classes.append(audit["class_of_row"])
        stranger = Stranger(home / name)
        # the classes of the audit hold the targets of the released classes, in their order
        keys = zip(*(stranger.cells[c] for c in stranger.quasi), strict=True)
        shown = Counter(zip(keys, stranger.cells[target], strict=True))
        order = sorted(
            {key for key, _ in shown},
            key=lambda k: [
                (v is None, v or 0) if not isinstance(v, str) else (False, v) for v in k
            ],
        )
        kept = Counter((order[n], row[target]) for n, row in zip(classes[-1], rows, strict=True))
        assert kept == shown
    assert told == told | naive_attacks.intersection(*classes)
    assert told["columns"] == {
        "readmitted": naive_attacks.left_over(*classes, [row["readmitted"] for row in rows])
    }
    assert told["k"] == [min(Counter(groups).values()) for groups in classes]
    assert min(told["k"]) >= ROLES["k"]
    assert told["k_of_intersection"] < min(told["k"])  # this is why one table is published once


def test_a_release_met_with_itself_tells_nothing_new(home: Path, people: Table) -> None:
    audit = home / "a-audit"
    found = privet.attack.by_intersection(
        home / "a", home / "a", original=people, first_audit=audit, second_audit=audit
    )
    assert found.k_of_intersection == found.k[0] == found.k[1]
    told = found.columns["readmitted"]
    assert told.by_both == told.by_first == told.by_second


def test_audits_of_others_are_refused(home: Path, people: Table) -> None:
    with pytest.raises(PrivetError, match="not of its release"):
        privet.attack.by_intersection(
            home / "a", home / "b", original=people, first_audit=home / "b-audit"
        )
    with pytest.raises(PrivetError, match="is no audit"):
        privet.attack.by_intersection(
            home / "a", home / "b", original=people, first_audit=home / "b"
        )
