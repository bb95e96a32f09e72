"""Options that commands share: each is declared once, alone or in a group.

A command takes a group as one parameter (`groups` says how). Options of one kind of command are
next door: `publish_options`, `tree_options`, `noise_options`, `substitute_options`. What reads a
table by them is in `loading`, what writes in `saving`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from privet.cli.choices import Rest
from privet.errors import UsageError


def option(name: str, metavar: str, help: str) -> Any:  # noqa: A002
    """An option that takes a value."""
    return typer.Option(name, metavar=metavar, help=help)


def flag(name: str, help: str) -> Any:  # noqa: A002
    """An option that is given or not."""
    return typer.Option(name, help=help)


Columns = list[str] | None  # each text may hold several names: a,b

TableArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="The table: .csv, .tsv, .txt, .parquet, .arff, .sav, .dta, .sas7bdat, .xlsx; "
        '"parts/*.csv" for several files, clinic.duckdb:patients for a table of a database, '
        "spark:clinic.visits for one of a cluster.",
    ),
]
MissingOption = Annotated[
    list[str] | None,
    option("--missing", "MARKER", "A text that stands for a missing cell; repeatable."),
]
CategoryOption = Annotated[
    Columns, option("--category", "COLUMNS", "Columns to read as categories: a,b; repeatable.")
]
SchemaOption = Annotated[
    Path | None, option("--schema", "F.toml", "Kinds and roles, from `privet schema`.")
]
QuasiOption = Annotated[
    Columns, option("--quasi", "COLUMNS", "Columns an attacker may know: a,b; repeatable.")
]
SensitiveOption = Annotated[
    Columns, option("--sensitive", "COLUMNS", "Sensitive columns: a,b; repeatable.")
]
IdentifierOption = Annotated[
    Columns, option("--identifier", "COLUMNS", "Columns never to be used or released; repeatable.")
]
DropOption = Annotated[
    Columns, option("--drop", "COLUMNS", "Columns to leave out: a,b; repeatable.")
]
TargetOption = Annotated[
    str | None, option("--target", "COLUMN", "The response: what trees predict.")
]
SeedOption = Annotated[
    int | None, option("--seed", "N", "Draw the same again; as secret as what it hides.")
]
KeepOrderOption = Annotated[
    bool, flag("--keep-order", "Keep the order of rows, which may give them away.")
]
JsonOption = Annotated[bool, flag("--json", "Print JSON for other programs.")]
ForceOption = Annotated[bool, flag("--force", "Overwrite a file that exists.")]
DryRunOption = Annotated[
    bool, flag("--dry-run", "Do all the work, say what would be written, and stop.")
]


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How a table is read."""

    schema: SchemaOption = None
    missing: MissingOption = None
    category: CategoryOption = None


@dataclass(frozen=True, kw_only=True)
class RoleOptions:
    """Which column has which role."""

    target: TargetOption = None
    sensitive: SensitiveOption = None
    identifier: IdentifierOption = None
    quasi: QuasiOption = None
    other: Annotated[
        Columns,
        option(
            "--other",
            "COLUMNS",
            "Columns released as they are and counted nowhere: a,b; repeatable.",
        ),
    ] = None
    drop: DropOption = None
    rest: Annotated[
        Rest | None,
        option(
            "--rest",
            "ROLE",
            "What columns without a role are: quasi, other or drop; needed beside --quasi.",
        ),
    ] = None


def values_by_column(option: str, values: list[str] | None) -> dict[str, str]:
    """`age=17,25 ...` as {"age": "17,25"}."""
    found: dict[str, str] = {}
    for value in values or ():
        name, equals, rest = value.partition("=")
        column = name.strip()
        if not equals or not column or not rest.strip():
            raise UsageError(f"{option} must name a column.", f"write {option} COLUMN=...")
        if column in found:
            raise UsageError(
                f"{option} names column '{column}' twice.",
                f"write {option} COLUMN=... once for each column.",
            )
        found[column] = rest
    return found
