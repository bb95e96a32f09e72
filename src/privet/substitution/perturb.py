"""The perturber: values are replaced at random, each column by itself or some columns together.

Domains are public and come from the schema; the records are only looked at when that is asked for.
The draws are in `privet.mechanism.sampling`; `estimate` and `rebuild` are the other direction.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from privet.errors import UnknownColumn, UsageError, either, param
from privet.files import as_given, as_table
from privet.files.row_batches import batches, joined
from privet.mechanism.domains import (
    ColumnDomain,
    Representative,
    declared_domain,
    domain_from_data,
    refuse_undeclared,
)
from privet.mechanism.matrices import (
    GammaDiagonal,
    Matrix,
    Number,
    TransitionMatrix,
    advice_on_gamma,
    epsilon,
    gamma_for_draws,
    largest_gamma,
)
from privet.mechanism.substitution import Block, Substitution, refuse_shared_names
from privet.randomness import Seed, seed_of
from privet.schema import Column, Role, Schema
from privet.substitution.budget import gammas_within
from privet.substitution.estimate import predicted_error
from privet.table import Table

MOST_COMBINATIONS = 1 << 16  # of columns that are perturbed together
DEFAULT_GAMMA = 9
LARGEST_ERROR = 0.75  # of predicted counts; a uniform guess is seldom further off


@dataclass
class RandomSubstitution:
    """Random substitution with a gamma-diagonal matrix for each column, or any matrix given.

    `columns` are perturbed one by one (None: all but identifiers and the target, which
    `with_target` adds), each group in `joint` together. gamma is 9 unless it is given. With rho1
    and rho2, it is the largest that lets no belief rise from rho1 to more than rho2. With
    `epsilon`, a whole record has no more than that: each column gets a part of it, in proportion
    to its `importance` (1 where nothing is said). `matrices` gives a column (or a joint group
    "a+b") a matrix of its own, `matrix` all others: rows of chances, where cell (h, k) is that of
    value k to become h.

    >>> table = privet.table_of({"age": [30, 61] * 40, "buys": ["no", "yes"] * 40})
    >>> schema = table.schema().with_roles(target="buys")
    >>> settings = {"gamma": 9, "bins": 2, "domain_from_data": True}
    >>> perturber = privet.RandomSubstitution(**settings).fit(table, schema)
    >>> perturber.transform(table).n_rows
    80
    """

    columns: Sequence[str] | None = None
    gamma: Number | None = None
    bins: int = 20
    joint: Sequence[Sequence[str]] = ()
    rho1: Number | None = None
    rho2: Number | None = None
    matrices: Mapping[str, Any] = field(default_factory=dict)
    representative: Representative = "centre"
    domain_from_data: bool = False
    epsilon: Number | None = None
    importance: Mapping[str, Number] = field(default_factory=dict)
    with_target: bool = False
    matrix: Any = None
    mechanism_: Substitution = field(init=False, repr=False)
    warnings_: list[str] = field(init=False, repr=False)

    def fit(self, table: Any, schema: Schema | None = None) -> "RandomSubstitution":
        """Settle domains and matrices; the result is public (`mechanism_`, `warnings_`)."""
        self._settle(as_table(table), schema)
        return self

    def transform(
        self,
        table: Any,
        seed: Seed = None,
        keep_order: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> Any:
        """The table perturbed, as a frame of the kind that was given.

        Without a seed every draw comes from the operating system. Records come out sorted by what
        is released, so that their order tells nothing; `keep_order` leaves them in place.
        """
        if not hasattr(self, "mechanism_"):
            raise UsageError("The perturber is not fitted yet.", "call fit(table, schema) first.")
        changed = self.drawn(as_table(table), seed_of(seed), keep_order, progress)
        if not keep_order:
            changed = changed.take(changed.sorted_rows())
        return as_given(changed, table)

    def drawn(
        self,
        table: Table,
        seed: int | None,
        keep_order: bool = False,
        progress: Callable[[int], None] | None = None,
        rows: int | None = None,
    ) -> Table:
        """The table perturbed, some `rows` at a time, and on disk where tables are. The records
        are in any order, unless `keep_order` is asked for."""
        mechanism = self.mechanism_
        mechanism.refuse_outside(table)
        parts = batches(table, mechanism.released(table), seed, keep_order, rows)
        return joined(mechanism.drawn(part, seed, progress, who) for part, who in parts)

    def fit_transform(self, table: Any, schema: Schema | None = None, seed: Seed = None) -> Any:
        return self.fit(table, schema).transform(table, seed)

    # -- settling ----------------------------------------------------------------------------------

    def _settle(self, table: Table, schema: Schema | None) -> None:
        declared = schema or table.schema()
        groups = self._groups(table, declared)
        self.warnings_ = []
        identifiers = set(declared.names(Role.IDENTIFIER))
        perturbed = {name for group in groups for name in group}
        unchanged = tuple(n for n in table.names if n not in perturbed | identifiers)
        refuse_shared_names(groups, unchanged)
        names = ["+".join(group) for group in groups]
        if not self.domain_from_data:
            refuse_undeclared([declared[name] for group in groups for name in group])
        own = self._own(names)
        gammas = self._gammas(names, own)
        blocks = tuple(self._block(group, own, gammas, table, declared) for group in groups)
        self.mechanism_ = Substitution(blocks, unchanged)
        self._warn(table.n_rows)

    def _groups(self, table: Table, declared: Schema) -> list[tuple[str, ...]]:
        """The columns to perturb: those one by one, then those together."""
        together = [tuple(group) for group in self.joint]
        named = [name for group in together for name in group]
        wanted = self._wanted(declared)
        groups = [(name,) for name in wanted if name not in named] + together
        for name in (name for group in groups for name in group):
            if name not in table:
                raise UnknownColumn(
                    name, table.names, where=f"{param('columns')} or {param('joint')}"
                )
            if declared[name].role is Role.IDENTIFIER:
                raise UsageError(
                    f"Column '{name}' is an identifier, which is never released, not even "
                    "perturbed.",
                    f"leave it out of {param('columns')} and {param('joint')}; or, if it "
                    "identifies nobody, give it another role.",
                )
        if len(set(named)) != len(named) or any(len(group) < 2 for group in together):
            raise UsageError(
                "Each group of columns perturbed together needs two columns, each in one group.",
                "write " + either("joint=[('a', 'b')]", "--joint a+b") + ".",
            )
        if not groups:
            raise UsageError(
                "No column is named to be perturbed.",
                "name some: " + either("columns=['a', 'b']", "--columns a,b") + ".",
            )
        return groups

    def _wanted(self, declared: Schema) -> Sequence[str]:
        """The columns to perturb one by one, unless they are in a group."""
        wanted = self.columns
        if wanted is None:
            wanted = declared.names(Role.QUASI, Role.SENSITIVE, Role.OTHER)
        if not self.with_target:
            return list(dict.fromkeys(wanted))
        target = declared.names(Role.TARGET)
        if not target:
            raise UsageError(
                "The target shall be perturbed, and none is named.",
                f"name it: {param('target', 'COLUMN')}.",
            )
        return list(dict.fromkeys([*wanted, *target]))

    def _own(self, names: Sequence[str]) -> dict[str, TransitionMatrix]:
        """The matrices that are given, by block."""
        for name in self.matrices:
            if name not in names:
                raise UnknownColumn(name, names, where=param("matrix"))
        found = {name: TransitionMatrix.of(given) for name, given in self.matrices.items()}
        if self.matrix is not None:
            shared = TransitionMatrix.of(self.matrix)
            found = {name: found.get(name, shared) for name in names}
        return found

    def _gammas(self, names: Sequence[str], own: Mapping[str, Matrix]) -> dict[str, Number]:
        """The gamma of each block that has no matrix of its own."""
        others = [name for name in names if name not in own]
        beliefs = self.gamma, self.rho1, self.rho2
        if not others and any(given is not None for given in beliefs):
            raise UsageError(
                "Every column has a matrix of its own, so that gamma decides nothing.",
                f"leave out gamma, rho1 and rho2, or name columns for {param('matrix')}.",
            )
        if self.epsilon is None:
            if self.importance:
                raise UsageError(
                    "An importance says who gets how much of an epsilon, and none is given.",
                    f"give {param('epsilon')} as well.",
                )
            return dict.fromkeys(others, self.chosen_gamma)
        if any(given is not None for given in beliefs):
            raise UsageError(
                "An epsilon of the record and a gamma of each column are two answers to one "
                "question.",
                f"leave out {param('epsilon')}, or gamma, rho1 and rho2.",
            )
        return dict(gammas_within(self.epsilon, others, self.importance, own))

    def _block(
        self,
        group: tuple[str, ...],
        own: Mapping[str, Matrix],
        gammas: Mapping[str, Number],
        table: Table,
        schema: Schema,
    ) -> Block:
        domains = tuple(self._domain(name, table, schema) for name in group)
        size = math.prod(domain.size for domain in domains)
        if len(group) > 1 and size > MOST_COMBINATIONS:
            raise UsageError(
                f"Columns {' and '.join(group)} together have {size} combinations; "
                f"a joint matrix takes at most {MOST_COMBINATIONS}.",
                "use fewer bins, or perturb some of the columns one by one.",
            )
        name = "+".join(group)
        if name in own:
            matrix = own[name]
            if matrix.size != size:
                raise UsageError(
                    f"The matrix of {name} has {matrix.size} columns, its domain {size} values.",
                    "give one column of probabilities for each value, missing and other included, "
                    f"or each column its own: {either('matrices={...}', '--matrix COLUMN=FILE')}.",
                )
        else:
            if size < 2:
                raise UsageError(
                    f"Column '{name}' has one value only: there is nothing to perturb.",
                    f"leave it out of {param('columns')}."
                    if self.columns is not None
                    else f"name the others as {param('columns')}, or have it not released: "
                    f"{param('identifier', name)}.",
                )
            matrix = GammaDiagonal(gammas[name], size)
        return Block(domains, matrix)

    def _domain(self, name: str, table: Table, schema: Schema) -> ColumnDomain:
        column: Column = schema[name]
        if column.domain is None and self.domain_from_data:
            return domain_from_data(name, table[name], self.bins, self.representative)
        return declared_domain(column, self.bins, self.representative)

    @property
    def chosen_gamma(self) -> Number:
        if self.rho1 is None and self.rho2 is None:
            return gamma_for_draws(DEFAULT_GAMMA if self.gamma is None else self.gamma)
        if self.rho1 is None or self.rho2 is None:
            raise UsageError(
                "rho1 and rho2 come together.", f"give {param('rho1')} and {param('rho2')}."
            )
        return gamma_for_draws(largest_gamma(self.rho1, self.rho2))

    def _warn(self, n: int) -> None:
        mechanism = self.mechanism_
        gammas = {b.matrix.gamma for b in mechanism.blocks if isinstance(b.matrix, GammaDiagonal)}
        self.warnings_ += filter(None, map(advice_on_gamma, sorted(gammas)))
        leaky = mechanism.domains_from_data
        if leaky:
            self.warnings_.append(
                f"The domain of {', '.join(leaky)} comes from the records: it shows which values "
                "and which ends occur, and no epsilon covers that."
            )
        for block in mechanism.blocks:
            if math.isinf(epsilon(block.matrix)):
                self.warnings_.append(
                    f"The matrix of {block.name} rules out originals: no epsilon."
                )
            error = predicted_error(block.matrix, n)
            if error >= LARGEST_ERROR:
                self.warnings_.append(
                    f"Counts of {block.name} will be off by about {error:.0%} of the records: "
                    "a uniform guess does as well. Use a larger gamma, fewer bins or more records."
                )
