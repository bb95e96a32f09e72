"""Files and frames: how a table comes in and goes out.

`csv` and `parquet` read and write files, and so do `arff` (WEKA), `stat_packages` (SPSS, Stata,
SAS) and `excel`; `frames` speaks with pandas, polars and Arrow; `encode` and `texts` make columns
of codes for all of them. The format is taken from the end of the name (`formats`). Whatever a
reader raises stays inside the `fence`. What a format cannot hold is a `FormatLoss` warning
(`losses`).
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import InputError, UnknownColumn
from privet.files.arrow_alone import leave_pandas_alone
from privet.files.csv import csv_bytes, read_csv, write_csv
from privet.files.disk import passing_folder
from privet.files.encodings import in_utf8
from privet.files.fence import check_rows, fence
from privet.files.formats import (
    format_of_file,
    format_of_name,
    names_a_table,
    names_as,
    read_as,
    refuse_format,
    write_as,
)
from privet.files.frames import arrow_of, as_given, frame_names, frame_of, table_of
from privet.files.losses import FormatLoss
from privet.files.maskings import write_sidecar
from privet.files.outputs import Outputs, outputs
from privet.files.parquet import read_parquet, write_parquet
from privet.files.several import one_format, parts_of
from privet.schema import Kind
from privet.table import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

leave_pandas_alone()

__all__ = [
    "FormatLoss",
    "arrow_of",
    "as_given",
    "as_table",
    "column_names",
    "csv_bytes",
    "frame_of",
    "names_a_table",
    "names_in",
    "read_csv",
    "read_parquet",
    "read_table",
    "refuse_format",
    "table_of",
    "write_csv",
    "write_parquet",
    "write_table",
]


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
    encoding: str | None = None,
) -> Table:
    """Read a table from a file.

    `kinds` overrides the kinds that are found, `missing` names texts that stand for missing cells,
    `columns` reads some columns only, `progress` gets the share that is done. With `exact`,
    only empty cells are missing: so a release that Privet wrote is read, with its kinds given.
    A file of more than `most_rows` rows is refused, as soon as that is seen. With `mixed`, columns
    that mix numbers and words are read as categories instead of being refused. `encoding` names
    that of a text file, where it is not UTF-8. A pattern such as `parts/*.parquet` stands for a
    table in several files.

    >>> privet.write_table(privet.table_of({"age": [30, None]}), "people.csv")
    >>> privet.read_table("people.csv")["age"].domain.missing
    True
    """
    path = Path(path)
    if encoding is not None:
        with passing_folder("input") as folder:
            return read_table(
                in_utf8(path, encoding, folder),
                kinds=kinds,
                missing=missing,
                columns=columns,
                progress=progress,
                exact=exact,
                most_rows=most_rows,
                mixed=mixed,
            )
    parts = parts_of(path)
    form = one_format(parts, format_of_file)
    others = _others(path, columns)
    wanted = {name: Kind(kind) for name, kind in (kinds or {}).items()}
    marks = () if exact else missing
    with fence(path, form):
        table = read_as(parts, form, wanted, marks, columns, progress, exact, most_rows, mixed)
    check_rows(len(table), most_rows, path)
    if len(table) == 0:
        raise InputError(
            f"The file {path.name} has no rows, only column names.", "give a table with records."
        )
    if all(len(table[name].domain.values) == 0 for name in table):
        if others:  # are they empty, too?
            read_table(path, kinds=kinds, missing=missing, exact=exact)
            return table
        raise InputError(
            f"Every cell of {path.name} is missing.",
            "check the delimiter and the markers of missing cells.",
        )
    return table


def _others(path: Path, columns: Sequence[str] | None) -> set[str]:
    """The columns of a file besides those asked for, all of which must be there."""
    if columns is None:
        return set()
    in_file = column_names(path)
    others = set(in_file)
    for name in columns:
        if name not in others:
            raise UnknownColumn(name, in_file)
    return others - set(columns)


def as_table(
    given: Any,
    *,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Table:
    """A table from whatever a caller has: a frame, a mapping of sequences, a path or a Table."""
    if isinstance(given, str | os.PathLike):
        return read_table(Path(given), kinds=kinds, missing=missing, columns=columns)
    return table_of(given, kinds, missing, columns)


def names_in(given: Any) -> list[str]:
    """The names of the columns of whatever a caller has, before any of them is read."""
    return column_names(given) if isinstance(given, str | os.PathLike) else frame_names(given)


def column_names(path: str | os.PathLike[str]) -> list[str]:
    """The names of the columns of a file, without reading its rows."""
    first = parts_of(Path(path))[0]
    form = format_of_file(first)
    with fence(first, form):
        return names_as(first, form)


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


def write_into(
    table: Table,
    path: Path,
    counts: "npt.NDArray[np.integer[Any]] | None" = None,
    maskings: Sequence[str] = (),
) -> None:
    """Write a table straight to a path, which `privet.files.outputs` puts into place."""
    refuse_format(path)
    write_as(table, path, format_of_name(path.name), counts, maskings)
