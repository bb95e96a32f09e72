"""Rich recoding of a table: blocks inside the leaves of a tree, and every column filled from them.

Columns are repaired one by one, since a candidate split concerns one column. Where a column can
only be kept in pieces of leaves, the blocks are made anew inside those pieces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from privet.arrays import Integers
from privet.engine.blocks import Blocks, fill_compactly
from privet.engine.protocol import AnyOf, Engine, Region
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.recode import Found, recode_column, with_lists_carried
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, Treatment, kept, relabelled, suppressed
from privet.preserve.rich.column import InPieces, RichColumn, fill_column, last_resort
from privet.preserve.rich.known_blocks import KnownBlocks
from privet.preserve.rich.members import Members
from privet.table import Value
from privet.tree.model import Tree

_MOST_DIVISIONS = 4  # times that columns may ask for pieces


@dataclass(frozen=True, eq=False)
class RichRecoding:
    """The recoding of a table by blocks; `group` is the leaf of each block."""

    leaf_counts: LeafCounts
    blocks: Blocks
    group: Integers
    columns: Mapping[str, RichColumn]
    base: Mapping[str, ColumnRecoding]

    @property
    def strict(self) -> bool:
        return all(column.form == "strict" for column in self.columns.values())

    def apply(self, engine: Engine, besides: Sequence[str] = ()) -> Engine:
        """The table with its columns filled, but for some; blocks know their own table."""
        values = {n: (c.codes, c.domain) for n, c in self.columns.items() if n not in besides}
        return fill_compactly(self.blocks, values)

    def expected(self, number: int = 0) -> Tree:
        """A tree in the words of the released table, as it will grow there."""
        words = {
            name: self.base[name]
            if column.treatment is Treatment.CODED
            else kept(name, self.leaf_counts.domains[name])
            for name, column in self.columns.items()
        }
        grown = relabelled(self.leaf_counts.trees[number], words, self.leaf_counts.domains)

        def labels(attribute: str, side: Integers) -> tuple[Value, ...] | None:
            column = self.columns.get(attribute)
            if column is None:
                return None
            codes = np.unique(column.codes[np.isin(self.group, side)])
            return tuple(column.domain.value(code) for code in codes.tolist())

        return with_lists_carried(grown, self.leaf_counts, number, labels)


@dataclass(frozen=True, eq=False)
class RichRecoder:
    """Recodes a table for one tree.

    The columns of `known`, which may be that of other trees as well, are filled from blocks; the
    others that `base` recodes keep the values of leaf recoding. `base` is the global recoding of
    each column, on which the last resort is built.
    """

    known: KnownBlocks
    leaf_counts: LeafCounts
    base: Mapping[str, ColumnRecoding]
    float32_safe: bool = False
    solver: Solver | None = None

    @property
    def engine(self) -> Engine:
        return self.known.engine

    @property
    def columns(self) -> Sequence[str]:
        return self.known.columns

    @property
    def k(self) -> int:
        return self.known.rule.k

    def recode(self) -> RichRecoding | None:
        """The recoding; None where a column can only be kept in pieces of fewer than k records."""
        pieces: dict[str, list[list[Integers]]] = {}
        for _ in range(_MOST_DIVISIONS):
            regions, group = self._regions(pieces)
            start = self.engine.blocks(regions)
            some = start.sizes > 0
            if start.sizes[some].min() < self.k:
                return None
            if not some.all():
                regions = [region for region, any_ in zip(regions, some, strict=True) if any_]
                start = self.engine.blocks(regions)
            try:
                return self._by_blocks(regions, start, group[some])
            except InPieces as needed:
                pieces[needed.column] = needed.pieces
        return None

    def _regions(self, pieces: Mapping[str, list[list[Integers]]]) -> tuple[list[Region], Integers]:
        """The groups, divided as some columns need it, and the group of each part."""
        regions, groups = [], []
        for group, region in enumerate(self.leaf_counts.regions):
            for parts in product(
                *(
                    [(column, codes) for codes in of_group[group]]
                    for column, of_group in pieces.items()
                )
            ):
                more = tuple(AnyOf(column, frozenset(codes.tolist())) for column, codes in parts)
                regions.append((*region, *more))
                groups.append(group)
        return regions, np.array(groups, dtype=np.int64)

    def _by_blocks(self, regions: Sequence[Region], start: Blocks, group: Integers) -> RichRecoding:
        blocks = self.known.of(regions, start)
        group = np.repeat(group, np.diff(np.searchsorted(blocks.starts, start.starts)))
        weights = self.leaf_counts.responses.of_blocks(self.engine, blocks)
        atoms = Atoms(group, (), weights, blocks.sizes)
        found = {
            name: self._column(name, blocks, atoms)
            for name in (*self.columns, *(n for n in self.base if n not in self.columns))
        }
        return RichRecoding(self.leaf_counts, blocks, group, found, self.base)

    def _column(self, name: str, blocks: Blocks, atoms: Atoms) -> RichColumn:
        if self.solver is not None:
            self.solver.deadline.check()
        domain = self.leaf_counts.domains[name]
        task = ColumnTask(self.leaf_counts, name, kept(name, domain), self.float32_safe)
        members = Members.of(blocks.count([name]), domain, atoms.group)
        if name in self.columns:
            filled = fill_column(task, members, atoms)
            if filled is not None:
                return filled
        if name not in self.leaf_counts.columns:
            gone = suppressed(name, domain)
            nothing = np.zeros(len(atoms), dtype=np.int64)
            return RichColumn(name, nothing, gone.domain, Treatment.SUPPRESSED, "strict")
        found = self._leaf_values(name)
        return last_resort(task, self.base[name], found, members, atoms)

    def _leaf_values(self, name: str) -> Found:
        """What leaf recoding finds for a column; it does not depend on the blocks."""
        if name not in self._found:
            task = ColumnTask(self.leaf_counts, name, self.base[name], self.float32_safe)
            self._found[name] = recode_column(task, self.solver, self.k)
        return self._found[name]

    @cached_property
    def _found(self) -> dict[str, Found]:
        return {}
