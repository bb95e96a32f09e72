"""The framework: class, innocent and influential attributes and categories of one table.

    >>> from privet.datasets import hospital, schema_of
    >>> from privet.noise.figures import figures_of
    >>> table = hospital(200, 1)
    >>> schema = schema_of("hospital", table)
    >>> noise = NoiseFramework(NoiseSettings(detective=0.1)).fit(table, schema)
    >>> released = noise.transform(table, seed=7)
    >>> [figures.column for figures in figures_of(noise, table, released)] == list(released)
    True

A fitted framework keeps names, trees and laws, and no cell of the table.
Every tree is grown once, from the original table, and every column is drawn from its original
values with random numbers of its own: no order of the parts matters. Before a table is handed out,
its records are routed through the tree again; none may have left its leaf.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine import MemoryEngine, engine_of
from privet.errors import UnknownColumn, UsageError, param
from privet.files import as_given, as_table
from privet.files.on_disk import Pieces
from privet.noise.in_batches import Batches, Drawn, drawn_in_batches
from privet.noise.keeping import Kept, kept
from privet.noise.parts.detective import Suspect
from privet.noise.parts.innocent import numbers
from privet.noise.settings import NoiseSettings
from privet.noise.streams import Draws, Exchange, in_one_order
from privet.randomness import Seed, seed_of
from privet.schema import Role, Schema
from privet.table import Coded, Table
from privet.tree.leaves import Leaves
from privet.tree.natural import natural_tree, tree_grown_again


@dataclass(eq=False)
class NoiseFramework:
    """A perturber of a whole table, identifiers left out.

    >>> table = privet.table_of({"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3})
    >>> schema = table.schema().with_roles(target="buys")
    >>> framework = privet.NoiseFramework(privet.NoiseSettings(innocent=0.1)).fit(table, schema)
    >>> framework.transform(table).n_rows
    6
    """

    settings: NoiseSettings = field(default_factory=NoiseSettings)
    kept_: Kept | None = field(default=None, init=False, repr=False)

    def fit(self, table: Any, schema: Schema) -> "NoiseFramework":
        """Grow the trees and work out every law; nothing is drawn yet."""
        table = as_table(table)
        names = [c.name for c in schema if c.role is not Role.IDENTIFIER and c.name in table]
        self.schema_ = schema.without(set(schema.names()) - set(names))
        self.names_ = tuple(names)
        table = table.select(names)
        self._refuse_unknown(table)
        if table[schema.target].domain.size < 2:
            raise UsageError(
                f"The target '{schema.target}' has one value only.",
                "noise follows a tree that tells classes apart; choose another target.",
            )
        engine = engine_of(table)
        self.tree_ = natural_tree(engine, self.schema_, self.settings.trees)
        if isinstance(engine, MemoryEngine):
            engine.forget()
        fitted = table, self.schema_, self.tree_
        self.class_ = self.settings.class_part().fit(*fitted)
        innocent, influential = self.settings.innocent_part(), self.settings.influential_part()
        self.influential_ = influential.fit(*fitted) if influential else None
        detective = self.settings.detective_part()
        self.detective_ = detective.fit(table, self.schema_, engine) if detective else None
        self.innocent_ = innocent.fit(*fitted, self.grouped_) if innocent else None
        alone = (name for name in numbers(table, self.schema_) if name not in self.grouped_)
        self.numbers_ = tuple(alone)  # the columns of numbers that are moved on their own
        return self

    def _refuse_unknown(self, table: Table) -> None:
        """Every column that a setting names must be one that noise can reach."""
        settings = self.settings
        for option, columns in (
            ("together", [name for group in settings.together or () for name in group]),
            ("scales", list(settings.scales)),
            ("spikes", list(settings.spikes)),
            ("draw", list(settings.draw or ())),
        ):
            for name in columns:
                if name not in table:
                    raise UnknownColumn(name, table.names, where=param(option))
        moved = numbers(table, self.schema_)
        for name in (*settings.scales, *settings.spikes):
            if name not in moved:
                raise UsageError(
                    f"Column '{name}' has a scale or a spike, but no numbers that noise moves.",
                    "scales and spikes are for quasi-identifiers and sensitive columns of numbers.",
                )

    @property
    def suspects_(self) -> dict[str, Suspect]:
        return self.detective_.suspects_ if self.detective_ else {}

    @property
    def grouped_(self) -> set[str]:
        """The columns that DETECTIVE draws."""
        return {name for s in self.suspects_.values() for name in s.together.columns}

    @property
    def warnings_(self) -> tuple[str, ...]:
        return self.detective_.warnings_ if self.detective_ else ()

    @property
    def mechanism_(self) -> dict[str, Any]:
        """What an attacker may know: every law, and the trees that it follows; never a seed."""
        return {
            "format": 1,
            "class": self.class_.mechanism_,
            "innocent": self.innocent_.mechanism_ if self.innocent_ else None,
            "influential": self.influential_.mechanism_ if self.influential_ else None,
            "detective": self.detective_.mechanism_ if self.detective_ else None,
            "strict": self.settings.strict,
            "keep_tree": self.settings.keep_tree,
        }

    # -- drawing ---------------------------------------------------------------------------------

    def transform(self, table: Any, seed: Seed = None) -> Any:
        """The table with noise in all parts; raises if a record would leave its leaf."""
        return as_given(self.drawn(as_table(table), seed_of(seed), in_order=True).released, table)

    def drawn(
        self, table: Table, seed: int | None, in_order: bool = False, rows: int | None = None
    ) -> Drawn:
        """The same beside the original rows, on disk where tables are and then some rows at a
        time; only `in_order` are they sure to be in the order of the table."""
        given = table.select(self.names_)
        if rows is None and not Pieces().are_on_disk:
            draws = Draws.of(given, seed)
            if self.settings.keep_tree:
                released = in_one_order(given, draws, self._drawn_and_kept)
            else:
                released = self._drawn(given, Leaves(self.tree_, given), draws)
            return Drawn(given, released, draws.identities)
        if self.settings.keep_tree:
            raise UsageError(
                "The tree is kept by drawing records again, which needs all of them in memory.",
                f"leave out {param('keep_tree', True)}, or take the table in memory.",
            )
        parts = Batches(given, seed, in_order, rows)
        return drawn_in_batches(parts, self.tree_, self.exchanges, self._drawn)

    def _drawn_and_kept(self, table: Table, draws: Draws) -> Table:
        leaves = Leaves(self.tree_, table)
        released, self.kept_ = kept(
            self.tree_,
            self.schema_,
            leaves,
            self._drawn(table, leaves, draws),
            lambda number: self._drawn(table, leaves, draws.again(number)),
            lambda rows: tree_grown_again(MemoryEngine(rows), self.schema_, self.settings.trees),
            draws.seed,
            self.settings.class_noise in ("random", "probabilistic"),
        )
        released = released.replace({n: released[n].compact() for n in released})
        self._require_leaves(table, released, leaves)
        return released

    def _drawn(self, table: Table, leaves: Leaves, draws: Draws) -> Table:
        drawn = {self.tree_.target: self.class_.draw(table, leaves, draws)}
        for suspect in self.suspects_.values():
            drawn |= self._draw_suspect(suspect, table, leaves, draws)
        drawn |= self._draw_numbers(table, leaves, draws)
        drawn |= self._exchange_categories(table, leaves, draws)
        released = table.replace({name: column.compact() for name, column in drawn.items()})
        self._require_leaves(table, released, leaves)
        return released

    def _draw_numbers(self, table: Table, leaves: Leaves, draws: Draws) -> dict[str, Coded]:
        """The numbers on their paths moved, and then those off them."""
        drawn: dict[str, Coded] = {}
        if self.influential_:
            asked = [name for name in self.numbers_ if name in self.influential_.columns_]
            drawn = {n: self.influential_.draw(table[n], leaves, n, draws) for n in asked}
        if self.innocent_:
            drawn |= self.innocent_.draw(table, leaves, draws, onto=drawn)
        return drawn

    def _draw_suspect(
        self, suspect: Suspect, table: Table, leaves: Leaves, draws: Draws
    ) -> dict[str, Coded]:
        assert self.detective_ is not None
        if not self.settings.strict:
            return self.detective_.draw(suspect, table, draws)
        columns = suspect.together.columns
        asked = self.asked(suspect, leaves)
        onto = self._exchanged(columns, table, leaves, draws) if self.influential_ else {}
        return self.detective_.draw(suspect, table, draws, ~asked[leaves.rank], onto)

    def asked(self, suspect: Suspect, leaves: Leaves) -> npt.NDArray[np.bool_]:
        """For each leaf whether its path asks any column that is drawn together here."""
        return np.asarray(np.any([leaves.asks(name) for name in suspect.together.columns], axis=0))

    def exchange_rows(
        self, columns: tuple[str, ...], table: Table, leaves: Leaves
    ) -> npt.NDArray[np.intp]:
        """The rows whose path asks one of these columns and fixes none of them."""
        asked = np.any([leaves.asks(name) for name in columns], axis=0)
        fixed = np.any([leaves.fixes(name) for name in columns], axis=0)
        chosen = (asked & ~fixed)[leaves.rank]
        for name in columns:
            domain = table[name].domain
            for spike in self.settings.spikes.get(name, ()):
                is_spike = np.append(domain.values == spike, [False] * domain.missing)
                chosen &= ~is_spike[table[name].codes]
        return np.flatnonzero(chosen)

    def _exchanged(
        self, columns: tuple[str, ...], table: Table, leaves: Leaves, draws: Draws
    ) -> dict[str, Coded]:
        """Columns on the path exchanged within the leaf, all by one permutation."""
        new = draws.exchanged(self._exchange(columns, table, leaves))
        pairs = zip(columns, new, strict=True)
        return {name: Coded(table[name].domain, codes) for name, codes in pairs}

    def _exchange(self, columns: tuple[str, ...], table: Table, leaves: Leaves) -> Exchange:
        coded = tuple(table[name] for name in columns)
        rows = self.exchange_rows(columns, table, leaves)
        return Exchange("exchange", " + ".join(columns), coded, leaves, rows)

    def exchanges(self, table: Table, leaves: Leaves) -> list[Exchange]:
        """All that is exchanged among rows; everything else is drawn for each row by itself."""
        asked = [self.class_.exchange(table, leaves)]
        if self.influential_:
            if self.settings.strict:
                groups = [suspect.together.columns for suspect in self.suspects_.values()]
                asked += [self._exchange(columns, table, leaves) for columns in groups]
            for name in self.influential_.columns_:
                if name not in self.grouped_:
                    asked.append(self.influential_.exchange(table[name], leaves, name))
        return [one for one in asked if one is not None]

    def _exchange_categories(self, table: Table, leaves: Leaves, draws: Draws) -> dict[str, Coded]:
        """Categories that DETECTIVE does not draw: exchanged within sets that a path allows."""
        if self.influential_ is None:
            return {}
        names = set(self.influential_.columns_) - self.grouped_ - set(self.numbers_)
        return {n: self.influential_.draw(table[n], leaves, n, draws) for n in table if n in names}

    def _require_leaves(self, table: Table, released: Table, leaves: Leaves) -> None:
        """No record may have left its leaf. Without `strict`, what DETECTIVE drew is left out."""
        if self.settings.keeps_leaves:
            leaves.require_same(released)
        else:
            before = {name: table[name] for name in self.grouped_}
            leaves.require_same(released.replace(before))
