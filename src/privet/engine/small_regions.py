"""Regions of few records: fetched from a database once, and counted in memory from then on.

A question costs a database a good part of what reading the rows of a small region costs, and a deep
tree asks one for each of its nodes. So whatever lies below a region of few records is counted here.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

from privet.engine.memory import MemoryEngine
from privet.engine.protocol import Region, Response, Tally
from privet.table import Table

FEW = 64_000  # records of a region
_HELD = 16  # regions at once


class SmallRegions:
    """The small regions of one table that are held."""

    def __init__(self, records: int) -> None:
        self._records: dict[Region, int] = {(): records}
        self._held: OrderedDict[Region, MemoryEngine] = OrderedDict()

    def learn(self, region: Region, tallies: Mapping[str, Tally], target: str | Response) -> None:
        """How many records a region has, from whatever was counted there."""
        for tally in tallies.values():
            counted = tally.weights if isinstance(target, str) else tally.weights[:, 0]
            self._records[region] = int(counted.sum())
            return

    def tally(
        self,
        fetched: Callable[[Region], Table],
        columns: Sequence[str],
        regions: Sequence[Region],
        target: str | Response,
        beside: Sequence[Region] = (),
    ) -> list[dict[str, Tally]] | None:
        """The tallies of regions that lie in one small region, whose rows are fetched if they are
        not here yet; None if they do not."""
        alone = len(regions) == 1 and regions[0] in self._records
        known = self._holding(regions[0] if alone else regions[0][:-1], fetched)
        if known is None or any(region[: len(known[0])] != known[0] for region in regions):
            return None
        place, engine = len(known[0]), known[1]
        inside, others = ([region[place:] for region in some] for some in (regions, beside))
        return engine.tally(columns, inside, target, others)

    def _holding(
        self, region: Region, fetched: Callable[[Region], Table]
    ) -> tuple[Region, MemoryEngine] | None:
        """The outermost small region around one, if there is any, and its records."""
        for length in range(len(region) + 1):
            around = region[:length]
            if around in self._held:
                self._held.move_to_end(around)
                return around, self._held[around]
            if self._records.get(around, FEW + 1) <= FEW:
                engine = self._held[around] = MemoryEngine(fetched(around))
                if len(self._held) > _HELD:
                    self._held.popitem(last=False)
                return around, engine
        return None
