"""Blocks of regions, kept for the next tree: a tree of one leaf more has all other leaves again.

What becomes of a region depends on its own records, the columns and the rule alone (`partition`).
So the blocks of each leaf are found once for all sizes of a tree, in memory; a table on disk is cut
anew for every size.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from privet.engine.blocks import Blocks
from privet.engine.memory_blocks import MemoryBlocks
from privet.engine.protocol import Engine, Region
from privet.engine.regions import KEPT_ROWS
from privet.preserve.rich.cuts import Axis
from privet.preserve.rich.partition import Rule, axes_of, cut_along


class KnownBlocks:
    """The blocks of regions of one table, cut along some columns by one rule."""

    def __init__(self, engine: Engine, columns: Sequence[str], rule: Rule) -> None:
        self.engine, self.columns, self.rule = engine, columns, rule
        self._axes: list[Axis] | None = None
        self._known: dict[Region, MemoryBlocks] = {}
        self._kept = 0  # row numbers, of all regions

    def of(self, regions: Sequence[Region], whole: Blocks) -> Blocks:
        """The blocks of some regions, none of which is empty; `whole` has one block for each."""
        if self._axes is None:
            self._axes = axes_of(whole, self.columns)
        if not isinstance(whole, MemoryBlocks):
            return cut_along(whole, self._axes, self.rule)
        self._forget_if_too_many(whole)
        new = [place for place, region in enumerate(regions) if region not in self._known]
        if new:
            start = whole.only(new)
            cut = cut_along(start, self._axes, self.rule)
            ends = np.searchsorted(cut.starts, start.starts).tolist()
            for place, (first, end) in zip(new, pairwise(ends), strict=True):
                self._known[regions[place]] = cut.only(range(first, end))
            self._kept += len(start.rows)
        return MemoryBlocks.joined([self._known[region] for region in regions])

    def _forget_if_too_many(self, whole: MemoryBlocks) -> None:
        if self._kept > KEPT_ROWS * whole.table.n_rows:
            self._known, self._kept = {}, 0
