"""What public calls do with their arguments: tables of every shape, settings by name.

`pipeline` and `calls` spell out every parameter, so that editors complete them; here is what they
share. Roles of columns are in `roles`.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from privet.files import as_table
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
) -> tuple[Table, Schema | None]:
    """A table from whatever the caller gave, and the schema if one is declared."""
    declared = schema_given(schema)
    given = {column.name: column.kind for column in declared or ()}
    given |= {name: Kind(kind) for name, kind in (kinds or {}).items()}
    markers = [*(declared.missing if declared else ()), *missing]
    return as_table(frame, kinds=given, missing=markers), declared


def schema_given(schema: Schema | AnyPath | None) -> Schema | None:
    """A schema, or the one in a file."""
    return Schema.read(Path(schema)) if isinstance(schema, str | os.PathLike) else schema


def settings_from(kind: type[Settings], arguments: Mapping[str, Any]) -> Settings:
    """Settings made of the `locals()` of a call: each field is the parameter of its own name.

    The tests hold the parameters of the calls against the fields: names, types and defaults.
    """
    names = [field.name for field in fields(kind) if field.init]
    return kind(**{name: arguments[name] for name in names if name in arguments})
