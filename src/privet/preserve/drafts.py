"""Drafts: what the release of each size of the tree would be, before anything is written.

`Drafts` grows the largest tree once (`growing`) and recodes the table for any smaller size: by one
map for each column, leaf by leaf on top of that, or from blocks of records inside the leaves. Which
draft of a size is taken, and whether it passes, is for `judging`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from privet.engine import Engine, MemoryEngine
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.by_leaf.refinement import count_cells, refine
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.deadline import Deadline
from privet.preserve.growing import (
    admissible_leaves,
    columns_to_recode,
    diverse_leaves,
    grow_largest,
    guard_of,
)
from privet.preserve.leaf_counts import LeafCounts, count_leaves
from privet.preserve.recoding import ColumnRecoding, apply, kept, relabelled, suppressed
from privet.preserve.rich.recode import PATIENCE, RichRecoder, RichRecoding
from privet.preserve.rich.rule import rule_for
from privet.preserve.settings import PublishSettings, Recoding
from privet.release.claims.figures import Figures, count_figures
from privet.schema import Role, Schema
from privet.table import Table
from privet.tree.boundaries import BoundaryCount, count_boundaries
from privet.tree.compare import Comparison, compare
from privet.tree.grow import grow
from privet.tree.model import Tree


@dataclass(frozen=True, eq=False)
class Draft:
    """The release of one size before it is written."""

    tree: Tree  # in the words of the original
    released_tree: Tree  # in the words of the release
    leaf_counts: LeafCounts
    base: Mapping[str, ColumnRecoding]  # the global recoding of each column
    leaf: LeafRecoding | None  # how it was refined by leaf, if it was
    rich: RichRecoding | None  # how it was filled from blocks, if it was
    recoded: Engine  # every column that the tree may ask as it will be released
    judged: Engine  # quasi-identifiers recoded, sensitive columns still as they were
    figures: Figures

    @property
    def recoding(self) -> Recoding:
        if self.rich is not None:
            return "rich"
        return "global" if self.leaf is None else "leaf"

    @property
    def is_single_precision(self) -> bool:
        """Whether single precision holds every value that depends on the record."""
        by_records = self.rich or self.leaf
        return by_records is not None and all(
            column.is_single_precision for column in by_records.columns.values()
        )

    @property
    def n_leaves(self) -> int:
        return self.tree.n_leaves

    def grown_again(self, schema: Schema) -> Comparison:
        """Grow the tree from the recoded table and compare."""
        afresh = self.recoded.recode({})  # what it remembers of nodes goes with it
        return compare(self.released_tree, grow(afresh, schema, self.released_tree.grower))


class Drafts:
    """The tree of a table, and the drafts of its sizes."""

    def __init__(
        self,
        table: Table,
        schema: Schema,
        settings: PublishSettings,
        solver: Solver | None = None,
    ) -> None:
        self.table = table
        self.engine = MemoryEngine(table)
        self.schema = schema
        self.settings = settings
        self.solver = solver or Solver(deadline=Deadline(settings.time_limit))
        self.recoded_columns = columns_to_recode(schema, settings)
        self._suspects: list[str] = []  # columns for which leaf recoding failed at other sizes
        self._boundaries: dict[int, BoundaryCount] = {}
        self._bases: dict[int, tuple[LeafCounts, dict[str, ColumnRecoding]]] = {}

    @cached_property
    def tree(self) -> Tree:
        """The largest tree looked at."""
        return grow_largest(self.engine, self.schema, self.settings)

    @property
    def deadline(self) -> Deadline:
        """The limit of time for everything that is tried."""
        return self.solver.deadline

    @property
    def stopped_by_clock(self) -> bool:
        """Whether another run on the same table may find something else."""
        return self.solver.stopped_by_clock or self.deadline.has_cut_short

    @property
    def sizes(self) -> list[int]:
        """Every size with at least one split."""
        return [size for size in self.tree.sizes if size > 1]

    def base(self, size: int) -> tuple[LeafCounts, dict[str, ColumnRecoding]]:
        """The counts of the leaves of a size, and the global recoding of each column."""
        if size not in self._bases:
            leaf_counts = count_leaves(self.engine, [self.tree.prefix(size)])
            recodings = recode_globally(leaf_counts, self.recoded_columns, self.schema.groups)
            self._bases[size] = leaf_counts, recodings
        return self._bases[size]

    @cached_property
    def is_monotone(self) -> bool:
        """Whether each size's equivalence classes, by global recoding, refine those before."""
        return all(
            finer.refines(coarser)
            for one, two in pairwise(self.sizes)
            for coarser, finer in zip(
                self.base(one)[1].values(), self.base(two)[1].values(), strict=True
            )
        )

    def boundaries(self, draft: Draft) -> BoundaryCount:
        """Whom the boundaries of the tree of a draft tell."""
        if draft.n_leaves not in self._boundaries:
            admissible = admissible_leaves(self.engine, self.schema, self.settings)
            guard = guard_of(self.schema, self.settings)
            found = count_boundaries(self.engine, draft.tree, admissible, guard)
            self._boundaries[draft.n_leaves] = found
        return self._boundaries[draft.n_leaves]

    # -- making ----------------------------------------------------------------------------------

    def by_one_map(self, size: int) -> Draft:
        """The draft of global recoding."""
        return self._draft(*self.base(size))

    def by_leaf(self, size: int) -> Iterator[Draft]:
        """Drafts of leaf recoding: with detail given back, then without. None where some column
        would have to be kept in pieces of fewer than k records: they could not pass."""
        leaf_counts, base = self.base(size)
        settings = self.settings
        # If quasi-identifiers alone tell leaves apart, an equivalence class lies within a piece.
        told_apart = set(leaf_counts.columns) <= set(self.schema.quasi)
        least = settings.k if told_apart else 1
        plain = recode_by_leaf(
            leaf_counts, base, settings.float32_safe, self.solver, least, self._suspects
        )
        if plain is None:
            return
        if settings.refine:
            admissible = diverse_leaves(self.engine, self.schema, settings)
            columns = admissible.columns if admissible else ()
            cells = count_cells(self.engine, leaf_counts, base, columns)
            refined = refine(plain, cells, settings.k, admissible, settings.float32_safe)
            yield self._draft(leaf_counts, base, refined)
        yield self._draft(leaf_counts, base, plain)

    def richly(self, size: int) -> Draft | None:
        """The draft of rich recoding; None where a column would need pieces of fewer than k."""
        leaf_counts, base = self.base(size)
        # Anew for each size, so that what becomes of one does not depend on those looked at before.
        solver = Solver(
            backstop=self.solver.backstop, patience=PATIENCE, deadline=self.solver.deadline
        )
        recoder = RichRecoder(
            self.engine,
            leaf_counts,
            base,
            [name for name in self.recoded_columns if name in self.schema.quasi],
            rule_for(self.engine, self.schema, self.settings),
            self.settings.float32_safe,
            solver,
        )
        found = recoder.recode()
        self.solver.stopped_by_clock |= solver.stopped_by_clock
        return None if found is None else self._draft(leaf_counts, base, rich=found)

    def by_gentler_maps(self, size: int) -> Iterator[Draft]:
        """Drafts of global recoding that leave more as it was.

        Names given to groups may sort in another order than the categories did, and among joined
        categories of one mean the smallest leaf may let another cut through. So first given names
        go, then one used column is left as it is, then all of them: that never changes the tree,
        but fewer records are alike.
        """
        leaf_counts, usual = self.base(size)
        if self.schema.groups:
            nameless = recode_globally(leaf_counts, self.recoded_columns)
            yield self._draft(leaf_counts, nameless)
        used = [c for c in leaf_counts.columns if c in usual]
        for columns in (*([c] for c in used), used):
            left = {c: kept(c, leaf_counts.domains[c]) for c in columns}
            yield self._draft(leaf_counts, usual | left)

    def _draft(
        self,
        leaf_counts: LeafCounts,
        base: Mapping[str, ColumnRecoding],
        leaf: LeafRecoding | None = None,
        rich: RichRecoding | None = None,
    ) -> Draft:
        tree = leaf_counts.trees[0]
        by_records = rich or leaf
        released = (
            relabelled(tree, base, leaf_counts.domains)
            if by_records is None
            else by_records.expected()
        )

        def recode(besides: Sequence[str] = ()) -> Engine:
            if by_records is None:
                return apply(self.engine, base, besides)
            return by_records.apply(self.engine, besides)

        recoded = judged = recode()
        sensitive = self.schema.names(Role.SENSITIVE)
        if any(name in base for name in sensitive):  # l and t speak of the original values
            judged = recode(besides=sensitive)
        figures = count_figures(
            judged, self.schema.quasi, self.schema.target, self.schema.sensitive
        )
        return Draft(tree, released, leaf_counts, base, leaf, rich, recoded, judged, figures)

    def released(self, draft: Draft) -> Engine:
        """The table as it will be written: sensitive columns suppressed unless released."""
        if self.settings.shows_sensitive:
            return draft.recoded
        hidden = [n for n in self.schema.names(Role.SENSITIVE) if n not in self.recoded_columns]
        return apply(draft.recoded, {n: suppressed(n, self.engine.domain(n)) for n in hidden})
