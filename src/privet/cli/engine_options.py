"""Where a table is counted: in memory, on disk, or by a cluster (`--engine`).

What counts there is in `privet.engine`; here are the options, and what `auto` goes by.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from privet.cli.choices import EngineName
from privet.cli.options import option
from privet.errors import PrivetError, UsageError

# What a table takes in memory while a tree grows, measured: about 75 bytes for 12 columns of a row.
_BYTES_PER_CELL = 6
_PACKED = (".gz", ".duckdb", ".ddb")  # they hold about eight times their size


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Where a table is counted."""

    engine: Annotated[
        EngineName,
        option(
            "--engine",
            "ENGINE",
            "Count in memory, by duckdb on disk, by spark on a cluster, or auto: by size.",
        ),
    ] = "memory"
    memory: Annotated[
        str | None,
        option("--memory", "SIZE", "Memory that counting on disk may take, such as 2GB."),
    ] = None
    spark_master: Annotated[
        str | None,
        option("--spark-master", "URL", "The master of the Spark cluster; this machine if none."),
    ] = None

    def must_be_memory(self, what: str) -> None:
        """Refuse what is not yet done on disk."""
        if self.engine != "memory" or self.memory is not None:
            raise UsageError(
                f"{what} is counted in memory only.", "leave --engine and --memory out."
            )

    def refuse_beside(self, given: Mapping[str, Path | None]) -> None:
        """Refuse options that need every row in memory, while a table is counted on disk."""
        from privet.engine.workplace import at_work

        needless = [name for name, value in given.items() if value is not None]
        if needless and at_work() is not None:
            raise UsageError(
                f"{needless[0]} needs every row in memory, and the table is counted on disk.",
                "leave it out, or use --engine memory.",
            )

    def refuse_cluster(self, what: str) -> None:
        """Refuse a cluster for work that asks a database nothing."""
        if self.engine == "spark":
            raise UsageError(
                f"{what} goes through the rows on this machine; a cluster has nothing to count.",
                "use --engine duckdb or --engine auto.",
            )

    @contextmanager
    def counting(self, *tables: Path, follows_rows: bool = False) -> Iterator[None]:
        """Inside, tables are read and counted where the options say; their rows can be followed
        if that is said."""
        from privet.engine import larger_than_memory, on_spark
        from privet.engine.workplace import bytes_of, half_of_memory

        if self.spark_master is not None and self.engine != "spark":
            raise UsageError(
                "--spark-master names the cluster that counts.",
                "add --engine spark, or leave it out.",
            )
        if self.engine == "spark":
            with on_spark(self.spark_master or "local[*]", self.memory) as place:
                place.follows_rows = follows_rows
                yield
            return
        if self.engine == "memory" and self.memory is not None:
            raise UsageError(
                "--memory limits what counting on disk may take.",
                "add --engine duckdb or --engine auto, or leave it out.",
            )
        limit = half_of_memory() if self.memory is None else bytes_of(self.memory)
        if self.engine == "memory" or (
            self.engine == "auto" and sum(map(bytes_needed, tables)) <= limit
        ):
            yield
            return
        with larger_than_memory(limit) as place:
            place.follows_rows = follows_rows
            yield


def bytes_needed(table: Path) -> int:
    """About what a table takes in memory, by its columns and rows, or by the size of its text."""
    from privet.files import column_names
    from privet.files.formats import format_of_file
    from privet.files.parquet import parquet_rows
    from privet.files.several import files_of

    if table.is_dir():
        return _of_release(table)
    needed = 0
    for part in files_of(table):
        packed = 8 if part.suffix.lower() in _PACKED else 1
        if format_of_file(part) == "parquet":
            needed += parquet_rows(part)[0] * len(column_names(part)) * _BYTES_PER_CELL
        else:
            needed += part.stat().st_size * packed
    return needed


def _of_release(folder: Path) -> int:
    """The same of the data of a release; what cannot be read is for `verify` to say."""
    from privet.release.layout import MANIFEST, data_file
    from privet.release.manifest import Manifest

    with suppress(PrivetError, OSError):
        return bytes_needed(data_file(folder, Manifest.read(folder / MANIFEST)))
    return 0
