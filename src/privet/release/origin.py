"""What a release was made from: the original rows, and the equivalence class of each.

It stays in memory beside the release, never in its folder, a pickle or a repr. The audit and the
ledger tell the steward of it what they need.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy.typing as npt

from privet.engine.grouping import numbers_of_rows
from privet.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """The rows as they were given and, in the same order, as they are released."""

    original: Table
    released: Callable[[], Table]  # on disk rows are not brought back, but where they are needed
    quasi: tuple[str, ...]
    classes: Callable[[], npt.NDArray[Any]] | None = None  # of rows that are on disk

    @cached_property
    def class_of_row(self) -> npt.NDArray[Any]:
        """For each original row the number of its class: classes are counted from 0 in the order of
        their released quasi-identifiers, the first column first, missing last."""
        if self.classes is not None:
            return self.classes()
        released = self.released()
        columns = [released[name] for name in self.quasi]
        return numbers_of_rows([c.codes for c in columns], [c.domain.size for c in columns])
