"""Tables that outgrow one machine: a Spark session, and a database of its catalogue.

The questions of `sql` are in DuckDB's words; the few that Spark has other words for are put into
its own here. Spark gets codes only, never a value of a cell. `workplace` says what such a place
does, `spark_session` starts Spark where the caller has not.
"""

import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privet.engine.spark_tables import SparkTables
from privet.engine.workplace import Arrays, Workplace, bytes_of, working_at
from privet.errors import InvalidParameter, OutputError, PrivetError, UsageError, param

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Spark has no unsigned numbers: each type is the next larger one with a sign.
_WORDS = {
    "UTINYINT": "SMALLINT",
    "USMALLINT": "INT",
    "UINTEGER": "BIGINT",
    "HUGEINT": "DECIMAL(38, 0)",
    "//": "DIV",
}
_ANY_WORD = re.compile(r"\b(?:UTINYINT|USMALLINT|UINTEGER|HUGEINT)\b|//")
_SORTED = re.compile(r"(.*) ORDER BY ([\w, ]+)", re.DOTALL)  # a whole question
ROWS_SENT = 1 << 17  # at once
_SIGNED = {"uint8": np.int16, "uint16": np.int32, "uint32": np.int64, "uint64": np.int64}


class OnSpark(Workplace):
    """A database of a Spark session, which goes when the work is done."""

    row_number = "at_row"
    stacks = True

    def __init__(self, session: "SparkSession", folder: Path | None, stops: bool) -> None:
        """`folder`: where relations lie; the session's own place if None. `stops`: whether the
        session ends with the work."""
        super().__init__()
        self.session = session
        self._folder = folder
        self._stops = stops
        import secrets

        self._tag = f"privet_{secrets.token_hex(8)}"  # of the database, and of the work in it
        # Tags of a session do not reach the jobs that fetch an answer; groups do.
        context = session.sparkContext
        self._worker.submit(context.setJobGroup, self._tag, "privet", True).result()
        at = "" if folder is None else f" LOCATION '{(folder / 'relations').as_uri()}'"
        with fenced():
            self.session.sql(f"CREATE DATABASE {self._tag}{at}")

    def new_name(self) -> str:
        return f"{self._tag}.{super().new_name()}"

    def create_in_order(self, relation: str, question: str, by: str) -> None:
        """Sorted, each partition comes after the one before it. So a row's number is its place in
        its partition, after all rows of the partitions before: no machine sees all rows."""
        dealt = self.new_name()
        self.do(
            f"CREATE TABLE {dealt} AS "
            f"SELECT *, spark_partition_id() AS piece FROM ({question} ORDER BY {by})"
        )
        rows = self.ask(f"SELECT piece, COUNT(*) AS n FROM {dealt} GROUP BY 1 ORDER BY 1")
        before: Arrays = {"own": rows["piece"], "before": np.cumsum(rows["n"]) - rows["n"]}
        self.do(
            f"CREATE TABLE {relation} AS SELECT dealt.*, "
            f"before - 1 + ROW_NUMBER() OVER (PARTITION BY piece ORDER BY {by}) AS at_row "
            f"FROM {dealt} AS dealt JOIN pieces ON pieces.own = dealt.piece",
            pieces=before,
        )
        self.forget(dealt)

    def list_sql(self, value: str, by: str) -> str:
        pairs = f"ARRAY_SORT(COLLECT_LIST(STRUCT({by} AS place, {value} AS own)))"
        return f"TRANSFORM({pairs}, pair -> pair.own)"

    def fold_sql(self, listed: str, start: int, step: str) -> str:
        return f"AGGREGATE({listed}, {start}, (a, x) -> CAST({step} AS INT))"

    def carry_out(self, work: Callable[[], Any]) -> None:
        """Have Spark do something that is no question, as all its work is done: it can be ended,
        and what Spark raises is told in our words."""
        self._run(work, {})

    def close(self) -> None:
        super().close()
        with suppress(PrivetError), fenced():
            self.session.sql(f"DROP DATABASE IF EXISTS {self._tag} CASCADE")
        if self._stops:
            with suppress(PrivetError), fenced():
                self.session.stop()

    def _carry_out(self, statement: str) -> None:
        self.session.sql(in_sparks_words(statement))

    def _fetch(self, question: str) -> dict[str, npt.NDArray[Any]]:
        unsorted, by = without_order(question)
        answer = self.session.sql(in_sparks_words(unsorted)).toArrow()
        found = {name: answer.column(name).to_numpy() for name in answer.column_names}
        if not by:
            return found
        keys = [found[answer.column_names[int(k) - 1] if k.isdigit() else k] for k in by]
        order = np.lexsort(keys[::-1])
        return {name: column[order] for name, column in found.items()}

    @contextmanager
    def _with(self, given: Mapping[str, Arrays]) -> Iterator[None]:
        files = [self._worker.submit(self._give, n, arrays).result() for n, arrays in given.items()]
        try:
            yield
        finally:
            for name in given:
                self.session.catalog.dropTempView(name)
            for file in files:
                if file is not None:
                    file.unlink()

    def _give(self, name: str, arrays: Arrays) -> Path | None:
        """Let a table be named; the file where it lies, if it does. Whatever is sent with a
        question is held by Spark's driver several times over, so large tables go other ways."""
        import pyarrow as pa
        from pyarrow.parquet import write_table

        columns = {n: a.astype(_SIGNED.get(a.dtype.name, a.dtype)) for n, a in arrays.items()}
        whole = pa.table(columns)
        if whole.num_rows <= ROWS_SENT:
            self._sent(whole).createOrReplaceTempView(name)
        elif self._folder is not None:
            file = self._folder / f"{super().new_name()}.parquet"
            write_table(whole, file, row_group_size=ROWS_SENT)
            self.session.read.parquet(file.as_uri()).createOrReplaceTempView(name)
            return file
        else:
            self._stored(whole).createOrReplaceTempView(name)
        return None

    def _sent(self, table: Any) -> Any:
        with warnings.catch_warnings():  # Spark warns of versions of pandas, which is not used
            warnings.simplefilter("ignore")
            return self.session.createDataFrame(table)

    def _stored(self, table: Any) -> Any:
        """Some rows at a time, where a session of somebody else's keeps its tables."""
        name = self.new_name()
        for start in range(0, table.num_rows, ROWS_SENT):
            part = self._sent(table.slice(start, ROWS_SENT))
            part.write.mode("append").saveAsTable(name)
        self.forget(name)
        return self.session.table(name)

    def _interrupt(self) -> None:
        with suppress(PrivetError), fenced():
            self.session.sparkContext.cancelJobGroup(self._tag)

    def _fenced(self) -> Any:
        return fenced()


