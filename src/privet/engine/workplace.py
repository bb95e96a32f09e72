"""Where tables lie that are counted by a database: what every such place can do.

Inside a place readers put their codes on disk (`privet.files.on_disk`), and engines count there
(`sql`). `on_duckdb` is a place on this machine, `on_spark` one on a cluster; both hear the same
SQL, and each is the only module that knows its database.
"""

import os
import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from itertools import count
from pathlib import Path
from typing import Any

import numpy.typing as npt

from privet.errors import InvalidParameter

LEAST_MEMORY = 200_000_000  # bytes, with which a database can sort and group at all
_UNTOLD = 8 * 10**9  # the memory of a machine that does not tell
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}

Arrays = Mapping[str, npt.NDArray[Any]]


class Workplace(ABC):
    """A database that holds relations of codes and answers questions about them."""

    row_number: str  # how a row's place, from 0 on, is called in relations made in order
    stacks = False  # whether columns are counted side by side as rows one below the other

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._numbers = count()
        self._forgotten: deque[str] = deque()  # tables that nobody will ask for again
        self._worker = ThreadPoolExecutor(1)
        self.rows_fetched = 0  # rows of answers that came back, for those who want to know
        self.follows_rows = False  # whether rows keep their numbers, for audits and ledgers
        self.progress: Callable[[str], None] | None = None  # hears what is done
        self._questions, self._stage = 0, ""

    def new_name(self) -> str:
        """A name that no table has."""
        return f"t{next(self._numbers)}"

    def do(self, statement: str, **given: Arrays) -> None:
        """Carry a statement out; `given` are small tables that it names."""
        self._run(lambda: self._carry_out(statement), given)

    def ask(self, question: str, **given: Arrays) -> dict[str, npt.NDArray[Any]]:
        """The answer to a question, a column at a time; no cell of it is NULL."""
        answer: dict[str, npt.NDArray[Any]] = self._run(lambda: self._fetch(question), given)
        self.rows_fetched += len(next(iter(answer.values())))
        return answer

    @abstractmethod
    def create_in_order(self, relation: str, question: str, by: str) -> None:
        """A relation of the answer to a question, whose rows have numbers along an order."""

    @abstractmethod
    def list_sql(self, value: str, by: str) -> str:
        """The values of a group as a list along an order."""

    @abstractmethod
    def fold_sql(self, listed: str, start: int, step: str) -> str:
        """What becomes of a small number `a` that takes a step with each number `x` of a list."""

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
        """Give everything back."""
        self._worker.shutdown()

    def _run(self, work: Callable[[], Any], given: Mapping[str, Arrays]) -> Any:
        """Have work done with small tables. It is done in another thread: inside a database a
        signal would end the work, and nobody would know which signal it was."""
        from concurrent.futures import wait

        self._questions += 1
        self.tell(self._stage)
        with self._fenced():
            while self._forgotten:
                self._carry_out(f"DROP TABLE IF EXISTS {self._forgotten.popleft()}")
            with self._with(given):
                doing = self._worker.submit(work)
                try:
                    return doing.result()
                except BaseException:
                    while not doing.done():  # what has not begun yet cannot be ended yet
                        self._interrupt()
                        wait([doing], timeout=0.2)
                    raise

    @abstractmethod
    def _carry_out(self, statement: str) -> None: ...

    @abstractmethod
    def _fetch(self, question: str) -> dict[str, npt.NDArray[Any]]: ...

    @abstractmethod
    def _with(self, given: Mapping[str, Arrays]) -> AbstractContextManager[None]:
        """Inside, small tables can be named."""

    @abstractmethod
    def _interrupt(self) -> None:
        """End the work that the other thread does; nothing if it does none."""

    @abstractmethod
    def _fenced(self) -> AbstractContextManager[None]:
        """What the database raises inside, in our words: its own may hold anything."""


_AT_WORK: ContextVar[Workplace | None] = ContextVar("workplace", default=None)


def at_work() -> Workplace | None:
    """Where tables are counted by a database; None if they are counted in memory."""
    return _AT_WORK.get()


@contextmanager
def working_at(make: Callable[[Path], Workplace]) -> Iterator[Workplace]:
    """Inside, tables are read to a folder that passes, and counted at a place that is made there.
    The folder is readable by its owner alone and goes when the block ends."""
    from privet.files.disk import passing_folder
    from privet.files.on_disk import codes_on_disk

    with passing_folder("counting") as folder, codes_on_disk(folder):
        place = make(folder)
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
