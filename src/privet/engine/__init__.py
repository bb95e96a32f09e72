"""Engines: where a table lies and who counts it. `protocol` has the verbs, `memory` the default.

Inside `larger_than_memory` tables lie on disk and are counted by `sql`.
"""

from privet.engine.memory import MemoryEngine
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
from privet.engine.workplace import at_work, larger_than_memory
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
]


def engine_of(table: Table) -> Engine:
    """An engine that holds a table: in memory, or on disk inside `larger_than_memory`."""
    place = at_work()
    return MemoryEngine(table) if place is None else SqlEngine.holding(table, place)