def in_sparks_words(question: str) -> str:
    """A question of `sql` as Spark understands it."""
    return _ANY_WORD.sub(lambda found: _WORDS[found[0]], question)


def without_order(question: str) -> tuple[str, list[str]]:
    """A question without the order of its answer, and by what it is sorted. To sort rows Spark
    looks at them twice and sends them round; an answer comes here anyway."""
    found = _SORTED.fullmatch(question)
    return (found[1], found[2].split(", ")) if found else (question, [])


@contextmanager
def on_spark(
    cluster: "str | SparkSession" = "local[*]", memory: int | str | None = None
) -> Iterator[Workplace]:
    """Inside, tables are counted by Spark: for those that outgrow one machine.

    `cluster` is a Spark session, or the master of a cluster, such as "spark://host:7077". Without
    it Spark runs on this machine alone; then DuckDB (`larger_than_memory`) is faster. `memory` is
    what each of Spark's processes may take, such as "2GB". The answers are the same as in memory.

    >>> people = {"age": [30, 30, 30, 60, 60, 60], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> with privet.on_spark("local[2]"):
    ...     privet.check(people, quasi=["age"]).k
    3
    """
    limit = None if memory is None else bytes_of(memory)
    if not isinstance(cluster, str):
        if memory is not None:
            raise InvalidParameter("memory", "left out", memory, "the session has its own limits.")
        with _working(lambda folder: OnSpark(cluster, None, stops=False)) as place:
            yield place
        return
    from privet.engine.spark_session import started

    with _working(lambda folder: OnSpark(started(cluster, limit, folder), folder, True)) as place:
        yield place


@contextmanager
def _working(make: Callable[[Path], OnSpark]) -> Iterator[OnSpark]:
    """Inside, tables are counted by Spark, and those that it has can be named."""
    from privet.files.disk import passing_folder
    from privet.files.several import handed_over

    with passing_folder("handed-over") as folder, working_at(make) as place:
        assert isinstance(place, OnSpark)
        with handed_over(SparkTables(place, folder).hand_over):
            yield place


@contextmanager
def fenced() -> Iterator[None]:
    """What Spark raises, in our words: its own may hold anything."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from privet.files.on_disk import FULL, no_room

    try:
        yield
    except (PySparkException, Py4JError, OSError) as error:
        if isinstance(error, OSError) and error.errno in FULL:  # what is sent passes by a file
            raise no_room() from None
        if isinstance(error, OSError) and not isinstance(error, ConnectionError):
            raise
        if os.environ.get("PRIVET_DEBUG") == "1":
            raise
        said = str(error)
        if "No space left on device" in said:
            raise no_room() from None
        if "OutOfMemoryError" in said:
            raise UsageError(
                "Spark has too little memory for this table.",
                f"allow its processes more, such as {param('memory', '4GB')}.",
            ) from None
        raise OutputError(
            f"Spark could not answer a question about the table ({_kind(error)}).",
            "see whether the cluster and its disks are well, or count the table without Spark.",
        ) from None


def _kind(error: Exception) -> str:
    """What kind of error it is: the name that Spark has for it, which holds no value."""
    named = getattr(error, "getCondition", lambda: None)()
    return str(named or type(error).__name__)
