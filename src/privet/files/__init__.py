"""Files and frames: how a table comes in and goes out.

`csv` and `parquet` read and write files, and so do `arff` (WEKA), `stat_packages` (SPSS, Stata,
SAS) and `excel`; `frames` speaks with pandas, polars and Arrow; `encode` and `texts` make columns
of codes for all of them. The format is taken from the end of the name. Whatever a reader raises
stays inside the `fence`. What a format cannot hold is a `FormatLoss` warning (`losses`).
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.documents import opened
from privet.errors import InputError, OutputError, UnknownColumn
from privet.files.csv import csv_bytes, csv_names, read_csv, write_csv
from privet.files.fence import check_rows, fence
from privet.files.frames import arrow_of, as_given, frame_of, table_of
from privet.files.losses import FormatLoss
from privet.files.maskings import write_sidecar
from privet.files.outputs import Outputs, outputs
from privet.files.parquet import parquet_names, read_parquet, write_parquet
from privet.schema import Kind
from privet.table import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "FormatLoss",
    "arrow_of",
    "as_given",
    "as_table",
    "column_names",
    "csv_bytes",
    "frame_of",
    "read_csv",
    "read_parquet",
    "read_table",
    "table_of",
    "write_csv",
    "write_parquet",
    "write_table",
]

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


def read_table(
    path: str | Path,
    *,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
    exact: bool = False,
    most_rows: int | None = None,
    mixed: bool = False,
) -> Table:
    """Read a table from a file.

    `kinds` overrides the kinds that are found, `missing` names texts that stand for missing cells,
    `columns` reads some columns only, `progress` gets the share that is done. With `exact`,
    only empty cells are missing: so a release that Privet wrote is read, with its kinds given.
    A file of more than `most_rows` rows is refused, as soon as that is seen. With `mixed`, columns
    that mix numbers and words are read as categories instead of being refused.

    >>> privet.write_table(privet.table_of({"age": [30, None]}), "people.csv")
    >>> privet.read_table("people.csv")["age"].domain.missing
    True
    """
    path = Path(path)
    form = _format_of_file(path)
    known: frozenset[str] = frozenset()
    if columns is not None:
        in_file = column_names(path)
        known = frozenset(in_file)
        for name in columns:
            if name not in known:
                raise UnknownColumn(name, in_file)
    wanted = {name: Kind(kind) for name, kind in (kinds or {}).items()}
    marks = () if exact else missing
    with fence(path, form):
        table = _read(path, form, wanted, marks, columns, progress, exact, most_rows, mixed)
    check_rows(len(table), most_rows, path)
    if len(table) == 0:
        raise InputError(
            f"The file {path.name} has no rows, only column names.", "give a table with records."
        )
    if all(len(table[name].domain.values) == 0 for name in table):
        if columns is not None and known - set(columns):  # are the other columns empty, too?
            read_table(path, kinds=kinds, missing=missing, exact=exact)
            return table
        raise InputError(
            f"Every cell of {path.name} is missing.",
            "check the delimiter and the markers of missing cells.",
        )
    return table


def as_table(
    given: Any, *, kinds: Mapping[str, Kind | str] | None = None, missing: Sequence[str] = ()
) -> Table:
    """A table from whatever a caller has: a frame, a mapping of sequences, a path or a Table."""
    if isinstance(given, str | os.PathLike):
        return read_table(Path(given), kinds=kinds, missing=missing)
    return table_of(given, kinds, missing)


def column_names(path: str | Path) -> list[str]:
    """The names of the columns of a file, without reading its rows."""
    path = Path(path)
    form = _format_of_file(path)
    with fence(path, form):
        return _names(path, form)


def write_table(
    table: Table,
    path: str | Path,
    counts: "npt.NDArray[np.integer[Any]] | None" = None,
    maskings: Sequence[str] = (),
) -> None:
    """Write a table to a file, whole or not at all; a file that exists is replaced.

    With `counts`, row i is written counts[i] times. `maskings` are the identities that a table of
    masked columns carries (`privet.files.maskings`).

    >>> privet.write_table(privet.table_of({"age": [30, None]}), "people.parquet")
    >>> privet.read_table("people.parquet").n_rows
    2
    """
    path = Path(path)
    refuse_format(path)
    with outputs(force=True) as out:
        put_table(out, path, table, counts, maskings)


def put_table(
    out: Outputs,
    path: Path,
    table: Table,
    counts: "npt.NDArray[np.integer[Any]] | None" = None,
    maskings: Sequence[str] = (),
) -> None:
    """Write a table as one of several outputs, with the file beside it that maskings need."""
    part = out.file(path)
    write_into(table, part, counts, maskings)
    write_sidecar(out, path, part, maskings)


def names_a_table(path: Path) -> bool:
    """Whether a name ends like a table that can be written."""
    return path.name.lower().endswith(WRITABLE)


def refuse_format(path: Path) -> None:
    """Refuse, before any work, a name that names no format to write."""
    if not names_a_table(path):
        raise OutputError(f"The name {path.name} names no format to write.", _WRITTEN)


def write_into(
    table: Table,
    path: Path,
    counts: "npt.NDArray[np.integer[Any]] | None" = None,
    maskings: Sequence[str] = (),
) -> None:
    """Write a table straight to a path, which `privet.files.outputs` puts into place."""
    refuse_format(path)
    _write(table, path, _format_of_name(path.name), counts, maskings)


def _read(
    path: Path,
    form: str,
    kinds: Mapping[str, Kind],
    missing: Sequence[str],
    columns: Sequence[str] | None,
    progress: Callable[[float], None] | None,
    exact: bool,
    most_rows: int | None,
    mixed: bool,
) -> Table:
    match form:
        case "parquet":
            return read_parquet(path, kinds, missing, columns, progress, most_rows=most_rows)
        case "arff":
            from privet.files.arff import read_arff

            return read_arff(path, kinds, missing, columns, progress, most_rows=most_rows)
        case "statistics":
            from privet.files.stat_packages import read_statistics

            return read_statistics(path, kinds, missing, columns)
        case "excel":
            from privet.files.excel import read_excel

            return read_excel(path, kinds, missing, columns, mixed=mixed)
    return read_csv(
        path, kinds, missing, columns, progress, exact=exact, most_rows=most_rows, mixed=mixed
    )


def _write(
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
            write_csv(table, path, counts, "," if ".csv" in path.name.lower() else "\t")


def _names(path: Path, form: str) -> list[str]:
    match form:
        case "parquet":
            return parquet_names(path)
        case "arff":
            from privet.files.arff import arff_names

            return arff_names(path)
        case "statistics":
            from privet.files.stat_packages import statistics_names

            return statistics_names(path)
        case "excel":
            from privet.files.excel import excel_names

            return excel_names(path)
    return csv_names(path)


def _format_of_name(name: str) -> str | None:
    for form, suffixes in _SUFFIXES.items():
        if name.lower().endswith(suffixes):
            return form
    return None


def _format_of_file(path: Path) -> str:
    """The format of a file; refuses what is no readable file or no known format."""
    with opened(path) as file:
        magic = file.read(4)
    if not magic:
        raise InputError(
            f"The file {path.name} is empty.", "a table needs a header line and at least one row."
        )
    form = "parquet" if magic == _MAGIC else _format_of_name(path.name)
    if form is None:
        raise InputError(f"The file {path.name} is of no format that Privet knows.", _READ)
    return form
