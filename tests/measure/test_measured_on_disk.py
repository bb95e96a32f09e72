"""A release measured on disk: the figures are those of the memory engine, wherever rows are cut."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from oracles.random_tables import TARGET, plain_tables
from privet import table as tables
from privet.cli.main import main
from privet.datasets import hospital
from privet.engine import larger_than_memory
from privet.errors import PrivetError, UsageError
from privet.files import write_table

ROLES = ["--target", "readmitted", "--identifier", "patient_id", "--sensitive", "diagnosis"]


def published(table: privet.Table, data: st.DataObject) -> privet.Release | None:
    """A release by some method, or nothing where none can be had."""
    asked: dict[str, Any] = {"k": data.draw(st.integers(1, 3)), "target": TARGET}
    method = data.draw(st.sampled_from(["global", "leaf", "rich", "mondrian"]))
    sensitive = data.draw(st.lists(st.sampled_from(table.names[:-1]), max_size=1))
    if sensitive and data.draw(st.booleans()):
        asked |= {"sensitive": sensitive, "l": "1.2", "release_sensitive": True}
    try:
        if method == "mondrian":
            return privet.anonymise(table, one_class="allow", **asked)
        return privet.publish(table, recoding=method, leaves=3, one_class="allow", **asked)
    except PrivetError:
        return None


@settings(max_examples=60)
@given(data=st.data())
def test_the_same_figures(data: st.DataObject) -> None:
    table = data.draw(plain_tables(most_columns=5)).table()
    release = published(table, data)
    if release is None:
        return
    there = privet.measure_release(table, release, utility=False).to_data()
    stretch = data.draw(st.sampled_from([1, 3, 1 << 20]))
    with patch.object(tables, "STRETCH", stretch), larger_than_memory("300MB"):
        assert privet.measure_release(table, release, utility=False).to_data() == there


def test_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, out = tmp_path / "patients.csv", str(tmp_path / "r")
    write_table(hospital(300), table)
    assert main(["publish", str(table), *ROLES, "-k", "5", "--leaves", "4", "--out", out]) == 0
    capsys.readouterr()
    said = []
    for engine in ("memory", "duckdb", "auto"):
        words = ["measure", str(table), out, "--no-utility", "--engine", engine, "--json"]
        assert main(words) == 0
        said.append(capsys.readouterr().out)
    assert said == said[:1] * 3
    assert json.loads(said[0])["distortion"]["followed_by"] == "groups"


def test_miners_need_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, out = tmp_path / "patients.csv", str(tmp_path / "r")
    write_table(hospital(100), table)
    assert main(["publish", str(table), *ROLES, "-k", "2", "--leaves", "3", "--out", out]) == 0
    assert main(["measure", str(table), out, "--engine", "duckdb"]) == 2
    said = capsys.readouterr().err
    assert "Miners need every row in memory" in said
    assert "--no-utility" in said
    with larger_than_memory("300MB"), pytest.raises(UsageError, match="Miners need every row"):
        privet.measure_release(str(table), out)
    for option in ("--audit", "--test"):
        words = ["measure", str(table), out, "--no-utility", "--engine", "duckdb", option, out]
        assert main(words) == 2
        assert f"{option} needs every row in memory" in capsys.readouterr().err
