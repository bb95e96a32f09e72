"""What the sources of counts over perturbed records share: they count classes, and no more.

`estimated` counts without rebuilding any record, `by_node` assigns values again at every node.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from privet.engine.protocol import Region, Response, Tally
from privet.errors import UsageError, param
from privet.table import Domain, Table


class PerturbedCounts(ABC):
    """A source of counts for `privet.tree.grow` over a perturbed table."""

    def __init__(self, table: Table, target: str) -> None:
        self._table = table
        self._target = target

    def n_rows(self) -> int:
        return self._table.n_rows

    def tally(
        self,
        columns: Sequence[str],
        regions: Sequence[Region],
        target: str | Response,
        beside: Sequence[Region] = (),  # an estimate is no rest of another
    ) -> list[dict[str, Tally]]:
        if target != self._target:
            raise UsageError(
                "From perturbed records only classes can be predicted.",
                f"use {param('way', 'by-class')}.",
            )
        return [{c: self._tally(c, region) for c in columns} for region in regions]

    @abstractmethod
    def domain(self, column: str) -> Domain: ...

    @abstractmethod
    def _tally(self, column: str, region: Region) -> Tally:
        """The estimated counts of one column in one region, by class."""
