"""The article's own split by commands alone: three parties, one with nothing to mask; receipts."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from privet.cli.main import main
from privet.files import read_table
from privet.files.maskings import maskings_of
from privet.tree.exchange.model_file import read_model, to_data

EXAMPLE = Path(__file__).parents[2] / "examples" / "parties.sh"
ROWS = "\n".join(f"p{i},{20 + i % 50},{'abc'[i % 3]},{'yes' if i % 4 else 'no'}" for i in range(60))


def test_the_example_decodes_to_the_clear_tree_in_every_field(tmp_path: Path) -> None:
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, module in (("privet", "privet.cli.main"), ("python", "")):
        script = commands / name
        call = f'-m {module} "$@"' if module else '"$@"'
        script.write_text(f"#!/bin/sh\nexec {sys.executable} {call}\n")
        script.chmod(0o755)
    place = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    shell = shutil.which("sh")
    assert shell is not None
    ran = subprocess.run(
        [shell, str(EXAMPLE), str(tmp_path / "work")], env=place, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    work = tmp_path / "work"
    decoded, clear = (
        to_data(read_model(work / "decoded.json")),
        to_data(read_model(work / "clear.json")),
    )
    assert decoded["nodes"] == clear["nodes"]
    assert decoded["classes"] == clear["classes"]
    assert len(decoded["nodes"]) == 11
    assert maskings_of(work / "sent-two.parquet") == ()
    assert not (work / "two.book").exists()
    assert set(json.loads((work / "two.fill.json").read_text())) == {"occupation", "relationship"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(f"id,age,diag,y\n{ROWS}\n")
    assert main(["party", "init", "--project", "p", "--out", "pk.json"]) == 0
    sensitive = ["--sensitive", "age", "--drop", "diag,y", "--codebook", "book"]
    assert main(["mask", "good.csv", *KEY, *sensitive, "--out", "one.parquet"]) == 0
    assert main(["mask", "good.csv", *KEY, "--drop", "age", "--out", "two.csv"]) == 0
    return tmp_path


KEY = ["--key", "id", "--project-key", "pk.json"]
JOIN = ["join", "one.parquet", "two.csv", "--out", "joined.csv", "--force"]


def test_masks_and_a_codebook_come_together(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mask", "good.csv", *KEY, "--codebook", "b", "--out", "x.csv"]) == 2
    assert "leave out --codebook" in capsys.readouterr().err
    assert main(["mask", "good.csv", *KEY, "--sensitive", "age", "--out", "x.csv"]) == 2
    assert "need a codebook" in capsys.readouterr().err
    assert not Path("x.csv").exists()
    assert not Path("x.csv.receipt.json").exists()


def test_a_receipt_says_what_was_sent_and_no_cell(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    receipt = json.loads(Path("one.parquet.receipt.json").read_text())
    book = json.loads(Path("book").read_text())
    assert receipt["party"] == "one"
    assert receipt["rows"] == 60
    assert receipt["columns"] == ["H_age"]
    assert receipt["codebook"] == book["identity"]
    assert receipt["key_kind"] == "text"
    assert len(receipt["day"]) == 10
    assert len(receipt["sha256"]) == 64
    clear = json.loads(Path("two.csv.receipt.json").read_text())
    assert clear["codebook"] is None
    assert clear["columns"] == ["diag", "y"]
    named = ["--party", "the town's pharmacy", "--drop", "age", "--out", "named.csv"]
    assert main(["mask", "good.csv", *KEY, *named]) == 0
    assert json.loads(Path("named.csv.receipt.json").read_text())["party"] == "the town's pharmacy"
    capsys.readouterr()
    assert main([*JOIN, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [party["receipt"] for party in found["parties"]] == [True, True]
    assert found["parties"][0]["keys"] == {
        "unknown_to_others": 0, "missing": 0, "duplicate": 0, "format": 0
    }  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("sha256", "0" * 64, "other bytes"),
        ("rows", 59, "another number of rows"),
        ("columns", ["diag"], "other columns"),
        ("codebook", "0" * 32, "two.csv.privet.json is missing"),
        ("day", "2026,11-16", "is no receipt"),
        ("day", "20261116", "is no receipt"),
        ("key_kind", "tdxt", "is no receipt"),
        ("columns", {"diag": 1, "y": 2}, "is no receipt"),
        ("columns", "dy", "is no receipt"),
        ("left_out", {"missing": 10**30, "duplicate": 0, "format": 0}, "is no receipt"),
        ("left_out", ["missing", "duplicate", "format"], "is no receipt"),
        ("rows", True, "is no receipt"),
        ("sha256", "0", "is no receipt"),
        ("codebook", "x", "is no receipt"),
    ],
)
def test_a_file_that_is_not_the_one_sent_is_refused(
    home: Path, field: str, value: object, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Path("two.csv.receipt.json")
    place.write_text(json.dumps({**json.loads(place.read_text()), field: value}))
    capsys.readouterr()
    assert main(JOIN) == 3
    assert said in capsys.readouterr().err
    assert not Path("joined.csv").exists()
    place.write_text('{"is": "privet receipt"}')
    assert main(JOIN) == 3
    assert "is no receipt" in capsys.readouterr().err
    place.unlink()
    assert main(JOIN) == 0
    assert "two sent no receipt" in capsys.readouterr().out


def test_bounds_that_make_numbers_of_classes_are_told_of(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("grades.csv").write_text("id,grade\n" + "\n".join(f"p{i},{i % 5}" for i in range(60)))
    ask = ["mask", "grades.csv", *KEY, "--sensitive", "grade", "--codebook"]
    capsys.readouterr()
    assert main([*ask, "b1", "--out", "drawn.csv"]) == 0
    said = capsys.readouterr().out
    assert "H_grade keeps the steps of grade" in said
    assert "may take" not in said
    assert main([*ask, "b2", "--out", "given.csv", "--bounds", "grade=0,8"]) == 0
    said = capsys.readouterr().out
    assert "may take H_grade for numbers" in said
    assert "keeps the steps" not in said


def test_an_edited_file_is_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sent = Path("two.csv")
    sent.write_text(sent.read_text().replace(",a,", ",b,", 1))
    assert main(JOIN) == 3
    assert "other bytes" in capsys.readouterr().err


def test_keys_that_cannot_serve_are_left_out_and_counted(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["a,1", "b,2", "b,3", ",4", "c,5", '" c",6', "d,7"]
    Path("bad.csv").write_text("id,cost\n" + "\n".join(rows) + "\n")
    asked = ["mask", "bad.csv", *KEY, "--out", "bad.parquet"]
    assert main(asked) == 2
    capsys.readouterr()
    assert main([*asked, "--leave-out-keys"]) == 0
    assert "1 missing, 2 duplicate, 2 format" in capsys.readouterr().out
    receipt = json.loads(Path("bad.parquet.receipt.json").read_text())
    assert receipt["left_out"] == {"missing": 1, "duplicate": 2, "format": 2}
    assert receipt["rows"] == 2
    assert sorted(read_table("bad.parquet")["cost"].domain.values.tolist()) == [1, 7]


def test_keys_of_two_kinds_are_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = "id,cost\n" + "\n".join(f"{i},{i % 7}" for i in range(60)) + "\n"
    Path("numbers.csv").write_text(table)
    for kind in ("integer", "category"):
        out = ["--key-kind", kind, "--out", f"{kind}.parquet"]
        assert main(["mask", "numbers.csv", *KEY, *out]) == 0
    assert main(["convert", "numbers.csv", "numbers.parquet"]) == 0
    capsys.readouterr()
    both = ["join", "integer.parquet", "category.parquet", "--out", "j.csv"]
    assert main(both) == 2
    assert "is in integer and in category" in capsys.readouterr().err
    Path("renamed.csv").write_text(table.replace("cost", "price"))
    assert main(["mask", "renamed.csv", *KEY, "--key-kind", "text", "--out", "text.parquet"]) == 0
    capsys.readouterr()
    assert main(["join", "integer.parquet", "text.parquet", "--out", "j.csv"]) == 2
    assert "integer has integer, text has text" in capsys.readouterr().err
