"""Tables that are larger than memory: a folder on this machine, and a DuckDB database in it.

`workplace` says what such a place does; the questions are asked in `sql`.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine.workplace import Arrays, Workplace, bytes_of, half_of_memory, working_at
from privet.errors import MissingExtra, OutputError, UsageError, param


class OnDuckDB(Workplace):
    """A database on disk, which asks no more of memory than it may."""

    row_number = "rowid"

    def __init__(self, folder: Path, memory: int) -> None:
        super().__init__()
        self.memory = memory
        self._folder = folder

    @cached_property
    def _connection(self) -> Any:
        duckdb = _duckdb()
        connection = duckdb.connect(
            str(self._folder / "counting.db"),
            config={
                "memory_limit": f"{self.memory}B",
                "threads": _cores(),
                "temp_directory": str(self._folder / "spilled"),
            },
        )
        # The questions name tables of codes only: neither files nor the network are needed.
        for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
            connection.execute(f"SET {setting} = false")
        connection.execute("SET python_enable_replacements = false")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        return connection

    def create_in_order(self, relation: str, question: str, by: str) -> None:
        self.do(f"CREATE TABLE {relation} AS {question} ORDER BY {by}")

    def list_sql(self, value: str, by: str) -> str:
        return f"LIST({value} ORDER BY {by})"

    def fold_sql(self, listed: str, start: int, step: str) -> str:
        return f"LIST_REDUCE({listed}, LAMBDA a, x: {step}, {start})"

    def close(self) -> None:
        super().close()
        connection = self.__dict__.pop("_connection", None)
        if connection is not None:
            connection.close()

    def _carry_out(self, statement: str) -> None:
        self._connection.execute(statement)

    def _fetch(self, question: str) -> dict[str, npt.NDArray[Any]]:
        answer: dict[str, npt.NDArray[Any]] = self._connection.execute(question).fetchnumpy()
        return answer

    def _interrupt(self) -> None:
        self._connection.interrupt()

    def _fenced(self) -> AbstractContextManager[None]:
        return fenced(self.memory)

    @contextmanager
    def _with(self, given: Mapping[str, Arrays]) -> Iterator[None]:
        for name, arrays in given.items():
            columns = {n: np.ascontiguousarray(array) for n, array in arrays.items()}
            self._connection.register(name, columns)
        try:
            yield
        finally:
            for name in given:
                self._connection.unregister(name)


@contextmanager
def larger_than_memory(memory: int | str | None = None) -> Iterator[Workplace]:
    """Inside, tables are read to disk and counted there, by DuckDB.

    `memory` is what DuckDB may take of it, such as "2GB"; half of the machine's if it is not
    given. The answers are the same as in memory.

    >>> people = {"age": [30, 30, 30, 60, 60, 60], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> with privet.larger_than_memory("1GB"):
    ...     privet.check(people, quasi=["age"]).k
    3
    """
    limit = half_of_memory() if memory is None else bytes_of(memory)
    _duckdb()
    with working_at(lambda folder: OnDuckDB(folder, limit)) as place:
        yield place


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("Counting on disk needs", "DuckDB", "duckdb") from None
    return duckdb


@contextmanager
def fenced(memory: int) -> Iterator[None]:
    """What DuckDB raises, in our words: its own may hold anything."""
    from privet.files.on_disk import no_room

    duckdb = _duckdb()
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        if "space" in str(error) and "left" in str(error):
            raise no_room() from None
        raise UsageError(
            f"DuckDB may take {memory // 10**6:,} MB of memory, too little for this table.",
            f"allow it more, such as {param('memory', '4GB')}, or take fewer columns.",
        ) from None
    except duckdb.IOException:
        raise no_room() from None
    except duckdb.Error as error:
        if os.environ.get("PRIVET_DEBUG") == "1":
            raise
        kind = type(error).__name__
        raise OutputError(
            f"DuckDB could not answer a question about the table ({kind}).",
            "count the table in memory instead.",
        ) from None
