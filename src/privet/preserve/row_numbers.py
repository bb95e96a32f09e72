"""The number of each row as a column of its own: so rows can be followed through a database.

A database keeps no order, and rows that are alike only once. The audit and the ledger say which
equivalence class each row is in; where they are wanted of a table on disk, its rows carry their
numbers along. No release has the column.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from privet.engine import Engine
from privet.engine.workplace import at_work
from privet.errors import UsageError
from privet.files.on_disk import Array, Pieces
from privet.release.origin import Origin
from privet.schema import Kind
from privet.table import Coded, Domain, Table

ROW = "\0row"  # no file has a column of such a name
_AT_ONCE = 1 << 20


def with_row_numbers(table: Table) -> Table:
    """The same table; where rows are to be followed on disk, with their numbers."""
    place = at_work()
    if place is None or not place.follows_rows:
        return table
    codes = Pieces().joined(_counted_up(table.n_rows), np.uint32, table.n_rows)
    domain = Domain(Kind.INTEGER, np.arange(table.n_rows))
    return Table({**{name: table[name] for name in table}, ROW: Coded(domain, codes)})


def _counted_up(rows: int) -> Iterator[Array]:
    for start in range(0, rows, _AT_ONCE):
        yield np.arange(start, min(start + _AT_ONCE, rows), dtype=np.uint32)


def origin_of(table: Table, released: Engine, quasi: tuple[str, ...]) -> Origin:
    """What a release was made from; `table` may have numbers of rows."""
    original = Table({name: table[name] for name in table if name != ROW})
    if at_work() is None:
        return Origin(original, released.table, quasi)
    classes = partial(_classes, released, quasi) if ROW in table else _not_followed
    return Origin(original, released.table, quasi, classes)


def _not_followed() -> Array:
    raise UsageError(
        "Which class each row is in can only be told if rows are followed from the start, since "
        "the table is counted on disk.",
        "say `place.follows_rows = True` in `with privet.larger_than_memory() as place:`.",
    )


def _classes(released: Engine, quasi: tuple[str, ...]) -> Array:
    """The class of each row, a portion of rows at a time; classes are numbered in their order."""
    found = np.zeros(released.n_rows(), dtype=np.uint32)
    last, number = None, -1
    for rows in released.portions([*quasi, ROW], 1 + len(quasi)):
        if not len(rows.n):
            continue
        begins = np.zeros(len(rows.n), dtype=np.int64)
        begins[rows.runs(len(quasi))] = 1
        first, last_here = rows.keys[0, :-1], rows.keys[-1, :-1]
        begins[0] = last is None or not np.array_equal(first, last)
        numbers = number + np.cumsum(begins)
        found[rows.keys[:, -1]] = numbers
        last, number = last_here, int(numbers[-1])
    return found
