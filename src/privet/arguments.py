"""What public calls do with their arguments: tables of every shape, settings by name.

`pipeline` and `calls` spell out every parameter, so that editors complete them; here is what they
share. Roles of columns are in `roles`.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from privet.files import as_table, names_in
from privet.roles import Roles, columns_of_method, columns_to_read, schema_for, schema_found
from privet.schema import Kind, Schema
from privet.table import Table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

AnyPath = str | os.PathLike[str]
Kinds = Mapping[str, Kind | str]
Settings = TypeVar("Settings", bound="DataclassInstance")


def read_any(
    frame: Any,
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> tuple[Table, Schema | None]:
    """A table from whatever the caller gave, and the schema if one is declared.

    With `columns`, only those are read.
    """
    declared = schema_given(schema)
    given = {column.name: column.kind for column in declared or ()}
    given |= {name: Kind(kind) for name, kind in (kinds or {}).items()}
    markers = [*(declared.missing if declared else ()), *missing]
    return as_table(frame, kinds=given, missing=markers, columns=columns), declared


def read_with_roles(
    frame: Any,
    roles: Roles,
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    *,
    needs_target: bool = True,
) -> tuple[Table, Schema]:
    """A table from whatever the caller gave, and its schema with all roles; identifiers and what
    is dropped are in the schema at most."""
    declared = schema_given(schema)
    names = names_in(frame)
    needed = columns_to_read(names, declared, roles)
    table, _ = read_any(frame, declared, kinds, missing, needed)
    return table, schema_for(table, declared, roles, needs_target, names)


def read_for_method(
    frame: Any,
    roles: Roles,
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    used: Sequence[str] = (),
) -> tuple[Table, Schema]:
    """A table from whatever the caller gave, and its schema before the roles of the call.

    A schema that is declared names all columns that matter. Identifiers and what is dropped are not
    read, unless they are `used` all the same.
    """
    declared = schema_given(schema)
    names = names_in(frame)
    needed = columns_of_method(names, declared, roles, used)
    table, _ = read_any(frame, declared, kinds, missing, needed)
    return table, declared or schema_found(table, names)


def schema_given(schema: Schema | AnyPath | None) -> Schema | None:
    """A schema, or the one in a file."""
    return Schema.read(Path(schema)) if isinstance(schema, str | os.PathLike) else schema


def settings_from(kind: type[Settings], arguments: Mapping[str, Any]) -> Settings:
    """Settings made of the `locals()` of a call: each field is the parameter of its own name.

    The tests hold the parameters of the calls against the fields: names, types and defaults.
    """
    names = [field.name for field in fields(kind) if field.init]
    return kind(**{name: arguments[name] for name in names if name in arguments})
