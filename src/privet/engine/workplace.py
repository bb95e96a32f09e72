"""Where tables lie that are larger than memory: a folder, and a DuckDB database in it.

Inside `larger_than_memory` readers put their codes on disk (`privet.files.on_disk`), and engines
count there (`sql`). The folder is readable by its owner alone and goes when the block ends. This is
the only module that knows DuckDB; the questions are asked in `sql`.
"""

import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import InvalidParameter, MissingExtra, OutputError, UsageError, param

LEAST_MEMORY = 200_000_000  # bytes, with which DuckDB can sort and group at all
_UNTOLD = 8 * 10**9  # the memory of a machine that does not tell
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}

Arrays = Mapping[str, npt.NDArray[Any]]


class Workplace:
    """A database on disk, which asks no more of memory than it may."""

    def __init__(self, folder: Path, memory: int) -> None:
        self.memory = memory
        self._folder = folder
        self._numbers = count()
        self._forgotten: deque[str] = deque()  # tables that nobody will ask for again
        self._worker = ThreadPoolExecutor(1)
        self.rows_fetched = 0  # rows of answers that came back, for those who want to know
        self.progress: Callable[[str], None] | None = None  # hears what is done
        self._questions, self._stage = 0, ""

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

    def new_name(self) -> str:
        """A name that no table has."""
        return f"t{next(self._numbers)}"

    def do(self, statement: str, **given: Arrays) -> None:
        """Carry a statement out; `given` are small tables that it names."""
        self._run(lambda connection: connection.execute(statement), given)

    def ask(self, question: str, **given: Arrays) -> dict[str, npt.NDArray[Any]]:
        """The answer to a question, a column at a time; no cell of it is NULL."""
        answer: dict[str, npt.NDArray[Any]] = self._run(
            lambda connection: connection.execute(question).fetchnumpy(), given
        )
        self.rows_fetched += len(next(iter(answer.values())))
        return answer

    def tell(self, stage: str = "") -> None:
        """Say how far a long stage is to whoever wants to hear it; nothing ends the stage. Outside
        of stages the questions are counted."""
        self._stage = stage
        if self.progress is not None:
            self.progress(stage or f"question {self._questions:,}")

    def forget(self, table: str) -> None:
        """Have a table dropped before the next question; this may be called at any moment."""
        self._forgotten.append(table)

    def close(self) -> None:
        self._worker.shutdown()
        connection = self.__dict__.pop("_connection", None)
        if connection is not None:
            connection.close()

    def _run(self, work: Callable[[Any], Any], given: Mapping[str, Arrays]) -> Any:
        """Have work done with small tables. It is done in another thread: inside DuckDB a signal
        would end the work, and nobody would know which signal it was."""
        connection = self._connection
        self._questions += 1
        self.tell(self._stage)
        with fenced(self.memory):
            while self._forgotten:
                connection.execute(f"DROP TABLE IF EXISTS {self._forgotten.popleft()}")
            with self._with(given):
                doing = self._worker.submit(work, connection)
                try:
                    return doing.result()
                except BaseException:
                    connection.interrupt()
                    wait([doing])
                    raise

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


_AT_WORK: ContextVar[Workplace | None] = ContextVar("workplace", default=None)


def at_work() -> Workplace | None:
    """Where tables are counted on disk; None if they are counted in memory."""
    return _AT_WORK.get()


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
    from privet.files.disk import passing_folder
    from privet.files.on_disk import codes_on_disk

    limit = half_of_memory() if memory is None else bytes_of(memory)
    _duckdb()
    with passing_folder("counting") as folder, codes_on_disk(folder):
        place = Workplace(folder, limit)
        token = _AT_WORK.set(place)
        try:
            yield place
        finally:
            _AT_WORK.reset(token)
            place.close()


def bytes_of(size: int | str) -> int:
    """A size in bytes, such as "2GB"."""
    found = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([KMGT]B)\s*", str(size).upper())
    if found is None and not isinstance(size, int):
        raise InvalidParameter("memory", "a size such as 2GB or 500MB", size)
    value = int(size) if found is None else round(float(found[1]) * _UNITS[found[2]])
    if value < LEAST_MEMORY:
        least = f"at least {LEAST_MEMORY // 10**6} MB"
        raise InvalidParameter("memory", least, size, "less is too little to sort and group in.")
    return value


def half_of_memory() -> int:
    """Half of what the machine has: what counting on disk may take where nothing is said."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system tells
        whole = _UNTOLD
    return max(LEAST_MEMORY, whole // 2)


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
