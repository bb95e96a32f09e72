"""Files that are no tables: one sentence, a hint, the right exit status, no traceback."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.cli.main import main

CELL = "zq-secret-cell"


def parquet(folder: Path, columns: dict[str, object]) -> bytes:
    pq.write_table(pa.table(columns), folder / "made.parquet")
    return (folder / "made.parquet").read_bytes()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def assert_refused(status: int, out: str, err: str, expected: int) -> None:
    assert status == expected
    assert out == ""
    assert err.startswith("Error: ")
    assert "\nHint: " in err
    assert len(err.strip().splitlines()) == 2
    assert "Traceback" not in err
    assert CELL not in err


BIG = gzip.compress(os.urandom(300_000).hex().encode())
TEXTS: dict[str, bytes] = {
    "empty.csv": b"",
    "blank.csv": b"\n \n",
    "header.csv": b"a,b\n",
    "header-no-newline.csv": b"a,b",
    "duplicate.csv": b"a,a\n1,2\n",
    "all-missing.csv": b"a,b\n,NA\nnull,\n",
    "latin.csv": f"a,b\n{CELL},\xe9\xe8\n".encode("latin-1"),
    "latin-late.csv": b"a,b\n" + b"x,y\n" * 400_000 + f"{CELL},\xe9\n".encode("latin-1"),
    "utf16.csv": "a,b\n1,2\n".encode("utf-16"),
    "ragged.csv": f"a,b\n1,{CELL}\n1,2,{CELL}\n".encode(),
    "short.csv": f"a,b,c\n1,{CELL}\n".encode(),
    "open-quote.csv": f'a,b\n1,"{CELL}\n2,3\n'.encode(),
    "open-header.csv": f'a,"b\n1,{CELL}\n'.encode(),
    "junk.csv": bytes(range(256)) * 50,
    "infinite.csv": b"a,b\n1,x\ninf,y\n",
    "truncated.csv.gz": gzip.compress(b"a,b\n" + os.urandom(50_000).hex().encode() + b",1\n")[
        :-900
    ],
    "truncated-early.csv.gz": gzip.compress(b"a,b\n1,2\n")[:9],
    "damaged.csv.gz": BIG[:2000] + b"\0" * 50 + BIG[2050:],
    "not.gz.csv.gz": b"\x1f\x8bnothing",
    "not-parquet.parquet": f"a,b\n1,{CELL}\n".encode(),
    "table.xlsx": b"PK\x03\x04" + b"\0" * 100,
    "noname": b"a,b\n1,2\n",
    "empty.parquet": b"",
    "magic.parquet": b"PAR1PAR1",
}


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = tmp_path / name
    path.write_bytes(TEXTS[name])
    status, out, err = run(capsys, "schema", str(path), "--out", str(tmp_path / "s.toml"))
    assert_refused(status, out, err, 3)
    if name != "infinite.csv":
        assert name in err
    assert not (tmp_path / "s.toml").exists()


@pytest.mark.parametrize(
    "columns",
    [
        {"a": pa.array([], pa.int64())},
        {"a": [None, None]},
        {"a": [[1], [2]]},
        {"a": [{"x": 1}]},
        {"a": [b"zq"]},
        {"a": [float("inf")]},
        {"a": pa.array([2**64 - 1], pa.uint64())},
    ],
)
def test_hostile_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str], columns) -> None:
    parquet(tmp_path, columns)
    assert_refused(*run(capsys, "schema", str(tmp_path / "made.parquet")), 3)


def test_truncated_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = parquet(tmp_path, {"a": list(range(1000)), "b": [CELL] * 1000})
    path = tmp_path / "cut.parquet"
    middle = len(whole) // 2
    damaged = whole[:4] + b"\xff" * 200 + whole[204:]
    for content in (whole[:-1], whole[:middle], whole[:8], damaged):
        path.write_bytes(content)
        assert_refused(*run(capsys, "schema", str(path)), 3)


def test_numbers_among_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only `schema` reads such a column: it is there to say what to do about it."""
    path = tmp_path / "mixed.csv"
    path.write_text(f"a,b\n1,x\n{CELL},y\n1,x\n")
    assert_refused(*run(capsys, "check", str(path), "--quasi", "a"), 3)
    status, out, _ = run(capsys, "schema", str(path))
    assert status == 0
    assert "mixes numbers and words: 1 of 2 different values are numbers" in out
    assert CELL not in out


def test_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(*run(capsys, "schema", str(tmp_path / "absent.csv")), 3)
    assert_refused(*run(capsys, "schema", str(tmp_path)), 3)
    assert_refused(*run(capsys, "schema", ""), 3)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "locked.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    assert_refused(*run(capsys, "schema", str(path)), 3)


def test_one_column_and_many_categories_are_fine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("only\nx\ny\n")
    assert run(capsys, "schema", str(path))[0] == 0
    path.write_text("many\n" + "".join(f"c{i}\n" for i in range(100_000)))
    assert run(capsys, "schema", str(path))[0] == 0


@pytest.mark.parametrize(
    "arguments", [["frobnicate"], ["schema"], ["schema", "a", "b"], ["schema", "t.csv", "--nope"]]
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert_refused(*run(capsys, *arguments), 2)


def test_a_fault_of_ours_shows_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(CELL)

    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    monkeypatch.delenv("PRIVET_DEBUG", raising=False)
    monkeypatch.setattr("privet.proposal.propose", broken)
    assert_refused(*run(capsys, "schema", str(path)), 70)
    monkeypatch.setenv("PRIVET_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["schema", str(path)])


def test_interruption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    monkeypatch.setattr("privet.proposal.propose", stopped)
    assert run(capsys, "schema", str(path))[0] == 130


def privet(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "privet", *arguments], capture_output=True, text=True, check=False
    )


def test_as_a_program(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS["ragged.csv"])
    ran = privet("schema", str(path))
    assert_refused(ran.returncode, ran.stdout, ran.stderr, 3)
    assert "row 3 has 3" in ran.stderr
    assert privet("--version").stdout.startswith("privet ")
    for arguments in (["--help"], []):
        shown = privet(*arguments)
        assert shown.returncode == 0
        assert "Example: privet" in shown.stdout


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"column{i}" for i in range(3_000)) + "\n" + "1," * 2_999 + "1\n")
    program = [sys.executable, "-m", "privet", "schema", str(path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
        ran.stdout.readline()
        ran.stdout.close()
        assert ran.stderr.read() == b""


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from privet.cli.main import main; main(['--help']); "
        "print(sorted({'numpy', 'pyarrow', 'pandas', 'numba', 'matplotlib'} & set(sys.modules)))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert shown.endswith("[]\n")
