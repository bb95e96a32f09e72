"""Files and frames: how a table comes in and goes out.

`csv` and `parquet` read and write files, `frames` speaks with pandas, polars and Arrow; `encode`
and `texts` make columns of codes for all of them. The format is taken from the end of the name.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import InputError, OutputError, UnknownColumn
from privet.files.csv import csv_bytes, csv_names, read_csv, write_csv
from privet.files.frames import arrow_of, frame_of, table_of
from privet.files.parquet import parquet_names, read_parquet, write_parquet
from privet.schema import Kind
from privet.table import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "arrow_of",
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

_TEXT = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
_PARQUET = (".parquet", ".pq")
_MAGIC = b"PAR1"
_UNDERSTOOD = f"Privet reads and writes {', '.join(_TEXT + _PARQUET)}."


def read_table(
    path: str | Path,
    *,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
    exact: bool = False,
) -> Table:
    """Read a table from a file.

    `kinds` overrides the kinds that are found, `missing` names texts that stand for missing cells,
    `columns` reads some columns only, `progress` is told the share that is done. With `exact`,
    only empty cells are missing: so a release that Privet wrote is read, with its kinds given.
    """
    path = Path(path)
    is_parquet = _is_parquet(path)
    known = _names(path, is_parquet)
    for name in columns or ():
        if name not in known:
            raise UnknownColumn(name, known)
    wanted = {name: Kind(kind) for name, kind in (kinds or {}).items()}
    if is_parquet:
        table = read_parquet(path, wanted, () if exact else missing, columns, progress)
    else:
        table = read_csv(path, wanted, missing, columns, progress, exact=exact)
    if len(table) == 0:
        raise InputError(
            f"The file {path.name} has no rows, only column names.", "give a table with records."
        )
    if columns is None and all(len(table[name].domain.values) == 0 for name in table):
        raise InputError(
            f"Every cell of {path.name} is missing.",
            "check the delimiter and the markers of missing cells.",
        )
    return table


def column_names(path: str | Path) -> list[str]:
    """The names of the columns of a file, without reading its rows."""
    path = Path(path)
    return _names(path, _is_parquet(path))


def write_table(
    table: Table, path: str | Path, counts: "npt.NDArray[np.integer[Any]] | None" = None
) -> None:
    """Write a table to a file; with `counts`, row i is written counts[i] times.

    A failure leaves no half file behind.
    """
    path = Path(path)
    name = path.name.lower()
    part = path.with_name(f".part-{path.name}")
    try:
        if name.endswith(_PARQUET):
            write_parquet(table, part, counts)
        elif name.endswith(_TEXT):
            write_csv(table, part, counts, "," if ".csv" in name else "\t")
        else:
            raise OutputError(f"The name {path.name} does not say a format.", _UNDERSTOOD)
        part.replace(path)
    except OSError as error:
        raise OutputError(
            f"The file {path.name} cannot be written: {error.strerror or 'no reason given'}.",
            "check that the folder exists, may be written to, and has room.",
        ) from None
    finally:
        part.unlink(missing_ok=True)


def _names(path: Path, is_parquet: bool) -> list[str]:
    return parquet_names(path) if is_parquet else csv_names(path)


def _is_parquet(path: Path) -> bool:
    """Whether a file is Parquet; refuses what is no readable file or no known format."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise InputError(
            f"The file {path.name or path} cannot be read: {error.strerror}.",
            "check the path, and that you may read the file.",
        ) from None
    name = path.name.lower()
    if not magic:
        raise InputError(
            f"The file {path.name} is empty.", "a table needs a header line and at least one row."
        )
    if name.endswith(_PARQUET) or magic == _MAGIC:
        return True
    if name.endswith(_TEXT):
        return False
    raise InputError(f"The file {path.name} is of no format that Privet knows.", _UNDERSTOOD)
