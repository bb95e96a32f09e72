"""One size of the tree tried out: recoded, counted, grown again.

`Attempts` grows the largest tree once and makes the release of any smaller size from it. A size
passes if the criteria hold on its recoded table and the same tree grows from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from privet.engine import Engine, MemoryEngine, Region
from privet.preserve.admissibility import DiverseLeaves
from privet.preserve.census import Census, take_census
from privet.preserve.global_recoding import recode_globally
from privet.preserve.recoding import ColumnRecoding, Treatment, relabelled, suppressed
from privet.preserve.settings import MOST_LEAVES, Settings
from privet.release.claims import Figures, count_figures
from privet.schema import Role, Schema
from privet.table import Domain, Table
from privet.tree.compare import Comparison, compare
from privet.tree.grow import attributes_for_growing, default_impurity, grow
from privet.tree.model import Tree
from privet.tree.settings import Grower

Edits = Mapping[str, tuple[npt.NDArray[Any], Domain]]


@dataclass(frozen=True, eq=False)
class Attempt:
    """The release of one size before it is written."""

    tree: Tree  # in the words of the original
    released_tree: Tree  # in the words of the release
    census: Census
    base: Mapping[str, ColumnRecoding]  # the global recoding of each column
    judged: Engine  # quasi-identifiers recoded, sensitive columns still as they were
    figures: Figures

    @property
    def n_leaves(self) -> int:
        return self.tree.n_leaves

    def grown_again(self, schema: Schema) -> Comparison:
        """Grow the tree from the recoded table and compare."""
        return compare(self.released_tree, grow(self.judged, schema, self.released_tree.grower))


class Attempts:
    """The growing tree of a table and the releases that its sizes would give."""

    def __init__(self, table: Table, schema: Schema, settings: Settings) -> None:
        self.table = table
        self.engine: Engine = MemoryEngine(table)
        self.schema = schema
        self.settings = settings
        self.recoded_columns = _columns_to_recode(schema, settings)
        self._made: dict[int, Attempt] = {}
        self._bases: dict[int, tuple[Census, dict[str, ColumnRecoding]]] = {}

    @cached_property
    def tree(self) -> Tree:
        """The largest tree looked at."""
        return self.grow_on(self.engine)

    def grow_on(self, engine: Engine) -> Tree:
        """Grow a tree by the settings from a table with these columns."""
        settings = self.settings
        impurity = settings.impurity or default_impurity(engine, self.schema.target)
        grower = Grower(
            impurity=impurity,  # type: ignore[arg-type]
            categories=settings.categories,
            leaves=settings.leaves or MOST_LEAVES,
            min_leaf=settings.smallest_leaf,
            attributes=attributes_for_growing(self.schema, settings.use_sensitive),
        )
        admissible = None
        if settings.recoding == "leaf" and settings.min_leaf is None:
            admissible = DiverseLeaves(engine, self.schema.sensitive, settings)
        needed = admissible if admissible is not None and admissible.columns else None
        return grow(engine, self.schema, grower, needed)

    @property
    def sizes(self) -> list[int]:
        """Every size with at least one split."""
        return [size for size in self.tree.sizes if size > 1]

    def at(self, size: int) -> Attempt:
        if size not in self._made:
            self._made[size] = self._make(size)
        return self._made[size]

    def _make(self, size: int) -> Attempt:
        tree = self.tree.prefix(size)
        census, base = self.base(size)
        edits, regions, released_tree = self._recoding(tree, census, base)
        judged = self.engine.recode(edits, regions)
        figures = count_figures(
            judged, self.schema.quasi, self.schema.target, tree.is_regression, self.schema.sensitive
        )
        return Attempt(tree, released_tree, census, base, judged, figures)

    def _recoding(
        self, tree: Tree, census: Census, base: Mapping[str, ColumnRecoding]
    ) -> tuple[Edits, Sequence[Region] | None, Tree]:
        edits = {
            name: (r.new_of_old, r.domain)
            for name, r in base.items()
            if r.treatment is not Treatment.KEPT
        }
        return edits, None, relabelled(tree, base, census.domains)

    def base(self, size: int) -> tuple[Census, dict[str, ColumnRecoding]]:
        """The global recoding of a size."""
        if size not in self._bases:
            census = take_census(self.engine, [self.tree.prefix(size)])
            recodings = recode_globally(census, self.recoded_columns, self.schema.groups)
            self._bases[size] = census, recodings
        return self._bases[size]

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
        attempt = self.at(size)
        settings, figures = self.settings, attempt.figures
        reached = figures.k_with_target if settings.target_known else figures.k
        if reached < settings.k:
            return False
        for column in self.schema.sensitive:
            ordered = self.engine.domain(column).kind.is_ordered
            criteria = settings.criteria_for(ordered)
            if criteria:
                counts = attempt.judged.count([*self.schema.quasi, column])
                if not all(criterion.judge(counts).holds for criterion in criteria):
                    return False
        return True

    def released(self, attempt: Attempt) -> Engine:
        """The table as it will be written: sensitive columns suppressed unless released."""
        hidden = {}
        for name in self.schema.names(Role.SENSITIVE):
            if name not in self.recoded_columns and not self.settings.release_sensitive:
                recoding = suppressed(name, self.engine.domain(name))
                hidden[name] = (recoding.new_of_old, recoding.domain)
        return attempt.judged.recode(hidden) if hidden else attempt.judged


def _columns_to_recode(schema: Schema, settings: Settings) -> tuple[str, ...]:
    """Quasi-identifiers; with them the sensitive columns that the tree may use."""
    roles = {Role.QUASI} | ({Role.SENSITIVE} if settings.use_sensitive else set())
    return schema.names(*roles)


def records_of(table: Table, schema: Schema) -> Table:
    """The columns that may be released at all."""
    return table.select(c.name for c in schema if c.role is not Role.IDENTIFIER)
