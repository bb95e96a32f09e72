"""Engines: where a table lies and who counts it. `protocol` has the verbs, `memory` the default.

Inside `larger_than_memory` tables lie on disk and are counted by `sql`. What counts elsewhere than
in memory is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.arrays import Integers
from privet.engine.memory import MemoryEngine
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
from privet.engine.workplace import at_work
from privet.table import Table

if TYPE_CHECKING:
    from privet.engine.on_duckdb import larger_than_memory
    from privet.engine.sql import SqlEngine

_HOMES = {
    "SqlEngine": "privet.engine.sql",
    "larger_than_memory": "privet.engine.on_duckdb",
}

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
        from privet.engine.sql import SqlEngine

        return SqlEngine.holding(table, place, counts)
    if counts is not None:
        table = table.take(np.repeat(np.arange(len(counts)), counts))
    return MemoryEngine(table)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'privet.engine' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
