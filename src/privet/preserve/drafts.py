"""One size of the tree tried out: recoded, counted, grown again.

`Drafts` grows the largest tree once and makes the release of any smaller size from it. A size
passes if the criteria hold on its recoded table and the same tree grows from it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from privet.engine import Engine, MemoryEngine
from privet.errors import UsageError
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.by_leaf.refinement import count_cells, refine
from privet.preserve.diverse_leaves import DiverseLeaves
from privet.preserve.leaf_counts import LeafCounts, count_leaves
from privet.preserve.recoding import ColumnRecoding, apply, kept, relabelled, suppressed
from privet.preserve.settings import MOST_LEAVES, PublishSettings
from privet.release.claims import Figures, count_figures
from privet.schema import Kind, Role, Schema
from privet.table import Coded, Domain, Table
from privet.tree.compare import Comparison, compare
from privet.tree.grow import attributes_for_growing, default_impurity, grow
from privet.tree.grower import Grower
from privet.tree.model import Tree


@dataclass(frozen=True, eq=False)
class Draft:
    """The release of one size before it is written."""

    tree: Tree  # in the words of the original
    released_tree: Tree  # in the words of the release
    leaf_counts: LeafCounts
    base: Mapping[str, ColumnRecoding]  # the global recoding of each column
    leaf: LeafRecoding | None  # how it was refined by leaf, if it was
    recoded: Engine  # every column that the tree may ask as it will be released
    judged: Engine  # quasi-identifiers recoded, sensitive columns still as they were
    figures: Figures

    @property
    def n_leaves(self) -> int:
        return self.tree.n_leaves

    def grown_again(self, schema: Schema) -> Comparison:
        """Grow the tree from the recoded table and compare."""
        return compare(self.released_tree, grow(self.recoded, schema, self.released_tree.grower))


class Drafts:
    """The growing tree of a table and the releases that its sizes would give."""

    def __init__(self, table: Table, schema: Schema, settings: PublishSettings) -> None:
        self.table = table
        self.engine: Engine = MemoryEngine(table)
        self.schema = schema
        self.settings = settings
        self.recoded_columns = _columns_to_recode(schema, settings)
        self._made: dict[int, Draft] = {}
        self._bases: dict[int, tuple[LeafCounts, dict[str, ColumnRecoding]]] = {}

    @cached_property
    def tree(self) -> Tree:
        """The largest tree looked at."""
        return self.grow_on(self.engine)

    def grow_on(self, engine: Engine) -> Tree:
        """Grow a tree by the settings from a table with these columns."""
        by_leaf = self.settings.recoding == "leaf"
        admissible = self._admissible(engine) if by_leaf else None
        return grow(engine, self.schema, self._grower(engine), admissible)

    def _grower(self, engine: Engine) -> Grower:
        settings = self.settings
        impurity = settings.impurity or default_impurity(engine, self.schema.target)
        return Grower(
            impurity=impurity,  # type: ignore[arg-type]
            categories=settings.categories,
            leaves=settings.leaves or MOST_LEAVES,
            min_leaf=settings.smallest_leaf,
            attributes=attributes_for_growing(self.schema, settings.use_sensitive),
        )

    def first_split(self, min_leaf: int, judged: bool) -> Tree:
        """The tree of one split with any number of branches; `judged`: by l and t as well."""
        grower = replace(self._grower(self.engine), leaves=None, depth=1, min_leaf=min_leaf)
        admissible = self._admissible(self.engine) if judged else None
        return grow(self.engine, self.schema, grower, admissible)

    def _admissible(self, engine: Engine) -> DiverseLeaves | None:
        """What leaf recoding asks of every leaf besides its size; None if nothing."""
        diverse = DiverseLeaves(engine, self.schema, self.settings)
        return diverse if diverse.columns else None

    @property
    def sizes(self) -> list[int]:
        """Every size with at least one split."""
        return [size for size in self.tree.sizes if size > 1]

    def at(self, size: int) -> Draft:
        if size not in self._made:
            self._made[size] = self._make(size)
        return self._made[size]

    def _make(self, size: int) -> Draft:
        leaf_counts, base = self.base(size)
        whole = self._draft(leaf_counts, base, None)
        if self.settings.recoding == "leaf":
            for leaf in self._leaf_recodings(leaf_counts, base):
                draft = self._draft(leaf_counts, base, leaf)
                # Where leaves are told apart by columns released as they are, equivalence classes
                # may span leaves, and recoding by leaf could part them.
                worse = draft.figures.worse_than(whole.figures) and self._passes(whole)
                if not worse and self._passes(draft):
                    return draft
        return whole

    def _passes(self, draft: Draft) -> bool:
        return self._criteria_hold(draft) and bool(draft.grown_again(self.schema))

    def _draft(
        self, leaf_counts: LeafCounts, base: Mapping[str, ColumnRecoding], leaf: LeafRecoding | None
    ) -> Draft:
        tree = leaf_counts.trees[0]
        sensitive = self.schema.names(Role.SENSITIVE)
        recoded = judged = _recoded(self.engine, base, leaf)
        if any(name in base for name in sensitive):  # l and t speak of the original values
            judged = _recoded(self.engine, base, leaf, besides=sensitive)
        figures = count_figures(
            judged, self.schema.quasi, self.schema.target, tree.is_regression, self.schema.sensitive
        )
        released = relabelled(tree, base, leaf_counts.domains) if leaf is None else leaf.expected()
        return Draft(tree, released, leaf_counts, base, leaf, recoded, judged, figures)

    def _leaf_recodings(
        self, leaf_counts: LeafCounts, base: Mapping[str, ColumnRecoding]
    ) -> Iterator[LeafRecoding]:
        """Leaf recodings to try: with detail given back, then without."""
        plain = recode_by_leaf(leaf_counts, base, self.settings.float32_safe)
        if self.settings.refine:
            admissible = self._admissible(self.engine)
            columns = admissible.columns if admissible else ()
            cells = count_cells(self.engine, leaf_counts, base, columns)
            yield refine(plain, cells, self.settings.k, admissible, self.settings.float32_safe)
        yield plain

    def base(self, size: int) -> tuple[LeafCounts, dict[str, ColumnRecoding]]:
        """The global recoding of a size."""
        if size not in self._bases:
            leaf_counts = count_leaves(self.engine, [self.tree.prefix(size)])
            recodings = recode_globally(leaf_counts, self.recoded_columns, self.schema.groups)
            self._bases[size] = leaf_counts, recodings
        return self._bases[size]

    def spare_columns(self, size: int) -> bool:
        """Recode a size more gently, until the same tree grows again; whether one way does.

        Equal gains of two nodes are ordered by threshold or category set, and recoding may move
        those of a leaf past those of a split. First given names go (they may sort in another
        order), then one used column is left as it is, then all of them: that never fails, but
        fewer records are alike.
        """
        leaf_counts, usual = self.base(size)
        used = [c for c in leaf_counts.columns if c in usual]
        ways = [recode_globally(leaf_counts, self.recoded_columns)] if self.schema.groups else []
        for columns in (*([c] for c in used), used):
            ways.append(usual | {c: kept(c, leaf_counts.domains[c]) for c in columns})
        for way in ways:
            self._bases[size] = leaf_counts, way
            self._made.pop(size, None)
            if self.criteria_hold(size) and self.at(size).grown_again(self.schema):
                return True
        self._bases[size] = leaf_counts, usual
        self._made.pop(size, None)
        return False

    @cached_property
    def is_monotone(self) -> bool:
        """Whether each release's equivalence classes refine those of the size before."""
        return all(
            finer.refines(coarser)
            for one, two in pairwise(self.sizes)
            for coarser, finer in zip(
                self.base(one)[1].values(), self.base(two)[1].values(), strict=True
            )
        )

    def criteria_hold(self, size: int) -> bool:
        """Whether the release of a size has the privacy that was asked for."""
        return self._criteria_hold(self.at(size))

    def _criteria_hold(self, draft: Draft) -> bool:
        settings, figures = self.settings, draft.figures
        reached = figures.k_with_target if settings.target_known else figures.k
        if reached < settings.k:
            return False
        for column in self.schema.sensitive:
            ordered = self.engine.domain(column).kind.is_ordered
            criteria = settings.criteria_for(ordered)
            if criteria:
                counts = draft.judged.count([*self.schema.quasi, column])
                if not all(criterion.judge(counts).holds for criterion in criteria):
                    return False
        return True

    def released(self, draft: Draft) -> Engine:
        """The table as it will be written: sensitive columns suppressed unless released."""
        hidden = {}
        for name in self.schema.names(Role.SENSITIVE):
            if name not in self.recoded_columns and not self.settings.release_sensitive:
                recoding = suppressed(name, self.engine.domain(name))
                hidden[name] = (recoding.new_of_old, recoding.domain)
        return draft.recoded.recode(hidden) if hidden else draft.recoded


