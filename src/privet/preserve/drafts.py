"""Drafts: what the release of each size of the trees would be, before anything is written.

`Drafts` grows the largest trees once (`growing`) and recodes the table for any smaller size: by one
map for each column, leaf by leaf on top of that, or from blocks of records inside the leaves. With
several trees a size is the most leaves that any of them may have, or the leaves of each. Which
draft of a size is taken, and whether it passes, is for `judging`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import inf

from privet.criteria.people import measure_people
from privet.engine import Engine, engine_of
from privet.preserve.by_column.recode import Groups, recode_globally
from privet.preserve.by_leaf.recode import LeafRecoding
from privet.preserve.by_leaf.solver import PATIENCE, Solver
from privet.preserve.deadline import Deadline
from privet.preserve.growing import (
    columns_to_recode,
    cross_validated,
    guard_of,
)
from privet.preserve.growing_together import Grown, grow_each
from privet.preserve.leaf_counts import LeafCounts, count_leaves
from privet.preserve.leaf_recodings import LeafRecodings
from privet.preserve.recoding import ColumnRecoding, apply, kept, relabelled, suppressed
from privet.preserve.rich.known_blocks import KnownBlocks
from privet.preserve.rich.recode import RichRecoder, RichRecoding
from privet.preserve.rich.rule import rule_for
from privet.preserve.settings import PublishSettings, Recoding
from privet.release.claims.figures import Figures, count_figures
from privet.release.claims.tree_titles import tree_title
from privet.roles import with_one_target, with_targets
from privet.schema import Role, Schema
from privet.table import Table
from privet.tree.boundaries import BoundaryCount, count_boundaries, counted_together
from privet.tree.compare import Comparison, compare
from privet.tree.cross_validation import Score, one_standard_error
from privet.tree.foreign.following import Followed
from privet.tree.grow import grow
from privet.tree.model import Tree

Size = int | tuple[int, ...]  # the most leaves that any tree may have, or those of each tree


@dataclass(frozen=True, eq=False)
class Draft:
    """The release of one size before it is written."""

    trees: tuple[Tree, ...]  # in the words of the original
    released_trees: tuple[Tree, ...]  # in the words of the release
    leaf_counts: LeafCounts
    base: Mapping[str, ColumnRecoding]  # the global recoding of each column
    leaf: LeafRecoding | None  # how it was refined by leaf, if it was
    rich: RichRecoding | None  # how it was filled from blocks, if it was
    recoded: Engine  # every column that the tree may ask as it will be released
    judged: Engine  # quasi-identifiers recoded, sensitive columns still as they were
    figures: Figures
    sketched: bool = False  # quickly made, never to be released

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
        """The size: the leaves of the largest tree."""
        return max(tree.n_leaves for tree in self.trees)

    def grown_again(self, schema: Schema) -> Comparison:
        """Grow the trees from the recoded table and compare; the first that differs is told."""
        for number, tree in enumerate(self.released_trees, start=1):
            afresh = self.recoded.recode({})  # what it remembers of nodes goes with it
            seen = with_one_target(schema, tree.target)
            outcome = compare(tree, grow(afresh, seen, tree.grower))
            if not outcome and len(self.trees) > 1:
                return replace(outcome, how=f"{outcome.how} ({tree_title(number, tree.target)})")
            if not outcome:
                return outcome
        return outcome


class Drafts:
    """The tree of a table, and the drafts of its sizes."""

    def __init__(
        self,
        table: Table,
        schema: Schema,
        settings: PublishSettings,
        solver: Solver | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.table = table
        self.engine = engine_of(table) if engine is None else engine
        self.targets = settings.targets(schema.target)
        self.schema = with_targets(schema, self.targets)
        self._schema_of_first = schema
        self.settings = settings
        self.solver = solver or Solver(deadline=Deadline(settings.time_limit))
        self.recoded_columns = columns_to_recode(self.schema, settings)
        self._boundaries: dict[tuple[int, ...], BoundaryCount] = {}
        self._bases: dict[Size, tuple[LeafCounts, dict[str, ColumnRecoding]]] = {}
        self._by_leaf = LeafRecodings(self)

    def hear_of_stages(self, listener: Callable[[int], None]) -> None:
        """Have somebody hear of each size that is recoded on the way to a larger one."""
        self._by_leaf.listener = listener

    def alone(self, number: int) -> "Drafts":
        """What could be tried if one of the trees were the only one."""
        seen = with_one_target(self.schema, self.targets[number])
        return Drafts(self.table, seen, self.settings.of_each_tree()[number], engine=self.engine)

    def otherwise(self, settings: PublishSettings, solver: Solver | None = None) -> "Drafts":
        """The same table with other settings."""
        return Drafts(self.table, self._schema_of_first, settings, solver, self.engine)

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """The largest trees looked at."""
        return tuple(grown.tree for grown in self._grown)

    @property
    def followed(self) -> list[Followed]:
        """How far each tree follows the program that was asked for, where one was."""
        return [grown.followed for grown in self._grown if grown.followed is not None]

    @cached_property
    def _grown(self) -> list[Grown]:
        return grow_each(self.engine, self.schema, self.settings, self.targets, self._sized)

    def _sized(self, number: int, tree: Tree) -> Tree:
        """One among several trees whose leaves are not asked for has the size that
        cross-validation prefers."""
        asked = self.settings.of_each_tree()[number]
        if len(self.targets) == 1 or asked.leaves is not None or tree.n_leaves == 1:
            return tree
        return tree.prefix(one_standard_error(self.scores(number, tree.sizes)))

    def scores(self, number: int, sizes: Sequence[int]) -> dict[int, Score]:
        """The cross-validated score of sizes of one of the trees."""
        asked = self.settings.of_each_tree()[number]
        kept = [size for size in sizes if size > 1]
        return cross_validated(self.engine, self.schema, asked, self.targets[number], kept)

    @property
    def deadline(self) -> Deadline:
        """The limit of time for everything that is tried."""
        return self.solver.deadline

    @property
    def stopped_by_clock(self) -> bool:
        """Whether another run on the same table may find something else."""
        return self.solver.stopped_by_clock or self.deadline.has_cut_short

    @cached_property
    def sizes(self) -> list[int]:
        """Every size at which each tree has a split."""
        every = {size for tree in self.trees for size in tree.sizes}
        least = max(min([s for s in tree.sizes if s > 1], default=inf) for tree in self.trees)
        return sorted(size for size in every if size >= least)

    def are_within(self, size: int, leaves: Sequence[int]) -> bool:
        """Whether no tree of a size has more leaves than so many."""
        return all(t.prefix(size).n_leaves <= n for t, n in zip(self.trees, leaves, strict=True))

    def base(self, size: Size) -> tuple[LeafCounts, dict[str, ColumnRecoding]]:
        """The counts of the leaves of a size, and the global recoding of each column."""
        if size not in self._bases:
            of_each = (size,) * len(self.trees) if isinstance(size, int) else size
            trees = [tree.prefix(n) for tree, n in zip(self.trees, of_each, strict=True)]
            leaf_counts = count_leaves(self.engine, trees)
            recodings = self._globally(leaf_counts, self.schema.groups)
            self._bases[size] = leaf_counts, recodings
        return self._bases[size]

    def _globally(
        self, leaf_counts: LeafCounts, groups: Groups | None
    ) -> dict[str, ColumnRecoding]:
        single = self.settings.program == "sklearn"
        return recode_globally(leaf_counts, self.recoded_columns, groups, single)

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
        """Whom the boundaries of the trees of a draft tell, tree by tree."""
        sizes = tuple(tree.n_leaves for tree in draft.trees)
        if sizes not in self._boundaries:
            guard = guard_of(self.schema, self.settings, self.engine)
            counts = [
                count_boundaries(grown.engine, tree, grown.admissible, guard)
                for grown, tree in zip(self._grown, draft.trees, strict=True)
            ]
            self._boundaries[sizes] = counted_together(counts)
        return self._boundaries[sizes]

    def k_people(self, draft: Draft) -> int | None:
        """The fewest people of an equivalence class; None where records are not told apart so."""
        if self.settings.person is None:
            return None
        return measure_people(draft.judged.count([*self.schema.quasi, self.settings.person]))

    # -- making ----------------------------------------------------------------------------------

    def by_one_map(self, size: Size) -> Draft:
        """The draft of global recoding."""
        return self._draft(*self.base(size))

    def by_leaf(self, size: Size) -> Iterator[Draft]:
        """Drafts of leaf recoding: with detail given back, then without. None where some column
        would have to be kept in pieces of fewer than k records: they could not pass."""
        for leaf in self._by_leaf.released(size):
            yield self._draft(*self.base(size), leaf)

    def sketched(self, size: int) -> Iterator[Draft]:
        """The same, quickly made for those who only look; none of several trees."""
        for leaf in self._by_leaf.sketched(size) if len(self.trees) == 1 else ():
            yield replace(self._draft(*self.base(size), leaf), sketched=True)

    def climbed(self) -> list[int]:
        """Sizes whose drafts are from now on handed down, step by step, from a small tree's."""
        return self._by_leaf.climbed()

    def is_checked(self, draft: Draft) -> bool:
        """Whether the exact conditions were checked of every column that trees may ask: so of none
        that is released as it is, or left as the global recoding has it."""
        columns = {} if draft.leaf is None else draft.leaf.columns
        return self._all_offered_are_recoded and all(c.form != "global" for c in columns.values())

    @cached_property
    def _all_offered_are_recoded(self) -> bool:
        offered = {name for tree in self.trees for name in tree.grower.attributes or ()}
        return offered <= set(self.recoded_columns)

    def told_apart(self, size: Size) -> bool:
        """Whether quasi-identifiers alone tell the leaves of a size apart: then equivalence classes
        lie within leaves, and within the pieces of leaves that a column may be kept in."""
        leaf_counts, _ = self.base(size)
        return set(leaf_counts.columns) <= set(self.schema.quasi)

    def richly(self, size: Size) -> Draft | None:
        """The draft of rich recoding; None where a column would need pieces of fewer than k."""
        leaf_counts, base = self.base(size)
        # Anew for each size, so that what becomes of one does not depend on those looked at before.
        solver = Solver(
            backstop=self.solver.backstop, patience=PATIENCE, deadline=self.solver.deadline
        )
        float32_safe = self.settings.float32_safe
        found = RichRecoder(self._known_blocks, leaf_counts, base, float32_safe, solver).recode()
        self.solver.stopped_by_clock |= solver.stopped_by_clock
        return None if found is None else self._draft(leaf_counts, base, rich=found)

    @cached_property
    def _known_blocks(self) -> KnownBlocks:
        """The blocks of leaves, for all sizes."""
        columns = [name for name in self.recoded_columns if name in self.schema.quasi]
        return KnownBlocks(self.engine, columns, rule_for(self.engine, self.schema, self.settings))

    def by_gentler_maps(self, size: Size) -> Iterator[Draft]:
        """Drafts of global recoding that leave more as it was.

        Names given to groups may sort in another order than the categories did, and among joined
        categories of one mean the smallest leaf may let another cut through. So first given names
        go, then one used column is left as it is, then all of them: that never changes the tree,
        but fewer records are alike.
        """
        leaf_counts, usual = self.base(size)
        if self.schema.groups:
            yield self._draft(leaf_counts, self._globally(leaf_counts, None))
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
        trees = leaf_counts.trees
        by_records = rich or leaf
        released = tuple(
            relabelled(tree, base, leaf_counts.domains)
            if by_records is None
            else by_records.expected(number)
            for number, tree in enumerate(trees)
        )

        def recode(besides: Sequence[str] = ()) -> Engine:
            if by_records is None:
                return apply(self.engine, base, besides)
            return by_records.apply(self.engine, besides)

        recoded = judged = recode()
        sensitive = self.schema.names(Role.SENSITIVE)
        if any(name in base for name in sensitive):  # l and t speak of the original values
            judged = recode(besides=sensitive)
        targets = self.schema.names(Role.TARGET)
        figures = count_figures(judged, self.schema.quasi, targets, self.schema.sensitive)
        return Draft(trees, released, leaf_counts, base, leaf, rich, recoded, judged, figures)

    def released(self, draft: Draft) -> Engine:
        """The table as it will be written: sensitive columns suppressed unless released."""
        if self.settings.shows_sensitive:
            return draft.recoded
        hidden = [n for n in self.schema.names(Role.SENSITIVE) if n not in self.recoded_columns]
        return apply(draft.recoded, {n: suppressed(n, self.engine.domain(n)) for n in hidden})
