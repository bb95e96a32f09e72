"""Excel workbooks (.xlsx, .xlsm): the first sheet as a table.

The first row that is not empty holds the names. Cells become texts and are then read like those of
a CSV file, so that the same rules say what is a number, a date or a category. Excel knows only
numbers of 64 bits with a point, and its formulas count with their stored results.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import pyarrow as pa

from privet.errors import InputError, UsageError
from privet.files.encode import ColumnBuilder
from privet.files.frames import check_names
from privet.schema import Kind
from privet.table import Table

EXCEL = (".xlsx", ".xlsm")


def read_excel(
    path: Path,
    kinds: Mapping[str, Kind],
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Table:
    """Read the first sheet of a workbook; only the named columns, if some are named."""
    with _rows(path) as (names, rows):
        check_names(names, f"The file {path.name}")
        cells: list[list[str | None]] = [[] for _ in names]
        for row in rows:
            if all(cell is None for cell in row):
                continue
            if any(cell is not None for cell in row[len(names) :]):
                raise InputError(
                    f"The first sheet of {path.name} has cells outside its named columns.",
                    "give every column a name in the first row.",
                )
            for place, own in enumerate(cells):
                own.append(_text(row[place]) if place < len(row) else None)
    table = {}
    for name, own in zip(names, cells, strict=True):
        if columns is None or name in columns:
            builder = ColumnBuilder(name, kinds.get(name), missing, from_text=True)
            builder.add(pa.array(own, pa.large_string()).dictionary_encode())
            table[name] = builder.finish()
    return Table(table)


def excel_names(path: Path) -> list[str]:
    """The names of the columns, from the first row."""
    with _rows(path) as (names, _):
        return names


@contextmanager
def _rows(path: Path) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    """The names and the rows below them."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise UsageError(
            "Excel files need openpyxl, which is not here.",
            'install it with: pip install "privet[excel]"',
        ) from None
    try:
        with closing(load_workbook(path, read_only=True, data_only=True)) as book:
            rows = book.worksheets[0].iter_rows(values_only=True)
            yield _names(next((r for r in rows if any(c is not None for c in r)), ()), path), rows
    except (BadZipFile, KeyError, ValueError, IndexError, OSError):
        raise InputError(
            f"The file {path.name} is not a readable Excel workbook.",
            "open and save it again as .xlsx.",
        ) from None


def _names(row: tuple[Any, ...], path: Path) -> list[str]:
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
