"""Columns that look like identifiers and were not named are pointed out, with what to type."""

import json
from pathlib import Path
from typing import Any

import pytest

import privet
from privet.cli.main import main
from privet.datasets import crd
from privet.errors import UsageError
from privet.files import write_table
from privet.table import Coded, Table

N = 60


def people(n: int = N) -> dict[str, list[Any]]:
    return {
        "person": [f"P{i * 7919 % 100_003:06d}" for i in range(n)],
        "age": [20 + i % 9 for i in range(n)],
        "town": ["Aix", "Bonn", "Cork"] * (n // 3),
        "sick": ["yes" if i % 9 > 4 else "no" for i in range(n)],
    }


def released(how: str, **more: Any) -> privet.Release:
    people_here = people(more.pop("n", N))
    if how == "noise":
        return privet.add_noise(people_here, target="sick", seed=1, **more)
    make = privet.publish if how == "publish" else privet.anonymise
    return make(people_here, target="sick", k=3, **more)


every_way = pytest.mark.parametrize("how", ["publish", "anonymise", "noise"])


@every_way
def test_an_identifier_that_nobody_named_is_pointed_out(how: str) -> None:
    (said,) = [m for m in released(how).messages if "looks like an identifier" in m]
    assert said.startswith(
        "Column 'person' has a different value in nearly every record (60 in 60)"
    )
    assert 'identifier="person"' in said
    assert 'drop="person"' in said
    assert not any(name in said for name in people()["person"])


@every_way
@pytest.mark.parametrize("named", [{"identifier": "person"}, {"drop": "person"}, {"n": 18}])
def test_nothing_is_said_of_columns_left_out_or_of_few_records(
    how: str, named: dict[str, Any]
) -> None:
    assert "looks like" not in " ".join(released(how, **named).messages)


def test_sensitive_columns_were_chosen_by_somebody() -> None:
    assert "looks like" not in " ".join(released("noise", sensitive="person").messages)


@pytest.mark.parametrize("command", [["noise", "--seed", "1"], ["publish", "-k", "3"]])
@pytest.mark.parametrize("json_wanted", [False, True])
def test_commands_say_what_to_type(
    command: list[str], json_wanted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "people.csv"
    write_table(privet.table_of(people()), given)
    asked = [command[0], str(given), "--target", "sick", *command[1:], "--out", str(tmp_path / "o")]
    assert main([*asked, "--no-report", *(["--json"] if json_wanted else [])]) == 0
    shown = capsys.readouterr().out
    told = " ".join(json.loads(shown)["messages"]) if json_wanted else shown
    assert "--identifier person or --drop person" in " ".join(told.split())
    assert "identifier=" not in told


def test_a_category_of_too_many_values_for_noise_is_refused_with_what_to_type() -> None:
    table = crd(1200, 1)
    names: Coded = privet.table_of({"name": [f"n{i}" for i in range(1200)]})["name"]
    with_names = Table({"name": names, **{n: table[n] for n in table}})
    with pytest.raises(UsageError) as refused:
        privet.add_noise(with_names, target="credit_risk")
    assert 'identifier="name"' in refused.value.hint
    assert 'drop="name"' in refused.value.hint
