"""What every command has beside its own options: configuration, standard input, encodings, help."""

import io
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from privet.cli.command import _PANEL_OF
from privet.cli.main import COMMANDS, application, main

ROWS = "".join(
    f"p{i},{20 + i},{'é' if i % 3 else 'b'},{'yes' if i > 30 else 'no'}\n" for i in range(60)
)
TEXT = f"id,age,diag,y\n{ROWS}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TEXT, encoding="utf-8")
    return tmp_path


def test_a_saved_configuration_repeats_the_run(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["publish", "t.csv", "--target", "y", "--drop", "id", "-k", "5", "--no-refine"]
    assert main([*asked, "--leaves", "3", "--out", "a", "--save-config", "c.toml"]) == 0
    saved = tomllib.loads(Path("c.toml").read_text())
    assert saved == {
        "table": "t.csv",
        "target": "y",
        "drop": ["id"],
        "k": 5,
        "refine": False,
        "leaves": 3,
        "out": "a",
    }
    assert main(["publish", "--config", "c.toml", "--out", "b"]) == 0  # what is typed wins
    manifests = [Path(folder, "manifest.json").read_bytes() for folder in "ab"]
    assert manifests[0] == manifests[1]
    capsys.readouterr()
    assert main(["publish", "--config=c.toml", "-k", "6", "--out", "d", "--dry-run"]) == 0
    assert "asked for 6" in capsys.readouterr().out


def test_seeds_are_not_saved(home: Path) -> None:
    asked = ["noise", "t.csv", "--target", "y", "--drop", "id", "--seed", "77", "--out", "n"]
    assert main([*asked, "--save-config", "c.toml"]) == 0
    assert "77" not in Path("c.toml").read_text()


def test_a_configuration_takes_no_place_of_a_table(home: Path) -> None:
    asked = ["publish", "t.csv", "--target", "y", "-k", "5", "--out", "a", "--force"]
    for place in ("t.csv", "a"):
        assert main([*asked, "--save-config", place]) == 2
    assert Path("t.csv").read_text(encoding="utf-8") == TEXT
    assert not Path("a").exists()


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("leafs = 3", 2, "did you mean 'leaves'?"),
        ("config = 'c.toml'", 2, "names an option 'config'"),
        ("[leaves]\na = 1", 2, "key = value"),
        ("leaves =", 3, "is not valid TOML"),
        ("leaves = 'many'", 2, "--leaves"),
    ],
)
def test_configurations_that_cannot_be(
    text: str, status: int, said: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("c.toml").write_text(text)
    assert main(["tree", "t.csv", "--target", "y", "--config", "c.toml"]) == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_dash_is_standard_input(
    form: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", "t.csv", f"u.{form}"]) == 0
    given = Path(f"u.{form}").read_bytes()
    assert main(["check", f"u.{form}", "--quasi", "age"]) == 0
    expected = capsys.readouterr().out.split("Wrote")[-1].partition("\n")[2]
    stdin = SimpleNamespace(buffer=io.BytesIO(given), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["check", "-", "--quasi", "age"]) == 0
    assert capsys.readouterr().out == expected


def test_encodings(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, encoding in enumerate(("latin-1", "cp1252", "utf-16", "utf-8")):
        Path("e.csv").write_text(TEXT, encoding=encoding)
        assert main(["convert", "e.csv", f"e{number}.csv", "--encoding", encoding]) == 0
        assert "é" in Path(f"e{number}.csv").read_text(encoding="utf-8")
    Path("e.csv").write_text(TEXT, encoding="latin-1")
    capsys.readouterr()
    assert main(["check", "e.csv", "--quasi", "age", "--encoding", "utf-8"]) == 3
    assert "is not in the encoding utf-8" in capsys.readouterr().err
    for name in ("klingon", "zip", "rot13", ""):
        assert main(["check", "t.csv", "--quasi", "age", "--encoding", name]) == 2, name
    for command in (
        ["attack", "homogeneity", "e.csv", "--known", "age", "--sought", "town"],
        ["attack", "linkage", "t.csv", "e.csv", "--known", "age"],
    ):
        assert main(command) == 3
        assert "--encoding latin-1" in capsys.readouterr().err
    assert main([*command[:2], "e.csv", "e.csv", *command[4:], "--encoding", "latin-1"]) == 0
    assert main(["attack", "intersection", "t.csv", "t.csv", "--encoding", "latin-1"]) == 2
    assert main(["convert", "t.csv", "t.parquet"]) == 0
    assert main(["check", "t.parquet", "--quasi", "age", "--encoding", "latin-1"]) == 3


def test_a_table_in_another_encoding_is_not_overwritten(home: Path) -> None:
    Path("e.csv").write_text(TEXT, encoding="latin-1")
    before = Path("e.csv").read_bytes()
    Path("link").symlink_to(home)
    for out in ("e.csv", "link/e.csv"):
        assert main(["convert", "e.csv", out, "--encoding", "latin-1", "--force"]) == 2
    assert main(["schema", "e.csv", "--out", "e.csv", "--encoding", "latin-1", "--force"]) == 2
    assert Path("e.csv").read_bytes() == before


def test_messages_name_the_table_and_not_its_copy(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("e.csv").write_text("age\n", encoding="latin-1")
    assert main(["check", "e.csv", "--quasi", "age", "--encoding", "latin-1"]) == 3
    assert "The file e.csv has no rows" in capsys.readouterr().err
    Path("e.csv").write_text(TEXT, encoding="latin-1")
    assert main(["check", "e.csv", "--quasi", "age"]) == 3
    assert "--encoding latin-1" in capsys.readouterr().err


def test_every_option_has_a_panel() -> None:
    import typer

    group = typer.main.get_command(application())
    more = {"help", "config", "save_config", "fingerprint", "grower"}
    commands = {name: group.commands[name] for name in COMMANDS if name != "party"}
    commands |= commands.pop("attack").commands
    for name, command in commands.items():
        options = {p.name for p in command.params if p.param_type_name == "option"}
        assert options - more <= set(_PANEL_OF), name


def test_shells_complete_commands(home: Path) -> None:
    told = {"_PRIVET_COMPLETE": "complete_bash", "COMP_WORDS": "privet pub", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "privet"], env={**os.environ, **told}, capture_output=True, text=True
    )
    assert done.stdout.split() == ["publish"]