def _recoded(
    engine: Engine,
    base: Mapping[str, ColumnRecoding],
    leaf: LeafRecoding | None,
    besides: Sequence[str] = (),
) -> Engine:
    """The table with its columns recoded, but for some."""
    by_leaf = {} if leaf is None else leaf.columns
    if leaf is not None:
        edits = {n: (c.new, c.domain) for n, c in by_leaf.items() if n not in besides}
        engine = engine.recode(edits, leaf.leaf_counts.regions) if edits else engine
    others = {n: r for n, r in base.items() if n not in by_leaf and n not in besides}
    return apply(engine, others)


def _columns_to_recode(schema: Schema, settings: PublishSettings) -> tuple[str, ...]:
    """Quasi-identifiers; with them the sensitive columns that the tree may use, unless they are
    released as they are."""
    hidden = settings.use_sensitive and not settings.release_sensitive
    roles = {Role.QUASI} | ({Role.SENSITIVE} if hidden else set())
    return schema.names(*roles)


def records_of(table: Table, schema: Schema, float32: bool = False) -> Table:
    """The columns that may be released at all, their domains without values that no record has.

    With `float32`, decimals that the tree may ask are rounded to single precision first, as
    growers do that work in it.
    """
    columns = {c.name: table[c.name].compact() for c in schema if c.role is not Role.IDENTIFIER}
    if float32:
        columns |= {
            name: _single_precision(name, column)
            for name, column in columns.items()
            if column.domain.kind is Kind.DECIMAL and schema[name].role is not Role.TARGET
        }
    return Table(columns)


def _single_precision(name: str, column: Coded) -> Coded:
    domain = column.domain
    with np.errstate(over="ignore"):
        rounded = domain.values.astype(np.float32).astype(np.float64) + 0.0
    if np.isinf(rounded).any():
        raise UsageError(
            f"Column '{name}' holds numbers too large for single precision.",
            "publish without --float32-safe.",
        )
    distinct, new_of_old = np.unique(rounded, return_inverse=True)
    if domain.missing:
        new_of_old = np.append(new_of_old, len(distinct))
    return column.merged(new_of_old, Domain(domain.kind, distinct, domain.missing))
