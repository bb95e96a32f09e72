"""Texts that a spreadsheet would run as a formula, made harmless by an apostrophe in front.

A cell of CSV that begins with = + - or @ is a formula to Excel and its kin, whoever wrote it.
"""

import numpy as np

from privet.schema import Kind
from privet.table import Coded, Table

_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def with_safe_cells(table: Table) -> Table:
    """The table with an apostrophe before every text and name that a spreadsheet would run."""
    return Table({_safe(name): _safe_column(table[name]) for name in table})


def _safe(text: str) -> str:
    """Those with apostrophes before such a beginning get one more: no two texts become one."""
    return f"'{text}" if text.lstrip("'").startswith(_BEGINS_FORMULA) else text


def _safe_column(column: Coded) -> Coded:
    domain = column.domain
    if domain.kind is not Kind.CATEGORY or not any(_safe(v) != v for v in domain.values):
        return column
    texts = np.array([*(_safe(v) for v in domain.values), *([""] * domain.missing)], dtype=object)
    present = np.arange(domain.size) < len(domain.values)
    return Coded.of(texts[column.codes], Kind.CATEGORY, ~present[column.codes])
