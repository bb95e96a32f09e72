"""Joint counts of cells as a plain reader would take them: one region of the coarse table after the
other. The oracle of `preserve.by_leaf.cell_counts`."""

from collections.abc import Mapping, Sequence

import numpy as np

from privet.arrays import Integers
from privet.engine.protocol import Counts, Engine, Region
from privet.preserve.by_leaf.cell_counts import CellCounts
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, apply, relabelled


def cells_by_region(
    engine: Engine,
    leaf_counts: LeafCounts,
    base: Mapping[str, ColumnRecoding],
    sensitive: Sequence[str] = (),
) -> CellCounts:
    """Count the cells of the used columns together, group by group."""
    counter = _CellCounter(engine, leaf_counts, base, sensitive)
    groups, keys, n = [], [], []
    by_value: dict[str, list[Integers]] = {column: [] for column in sensitive}
    for group, region in enumerate(counter.regions):
        distinct, records = counter.cells(region)
        groups.append(np.full(len(distinct), group, dtype=np.int64))
        keys.append(distinct)
        n.append(records)
        for column in sensitive:
            by_value[column].append(counter.by_value(column, region, len(distinct)))
    stacked = {column: np.concatenate(tables) for column, tables in by_value.items()}
    return CellCounts(
        counter.columns, np.concatenate(groups), np.concatenate(keys), np.concatenate(n), stacked
    )


class _CellCounter:
    """Counts cells of the global recoding; a sensitive column is only recoded in the keys, for l
    and t speak of its original values."""

    def __init__(
        self,
        engine: Engine,
        leaf_counts: LeafCounts,
        base: Mapping[str, ColumnRecoding],
        sensitive: Sequence[str],
    ) -> None:
        self.columns = tuple(c for c in leaf_counts.columns if c in base)
        self._base = base
        self._asked = [c for c in self.columns if c in sensitive]
        coarsened = {name: r for name, r in base.items() if name not in sensitive}
        self._engine = apply(engine, coarsened)
        domains = {name: self._engine.domain(name) for name in self._engine.columns()}
        of_trees = [
            relabelled(t, coarsened, leaf_counts.domains).regions(domains)
            for t in leaf_counts.trees
        ]
        self.regions = [
            sum((of[leaf] for of, leaf in zip(of_trees, leaves, strict=True)), ())
            for leaves in leaf_counts.leaves
        ]

    def cells(self, region: Region) -> tuple[Integers, Integers]:
        """The combinations of cells that occur in a region, and the records of each."""
        counts, cells = self._counted((), region)
        distinct, row = np.unique(cells, axis=0, return_inverse=True)
        return distinct, np.bincount(row.ravel(), weights=counts.n).astype(np.int64)

    def by_value(self, column: str, region: Region, combinations: int) -> Integers:
        """The same records by the values of a sensitive column."""
        is_asked = column in self._asked
        joint, cells = self._counted([] if is_asked else [column], region)
        _, row = np.unique(cells, axis=0, return_inverse=True)
        place = self.columns.index(column) if is_asked else len(self.columns)
        table = np.zeros((combinations, self._engine.domain(column).size), dtype=np.int64)
        np.add.at(table, (row.ravel(), joint.keys[:, place]), joint.n)
        return table

    def _counted(self, extra: Sequence[str], region: Region) -> tuple[Counts, Integers]:
        counts = self._engine.count([*self.columns, *extra], within=region)
        cells = counts.keys[:, : len(self.columns)].copy()
        for column in self._asked:
            place = self.columns.index(column)
            cells[:, place] = self._base[column].new_of_old[cells[:, place]]
        return counts, cells
