"""Counting rows one by one: the slow twin of the engines."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from privet.engine import Between, Region
from privet.schema import Kind
from privet.table import Coded, Table


def table_of(columns: Mapping[str, Sequence[Any]], kind: Kind = Kind.INTEGER) -> Table:
    """A table from plain lists; None is missing."""
    coded = {}
    for name, cells in columns.items():
        missing = np.array([cell is None for cell in cells], dtype=bool)
        blank: Any = "" if kind is Kind.CATEGORY else 0
        values = np.array(
            [blank if cell is None else cell for cell in cells],
            dtype=object if kind is Kind.CATEGORY else np.int64,
        )
        coded[name] = Coded.of(values, kind, missing)
    return Table(coded)


def rows_within(table: Table, region: Region = ()) -> list[int]:
    """The numbers of the rows that meet every condition."""
    chosen = []
    for row in range(table.n_rows):
        for condition in region:
            code = int(table[condition.column].codes[row])
            if isinstance(condition, Between):
                inside = condition.low <= code <= condition.high
            else:
                inside = code in condition.codes
            if not inside:
                break
        else:
            chosen.append(row)
    return chosen


def naive_count(
    table: Table, by: Sequence[str], region: Region = ()
) -> list[tuple[tuple[int, ...], int]]:
    """Each combination of codes that occurs, sorted, with its number of records."""
    found = Counter(
        tuple(int(table[name].codes[row]) for name in by) for row in rows_within(table, region)
    )
    return sorted(found.items())


def naive_tally(table: Table, column: str, region: Region, target: str) -> dict[int, list[int]]:
    """For each code that occurs, the records by code of the target."""
    found: dict[int, list[int]] = {}
    for row in rows_within(table, region):
        weights = found.setdefault(int(table[column].codes[row]), [0] * table[target].domain.size)
        weights[int(table[target].codes[row])] += 1
    return dict(sorted(found.items()))


def naive_sums(
    table: Table, column: str, region: Region, target: str, units: Sequence[int]
) -> dict[int, list[int]]:
    """For each code that occurs, the records and the sum of the response in grid steps."""
    found: dict[int, list[int]] = {}
    for row in rows_within(table, region):
        weights = found.setdefault(int(table[column].codes[row]), [0, 0])
        weights[0] += 1
        weights[1] += int(units[int(table[target].codes[row])])
    return dict(sorted(found.items()))
