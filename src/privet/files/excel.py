"""Excel workbooks (.xlsx, .xlsm): the first sheet as a table.

The first row that is not empty holds the names. Cells become texts and are then read like those of
a CSV file, so that the same rules say what is a number, a date or a category. Excel knows only
numbers of 64 bits with a point, and its formulas count with their stored results. `cells` runs in a
process of its own (`apart`), for a small workbook can claim a sheet without end.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa

from privet.errors import InputError, MissingExtra
from privet.files.apart import Cells, read_apart
from privet.files.encode import ColumnBuilder
from privet.files.fence import check_columns, check_unpacked, fence
from privet.files.frames import check_names
from privet.schema import Kind
from privet.table import Table

EXCEL = (".xlsx", ".xlsm")
_ROWS_AT_ONCE = 1 << 14
_MOST_ROWS = 1 << 20  # a sheet of Excel has no more
_MOST_PLACES = 1 << 28  # cells, the empty ones between others among them
_ALWAYS_READ = 256 << 20  # bytes, unpacked
_MOST_RATIO = 100
_TEXT = pa.dictionary(pa.int32(), pa.large_string())

Row = tuple[Any, ...]


def read_excel(
    path: Path,
    kinds: Mapping[str, Kind],
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    *,
    mixed: bool = False,
) -> Table:
    """Read the first sheet of a workbook; only the named columns, if some are named."""
    require_openpyxl()
    found = read_apart("excel", path, columns).columns
    table = {}
    for name, cells in zip(found.column_names, found.columns, strict=True):
        builder = ColumnBuilder(name, kinds.get(name), missing, from_text=True, mixed=mixed)
        for piece in cells.chunks:
            builder.add(piece)
        table[name] = builder.finish()
    return Table(table)


def excel_names(path: Path) -> list[str]:
    """The names of the columns, from the first row."""
    require_openpyxl()
    return list(read_apart("excel", path, names_only=True).columns.column_names)


def cells(path: Path, columns: Sequence[str] | None, names_only: bool) -> Cells:
    """The first sheet as columns of texts."""
    from openpyxl import load_workbook

    # What openpyxl warns of holds values of cells.
    with fence(path, "excel"), warnings.catch_warnings(action="ignore"):
        with ZipFile(path) as packed:
            unpacked = sum(part.file_size for part in packed.infolist())
        check_unpacked(unpacked, max(_ALWAYS_READ, _MOST_RATIO * path.stat().st_size), path)
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # what it claims to hold is not to be believed
        rows = _rows(sheet.iter_rows(values_only=True), path)
        names = _names(next(rows, ()), path)
        check_names(names, f"The file {path.name}")
        wanted = [p for p, name in enumerate(names) if columns is None or name in columns]
        check_columns(len(wanted), path)
        schema = pa.schema([(names[place], _TEXT) for place in wanted])
        batches = () if names_only else _batches(rows, names, wanted, path)
        return Cells(pa.Table.from_batches((_batch(b, schema) for b in batches), schema))


def _rows(rows: Iterator[Row], path: Path) -> Iterator[Row]:
    """The rows that are not empty; a sheet whose cells lie too far apart is refused."""
    places = 0
    for number, row in enumerate(rows):
        places += len(row)
        if number >= _MOST_ROWS or places > _MOST_PLACES:
            raise InputError(
                f"The first sheet of {path.name} claims cells too far apart to be a table.",
                "copy the cells into a new workbook, or export them as CSV.",
            )
        if row.count(None) < len(row):
            yield row


def _batches(
    rows: Iterator[Row], names: list[str], wanted: list[int], path: Path
) -> Iterator[list[list[str | None]]]:
    cells: list[list[str | None]] = [[] for _ in wanted]
    for row in rows:
        outside = row[len(names) :]
        if outside.count(None) < len(outside):
            raise InputError(
                f"The first sheet of {path.name} has cells outside its named columns.",
                "give every column a name in the first row.",
            )
        for own, place in zip(cells, wanted, strict=True):
            own.append(_text(row[place]) if place < len(row) else None)
        if cells and len(cells[0]) == _ROWS_AT_ONCE:
            yield cells
            cells = [[] for _ in wanted]
    yield cells


def _batch(cells: list[list[str | None]], schema: pa.Schema) -> pa.RecordBatch:
    texts = [pa.array(own, pa.large_string()).dictionary_encode() for own in cells]
    return pa.RecordBatch.from_arrays(texts, schema=schema)


def require_openpyxl() -> None:
    if find_spec("openpyxl") is None:
        raise MissingExtra("Excel files need", "openpyxl", "excel")


def _names(row: Row, path: Path) -> list[str]:
    names = [_text(cell) or "" for cell in row]
    while names and not names[-1]:
        names.pop()
    if "" in names:
        raise InputError(
            f"A column of {path.name} has no name in the first row.", "name every column."
        )
    return names


def _text(cell: Any) -> str | None:
    """A cell as a CSV file would hold it."""
    if cell is None or (isinstance(cell, str) and cell in _ERRORS):
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return repr(cell)
    if isinstance(cell, date | datetime):
        return cell.isoformat()
    return str(cell)


_ERRORS = {"#N/A", "#VALUE!", "#REF!", "#DIV/0!", "#NUM!", "#NAME?", "#NULL!"}
