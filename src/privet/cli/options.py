"""Options that commands share, and what they do with them: lists of columns, loading, JSON.

A command declares its options with the types below,
reads the table with `load`, and prints for machines with `emit_json`.
"""

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.errors import UnknownColumn
from privet.schema import Kind, Schema

if TYPE_CHECKING:
    from privet.table import Table

_WORTH_A_BAR = 20_000_000  # bytes

TableArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="The table: .csv, .tsv, .txt, .parquet, .arff, .sav, .dta, .sas7bdat or .xlsx.",
    ),
]
MissingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--missing", metavar="MARKER", help="A text that stands for a missing cell; repeatable."
    ),
]
CategoryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--category", metavar="COLUMNS", help="Columns to read as categories: a,b; repeatable."
    ),
]
SchemaOption = Annotated[
    Path | None,
    typer.Option("--schema", metavar="F.toml", help="Kinds and roles, from `privet schema`."),
]
QuasiOption = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi", metavar="COLUMNS", help="Columns an attacker may know: a,b; repeatable."
    ),
]
SensitiveOption = Annotated[
    list[str] | None,
    typer.Option("--sensitive", metavar="COLUMNS", help="Sensitive columns: a,b; repeatable."),
]
IdentifierOption = Annotated[
    list[str] | None,
    typer.Option(
        "--identifier", metavar="COLUMNS", help="Columns never to be used or released; repeatable."
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COLUMNS", help="Columns to leave out: a,b; repeatable."),
]
TargetOption = Annotated[
    str | None, typer.Option("--target", metavar="COLUMN", help="The response of the tree.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Do all the work, say what would be written, and stop.")
]


def names(values: Iterable[str] | None) -> list[str]:
    """Column names from a repeatable option: `a,b`; a name that holds a comma is quoted."""
    found: list[str] = []
    for value in values or ():
        for row in csv.reader([value], skipinitialspace=True):
            found += [name.strip() for name in row if name.strip()]
    return list(dict.fromkeys(found))


def read_schema(path: Path | None) -> Schema | None:
    """The schema file, if one is named."""
    return Schema.read(path) if path else None


def load(
    path: Path,
    *,
    missing: Sequence[str] | None = None,
    category: Sequence[str] | None = None,
    schema: Schema | None = None,
    named: Mapping[str, Iterable[str]] | None = None,
    columns: Sequence[str] | None = None,
    mixed: bool = False,
) -> "Table":
    """Read a table as the options say; a bar shows the progress where that takes a while.

    `named` holds, for each option that names columns, its columns: `{"--quasi": ["age"]}`. They
    are looked up in the header before anything else is read. `columns` reads only some columns.
    With `mixed`, columns that mix numbers and words are categories and not refused.
    """
    from privet.files import column_names, read_table

    categories = names(category)
    known = column_names(path)
    of_schema = schema.names() if schema else ()
    in_file = frozenset(known)
    wanted = {**(named or {}), "--category": categories, "the schema": of_schema}
    for option, its_columns in wanted.items():
        for name in its_columns:
            if name not in in_file:
                raise UnknownColumn(name, known, where=option)
    kinds = {column.name: column.kind for column in schema or ()}
    kinds |= dict.fromkeys(categories, Kind.CATEGORY)
    markers = [*(schema.missing if schema else ()), *(missing or ())]
    with _progress(path) as progress:
        return read_table(
            path, kinds=kinds, missing=markers, columns=columns, progress=progress, mixed=mixed
        )


def emit_json(value: Any) -> None:
    """Print a value as JSON, for people readable and for programs strict."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


@contextmanager
def _progress(path: Path) -> Iterator[Callable[[float], None] | None]:
    """A bar on the terminal for large files; nothing in a pipe."""
    if not sys.stderr.isatty() or not path.is_file() or path.stat().st_size < _WORTH_A_BAR:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"Reading {path.name}", total=1.0)
        yield lambda share: bar.update(task, completed=share)


@contextmanager
def working(text: str) -> Iterator[None]:
    """A sign of life on the terminal during long work; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield
