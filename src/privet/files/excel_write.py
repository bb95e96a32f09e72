"""Workbooks of Excel (.xlsx): writing one sheet. Texts are texts, never formulas.

`excel` reads them. openpyxl is needed for both.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import OutputError
from privet.files.excel import require_openpyxl
from privet.files.losses import tell
from privet.files.portions import portions
from privet.schema import Kind
from privet.table import Domain, Table

_MOST_ROWS = 1_048_576  # of a sheet, its header among them
_MOST_COLUMNS = 16_384
_MOST_LETTERS = 32_767  # of a cell
_EXACT = 2**53
_FIRST_YEAR = 1900
_ROWS_AT_ONCE = 10_000


def write_excel(
    table: Table, path: Path, counts: npt.NDArray[np.integer[Any]] | None = None
) -> None:
    """Write a table as the only sheet of a workbook; with `counts`, row i counts[i] times."""
    require_openpyxl()
    from openpyxl import Workbook
    from openpyxl.utils.exceptions import IllegalCharacterError

    rows = table.n_rows if counts is None else int(counts.sum())
    if rows >= _MOST_ROWS or len(table.names) > _MOST_COLUMNS:
        raise OutputError(
            f"A sheet of Excel has no room for {rows:,} rows and {len(table.names):,} columns.",
            "write .csv or .parquet instead.",
        )
    book = Workbook(write_only=True)
    sheet = book.create_sheet("table")
    _tell_losses(table)
    try:
        for row in _rows(table, counts):
            sheet.append([_cell(sheet, value) for value in row])
    except IllegalCharacterError:
        raise OutputError(
            "A text of the table holds a character that Excel cannot.", "write .csv or .parquet."
        ) from None
    book.save(path)


def _rows(table: Table, counts: npt.NDArray[np.integer[Any]] | None) -> Iterator[Sequence[Any]]:
    """The header, then the values of each row, as often as it counts."""
    yield table.names
    values = {name: _values(table[name].domain, name) for name in table}
    for part, repeats in portions(table.n_rows, counts, _ROWS_AT_ONCE):
        columns = [[values[n][c] for c in table[n].codes[part].tolist()] for n in table.names]
        times = [1] * len(columns[0]) if repeats is None else repeats.tolist()
        for row, number in zip(zip(*columns, strict=True), times, strict=True):
            yield from [row] * number


def _cell(sheet: Any, value: Any) -> Any:
    from openpyxl.cell import WriteOnlyCell

    if not isinstance(value, str | float):
        return WriteOnlyCell(sheet, value=value)
    made = WriteOnlyCell(sheet)
    made.value = value if isinstance(value, str) else repr(value)
    # openpyxl would make a formula of a text that begins with =, and round a number to 16 digits.
    made.data_type = "s" if isinstance(value, str) else "n"
    return made


def _values(domain: Domain, name: str) -> list[Any]:
    """What stands in a cell for each code."""
    found: list[Any] = [domain.value(code) for code in range(domain.size)]
    if domain.kind in (Kind.DATE, Kind.DATETIME):
        texts = [None if value is None else str(value) for value in domain.texts]
        found = [_moment(text, domain.kind) if text else None for text in texts]
    if any(isinstance(value, str) and len(value) > _MOST_LETTERS for value in found):
        raise OutputError(
            f"Column '{name}' holds texts that are too long for Excel.", "write .csv or .parquet."
        )
    return [_plain(value) for value in found]


def _plain(value: Any) -> Any:
    """Whole numbers that Excel would round are texts."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _EXACT:
        return str(value)
    return value


def _moment(text: str, kind: Kind) -> Any:
    """A date or time; as text where Excel's calendar does not reach."""
    found = datetime.fromisoformat(text)
    if found.year <= _FIRST_YEAR:
        return text
    return found.date() if kind is Kind.DATE else found


def _tell_losses(table: Table) -> None:
    wide = [
        name
        for name in table
        if table[name].domain.kind is Kind.INTEGER
        and any(abs(int(v)) > _EXACT for v in table[name].domain.values)
    ]
    tell(wide, "numbers beyond 2^53 are written as texts, for Excel would round them")
