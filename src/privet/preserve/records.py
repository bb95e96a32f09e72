"""The records that a release is made from: no identifiers, no unused values."""

from dataclasses import replace

import numpy as np

from privet.errors import UsageError, param
from privet.schema import Kind, Role, Schema
from privet.table import Coded, Domain, Table


def released_schema(table: Table, schema: Schema) -> Schema:
    """The columns that may be released at all; some of them must be protected."""
    columns = tuple(c for c in schema if c.role is not Role.IDENTIFIER and c.name in table)
    released = replace(schema, columns=columns)
    if not released.quasi:
        raise UsageError(
            "No quasi-identifier is left to protect.",
            "columns without a role are quasi-identifiers; name fewer others.",
        )
    return released


def records_of(table: Table, schema: Schema, float32: bool = False) -> Table:
    """The columns that may be released at all, their domains without values that no record has.

    With `float32`, decimals that the tree may ask are rounded to single precision first, as
    growers do that work in it.
    """
    columns = {c.name: table[c.name].compact() for c in schema if c.role is not Role.IDENTIFIER}
    if float32:
        columns |= {
            name: _single_precision(name, column)
            for name, column in columns.items()
            if column.domain.kind is Kind.DECIMAL and schema[name].role is not Role.TARGET
        }
    return Table(columns)


def _single_precision(name: str, column: Coded) -> Coded:
    domain = column.domain
    with np.errstate(over="ignore"):
        rounded = domain.values.astype(np.float32).astype(np.float64) + 0.0
    if np.isinf(rounded).any():
        raise UsageError(
            f"Column '{name}' holds numbers too large for single precision.",
            f"publish without {param('float32_safe')}.",
        )
    distinct, new_of_old = np.unique(rounded, return_inverse=True)
    if domain.missing:
        new_of_old = np.append(new_of_old, len(distinct))
    return column.merged(new_of_old, Domain(domain.kind, distinct, domain.missing))
