"""Noise on innocent numbers: those that the path of a record's leaf does not ask (LINNAPT).

An attribute is *total innocent* if the tree asks it nowhere, *leaf innocent* for a leaf if the tree
asks it, but not on the way to that leaf. Either way the record cannot leave its leaf. Values move
by a law of a stated standard deviation and stay on their column's grid; missing cells stay missing.
`influential` next door moves the numbers that the path does ask.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from privet.engine import engine_of
from privet.errors import InvalidParameter, UnknownColumn, param
from privet.files import as_given, as_table
from privet.mechanism.correlated_laws import CorrelatedLaw, Extent, correlations_of
from privet.mechanism.grids import Grid, Units
from privet.mechanism.noise_laws import (
    STANDARD_SD,
    Ends,
    RelativeTo,
    Where,
    Which,
    refuse_deviation,
)
from privet.mechanism.number_laws import NumberLaw
from privet.mechanism.shapes import LawName, shape_of
from privet.mechanism.told_coarsely import coarse_correlations, coarse_mean, coarse_size
from privet.noise.draws import drawn_by, moved, units_of
from privet.noise.parts.together import draw_together
from privet.noise.streams import Draws, Rows
from privet.randomness import Seed, seed_of
from privet.schema import Kind, Role, Schema
from privet.table import Coded, Domain, Table, stretches_of
from privet.tree.leaves import Leaves
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings, natural_tree

INNOCENT_ENDS = ("reflect", "reflect-whole", "clamp")


@dataclass(eq=False)
class InnocentNoise:
    """A perturber of innocent numbers.

    `sd` is the standard deviation as a share of the value, or with `relative_to="column"` of the
    standard deviation of the column. `scales` gives columns an absolute size instead, in their own
    unit (noise relative to the value never changes a zero). Dates have no size of their own: theirs
    is the standard deviation of the column. `law` is the curve: bell, normal, laplace or paper;
    correlated moves columns together, so that their covariances are kept (`sd` is then a share of
    the column's standard deviation, and there are no `scales`).
    `spikes` are values left alone. `ends` says what happens at the ends of a column: `reflect`
    (half a step outside), `reflect-whole` (at the last value) or `clamp`; none of them is without
    bias there, and the law states it.

    >>> table = privet.table_of({"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3})
    >>> schema = table.schema().with_roles(target="buys")
    >>> noise = privet.InnocentNoise(sd=0.1).fit(table, schema)
    >>> noise.transform(table).names
    ('age', 'buys')
    """

    sd: float = STANDARD_SD
    which: Which = "both"
    where: Where = "all"
    ends: Ends = "reflect"
    scales: Mapping[str, float] = field(default_factory=dict)
    spikes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    trees: NoiseTreeSettings = field(default_factory=NoiseTreeSettings)
    law: LawName = "bell"
    relative_to: RelativeTo = "value"

    def __post_init__(self) -> None:
        refuse_deviation(self.sd, "innocent")
        shape_of(self.law)
        for name, value, known in (
            ("which", self.which, get_args(Which)),
            ("where", self.where, get_args(Where)),
            ("ends", self.ends, INNOCENT_ENDS),
            ("relative_to", self.relative_to, get_args(RelativeTo)),
        ):
            if value not in known:
                raise InvalidParameter(name, "one of " + ", ".join(known), value)
        for column, scale in self.scales.items():
            if not 0 < scale < float("inf"):
                raise InvalidParameter(f"The scale of {column}", "a number above 0", scale)
        refuse_spikes(self.spikes)
        if self.is_correlated and self.scales:
            raise InvalidParameter(
                param("scales"), "left out with the law correlated", ", ".join(self.scales)
            )

    @property
    def is_correlated(self) -> bool:
        return self.law == "correlated"

    def fit(
        self,
        table: Any,
        schema: Schema,
        tree: Tree | None = None,
        drawn_otherwise: Collection[str] = (),
    ) -> "InnocentNoise":
        """Work out the law of every column of numbers that nothing else draws."""
        table = as_table(table)
        self.tree_ = tree or natural_tree(engine_of(table), schema, self.trees)
        alone = [name for name in numbers(table, schema) if name not in drawn_otherwise]
        self.laws_ = {name: self._law(table[name], self.scales.get(name)) for name in alone}
        self.together_ = self._moved_together(table) if self.is_correlated else None
        for name in (*self.scales, *self.spikes):
            if name not in table:
                raise UnknownColumn(name, table.names, where="scales or spikes")
        for name, scale in self.scales.items():
            if name in self.laws_ and self.laws_[name].is_too_wide:
                raise InvalidParameter(
                    f"The scale of {name}",
                    "no larger than numbers of the column can be",
                    scale,
                    "noise as wide as the column hides what there is to hide.",
                )
        return self

    def _law(self, column: Coded, scale: float | None) -> NumberLaw:
        domain = column.domain
        grid = Grid.of(domain)
        low, high = grid.ends_of(domain)
        size, mean = None, None
        if scale is not None:
            size = float(scale / grid.width)
        elif self.is_correlated or self.relative_to == "column" or not has_size(domain.kind):
            size = spread_of(column, grid)
        if self.is_correlated:
            assert size is not None
            mean = float(min(max(coarse_mean(mean_of(column, grid), size), low), high))
        return NumberLaw(grid, shape_of(self.law), self.sd, low, high, self.ends, size, mean)

    def _moved_together(self, table: Table) -> CorrelatedLaw:
        laws = {name: self.laws_[name] for name in self.columns_}
        return CorrelatedLaw(laws, coarse_correlations(correlations_in(table, laws)))

    @property
    def columns_(self) -> tuple[str, ...]:
        """The columns that the noise reaches."""
        used = set(self.tree_.attributes_used)
        return tuple(
            name
            for name in self.laws_
            if self.which == "both" or (name in used) == (self.which == "lia")
        )

    @property
    def mechanism_(self) -> dict[str, Any]:
        """What an attacker may know."""
        laws = {name: self.laws_[name].to_data() for name in self.columns_}
        for name, law in laws.items():
            law["spikes"] = list(self.spikes.get(name, ()))
        told = {"which": self.which, "where": self.where, "noise": shape_of(self.law).to_data()}
        together = {"together": self.together_.to_data()} if self.together_ else {}
        return {**told, "columns": laws, **together}

    def innocent_leaves(self, leaves: Leaves, column: str) -> npt.NDArray[np.bool_]:
        """For each leaf whether its records' values of the column are to be moved."""
        if column not in self.columns_:
            return np.zeros(leaves.number, dtype=bool)
        chosen = ~leaves.asks(column)
        return chosen & leaves.heterogeneous if self.where == "heterogeneous" else chosen

    def transform(self, table: Any, seed: Seed = None) -> Any:
        """The table with its innocent numbers moved."""
        given = as_table(table)
        draws, leaves = Draws.of(given, seed_of(seed)), Leaves(self.tree_, given)
        released = given.replace(self.draw(given, leaves, draws))
        leaves.require_same(released)
        return as_given(released, table)

    def draw(
        self,
        table: Table,
        leaves: Leaves,
        draws: Draws,
        onto: Mapping[str, Coded] | None = None,
    ) -> dict[str, Coded]:
        """The columns moved where they are innocent; other cells as they are in `onto`."""
        before = {name: (onto or {}).get(name, table[name]) for name in self.columns_}
        if self.together_ is None:
            return {
                name: self._draw_alone(table[name], leaves, name, draws, before[name])
                for name in self.columns_
            }
        columns = {name: table[name] for name in self.columns_}
        rows = {name: self.rows_of(columns[name], leaves, name) for name in columns}
        drawn = draw_together(self.together_, columns, rows, draws)
        return {
            name: moved(before[name], rows[name], law.grid, drawn[name])
            for name, law in self.together_.laws.items()
        }

    def _draw_alone(
        self, column: Coded, leaves: Leaves, name: str, draws: Draws, onto: Coded
    ) -> Coded:
        rows = self.rows_of(column, leaves, name)
        law, stream = self.laws_[name], draws.stream("innocent", name)
        of_values = law.grid.units_of(column.domain.values)
        codes = column.codes[rows]
        drawn = drawn_by(law, of_values[codes], stream, rows, law.spreads(of_values)[codes])
        return moved(onto, rows, law.grid, drawn)

    def rows_of(self, column: Coded, leaves: Leaves, name: str) -> Rows:
        """The rows whose cell is moved."""
        if not self.laws_[name].has_room:
            return np.zeros(0, dtype=np.intp)
        chosen = self.innocent_leaves(leaves, name)[leaves.rank]
        chosen &= movable(column.domain, self.spikes.get(name, ()))[column.codes]
        return np.flatnonzero(chosen)


def numbers(table: Table, schema: Schema) -> tuple[str, ...]:
    """The columns of numbers that noise may reach: all but identifiers, the target and `other`."""
    return tuple(
        c.name
        for c in schema
        if c.role in (Role.QUASI, Role.SENSITIVE)
        and c.name in table
        and table[c.name].domain.kind.is_ordered
        and len(table[c.name].domain.values)
    )


def refuse_spikes(spikes: Mapping[str, tuple[float, ...]]) -> None:
    """Refuse spikes that no cell can have: what is left alone is a number, neither nan nor inf."""
    for column, values in spikes.items():
        for value in values:
            if not -math.inf < value < math.inf:
                raise InvalidParameter(
                    param("spikes"), "numbers that cells can have", value, f"as in {column}=0."
                )


def movable(domain: Domain, spikes: tuple[float, ...]) -> npt.NDArray[np.bool_]:
    """For each code whether its cell may be moved: not missing, and no spike."""
    allowed = np.ones(domain.size, dtype=bool)
    if domain.missing:
        allowed[-1] = False
    for spike in spikes:
        allowed[: len(domain.values)] &= domain.values != spike
    return allowed


def correlations_in(table: Table, laws: Mapping[str, NumberLaw]) -> list[list[float]]:
    """The correlations of some columns of numbers, some rows at a time."""

    def parts() -> Iterator[tuple[list[Units], list[npt.NDArray[np.bool_]]]]:
        for part in stretches_of(table.select(laws)):
            yield (
                [units_of(part[name], law.grid) for name, law in laws.items()],
                [movable(part[name].domain, ())[part[name].codes] for name in laws],
            )

    extents = []
    for name, law in laws.items():
        units, counts = _distinct_units(table[name], law.grid)
        there = units[counts > 0]
        extents.append(Extent(int(there.min()), int(there.max())) if len(there) else Extent(0, 0))
    return correlations_of(parts(), extents, table.n_rows)


def has_size(kind: Kind) -> bool:
    """Whether a value has a size that noise can be a share of: a date has none."""
    return kind not in (Kind.DATE, Kind.DATETIME)


def spread_of(column: Coded, grid: Grid) -> float:
    """The standard deviation of a column, in units of its grid and as it is told: coarsely."""
    whole, counts = _distinct_units(column, grid)
    units = whole.astype(np.float64)
    mean = np.average(units, weights=counts)
    return coarse_size(float(np.sqrt(np.average((units - mean) ** 2, weights=counts)))) or 1.0


def mean_of(column: Coded, grid: Grid) -> float:
    """The mean of a column, in units of its grid."""
    units, counts = _distinct_units(column, grid)
    return float(np.average(units.astype(np.float64), weights=counts))


def _distinct_units(column: Coded, grid: Grid) -> tuple[Units, npt.NDArray[np.int64]]:
    """The units of all values of a column, and how many rows have each."""
    return grid.units_of(column.domain.values), column.counts()[: len(column.domain.values)]
