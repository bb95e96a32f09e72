"""`privet schema`, and the options that all commands share."""

import json
from pathlib import Path

import pytest

from privet.cli.loading import load, names
from privet.cli.main import main
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
    assert names(['" led", b ']) == [" led", "b"]
    assert names(['"say ""hi"", you",b']) == ['say "hi", you', "b"]
    assert names(['say "hi",b', '"q" x']) == ['say "hi"', "b", '"q" x']


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / "odd.csv"
    rows = []
    for i in range(40):
        seen = f"{1990 + i % 3}-05-0{1 + i % 5}" if i % 10 else ""
        dose = "low" if i % 4 == 0 else i % 7
        rows.append(f"{dose},{31 - i % 30:02}.12.19{50 + i},{i % 9 * 0.25},{seen}")
    path.write_text("\n".join(["dose,born,level,seen", *rows]) + "\n")
    return path


def test_every_column_is_shown_with_counts_range_and_reason(
    odd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", str(odd), "--out", str(odd.with_suffix(".toml"))]) == 0
    lines = capsys.readouterr().out.split("\n")
    shown = {line.split()[0]: line for line in lines if line and not line.startswith(" ")}
    assert shown["column"].split() == [
        "column",
        "kind",
        "role",
        "values",
        "missing",
        "range",
        "why",
    ]
    assert shown["dose"].split()[1:6] == ["category", "quasi", "8", "-", "-"]
    assert shown["level"].split()[1:8] == ["decimal", "quasi", "9", "-", "0.0", "to", "2.0"]
    assert shown["seen"].split()[1:4] == ["date", "quasi", "15"]
    assert shown["seen"].split()[4:8] == ["4", "1990-05-01", "to", "1992-05-05"]
    assert "others may know it" in shown["seen"]
    written = odd.with_suffix(".toml").read_text()
    assert "15 different values, 4 missing" in written
    assert "1992-05-05" not in written  # the schema file tells no value


def test_texts_that_look_like_dates_get_a_remark(
    odd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", str(odd), "--json"]) == 0
    born = json.loads(capsys.readouterr().out)["columns"]["born"]
    assert born["kind"] == "category"
    assert born["role"] == "quasi"  # not an identifier, though every record has its own
    assert "looks like dates" in born["remarks"][0]
    assert "year-month-day" in born["remarks"][0]


def test_numbers_among_words_are_proposed_as_categories(
    odd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", str(odd), "--json"]) == 0
    dose = json.loads(capsys.readouterr().out)["columns"]["dose"]
    assert dose["kind"] == "category"
    assert "mixes numbers and words: 7 of 8" in dose["remarks"][0]
    assert main(["schema", str(odd), "--missing", "low", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"]["dose"]["kind"] == "integer"


@pytest.mark.parametrize(
    ("setting", "quoted"),
    [
        ('role = "qasi"', ["role 'qasi'", "did you mean 'quasi'?", "identifier"]),
        ('kind = "intger"', ["kind 'intger'", "did you mean 'integer'?", "decimal"]),
        ("role = 7", ["role '7'", "quasi"]),
        ("rolle = 'quasi'", ["setting 'rolle'", "did you mean 'role'?"]),
        (f"role = '{'x' * 999}'", ["role 'xxxxx", "..."]),
    ],
)
def test_what_a_schema_misspells_is_quoted_back(
    path: Path, capsys: pytest.CaptureFixture[str], setting: str, quoted: list[str]
) -> None:
    schema = path.with_suffix(".toml")
    schema.write_text(f'[columns.age]\nkind = "integer"\n[columns."smoker"]\n{setting}\n')
    assert main(["check", str(path), "--schema", str(schema)]) == 3
    err = capsys.readouterr().err
    assert "Column 'smoker'" in err
    assert all(text in err for text in quoted)
    assert len(err) < 400


def test_very_many_columns_are_refused_and_some_of_them_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wide.csv"
    names = ",".join(f"c{i}" for i in range(100_001))
    path.write_text(names + "\n" + ("1," * 100_001)[:-1] + "\n")
    assert main(["schema", str(path)]) == 3
    assert "has 100,001 columns" in capsys.readouterr().err
    assert load(path, columns=["c5", "c99999"]).names == ("c5", "c99999")


@pytest.mark.parametrize(("typed", "column"), [("town, old", "town, old"), ("town", " town ")])
def test_what_is_hinted_at_can_be_typed(tmp_path: Path, typed: str, column: str) -> None:
    path = tmp_path / "towns.csv"
    path.write_text(f'age,"{column}"\n30,Ulm\n', encoding="utf-8")
    with pytest.raises(UnknownColumn) as caught:
        load(path, named={"--quasi": names([typed])})
    hinted = caught.value.hint.removeprefix("did you mean '").removesuffix("'?")
    assert names([hinted]) == [column]
    assert load(path, named={"--quasi": names([hinted])}).names == ("age", column)
