"""The exact check of one filled column, kept up to date while repairs change a few blocks.

Whether a candidate wins in a node depends on the blocks below that node alone. So a `Watch` looks
again only at the nodes above what was changed. `by_leaf.conditions` has the conditions themselves.
"""

from collections.abc import Iterator

import numpy as np

from privet.arrays import Floats, Integers
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.contests import Standing, Violation
from privet.table import Domain


class Watch:
    """The values of a column by block, and what is wrong with them."""

    def __init__(self, task: ColumnTask, atoms: Atoms, domain: Domain, codes: Integers) -> None:
        self.task, self.atoms, self.domain = task, atoms, domain
        self.codes = codes.copy()
        self._standings: list[Standing | None] = [None] * len(task.nodes_seen)
        self._winners: list[list[Violation]] = [[] for _ in task.nodes_seen]
        self._nodes_above: dict[int, list[int]] = {}
        for number, seen in enumerate(task.nodes_seen):
            for group in seen.groups.tolist():
                self._nodes_above.setdefault(group, []).append(number)
        self._histogram = self._counted()
        self._nothing = np.zeros(0, dtype=np.int64)

    def set(self, blocks: Integers, codes: Integers | int) -> None:
        """Give some blocks other values."""
        self._move(blocks, -1)
        self.codes[blocks] = codes
        self._move(blocks, 1)
        for group in np.unique(self.atoms.group[blocks]).tolist():
            for number in self._nodes_above.get(group, ()):
                self._standings[number] = None

    def violations(self) -> Iterator[Violation]:
        """What is wrong: lost splits, then candidates that win or tie, from the root down."""
        self._pass_calm_nodes()
        standings = [self._standing(number) for number in range(len(self._standings))]
        yield from self.task.broken(standings)
        for winners in self._winners:
            yield from winners

    def holds(self) -> bool:
        """Whether the trees stay, be it by the rule of ties."""
        return all(violation.tie for violation in self.violations())

    def _counted(self) -> Floats | None:
        """The weights of each group by value."""
        atoms, size = self.atoms, self.domain.size
        return self.task.screens.counted(atoms.group, atoms.weights, self.codes, size)

    def _move(self, blocks: Integers, sign: int) -> None:
        if self._histogram is not None:
            places = self.atoms.group[blocks], self.codes[blocks]
            np.add.at(self._histogram, places, sign * self.atoms.weights[blocks])

    def _pass_calm_nodes(self) -> None:
        """Of nodes to be looked at again, those in which no candidate comes near are done."""
        if self._histogram is None:
            return
        open_nodes = [n for n, standing in enumerate(self._standings) if standing is None]
        every = np.arange(self.domain.size)
        for number in self.task.screens.calm_nodes(self._histogram, self.domain, every, open_nodes):
            seen = self.task.nodes_seen[number]
            self._standings[number] = Standing(seen, self._nothing, None, None)
            self._winners[number] = []

    def _standing(self, number: int) -> Standing:
        standing = self._standings[number]
        if standing is None:
            seen = self.task.nodes_seen[number]
            standing = self.task.standing(seen, self.atoms, self.domain, self.codes)
            self._standings[number] = standing
            self._winners[number] = list(standing.winners(self.codes))
        return standing
