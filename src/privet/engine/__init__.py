"""Engines: where a table lies and who counts it. `protocol` has the verbs, `memory` the default.

Inside `larger_than_memory` tables lie on disk and are counted by `sql`.
"""

import numpy as np

from privet.arrays import Integers
from privet.engine.memory import MemoryEngine
from privet.engine.on_duckdb import larger_than_memory
from privet.engine.on_spark import on_spark
from privet.engine.protocol import (
    AnyOf,
    Between,
    Condition,
    Counts,
    CountSource,
    Engine,
    Path,
    Region,
    Response,
    Tally,
)
from privet.engine.sql import SqlEngine
from privet.engine.workplace import at_work
from privet.table import Table

__all__ = [
    "AnyOf",
    "Between",
    "Condition",
    "CountSource",
    "Counts",
    "Engine",
    "MemoryEngine",
    "Path",
    "Region",
    "Response",
    "SqlEngine",
    "Tally",
    "engine_of",
    "larger_than_memory",
    "on_spark",
]


def engine_of(table: Table, counts: Integers | None = None) -> Engine:
    """An engine that holds a table: in memory, or on disk inside `larger_than_memory`.

    With `counts`, row i is there counts[i] times.
    """
    place = at_work()
    if place is not None:
        return SqlEngine.holding(table, place, counts)
    if counts is not None:
        table = table.take(np.repeat(np.arange(len(counts)), counts))
    return MemoryEngine(table)
