"""Noise on influential attributes: those that the path of a record's leaf asks (LINFAPT).

Their values move only within what the path allows, so that no record leaves its leaf. `shuffle`
permutes a column's values among the records of the leaf. `wrap` and `reflect` move numbers on the
column's grid between the thresholds of the path: out at one end and in at the other, or back from
a mirror half a step outside. A category on the path of a split with one branch for each category
stays as it is; where the branch is a set of categories, they are exchanged within the leaf.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from privet.engine import engine_of
from privet.errors import InvalidParameter, UnknownColumn
from privet.files import as_given, as_table
from privet.mechanism.grids import Grid
from privet.mechanism.noise_laws import STANDARD_SD, Influence, Scale, refuse_deviation
from privet.mechanism.number_laws import NumberLaw
from privet.mechanism.shapes import LawName, shape_of
from privet.mechanism.told_coarsely import coarse_size
from privet.noise.draws import drawn_by, moved
from privet.noise.parts.innocent import has_size, movable, numbers, refuse_spikes, spread_of
from privet.noise.streams import Draws, Exchange, Rows
from privet.randomness import Seed, seed_of
from privet.schema import Kind, Role, Schema
from privet.table import Coded, Domain, Table
from privet.tree.leaves import Leaves, counts_by_leaf
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings, natural_tree

METHODS: tuple[str, ...] = get_args(Influence)


@dataclass(eq=False)
class InfluentialNoise:
    """A perturber of the attributes on each record's path.

    With `wrap` and `reflect`, `sd` is a share of the value, or with `scale` "leaf" or "column" of
    the standard deviation there, and `law` is the curve. `spikes` are values left alone, such as
    the zero of a capital gain.

    >>> table = privet.table_of({"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3})
    >>> schema = table.schema().with_roles(target="buys")
    >>> moved = privet.InfluentialNoise().fit(table, schema).transform(table)
    >>> sorted(moved["age"].codes) == sorted(table["age"].codes)  # shuffled within leaves
    True
    """

    method: Influence = "shuffle"
    sd: float = STANDARD_SD
    scale: Scale = "value"
    spikes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    trees: NoiseTreeSettings = field(default_factory=NoiseTreeSettings)
    law: LawName = "bell"

    def __post_init__(self) -> None:
        refuse_deviation(self.sd, "influential_sd")
        shape_of(self.law)
        if self.method not in METHODS:
            raise InvalidParameter("influential", "one of " + ", ".join(METHODS), self.method)
        if self.scale not in get_args(Scale):
            raise InvalidParameter("scale", "value, column or leaf", self.scale)
        refuse_spikes(self.spikes)

    def fit(self, table: Any, schema: Schema, tree: Tree | None = None) -> "InfluentialNoise":
        table = as_table(table)
        for name in self.spikes:
            if name not in table:
                raise UnknownColumn(name, table.names, where="spikes")
        self.tree_ = tree or natural_tree(engine_of(table), schema, self.trees)
        used = set(self.tree_.attributes_used)
        released = {c.name for c in schema if c.role in (Role.QUASI, Role.SENSITIVE)}
        ordered = numbers(table, schema)
        self.columns_ = tuple(
            name
            for name in table
            if name in used & released
            and (name in ordered or table[name].domain.kind is Kind.CATEGORY)
        )
        self.grids_ = {n: Grid.of(table[n].domain) for n in self.columns_ if n in ordered}
        self.ends_ = {n: grid.ends_of(table[n].domain) for n, grid in self.grids_.items()}
        leaves = Leaves(self.tree_, table)
        self.ranges_ = {
            n: leaves.ranges(n, grid, *self.ends_[n]) for n, grid in self.grids_.items()
        }
        self.sizes_ = {n: self._sizes(leaves, table, n) for n in self.grids_}
        return self

    def _sizes(self, leaves: Leaves, table: Table, name: str) -> npt.NDArray[np.float64] | None:
        """What noise is a share of in each leaf, in units; None if it is the value itself."""
        grid = self.grids_[name]
        if self.scale == "leaf":
            return _spreads(self.tree_, table, name, grid)
        if self.scale == "value" and has_size(table[name].domain.kind):
            return None
        return np.full(leaves.number, spread_of(table[name], grid))

    @property
    def mechanism_(self) -> dict[str, Any]:
        """What an attacker may know. The ranges follow from the tree; sizes are by leaf."""
        data: dict[str, Any] = {"method": self.method, "columns": {}}
        if self.method != "shuffle":
            data["noise"] = shape_of(self.law).to_data()
        for name in self.columns_:
            entry: dict[str, Any] = {"spikes": list(self.spikes.get(name, ()))}
            if self.method != "shuffle" and name in self.grids_:
                entry |= {"grid": self.grids_[name].to_data(), "sd": self.sd}
                entry["ends"] = list(self.ends_[name])
                sizes = self.sizes_[name]
                entry["relative_to"] = "the value" if sizes is None else sizes.tolist()
            data["columns"][name] = entry
        return data

    def transform(self, table: Any, seed: Seed = None) -> Any:
        """The table with the attributes on each record's path moved."""
        given = as_table(table)
        draws, leaves = Draws.of(given, seed_of(seed)), Leaves(self.tree_, given)
        drawn = {name: self.draw(given[name], leaves, name, draws) for name in self.columns_}
        released = given.replace(drawn)
        leaves.require_same(released)
        return as_given(released, table)

    def draw(self, column: Coded, leaves: Leaves, name: str, draws: Draws) -> Coded:
        """The column moved where the path asks it."""
        asked = self.exchange(column, leaves, name)
        if asked is not None:
            return Coded(column.domain, draws.exchanged(asked)[0])
        law, rows, units = self.law_of(column, leaves, name, self.rows_of(column, leaves, name))
        stream = draws.stream("influential", name)
        return moved(column, rows, law.grid, drawn_by(law, units, stream, rows))

    def exchange(self, column: Coded, leaves: Leaves, name: str) -> Exchange | None:
        """The values exchanged within leaves, if they are not moved on a grid."""
        if self.method != "shuffle" and name in self.grids_:
            return None
        rows = self.rows_of(column, leaves, name)
        return Exchange("influential", name, (column,), leaves, rows)

    def law_of(
        self, column: Coded, leaves: Leaves, name: str, rows: Rows
    ) -> tuple[NumberLaw, Rows, npt.NDArray[np.int64]]:
        """The law of some rows, those of them whose leaf leaves room, and their units."""
        grid, (low, high) = self.grids_[name], self.ranges_[name]
        rank = leaves.rank[rows]
        room = high[rank] > low[rank]
        rows, rank = rows[room], rank[room]
        units = grid.units_of(column.domain.values)[column.codes[rows]]
        units = np.clip(units, low[rank], high[rank])  # for values beside the grid
        sizes, ends = self.sizes_[name], self.method
        assert ends != "shuffle"
        size = None if sizes is None else sizes[rank]
        law = NumberLaw(grid, shape_of(self.law), self.sd, low[rank], high[rank], ends, size)
        return law, rows, units

    def rows_of(self, column: Coded, leaves: Leaves, name: str) -> Rows:
        """The rows whose cell may move."""
        chosen = (leaves.asks(name) & ~leaves.fixes(name))[leaves.rank]
        if self.method != "shuffle" and name in self.grids_:
            allowed = movable(column.domain, self.spikes.get(name, ()))
        else:  # missing goes with a shuffle like any value
            allowed = _no_spike(column.domain, self.spikes.get(name, ()))
        return np.flatnonzero(chosen & allowed[column.codes])


def _no_spike(domain: Domain, spikes: tuple[float, ...]) -> npt.NDArray[np.bool_]:
    allowed = movable(domain, spikes)
    if domain.missing:
        allowed[-1] = True
    return allowed


def _spreads(tree: Tree, table: Table, name: str, grid: Grid) -> npt.NDArray[np.float64]:
    """The standard deviation of a column in each leaf, in units of its grid and coarsely."""
    domain = table[name].domain
    counted = counts_by_leaf(tree, table, [name])[name]
    present = movable(domain, ())[counted.keys[:, 1]]
    (leaf, code), records = counted.keys[present].T, counted.n[present]
    units = grid.units_of(domain.values)[code].astype(np.float64)
    n = np.maximum(np.bincount(leaf, records, tree.n_leaves), 1)
    mean = np.bincount(leaf, records * units, tree.n_leaves) / n
    squares = np.bincount(leaf, records * (units - mean[leaf]) ** 2, tree.n_leaves)
    return np.array([coarse_size(spread) for spread in np.sqrt(squares / n).tolist()])
