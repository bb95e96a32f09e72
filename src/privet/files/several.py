"""One table in several files: which files a name stands for, and whether they belong together.

A pattern such as `parts/*.parquet` stands for all files that it matches, in the order of their
names. `csv` and `parquet` read them one after the other, as if they were one file. A name such as
`clinic.duckdb:patients` stands for a table of a database (`databases`), one such as
`spark:clinic.patients` for the files in which a cluster hands a table over.
"""

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from privet.errors import InputError, UsageError, either, in_options, param

_MARKS = "*?["
_DATABASES = (".duckdb", ".ddb")
_OF_CLUSTER = "spark:"
_ON_SPARK = either("call inside privet.on_spark", f"add {in_options(param('engine', 'spark'))}")
HandOver = Callable[[str], list[Path]]
_HANDS_OVER: ContextVar[HandOver | None] = ContextVar("hands_over", default=None)


@contextmanager
def handed_over(by: HandOver) -> Iterator[None]:
    """Inside, tables of a cluster can be named; `by` has them written to files."""
    token = _HANDS_OVER.set(by)
    try:
        yield
    finally:
        _HANDS_OVER.reset(token)


def table_of_cluster(path: Path) -> str | None:
    """The table of a cluster that a name stands for; None if it names none."""
    name = str(path)
    return name.removeprefix(_OF_CLUSTER) if name.startswith(_OF_CLUSTER) else None


def parts_of(path: Path) -> list[Path]:
    """The files that a path stands for: itself, all that it matches, or a cluster's."""
    table = table_of_cluster(path)
    if table is not None:
        hand_over = _HANDS_OVER.get()
        if hand_over is None:
            raise UsageError(
                f"A name that begins with {_OF_CLUSTER} is that of a table of a cluster.",
                f"{_ON_SPARK}, or give the path of a file.",
            )
        return hand_over(table)
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
    """What is read of this machine's disk where a path is named."""
    if table_of_cluster(path) is not None:
        return []
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
