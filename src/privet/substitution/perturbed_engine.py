"""What the engines over perturbed records share: they count classes, and never recode.

`estimated` counts without rebuilding any record, `by_node` deals values out anew at every node.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy.typing as npt

from privet.engine import MemoryEngine
from privet.engine.protocol import Counts, Region, Response, Tally
from privet.errors import UsageError
from privet.table import Domain, Table


class PerturbedEngine(ABC):
    """An engine for `privet.tree.grow` over a perturbed table."""

    def __init__(self, table: Table, target: str) -> None:
        self._table = table
        self._target = target

    def columns(self) -> tuple[str, ...]:
        return self._table.names

    def n_rows(self) -> int:
        return self._table.n_rows

    def table(self) -> Table:
        return self._table

    def count(self, by: Sequence[str], within: Region = ()) -> Counts:
        return MemoryEngine(self._table).count(by, within)

    def recode(
        self,
        edits: Mapping[str, tuple[npt.NDArray[Any], Domain]],
        regions: Sequence[Region] | None = None,
    ) -> NoReturn:
        raise UsageError("Perturbed records are not recoded.", "rebuild the table first.")

    def tally(
        self, columns: Sequence[str], regions: Sequence[Region], target: str | Response
    ) -> list[dict[str, Tally]]:
        if target != self._target:
            raise UsageError(
                "From perturbed records only classes can be predicted.", "use --way by-class."
            )
        return [{c: self._tally(c, region) for c in columns} for region in regions]

    @abstractmethod
    def domain(self, column: str) -> Domain: ...

    @abstractmethod
    def _tally(self, column: str, region: Region) -> Tally:
        """The estimated counts of one column in one region, by class."""
