"""Noise on the class: permuted within each leaf, drawn by its shares, or anywhere.

    >>> from privet.datasets import crd, schema_of
    >>> table = crd(300, 4)
    >>> noise = ClassNoise("random").fit(table, schema_of("crd", table))
    >>> law = noise.law_  # known before anything is drawn
    >>> law.records, law.unprotected < 300, law.expected > 0
    (300, True, True)
    >>> released = noise.transform(table, seed=7)

Who knows a record's leaf knows the shares of the classes there and nothing more, whatever class was
released: `law_.posterior(leaf)`. A homogeneous leaf is not protected at all.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine import engine_of
from privet.errors import InvalidParameter
from privet.files import as_given, as_table
from privet.mechanism.class_laws import TECHNIQUES, ClassLaw, Technique
from privet.mechanism.noise_laws import draw_by_group
from privet.noise.draws import replaced
from privet.noise.streams import Draws, Exchange
from privet.randomness import Seed, seed_of
from privet.schema import Schema
from privet.table import Coded, Table
from privet.tree.leaves import Leaves
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings, natural_tree


@dataclass(eq=False)
class ClassNoise:
    """A perturber of the target. `tree_` is grown once, from the original table.

    >>> ages = [30, 31, 32, 33, 34, 60, 61, 62, 63, 64]
    >>> table = privet.table_of({"age": ages, "buys": ["no"] * 5 + ["yes"] * 5})
    >>> noise = privet.ClassNoise().fit(table, table.schema().with_roles(target="buys"))
    >>> noise.tree_.n_leaves
    2
    >>> noise.transform(table).n_rows
    10
    """

    technique: Technique = "random"
    trees: NoiseTreeSettings = field(default_factory=NoiseTreeSettings)
    floor: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= 1:
            raise InvalidParameter("floor", "from 0 to 1", self.floor)
        if self.technique not in TECHNIQUES:
            raise InvalidParameter("class_noise", "one of " + ", ".join(TECHNIQUES), self.technique)

    def fit(self, table: Any, schema: Schema, tree: Tree | None = None) -> "ClassNoise":
        table = as_table(table)
        self.tree_ = tree or natural_tree(engine_of(table), schema, self.trees)
        leaves = [leaf.weights for leaf in self.tree_.leaves]
        self.law_ = ClassLaw.of(self.technique, leaves, self.floor)
        self.domain_ = table[schema.target].domain
        return self

    @property
    def mechanism_(self) -> dict[str, Any]:
        """What an attacker may know."""
        return self.law_.to_data()

    def known(self, table: Table, released: Table) -> npt.NDArray[np.float64]:
        """For each record the chance that an attacker, who knows its leaf and sees what was
        released, gives to its true class: 1 is no protection."""
        posteriors = np.array([self.law_.posterior(leaf) for leaf in range(len(self.law_.counts))])
        target = self.tree_.target
        shown, true = (
            t[target].domain.places_in(self.domain_)[t[target].codes] for t in (released, table)
        )
        return np.asarray(posteriors[Leaves(self.tree_, table).rank, shown, true])

    def transform(self, table: Any, seed: Seed = None) -> Any:
        """The table with its target drawn anew."""
        given = as_table(table)
        draws, leaves = Draws.of(given, seed_of(seed)), Leaves(self.tree_, given)
        released = given.replace({self.tree_.target: self.draw(given, leaves, draws)})
        return as_given(released, table)

    def draw(self, table: Table, leaves: Leaves, draws: Draws) -> Coded:
        """The new target of a table whose leaves are known."""
        drawn = self._by_technique(table, leaves, draws)
        if not self.floor:
            return drawn
        stream = draws.stream("class floor", self.tree_.target).under(float(self.floor))
        takes_part, which = stream.uniform(np.arange(table.n_rows), "part", "which")
        rows = np.flatnonzero(takes_part < self.floor)
        classes = self.law_.classes
        any_class = np.minimum((which[rows] * classes).astype(np.int64), classes - 1)
        return replaced(drawn, rows, any_class, self.domain_)

    def exchange(self, table: Table, leaves: Leaves) -> Exchange | None:
        """The classes exchanged within leaves, if that is what is done."""
        if self.technique != "random" or self.law_.classes < 2:
            return None
        target, everybody = self.tree_.target, np.arange(table.n_rows)
        return Exchange("class", target, (table[target],), leaves, everybody)

    def _by_technique(self, table: Table, leaves: Leaves, draws: Draws) -> Coded:
        column = table[self.tree_.target]
        stream = draws.stream("class", self.tree_.target).under(self.technique)
        everybody = np.arange(table.n_rows)
        if self.technique == "none" or self.law_.classes < 2:
            return column
        asked = self.exchange(table, leaves)
        if asked is not None:
            return Coded(column.domain, draws.exchanged(asked)[0])
        if self.technique == "probabilistic":
            counts = np.array(self.law_.counts, dtype=np.float64)
            shares = counts / counts.sum(axis=1, keepdims=True)
            (uniform,) = stream.uniform(everybody, "draw")
            drawn = draw_by_group(shares, leaves.rank, uniform)
            return replaced(column, everybody, drawn, self.domain_)
        # Under one seed, two chances must not part the same draws: where the releases differ, that
        # of the smaller chance would be the original.
        chance = float(self.law_.chance)
        takes_part, which = stream.under(chance).uniform(everybody, "part", "which")
        rows = np.flatnonzero(takes_part < chance)
        others = self.law_.classes - 1
        other = np.minimum((which[rows] * others).astype(np.int64), others - 1)
        other += other >= column.codes[rows]
        return replaced(column, rows, other, self.domain_)
