"""The table of a command, read as its options say; a bar shows the progress of large files."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.cli.options import ReadingOptions, RoleOptions
from privet.cli.terminal import bar
from privet.errors import UnknownColumn, UsageError
from privet.schema import Kind, Schema

if TYPE_CHECKING:
    from privet.roles import Roles
    from privet.table import Table

_WORTH_A_BAR = 20_000_000  # bytes
_NAME = re.compile(r'\s*(?:"((?:[^"]|"")+)"\s*|([^,]*))(?:,|\Z)')


def names(values: Iterable[str] | None) -> list[str]:
    """Column names from a repeatable option: `a,b`.

    A name that holds a comma, or begins or ends with a space, is quoted; a quote in it is doubled.
    """
    found: list[str] = []
    for value in values or ():
        for quoted, plain in _NAME.findall(value):
            found.append(quoted.replace('""', '"') or plain.strip())
    return list(dict.fromkeys(filter(None, found)))


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
    """Read a table.

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
    large = path.is_file() and path.stat().st_size >= _WORTH_A_BAR
    with bar(f"Reading {path.name}", total=1.0, shown=large) as progress:
        return read_table(
            path, kinds=kinds, missing=markers, columns=columns, progress=progress, mixed=mixed
        )


def load_as(
    path: Path,
    reading: ReadingOptions,
    declared: Schema | None,
    named: Mapping[str, Iterable[str]] | None = None,
    columns: Sequence[str] | None = None,
) -> "Table":
    """Read a table as a group of options says; its schema file is read already."""
    return load(
        path,
        missing=reading.missing,
        category=reading.category,
        schema=declared,
        named=named,
        columns=columns,
    )


def load_with_roles(
    path: Path,
    reading: ReadingOptions,
    roles: RoleOptions,
    needs_target: bool = True,
    more_targets: Sequence[str] = (),
    person: str | None = None,
) -> "tuple[Table, Schema]":
    """The table, and its schema with the roles of the options."""
    from privet.files import column_names
    from privet.roles import Roles, columns_to_read, schema_for

    declared = read_schema(reading.schema)
    columns = ("sensitive", "identifier", "quasi", "other", "drop")
    given = {role: names(getattr(roles, role)) for role in columns}
    of_roles: dict[str, Any] = given | {"more_targets": more_targets, "person": person}
    asked = Roles(roles.target or None, rest=roles.rest, **of_roles)
    named = {f"--{role}": of_role for role, of_role in asked.named.items()}
    in_file = column_names(path)
    needed = columns_to_read(in_file, declared, asked)
    table = load_as(
        path, reading, declared, named | {"--drop": given["drop"], "--tree": more_targets}, needed
    )
    return table, schema_for(table, declared, asked, needs_target, in_file)


def load_for_tree(
    path: Path,
    reading: ReadingOptions,
    target: str | None,
    identifier: Iterable[str] | None,
    drop: Iterable[str] | None,
) -> "tuple[Table, Schema]":
    """The columns that a tree is grown from, and their schema."""
    from privet.calls import columns_of_tree, schema_of_tree
    from privet.roles import Roles

    declared = read_schema(reading.schema)
    if target is None and declared is None:
        raise UsageError("No target is named.", "name the response: --target COLUMN.")
    gone, unused = names(drop), names(identifier)
    named = {"--target": [target] if target else [], "--drop": gone, "--identifier": unused}
    roles = Roles(target, identifier=unused, drop=gone)
    table, found = load_for_method(path, reading, declared, roles, named)
    schema = schema_of_tree(found, target, unused, gone)
    return columns_of_tree(table, schema), schema


def load_for_method(
    path: Path,
    reading: ReadingOptions,
    declared: Schema | None,
    roles: "Roles",
    named: Mapping[str, Iterable[str]],
    used: Iterable[str] = (),
) -> "tuple[Table, Schema]":
    """The table, and its schema before the roles of the options; `used` columns are read whatever
    their role is. `privet.arguments.read_for_method` is the same for callers from Python."""
    from privet.files import column_names
    from privet.roles import columns_of_method, schema_found

    in_file = column_names(path)
    needed = columns_of_method(in_file, declared, roles, used)
    table = load_as(path, reading, declared, named, needed)
    return table, declared or schema_found(table, in_file)
