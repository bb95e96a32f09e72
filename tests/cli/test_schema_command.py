"""`privet schema`, and the options that all commands share."""

import json
from pathlib import Path

import pytest

from privet.cli.main import main
from privet.cli.options import load, names
from privet.errors import UnknownColumn
from privet.schema import Kind, Role, Schema


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [f"p{i},{20 + i % 7},{'?' if i % 5 == 0 else 'ab'[i % 2]},k" for i in range(40)]
    path.write_text("\n".join(["patient,age,smoker,constant", *rows]) + "\n")
    return path


def test_prints_toml_that_reads_back(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", str(path), "--missing", "?"]) == 0
    shown = capsys.readouterr().out
    schema = Schema.from_toml(shown)
    assert schema.missing == ("?",)
    assert schema["patient"].role is Role.IDENTIFIER
    assert schema["age"].kind is Kind.INTEGER
    assert schema.quasi == ("age", "smoker", "constant")
    assert "# likely an identifier" in shown
    assert "# constant" in shown


def test_writes_a_file_once(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = path.with_suffix(".toml")
    assert main(["schema", str(path), "--out", str(out)]) == 0
    first = out.read_text()
    assert Schema.read(out).names() == ("patient", "age", "smoker", "constant")
    assert main(["schema", str(path), "--missing", "?", "--out", str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    assert out.read_text() == first
    assert main(["schema", str(path), "--missing", "?", "--out", str(out), "--force"]) == 0
    assert out.read_text() != first
    assert main(["schema", str(path), "--out", str(out / "deeper.toml")]) == 2


def test_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", str(path), "--missing", "?", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["missing"] == ["?"]
    assert shown["columns"]["patient"]["role"] == "identifier"
    assert shown["columns"]["constant"]["remarks"]


def test_the_schema_file_decides_kinds_and_markers(path: Path) -> None:
    schema = Schema.from_toml('missing = ["?"]\n[columns.age]\nkind = "category"\n')
    table = load(path, schema=schema)
    assert table["age"].domain.kind is Kind.CATEGORY
    assert table["smoker"].domain.values.tolist() == ["a", "b"]
    assert load(path, category=["age"])["age"].domain.kind is Kind.CATEGORY


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"category": ["agee"]}, "--category"),
        ({"named": {"--quasi": ["agee"]}}, "--quasi"),
        ({"schema": Schema.from_toml("[columns.agee]")}, "the schema"),
    ],
)
def test_unknown_columns_are_named_with_their_option(path: Path, options, where: str) -> None:
    with pytest.raises(UnknownColumn, match=where) as caught:
        load(path, **options)
    assert "'age'" in caught.value.hint


def test_lists_of_columns() -> None:
    assert names(None) == []
    assert names(["a,b", "c", "a"]) == ["a", "b", "c"]
    assert names(["a, b"]) == ["a", "b"]
    assert names(['"x, y",z']) == ["x, y", "z"]
