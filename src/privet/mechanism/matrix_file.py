"""A matrix of one's own, read from a file: rows of numbers or fractions, in CSV or JSON.

Cell (h, k) is the chance that value k becomes value h, so every column sums to 1. Values are in the
order of their domain: categories by label, numbers and bins from low to high, missing last. What
such a matrix promises is worked out from its cells alone, in `matrices`.
"""

import csv
from pathlib import Path
from typing import Any

from privet.documents import read_json, read_text
from privet.errors import InputError, InvalidParameter, UsageError
from privet.mechanism.matrices import TransitionMatrix

_MOST_VALUES = 1_000
_MOST_BYTES = 64 << 20
_HINT = "write one row for each outcome, one column for each value: 0.8,0.2 and below it 0.2,0.8."


def read_matrix(path: Path) -> TransitionMatrix:
    """The matrix of a CSV file without a heading, or of a JSON file with a list of rows."""
    if path.suffix.lower() == ".json":
        rows = read_json(path, "matrix", hint=_HINT, most_bytes=_MOST_BYTES)
    else:
        text = read_text(path, "matrix", hint=_HINT, most_bytes=_MOST_BYTES)
        try:
            lines = list(csv.reader(text.removeprefix("\ufeff").splitlines(), strict=True))
        except csv.Error:
            raise InputError(f"The matrix {path.name} is no CSV file.", _HINT) from None
        rows = [[cell.strip() for cell in line] for line in lines if line]
    if not isinstance(rows, list) or not all(_is_row(row) for row in rows):
        raise InputError(f"The matrix {path.name} is no list of rows of numbers.", _HINT)
    if len(rows) > _MOST_VALUES:
        raise InputError(
            f"The matrix {path.name} has {len(rows):,} rows, at most {_MOST_VALUES:,} can be used.",
            "give its column fewer bins, or groups of categories.",
        )
    try:
        return TransitionMatrix.of(rows)
    except InvalidParameter:  # whose words would show the cell, of a table that was named instead
        raise UsageError(
            f"The matrix {path.name} cannot be used. A transition probability must be a number or "
            "a fraction such as 19/20.",
            _HINT,
        ) from None
    except UsageError as error:
        said, hint = error.raw
        raise UsageError(f"The matrix {path.name} cannot be used. {said}", hint) from None


def _is_row(row: Any) -> bool:
    return isinstance(row, list) and all(
        isinstance(cell, str | int | float) and not isinstance(cell, bool) for cell in row
    )
