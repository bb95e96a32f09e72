"""Linkage, membership and order: equal to naive counts, certain on raw tables, bounded by k."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles import naive_attacks
from oracles.independent_reader import Stranger
from privet.cli.main import main
from privet.datasets import hospital
from privet.errors import PrivetError
from privet.files import write_table
from privet.table import Table

K = 5
cells = st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 3))
rows = st.lists(cells, min_size=1, max_size=12)


def as_columns(pairs: list[tuple[str | None, int]]) -> dict[str, list[Any]]:
    return {"a": [a for a, _ in pairs] + ["c"], "n": [n for _, n in pairs] + [9]}


@given(rows, rows)
def test_plain_tables_are_linked_as_naively(ours: Any, theirs: Any) -> None:
    table, outside = as_columns(ours), as_columns(theirs)
    here, there = (
        [{"a": a, "n": n} for a, n in zip(*t.values(), strict=True)] for t in (table, outside)
    )
    naive = naive_attacks.linkage(here, there, lambda person, row: person == row)
    found = privet.attack.by_linkage(table, outside, known=["a", "n"])
    assert found.matched_people == naive["matched_people"]
    assert found.matched_records == naive["matched_records"]
    assert found.smallest_group == naive["smallest_group"]
    assert found.marketer_right == naive["expected_right"]
    classes = naive_attacks.classes_of(here, ["a", "n"])
    assert found.smallest_class == min(map(len, classes.values()))
    assert found.prosecutor_mean == Fraction(len(classes), len(here))
    member = privet.attack.by_membership(table, outside, known=["a", "n"])
    for name in ("certainly_in", "certainly_out", "highest", "lowest"):
        assert getattr(member, name) == naive[name]
    counted, registered = (Counter((row["a"], row["n"]) for row in rows) for rows in (here, there))
    assert member.complete == all(n <= registered[group] for group, n in counted.items())
    ends = privet.attack.by_order(table, known=["a", "n"]).columns["n"].to_data()
    assert ends == {n: float(v) for n, v in naive_attacks.order(here, "n").items()}


@pytest.fixture(scope="module")
def people() -> Table:
    return hospital(300, seed=5)


@pytest.fixture(scope="module", params=["rich", "leaf", "global"])
def folder(
    request: pytest.FixtureRequest, people: Table, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    place = tmp_path_factory.mktemp("attacked") / "release"
    roles = {"target": "readmitted", "identifier": "patient_id", "sensitive": "diagnosis"}
    release = privet.publish(people, **roles, k=K, leaves=5, recoding=request.param)
    release.save(place, format="csv")
    return place


@pytest.mark.parametrize("known", [None, ["sex", "stay_days"]])
def test_releases_are_linked_as_the_folder_says(
    known: Any, folder: Path, people: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = people.take(np.arange(0, 300, 2))
    others = hospital(60, seed=6)
    outside = naive_attacks.rows_of(part) + naive_attacks.rows_of(others)
    columns = {n: [row[n] for row in outside] for n in people}
    write_table(privet.table_of(columns), tmp_path / "outside.csv")
    stranger = Stranger(folder)
    linker = naive_attacks.Linker(stranger.manifest, stranger.model, known or stranger.quasi)
    released = [
        dict(zip(stranger.cells, row, strict=True))
        for row in zip(*stranger.cells.values(), strict=True)
    ]
    naive = naive_attacks.linkage(released, outside, linker.agree)
    asked = [str(folder), str(tmp_path / "outside.csv"), "--json"]
    asked += ["--known", ",".join(known)] if known else []
    assert main(["attack", "linkage", *asked]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["compared"] == linker.compared()
    assert told["by_leaf"] == linker.by_leaf
    assert told["matched_people"] == naive["matched_people"]
    assert told["matched_records"] == naive["matched_records"]
    assert told["journalist"]["smallest_group"] == naive["smallest_group"]
    assert told["marketer"]["expected_right"] == float(naive["expected_right"])
    assert told["marketer"]["share"] == float(naive["expected_right"] / 300)
    assert main(["attack", "membership", *asked]) == 0
    told = json.loads(capsys.readouterr().out)
    for name in ("certainly_in", "certainly_out", "highest", "lowest"):
        value = naive[name]
        assert told[name] == (float(value) if isinstance(value, Fraction) else value)


def test_certain_on_the_table_and_bounded_on_the_release(folder: Path, people: Table) -> None:
    quasi = list(privet.read_release(folder).manifest.schema.quasi)
    raw = privet.attack.by_linkage(people, people, known=quasi)
    assert raw.prosecutor == raw.journalist == 1
    assert raw.marketer > Fraction(9, 10)
    found = privet.attack.by_linkage(folder, people)
    assert found.matched_people == found.matched_records == 300
    assert found.prosecutor <= Fraction(1, K)
    assert found.journalist <= Fraction(1, K)
    assert found.marketer <= Fraction(1, K)


def test_a_release_tells_of_fewer_whether_they_are_in_it(folder: Path, people: Table) -> None:
    quasi = list(privet.read_release(folder).manifest.schema.quasi)
    both = naive_attacks.rows_of(people) + naive_attacks.rows_of(hospital(300, seed=6))
    register = {n: [row[n] for row in both] for n in quasi}
    raw = privet.attack.by_membership(people, register, known=quasi)
    assert raw.certainly_in + raw.certainly_out > 590
    found = privet.attack.by_membership(folder, register)
    assert found.certainly_in < raw.certainly_in / 2
    assert found.certainly_out < raw.certainly_out / 2


def test_the_order_leads_to_k_records_at_least(folder: Path, people: Table) -> None:
    quasi = list(privet.read_release(folder).manifest.schema.quasi)
    raw = privet.attack.by_order(people, known=quasi)
    assert any(ends.highest == 1 for ends in raw.columns.values())
    found = privet.attack.by_order(folder)
    assert all(ends.highest <= Fraction(1, K) for ends in found.columns.values())
    assert set(found.columns) <= set(raw.columns)


def test_what_cannot_be_linked_is_refused(folder: Path, people: Table) -> None:
    with pytest.raises(PrivetError, match="none of the columns"):
        privet.attack.by_linkage(folder, {"shoe": [44]})
    noisy = privet.add_noise(people, target="readmitted", identifier="patient_id", seed=1)
    with pytest.raises(PrivetError, match="draws at random"):
        privet.attack.by_linkage(noisy, people)
    with pytest.raises(PrivetError, match="numbers or dates"):
        privet.attack.by_order(people, known="sex")
