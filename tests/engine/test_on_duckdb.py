"""What DuckDB does as a place where tables are counted: it stays inside, and ends when told."""

import os
import signal
import threading
from pathlib import Path

import duckdb
import pytest

from privet.engine import SqlEngine, larger_than_memory
from privet.engine.on_duckdb import OnDuckDB, fenced
from privet.engine.workplace import LEAST_MEMORY
from privet.errors import OutputError, UsageError
from privet.files.frames import table_of


def test_relations_go_with_their_engines(on_duckdb: OnDuckDB) -> None:
    def relations() -> set[str]:
        return set(on_duckdb.ask("SELECT table_name AS t FROM duckdb_tables()")["t"].tolist())

    before = relations()
    engine = SqlEngine.holding(table_of({"a": [1, 1, 2]}), on_duckdb)
    recoded = engine.recode({})
    list(recoded.portions(["a"], 1))
    assert len(relations() - before) == 2
    del engine, recoded
    assert relations() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_question_as_what_it_is(
    on_duckdb: OnDuckDB, number: signal.Signals
) -> None:
    class Told(BaseException):
        pass

    def tell(*_: object) -> None:
        raise Told

    before = signal.signal(number, tell)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), number))
    timer.start()
    try:
        with pytest.raises(Told):
            on_duckdb.ask("SELECT COUNT(*) AS n FROM range(1000000000000) r(i)")
    finally:
        timer.cancel()
        signal.signal(number, before)
    assert on_duckdb.ask("SELECT 1 AS n")["n"].tolist() == [1]


def test_too_little_memory_is_said() -> None:
    """What DuckDB cannot do within its limit is told in our words."""
    with larger_than_memory(LEAST_MEMORY) as place:
        with pytest.raises(UsageError, match="may take 200 MB of memory, too little") as told:
            place.ask("SELECT LEN(LIST(i)) AS n FROM range(60000000) r(i)")
        assert "4GB" in told.value.hint
        assert place.ask("SELECT 1 AS n")["n"].tolist() == [1]


def test_what_duckdb_says_is_not_passed_on(on_duckdb: OnDuckDB) -> None:
    with pytest.raises(OutputError, match=r"could not answer .*\(CatalogException\)") as told:
        on_duckdb.ask("SELECT secret FROM nowhere")
    assert "secret" not in str(told.value)
    with pytest.raises(OutputError, match="disk is full"), fenced(1):
        raise duckdb.IOException("Could not write file: No space left on device")


def test_the_database_reads_and_writes_no_files(on_duckdb: OnDuckDB, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\n1\n")
    for question in (
        f"SELECT * FROM read_csv('{tmp_path / 'other.csv'}')",
        f"COPY (SELECT 1) TO '{tmp_path / 'new.csv'}'",
        "SET enable_external_access = true",
    ):
        with pytest.raises(OutputError, match="could not answer"):
            on_duckdb.do(question)
    assert [path.name for path in tmp_path.iterdir()] == ["other.csv"]
