"""The fence around readers of foreign formats: whatever they raise becomes one sentence.

Over a damaged file a library raises what it likes, and its message may hold cells of the table. So
every reader runs inside `fence`; what Privet itself says passes through. `gzipped` and `parquet`
refuse files that unpack to far more than their size, `apart` runs readers that have no bounds of
their own in a process that has.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from privet.errors import InputError, PrivetError

MOST_COLUMNS = 10_000
_TRUSTED = ContextVar("trusted", default=False)
_WORDS = {
    "text": ("a table", "give a CSV or Parquet file, and check that it is complete."),
    "parquet": ("Parquet", "copy or export it again, and check that it is complete."),
    "arff": ("ARFF", "copy or export it again, and check that it is complete."),
    "database": (
        "a DuckDB database",
        "check that nobody writes to it, and that no view of other files is meant.",
    ),
    "excel": ("an Excel workbook", "open and save it again as .xlsx, or export it as CSV."),
    "release": (
        "a release",
        "`privet verify FOLDER` says what was changed; ask for the original release.",
    ),
    "statistics": (
        "a file of SPSS, Stata or SAS",
        "open and save it again in the program that it comes from, or export it as CSV.",
    ),
}


@contextmanager
def fence(path: Path, form: str) -> Iterator[None]:
    """Inside, anything may be raised; outside, only what Privet says."""
    try:
        yield
    except PrivetError:
        raise
    except MemoryError:
        raise InputError(
            f"Memory ran out while {path.name} was read.",
            "take fewer columns or rows, close other programs, or use a machine with more memory.",
        ) from None
    except Exception:
        if os.environ.get("PRIVET_DEBUG") == "1":
            raise
        raise unreadable(path, form) from None


def unreadable(path: Path, form: str) -> InputError:
    words, hint = _WORDS[form]
    kind = "folder" if form == "release" else "file"
    return InputError(
        f"The {kind} {path.name} cannot be read as {words}; it may be damaged or cut short.", hint
    )


@contextmanager
def trusted(files: bool) -> Iterator[None]:
    """Whether the files that are read inside come from somebody known, and may be of any size."""
    before = _TRUSTED.set(files)
    try:
        yield
    finally:
        _TRUSTED.reset(before)


def check_unpacked(unpacked: int, most: int, path: Path) -> None:
    """Refuse a file that unpacks to more than is plausible for its size."""
    is_trusted = _TRUSTED.get() or os.environ.get("PRIVET_TRUST_FILES") == "1"
    if unpacked > most and not is_trusted:
        raise InputError(
            f"The file {path.name} unpacks to far more than its size, which looks like an attack.",
            "if you trust where it comes from, set PRIVET_TRUST_FILES=1 and try again.",
        )


def check_columns(columns: int, path: Path) -> None:
    """Refuse to read more columns than anybody could look at; some of them may still be read."""
    if columns > MOST_COLUMNS:
        raise InputError(
            f"The file {path.name} has {columns:,} columns, the most that are read is "
            f"{MOST_COLUMNS:,}.",
            "leave out those that nobody asks for, and give the rest.",
        )


def check_rows(rows: int, most: int | None, path: Path) -> None:
    """Refuse a table of more rows than its reader asked for."""
    if most is not None and rows > most:
        raise InputError(
            f"The file {path.name} has more than {most:,} rows, the most that may be there.",
            "check that it is the right file.",
        )
