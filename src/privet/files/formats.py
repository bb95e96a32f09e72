"""The formats of tables: which one a file is of, and who reads and writes it.

What callers use is in `privet.files` itself; each format has a module of its own next door.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.documents import opened
from privet.errors import InputError, OutputError
from privet.files.csv import csv_names, read_csv, write_csv
from privet.files.parquet import parquet_names, read_parquet, write_parquet
from privet.files.several import database_in
from privet.schema import Kind
from privet.table import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_SUFFIXES = {
    "text": (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz"),
    "parquet": (".parquet", ".pq"),
    "arff": (".arff", ".arff.gz"),
    "statistics": (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt"),
    "excel": (".xlsx", ".xlsm"),
}
WRITABLE = (
    *(suffix for name in ("text", "parquet", "arff") for suffix in _SUFFIXES[name]),
    *(".sav", ".zsav", ".dta", ".xlsx"),
)
_MAGIC = b"PAR1"
_READ = f"Privet reads {', '.join(suffix for some in _SUFFIXES.values() for suffix in some)}."
_WRITTEN = f"Privet writes {', '.join(WRITABLE)}."


def names_a_table(path: Path) -> bool:
    """Whether a name ends like a table that can be written."""
    return path.name.lower().endswith(WRITABLE)


def refuse_format(path: Path) -> None:
    """Refuse, before any work, a name that names no format to write."""
    if not names_a_table(path):
        raise OutputError(f"The name {path.name} names no format to write.", _WRITTEN)


def read_as(
    parts: Sequence[Path],
    form: str,
    kinds: Mapping[str, Kind],
    missing: Sequence[str],
    columns: Sequence[str] | None,
    progress: Callable[[float], None] | None,
    exact: bool,
    most_rows: int | None,
    mixed: bool,
) -> Table:
    path, *more = parts
    match form:
        case "parquet":
            return read_parquet(
                path, kinds, missing, columns, progress, most_rows=most_rows, more=more
            )
        case "arff":
            from privet.files.arff import read_arff

            return read_arff(path, kinds, missing, columns, progress, most_rows=most_rows)
        case "database":
            from privet.files.databases import read_database

            return read_database(path, kinds, missing, columns, progress, most_rows=most_rows)
        case "statistics":
            from privet.files.stat_packages import read_statistics

            return read_statistics(path, kinds, missing, columns)
        case "excel":
            from privet.files.excel import read_excel

            return read_excel(path, kinds, missing, columns, mixed=mixed)
    return read_csv(
        path,
        kinds,
        missing,
        columns,
        progress,
        exact=exact,
        most_rows=most_rows,
        mixed=mixed,
        more=more,
    )


def write_as(
    table: Table,
    path: Path,
    form: str | None,
    counts: "npt.NDArray[np.integer[Any]] | None",
    maskings: Sequence[str],
) -> None:
    match form:
        case "parquet":
            write_parquet(table, path, counts, maskings)
        case "arff":
            from privet.files.arff_write import write_arff

            write_arff(table, path, counts)
        case "statistics":
            from privet.files.stat_packages_write import write_statistics

            write_statistics(table, path, path.suffix.lower(), counts)
        case "excel":
            from privet.files.excel_write import write_excel

            write_excel(table, path, counts)
        case _:
            write_csv(table, path, counts, delimiter_of(path))


def delimiter_of(path: Path) -> str:
    """What stands between the cells of a text file that is written under a name."""
    return "," if ".csv" in path.name.lower() else "\t"


def names_as(path: Path, form: str) -> list[str]:
    match form:
        case "parquet":
            return parquet_names(path)
        case "arff":
            from privet.files.arff import arff_names

            return arff_names(path)
        case "database":
            from privet.files.databases import database_names

            return database_names(path)
        case "statistics":
            from privet.files.stat_packages import statistics_names

            return statistics_names(path)
        case "excel":
            from privet.files.excel import excel_names

            return excel_names(path)
    return csv_names(path)


def format_of_name(name: str) -> str | None:
    for form, suffixes in _SUFFIXES.items():
        if name.lower().endswith(suffixes):
            return form
    return None


def format_of_file(path: Path) -> str:
    """The format of a file; refuses what is no readable file or no known format."""
    if database_in(path) is not None:
        return "database"
    with opened(path) as file:
        magic = file.read(4)
    if not magic:
        raise InputError(
            f"The file {path.name} is empty.", "a table needs a header line and at least one row."
        )
    form = "parquet" if magic == _MAGIC else format_of_name(path.name)
    if form is None:
        raise InputError(f"The file {path.name} is of no format that Privet knows.", _READ)
    return form
