"""Engines: where a table lies and who counts it. `protocol` has the verbs, `memory` the default."""

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
    "Tally",
]
