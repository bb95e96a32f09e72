"""DETECTIVE: categories drawn by the leaves of a tree that predicts them.

For each category A a tree is grown, once, from the original table, with A as its class and all
other columns asked, and pruned of what is chance: of a column that nothing tells it says nothing.
Values that share a leaf are alike there, and so are the majorities of leaves that are siblings.
Each record of a leaf L draws its new value from

    pi_L(w) = (1 - p) f_L(w) + (p / y) * (siblings of L whose majority is w),

f_L being the shares in the leaf and y the number of its sibling leaves (p is 0 where y is). All
records of a leaf draw from one law, so a released value says nothing beyond the leaf: p is no
privacy dial against one who knows it, and p = 0 is not "no noise". `participation` is the dial: a
record is left alone with chance 1 - r.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from privet.engine import Engine, engine_of
from privet.errors import InvalidParameter, UnknownColumn, UsageError, param
from privet.files import as_given, as_table
from privet.mechanism.noise_laws import CategoryLaw, draw_by_group
from privet.noise.dependencies import Dependency, Together, dependencies, groups_of, warnings_of
from privet.noise.draws import replaced
from privet.noise.streams import Draws, Exchange, Stream
from privet.randomness import Seed, seed_of
from privet.schema import Kind, Role, Schema
from privet.table import Coded, Table
from privet.tree.leaves import Leaves
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings, tree_of_category
from privet.tree.relatives import MOST_COUSINS, Weights, law_of_leaves


@dataclass(frozen=True, eq=False)
class Suspect:
    """A category that is drawn, or several columns drawn together: its tree and its law."""

    together: Together
    tree: Tree = field(repr=False)
    law: CategoryLaw = field(repr=False)

    @property
    def name(self) -> str:
        return self.together.name


@dataclass(eq=False)
class Detective:
    """A perturber of categories.

    `p` is the chance to take the majority of a sibling leaf. `cousins` h > 0 counts as siblings all
    leaves under the h-th ancestor, each alike or by their records (`weights`). With chance
    `random_value` any other value of the domain is taken. `participation` is the share of records
    that are drawn at all. With `exact`, the part that stays in the leaf is a permutation of its
    values. `together` names columns drawn as one; by default those that determine each other.
    `floor` mixes every law with the uniform one.

    >>> table = privet.table_of({"city": ["Ulm", "Bonn"] * 4, "sick": ["yes", "no"] * 4})
    >>> schema = table.schema().with_roles(target="sick")
    >>> privet.Detective(p=0.1).fit(table, schema).transform(table).n_rows
    8
    """

    p: float = 0.1
    participation: float = 1.0
    random_value: float = 0.0
    cousins: int = 0
    weights: Weights = "leaves"
    exact: bool = False
    columns: tuple[str, ...] | None = None
    together: tuple[tuple[str, ...], ...] | None = None
    trees: NoiseTreeSettings = field(default_factory=NoiseTreeSettings)
    floor: float = 0.0

    def __post_init__(self) -> None:
        for name in ("p", "participation", "random_value", "floor"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise InvalidParameter(name, "from 0 to 1", value)
        if not 0 <= self.cousins <= MOST_COUSINS:
            raise InvalidParameter("cousins", f"from 0 to {MOST_COUSINS:,}", self.cousins)
        if self.weights not in get_args(Weights):
            raise InvalidParameter("weights", "leaves or records", self.weights)

    def fit(self, table: Any, schema: Schema, engine: Engine | None = None) -> "Detective":
        """Grow the tree of each category and work out the law of each of its leaves; `engine`
        holds what is released of the table."""
        table = as_table(table)
        wanted = self._wanted(table, schema)
        self.dependencies_: tuple[Dependency, ...] = dependencies(table, schema)
        if self.together is None:
            self.groups_ = self._found_groups(table, schema, wanted)
        else:
            self._check_groups(self.together, schema, wanted)
            self.groups_ = self.together
        self.warnings_ = warnings_of(self.dependencies_, self.groups_, wanted)
        grouped = {name for group in self.groups_ for name in group}
        units = [*self.groups_, *((name,) for name in wanted if name not in grouped)]
        released = [c.name for c in schema if c.role is not Role.IDENTIFIER and c.name in table]
        engine = engine or engine_of(table.select(released))
        self.suspects_: dict[str, Suspect] = {}
        for columns in units:
            suspect = self._suspect(columns, table, released, engine)
            self.suspects_[suspect.name] = suspect
        return self

    def _wanted(self, table: Table, schema: Schema) -> tuple[str, ...]:
        able = categories(table, schema)
        for name in self.columns or ():
            if name not in able:
                if name not in table:
                    raise UnknownColumn(name, table.names, where="columns of DETECTIVE")
                raise UsageError(
                    f"Column '{name}' is no category that may be drawn.",
                    "name columns of categories that are neither target nor identifier.",
                )
        return able if self.columns is None else self.columns

    def _found_groups(
        self, table: Table, schema: Schema, wanted: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        """Columns that determine each other; those that are released as they are never join."""
        drawable = set(schema.names(Role.QUASI, Role.SENSITIVE))
        among = [d for d in self.dependencies_ if {d.given, d.found} <= drawable]
        return tuple(g for g in groups_of(among, table) if set(g) & set(wanted))

    def _check_groups(
        self, groups: Sequence[Sequence[str]], schema: Schema, wanted: Sequence[str]
    ) -> None:
        """Groups that were asked for: known columns, each once, and a category in each group."""
        named = [name for group in groups for name in group]
        for name in named:
            if name not in schema:
                raise UnknownColumn(name, schema.names(), where=param("together"))
            if schema[name].role not in (Role.QUASI, Role.SENSITIVE):
                raise UsageError(
                    f"Column '{name}' cannot be drawn together with others.",
                    "only quasi-identifiers and sensitive columns are drawn.",
                )
        if len(set(named)) < len(named):
            raise UsageError(
                "A column is in two groups.", f"name each column once in {param('together')}."
            )
        for group in groups:
            if len(group) < 2:
                raise UsageError(
                    f"Only one column ({', '.join(group)}) is to be drawn together.",
                    f"name two or more, or leave {param('together')} out.",
                )
            if not set(group) & set(wanted):
                raise UsageError(
                    f"None of the columns drawn together ({', '.join(group)}) is a category.",
                    "numbers alone are moved on their own; name a column of categories with them.",
                )

    def _suspect(
        self, columns: Sequence[str], table: Table, released: Sequence[str], engine: Engine
    ) -> Suspect:
        together = Together.of(columns, table)
        if len(columns) > 1:
            coded = {n: table[n] for n in released if n not in columns}
            coded[together.name] = together.coded(table)
            engine = engine_of(Table(coded))
        tree = tree_of_category(engine, together.name, self.trees)
        return Suspect(together, tree, self._law(tree))

    def _law(self, tree: Tree) -> CategoryLaw:
        return law_of_leaves(
            tree,
            self.p,
            self.cousins,
            self.weights,
            self.participation,
            self.random_value,
            self.floor,
        )

    @property
    def mechanism_(self) -> dict[str, Any]:
        """What an attacker may know: the tree of each category and the law of its leaves."""
        from privet.tree.exchange.model_file import to_data

        columns = {}
        for name, suspect in self.suspects_.items():
            ids = [leaf.id for leaf in suspect.tree.leaves]
            columns[name] = {
                "columns": list(suspect.together.columns),
                "law": suspect.law.to_data(ids),
                "expected_changed": suspect.law.changed,
                "tree": to_data(suspect.tree),
            }
        return {"p": self.p, "columns": columns}

    def transform(self, table: Any, seed: Seed = None) -> Any:
        """The table with its categories drawn anew."""
        given = as_table(table)
        draws = Draws.of(given, seed_of(seed))
        drawn: dict[str, Coded] = {}
        for suspect in self.suspects_.values():
            drawn |= self.draw(suspect, given, draws)
        return as_given(given.replace(drawn), table)

    def draw(
        self,
        suspect: Suspect,
        table: Table,
        draws: Draws,
        allowed: npt.NDArray[np.bool_] | None = None,
        onto: Mapping[str, Coded] | None = None,
    ) -> dict[str, Coded]:
        """The columns of one suspect drawn anew, where `allowed` lets them; other cells are those
        of the table, or of the columns in `onto`."""
        leaves = Leaves(suspect.tree, table)
        codes = suspect.together.codes_of(table)
        stream = self._stream(suspect, draws)
        instead = self._permuted(suspect, leaves, codes, draws) if self.exact else None
        rows = np.arange(table.n_rows) if allowed is None else np.flatnonzero(allowed)
        uniform = stream.uniform(rows, "draw", "part", "random", "which")
        kept = None if instead is None else instead[rows]
        value = suspect.law.draw(leaves.rank[rows], codes[rows], uniform, kept)
        known = value >= 0  # a combination never seen stays if it does not take part
        rows, value = rows[known], value[known]
        drawn = suspect.together.combinations[value]
        domains = zip(suspect.together.columns, suspect.together.domains, strict=True)
        return {
            name: replaced((onto or {}).get(name, table[name]), rows, drawn[:, place], domain)
            for place, (name, domain) in enumerate(domains)
        }

    def _stream(self, suspect: Suspect, draws: Draws) -> Stream:
        shares = [float(share) for share in (self.p, self.participation, self.random_value)]
        told = (*shares, int(self.cousins), self.weights, float(self.floor))
        return draws.stream("detective", suspect.name).under(*told)

    def _permuted(
        self, suspect: Suspect, leaves: Leaves, codes: npt.NDArray[Any], draws: Draws
    ) -> npt.NDArray[Any]:
        """Values permuted within each leaf, of which the share p goes to siblings' majorities."""
        law = suspect.law
        everybody = np.arange(len(codes))
        combined = Coded(suspect.together.domain, codes)
        (kept,) = draws.exchanged(
            Exchange("detective", suspect.name, (combined,), leaves, everybody)
        )
        if self.p == 0:
            return kept
        toward = (law.drawn - (1 - self.p) * law.shares).clip(min=0.0)
        alone = toward.sum(axis=1) < self.p / 2  # no siblings: nothing to go to
        toward[alone] = law.shares[alone]
        shares = toward / toward.sum(axis=1, keepdims=True)
        stream = self._stream(suspect, draws)
        sibling, goes_there = stream.uniform(everybody, "sibling", "goes")
        other = draw_by_group(shares, leaves.rank, sibling)
        goes = (goes_there < self.p) & ~alone[leaves.rank]
        return np.where(goes, other, kept)


def categories(table: Table, schema: Schema) -> tuple[str, ...]:
    """The categories that noise may reach: all but identifiers, the target and `other`."""
    return tuple(
        c.name
        for c in schema
        if c.role in (Role.QUASI, Role.SENSITIVE)
        and c.name in table
        and table[c.name].domain.kind is Kind.CATEGORY
        and table[c.name].domain.size > 1
    )
