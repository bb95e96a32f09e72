"""Homogeneity: equal to a naive count, certain on raw tables, kept out of releases."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles import naive_attacks
from privet.cli.main import main
from privet.datasets import hospital
from privet.errors import PrivetError
from privet.table import Table

cells = st.sampled_from(["a", "b", None])
rows = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=20)


@given(rows)
def test_the_count_is_the_naive_one(cells_of_rows: list[tuple[str | None, ...]]) -> None:
    table = {
        n: [*column, "x"] for n, column in zip("abc", zip(*cells_of_rows, strict=True), strict=True)
    }
    found = privet.attack.by_homogeneity(table, known=["a", "b"], sought="c").to_data()
    plain = [dict(zip("abc", row, strict=True)) for row in zip(*table.values(), strict=True)]
    expected = naive_attacks.homogeneity(plain, ["a", "b"], "c")
    assert found["columns"]["c"] == {name: float(value) for name, value in expected.items()}
    assert found["records"] == len(plain)
    assert found["equivalence_classes"] == len(naive_attacks.classes_of(plain, ["a", "b"]))


@pytest.fixture(scope="module")
def people() -> Table:
    return hospital(400, seed=5)


@pytest.mark.parametrize("recoding", ["rich", "leaf", "global"])
def test_certain_on_the_table_and_kept_out_of_the_release(
    recoding: Any, people: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roles = {"target": "readmitted", "identifier": "patient_id", "sensitive": "diagnosis"}
    release = privet.publish(people, **roles, k=5, leaves=5, recoding=recoding)
    quasi = list(release.manifest.schema.quasi)
    raw = privet.attack.by_homogeneity(people, known=quasi, sought="readmitted")
    assert raw.columns["readmitted"].people > 300  # nearly all are alone
    assert raw.succeeds
    release.save(tmp_path / "release", format="csv")
    assert main(["attack", "homogeneity", str(tmp_path / "release"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == privet.attack.by_homogeneity(release).to_data()
    naive = naive_attacks.homogeneity(
        naive_attacks.rows_of(release.rows.records()), quasi, "readmitted"
    )
    assert told["columns"] == {"readmitted": {n: float(v) for n, v in naive.items()}}
    assert told["columns"]["readmitted"]["people_told"] == release.figure("one-class-records")
    assert main(["attack", "homogeneity", str(tmp_path / "release")]) == 0
    assert "of 400 people are told" in capsys.readouterr().out


def test_what_is_known_is_not_sought_unless_it_is_named(people: Table) -> None:
    release = privet.publish(people, target="readmitted", identifier="patient_id", k=5, leaves=4)
    known = [*release.manifest.schema.quasi[:2], "readmitted"]
    with pytest.raises(PrivetError, match="nothing"):
        privet.attack.by_homogeneity(release, known=known)
    named = privet.attack.by_homogeneity(
        release, known=known, sought=release.manifest.schema.quasi[3]
    )
    assert list(named.columns) == [release.manifest.schema.quasi[3]]


def test_what_cannot_be_attacked_is_refused(people: Table) -> None:
    with pytest.raises(PrivetError, match="plain table"):
        privet.attack.by_homogeneity(people, sought="diagnosis")
    with pytest.raises(PrivetError, match="nothing"):
        privet.attack.by_homogeneity(people, known="sex")
    with pytest.raises(PrivetError, match="known and sought"):
        privet.attack.by_homogeneity(people, known="sex", sought="sex")
    with pytest.raises(PrivetError, match="'shoe'"):
        privet.attack.by_homogeneity(people, known="shoe", sought="sex")
