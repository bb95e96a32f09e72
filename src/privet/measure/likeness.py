"""How like a released table is to its original, asked for two tables at once.

The figures are those of `privet explore`; `engine.likeness` counts them and says what they are.
"""

from collections.abc import Sequence
from typing import Any

from privet.engine import MemoryEngine
from privet.engine.likeness import Likened, Likeness
from privet.errors import UsageError
from privet.files.frames import table_of


def likeness(original: Any, released: Any, columns: Sequence[str] | None = None) -> Likeness:
    """How far the columns of a release are from the original ones, one by one and in pairs.

    Both are frames or Tables, of any numbers of rows; unless some are named, all columns that both
    have are compared. 0 is alike.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> released = {**people, "age": [31] * 3 + [61] * 3}
    >>> round(privet.measure.likeness(people, released).marginal_error, 3)
    0.083
    """
    one, two = MemoryEngine(table_of(original)), MemoryEngine(table_of(released))
    both = [name for name in one.columns() if name in two.columns()]
    for name in columns or ():
        if name not in both:
            raise UsageError(f"Column '{name}' is not in both tables.", f"choose from {both}.")
    return Likened(one, columns or both).to(two)
