"""`--engine` and `--memory` from outside: the same answers, and what is refused."""

from pathlib import Path

import pytest

import privet.engine
from privet.cli import engine_options
from privet.cli.main import main
from privet.datasets import hospital
from privet.files import write_table

CHECK = ["--quasi", "sex,postcode", "--sensitive", "diagnosis,stay_days", "-k", "2", "-t", "0.5"]
TREE = ["--target", "readmitted", "--drop", "patient_id", "--leaves", "5"]
NUMBERS = ["--target", "stay_days", "--drop", "patient_id", "--leaves", "4", "--rules"]


@pytest.fixture(scope="module", params=["csv", "parquet", "arff", "xlsx"])
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("table") / f"patients.{request.param}"
    write_table(hospital(300), path)
    return str(path)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(list(words))
    return status, capsys.readouterr().out


@pytest.mark.parametrize("options", [CHECK, [*CHECK, "--json"]], ids=["words", "json"])
def test_check_says_the_same(
    table: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    there = said(capsys, "check", table, *options)
    assert there[0] == 1
    assert said(capsys, "check", table, *options, "--engine", "duckdb") == there
    limited = [*options, "--engine", "duckdb", "--memory", "300MB"]
    assert said(capsys, "check", table, *limited) == there


@pytest.mark.parametrize("options", [TREE, [*TREE, "--json"], NUMBERS], ids=["words", "json", "r"])
def test_tree_says_the_same(
    table: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    there = said(capsys, "tree", table, *options)
    assert there[0] == 0
    assert said(capsys, "tree", table, *options, "--engine", "duckdb") == there


SUBSTITUTE = ["substitute", "--domain-from-data"]


@pytest.mark.parametrize(
    ("command", "out"),
    [(SUBSTITUTE, "release"), (SUBSTITUTE, "table.csv"), (["noise"], "release")],
    ids=["substitute", "a table", "noise"],
)
def test_what_is_drawn_is_written_and_said_the_same(
    table: str, command: list[str], out: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A release, or a table with its mechanism."""
    roles = ["--target", "readmitted", "--identifier", "patient_id", "--seed", "1", "--json"]
    folders = [tmp_path / engine for engine in ("memory", "duckdb")]
    for folder in folders:
        folder.mkdir()
        words = [*command, table, *roles, "--out", str(folder / out), "--engine", folder.name]
        status, answer = said(capsys, *words)
        assert status == 0
        (folder / "said").write_text(answer.replace(str(folder), ""), encoding="utf-8")
    files = [path.relative_to(folders[0]) for path in folders[0].rglob("*") if path.is_file()]
    assert len(files) >= 3
    for file in files:
        assert (folders[0] / file).read_bytes() == (folders[1] / file).read_bytes(), file


def test_auto_goes_by_size(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    usual = privet.engine.larger_than_memory
    monkeypatch.setattr(
        privet.engine, "larger_than_memory", lambda limit: made.append(limit) or usual(limit)
    )
    there = said(capsys, "check", table, *CHECK)
    auto = ["check", table, *CHECK, "--engine", "auto", "--memory", "300MB"]
    assert said(capsys, *auto) == there
    assert made == []
    monkeypatch.setattr(engine_options, "bytes_needed", lambda _: 300_000_001)
    assert said(capsys, *auto) == there
    assert made == [300_000_000]


def test_what_a_table_needs_is_about_its_cells(table: str) -> None:
    cells = 300 * 10
    assert cells <= engine_options.bytes_needed(Path(table)) <= 30 * cells


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--memory", "2GB"], "--memory limits what counting on disk may take."),
        (["--engine", "duckdb", "--memory", "much"], "--memory must be a size such as 2GB"),
        (["--engine", "duckdb", "--memory", "1KB"], "--memory must be at least 200 MB"),
        (["--engine", "abacus"], "abacus"),
        (["--spark-master", "local[1]"], "--spark-master names the cluster that counts."),
        (["--engine", "duckdb", "--spark-master", "local[1]"], "--spark-master names the cluster"),
    ],
)
def test_what_is_refused(
    table: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", table, *CHECK, *options]) == 2
    assert message in capsys.readouterr().err


def test_a_tree_that_needs_rows_is_refused(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    pruned = ["tree", table, *TREE, "--prune", "cost-complexity", "--engine", "duckdb"]
    assert main(pruned) == 2
    assert "every row in memory" in capsys.readouterr().err
    originals = ["tree", table, *TREE, "--way", "global", "--engine", "duckdb"]
    assert main(originals) == 2
    assert "counted in memory only" in capsys.readouterr().err
