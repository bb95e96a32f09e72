"""Every way to end has a status that the README names, one sentence, and no traceback."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from privet.cli import main as command
from privet.cli.main import main

FULL = Path("/dev/full")
ROOT = Path(__file__).parents[2]
TABLE = "age,sex,y\n" + "".join(f"{20 + i},{'fm'[i % 2]},{'ab'[i // 20]}\n" for i in range(40))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path / "t.csv"


def privet(*arguments: str, **more) -> subprocess.CompletedProcess[str]:
    asked = [sys.executable, "-m", "privet.cli.main", *arguments]
    return subprocess.run(asked, stderr=subprocess.PIPE, text=True, check=False, **more)


def one_sentence(err: str) -> bool:
    return re.fullmatch(r"Error: [^\n]+\nHint: [^\n]+\n", err) is not None


def test_the_readme_names_every_status() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = {int(found) for found in re.findall(r"^\| (\d+) \| ", text, re.MULTILINE)}
    known = {command._INTERRUPTED, command._BROKEN_PIPE, command._TERMINATED, command._FAULT}
    assert listed == {0, 1, 2, 3} | known


@pytest.mark.skipif(not FULL.exists(), reason="no full device here")
@pytest.mark.parametrize(
    "arguments", [["schema"], ["check", "--quasi", "age"], ["tree", "--target", "y"], ["--help"]]
)
def test_standard_output_is_full(table: Path, arguments: list[str]) -> None:
    named = [] if arguments == ["--help"] else [str(table)]
    with FULL.open("w") as full:
        done = privet(*arguments[:1], *named, *arguments[1:], stdout=full)
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert one_sentence(done.stderr)


def test_standard_output_is_closed(table: Path) -> None:
    asked = f'"{sys.executable}" -m privet.cli.main schema "{table}" >&-'
    done = subprocess.run(["sh", "-c", asked], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="no full device here")
def test_nobody_can_hear_the_error(tmp_path: Path) -> None:
    with FULL.open("w") as full:
        asked = [sys.executable, "-m", "privet.cli.main", "schema", str(tmp_path / "absent.csv")]
        assert subprocess.run(asked, stdout=full, stderr=full, check=False).returncode == 3


def test_memory_runs_out(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_room(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(import_module("privet.proposal"), "propose", no_room)
    assert main(["schema", str(table)]) == 3
    err = capsys.readouterr().err
    assert "Memory ran out during `privet schema`" in err
    assert one_sentence(err)
    monkeypatch.setattr("privet.files.formats.read_csv", no_room)
    assert main(["schema", str(table)]) == 3
    err = capsys.readouterr().err
    assert "Memory ran out while t.csv was read" in err
    assert one_sentence(err)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux bounds memory")
def test_memory_really_runs_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{i},x{i}\n" for i in range(1_500_000)))
    asked = f'ulimit -v 500000; "{sys.executable}" -m privet.cli.main schema "{path}"'
    # one thread: each more reserves memory of its own, and Arrow's abort when they find none
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MALLOC_ARENA_MAX"), "1")
    environment = os.environ | one | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = subprocess.run(
        ["sh", "-c", asked], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 3, done.stderr
    assert "Memory ran out" in done.stderr
    assert one_sentence(done.stderr)


def test_names_of_files_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t\x1b[2J\n.csv").write_text("")
    assert main(["schema", str(tmp_path / "t\x1b[2J\n.csv")]) == 3
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert one_sentence(err)


def test_names_that_are_no_text_are_shown_somehow(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\xfe.csv"
    Path(os.fsdecode(path)).write_text(TABLE)
    done = subprocess.run(
        [sys.executable, "-m", "privet.cli.main", "schema", path, "--out", path + b".toml"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"3 columns" in done.stdout
