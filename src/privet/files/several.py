"""One table in several files: which files a name stands for, and whether they belong together.

A pattern such as `parts/*.parquet` stands for all files that it matches, in the order of their
names. `csv` and `parquet` read them one after the other, as if they were one file. A name such as
`clinic.duckdb:patients` stands for a table of a database (`databases`).
"""

import glob
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from privet.errors import InputError

_MARKS = "*?["
_DATABASES = (".duckdb", ".ddb")


def parts_of(path: Path) -> list[Path]:
    """The files that a path stands for: itself, or all that it matches."""
    if not any(mark in str(path) for mark in _MARKS) or os.path.lexists(path):
        return [path]
    matched = glob.glob(str(path))  # noqa: PTH207 - the pattern may begin anywhere
    found = sorted(Path(name) for name in matched if Path(name).is_file())
    if not found:
        raise InputError(
            f"No file matches {path.name}.", "check the pattern, and quote it in the shell."
        )
    return found


def database_in(path: Path) -> tuple[Path, str | None] | None:
    """The database that a name stands for, and the table in it; None if it names no database."""
    if path.name.lower().endswith(_DATABASES):
        return path, None
    file, _, table = str(path).rpartition(":")
    return (Path(file), table) if file.lower().endswith(_DATABASES) else None


def files_of(path: Path) -> list[Path]:
    """What is read of a disk where a path is named."""
    database = database_in(path)
    return parts_of(path) if database is None else [database[0]]


def one_format(parts: Sequence[Path], format_of: Callable[[Path], str]) -> str:
    """The format of some files, which must have one."""
    form = format_of(parts[0])
    if len(parts) == 1:
        return form
    if form not in ("parquet", "text"):
        raise InputError(
            f"{len(parts)} files match, and only CSV and Parquet are read from several files.",
            "name one file, or convert them.",
        )
    for part in parts[1:]:
        if format_of(part) != form:
            raise InputError(
                f"The files {parts[0].name} and {part.name} are of different formats.",
                "a pattern must match the parts of one table.",
            )
    return form


def require_same_columns(first: Path, names: Sequence[str], part: Path, own: Sequence[str]) -> None:
    """Refuse a part that has other columns than the first one; their order may differ."""
    if sorted(names) != sorted(own):
        raise InputError(
            f"The files {first.name} and {part.name} have different columns.",
            "a pattern must match the parts of one table.",
        )
