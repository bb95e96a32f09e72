"""What is counted of a table and of what noise made of it, row beside row, in one pass.

`figures` next door works out from it what was to be expected, and says what happened.
"""

from dataclasses import dataclass

import numpy as np

from privet.arrays import Integers
from privet.engine.combinations import Combinations
from privet.noise.draws import Changes
from privet.noise.framework import NoiseFramework
from privet.table import Table, stretches_of
from privet.tree.leaves import Leaves


@dataclass(frozen=True, eq=False)
class Observed:
    """Counts of original rows by leaf, and of changed cells."""

    by_leaf: dict[str, Combinations]  # of columns that are moved or exchanged: leaf, code
    drawn: dict[str, Combinations]  # of what DETECTIVE draws: leaf of its tree, combination
    exchanged: dict[str, Combinations]  # of its columns that are exchanged: leaf, code
    changed: dict[str, int]
    classes_changed: Integers  # by leaf
    stayed: int

    @classmethod
    def of(cls, noise: NoiseFramework, table: Table, released: Table) -> "Observed":
        counting = _Counting(noise, table.select(released.names), released)
        parts = zip(stretches_of(counting.table), stretches_of(released), strict=True)
        for part, after in parts:
            counting.add(part, after)
        return cls(
            counting.by_leaf,
            counting.drawn,
            counting.exchanged,
            counting.changed,
            counting.classes_changed,
            counting.stayed,
        )


class _Counting:
    def __init__(self, noise: NoiseFramework, table: Table, released: Table) -> None:
        self.noise, self.table = noise, table
        leaves, sizes = noise.tree_.n_leaves, {n: table[n].domain.size for n in table}
        alone = [*noise.numbers_, *(noise.influential_.columns_ if noise.influential_ else ())]
        alone = [name for name in alone if name not in noise.grouped_]
        self.by_leaf = {name: Combinations([leaves, sizes[name]]) for name in dict.fromkeys(alone)}
        self.drawn = {
            name: Combinations([suspect.tree.n_leaves, len(suspect.together.combinations)])
            for name, suspect in noise.suspects_.items()
        }
        exchanges = noise.settings.strict and noise.influential_ is not None
        self.exchanged = {
            name: Combinations([leaves, sizes[name]]) for name in noise.grouped_ if exchanges
        }
        self.changed = dict.fromkeys(released, 0)
        self.classes_changed: Integers = np.zeros(leaves, dtype=np.int64)
        self.stayed = 0
        self._changes = {
            name: Changes(table[name].domain, released[name].domain) for name in released
        }

    def add(self, part: Table, released: Table) -> None:
        """Some rows before and after."""
        noise, leaves = self.noise, Leaves(self.noise.tree_, part)
        for name, counted in self.by_leaf.items():
            counted.add([leaves.rank, part[name].codes])
        for name, suspect in noise.suspects_.items():
            rows = np.arange(part.n_rows)
            if noise.settings.strict:
                rows = np.flatnonzero(~noise.asked(suspect, leaves)[leaves.rank])
            own, codes = Leaves(suspect.tree, part).rank, suspect.together.codes_of(part)
            self.drawn[name].add([own[rows], codes[rows]])
            if self.exchanged:
                rows = noise.exchange_rows(suspect.together.columns, part, leaves)
                for column in suspect.together.columns:
                    self.exchanged[column].add([leaves.rank[rows], part[column].codes[rows]])
        for name, changes in self._changes.items():
            changed = changes.among(part[name].codes, released[name].codes)
            self.changed[name] += int(changed.sum())
            if name == noise.tree_.target:
                self.classes_changed += np.bincount(leaves.rank[changed], minlength=leaves.number)
        self.stayed += leaves.stayed(released)
