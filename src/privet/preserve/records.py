"""The records that a release is made from: no identifiers, no unused values, the target in steps
or normalised where that is asked for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from privet.criteria.verdict import plain
from privet.errors import UnknownColumn, UsageError, param
from privet.preserve.settings import PublishSettings
from privet.release.target_values import (
    NORMALISED,
    ROUNDED,
    normalised,
    rounded,
    with_common_values,
)
from privet.schema import Kind, Role, Schema
from privet.table import Coded, Domain, Table

DECIMALS = (Kind.DECIMAL,)
SINGLE = (Kind.DECIMAL, Kind.INTEGER, Kind.DATE, Kind.DATETIME)  # all that scikit-learn rounds

_FAR = 2.0**62  # whole numbers beyond may not be whole numbers of 64 bits when they are rounded


def released_schema(table: Table, schema: Schema, person: str | None = None) -> Schema:
    """The columns that may be released at all; some of them must be protected."""
    kept = [c for c in schema if c.role is not Role.IDENTIFIER and c.name != person]
    columns = tuple(c for c in kept if c.name in table)
    released = replace(schema, columns=columns)
    if not released.quasi:
        raise UsageError(
            "No quasi-identifier is left to protect.",
            "columns without a role are quasi-identifiers; name fewer others.",
        )
    return released


def records_of(
    table: Table, schema: Schema, singly: Sequence[Kind] = (), person: str | None = None
) -> Table:
    """The columns that may be released at all, their domains without values that no record has;
    beside them the column that tells people apart, which no schema of a release has.

    Columns of the kinds `singly` that the tree may ask are rounded to single precision first, as
    growers do that work in it.
    """
    columns = {c.name: table[c.name].compact() for c in schema if c.role is not Role.IDENTIFIER}
    columns |= {
        name: _single_precision(name, column)
        for name, column in columns.items()
        if column.domain.kind in singly and schema[name].role is not Role.TARGET
    }
    if person is not None:
        if person not in table:
            raise UnknownColumn(person, table.names, where=param("person"))
        columns[person] = table[person].compact()
    return Table(columns)


def with_reshaped_target(
    table: Table, schema: Schema, settings: PublishSettings
) -> tuple[Table, Schema, PublishSettings]:
    """The target in steps or normalised; it is still a number, however few values are left."""
    target, step = schema.target, settings.step
    column = table[target]
    if step is not None:
        column = rounded(target, column, step)
        if settings.target_known:
            column = with_common_values(column, settings.k)
    if settings.normalise_target:
        column = normalised(target, column)
    columns = tuple(replace(c, kind=column.domain.kind) if c.name == target else c for c in schema)
    trees = [
        replace(tree, impurity=tree.impurity or "deviance")
        if tree.target in (None, target)
        else tree
        for tree in settings.further
    ]
    return (
        table.replace({target: column}),
        replace(schema, columns=columns),
        replace(settings, impurity=settings.impurity or "deviance", trees=trees),
    )


def target_entry(settings: PublishSettings) -> dict[str, Any]:
    """What the manifest says of a target that was rounded or normalised."""
    step = settings.step
    treatment = NORMALISED if settings.normalise_target else ROUNDED
    if step is None:
        return {"treatment": treatment}
    common = {"at_least": settings.k} if settings.target_known else {}
    return {"treatment": treatment, "step": plain(step), **common}


def _single_precision(name: str, column: Coded) -> Coded:
    domain = column.domain
    with np.errstate(over="ignore"):
        rounded = domain.values.astype(np.float32).astype(np.float64) + 0.0
    if np.isinf(rounded).any() or (
        domain.kind.is_integral and np.abs(rounded).max(initial=0) > _FAR
    ):
        raise UsageError(
            f"Column '{name}' holds numbers too large for single precision.",
            f"publish without {param('float32_safe')}, by another {param('grower')}.",
        )
    distinct, new_of_old = np.unique(rounded, return_inverse=True)
    distinct = distinct.astype(domain.values.dtype)
    if domain.missing:
        new_of_old = np.append(new_of_old, len(distinct))
    return column.merged(new_of_old, Domain(domain.kind, distinct, domain.missing))
