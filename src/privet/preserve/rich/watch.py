"""The exact check of one filled column, kept up to date while repairs change a few blocks.

Whether a candidate wins in a node depends on the blocks below that node alone. So a `Watch` looks
again only at the nodes above what was changed. `by_leaf.conditions` has the conditions themselves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from privet.arrays import Integers
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.contests import Standing, Violation
from privet.table import Domain


@dataclass(frozen=True, eq=False)
class State:
    """The values of all blocks at one time, and what was known of the nodes."""

    codes: Integers
    standings: Sequence[Standing | None]
    winners: Sequence[list[Violation]]


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
        self._count()
        self._nothing = np.zeros(0, dtype=np.int64)

    def set(self, blocks: Integers, codes: Integers | int) -> None:
        """Give some blocks other values."""
        codes = np.broadcast_to(codes, blocks.shape)
        other = self.codes[blocks] != codes
        blocks = blocks[other]
        self._put(blocks, codes[other])
        for group in np.unique(self.atoms.group[blocks]).tolist():
            for number in self._nodes_above.get(group, ()):
                self._standings[number] = None

    def state(self) -> State:
        """What `back_to` leads back to, with every node looked at."""
        self._looked_at()
        return State(self.codes.copy(), tuple(self._standings), tuple(self._winners))

    def back_to(self, state: State) -> None:
        """Everything as it was: no node needs another look."""
        changed = np.flatnonzero(self.codes != state.codes)
        self._put(changed, state.codes[changed])
        self._standings, self._winners = list(state.standings), list(state.winners)

    def violations(self) -> Iterator[Violation]:
        """What is wrong: lost splits, then candidates that win or tie, from the root down."""
        yield from self.task.broken(self._looked_at())
        for winners in self._winners:
            yield from winners

    def holds(self) -> bool:
        """Whether the trees stay, be it by the rule of ties."""
        return all(violation.tie for violation in self.violations())

    def _looked_at(self) -> list[Standing]:
        """How every node stands now."""
        self._pass_calm_nodes()
        return [self._standing(number) for number in range(len(self._standings))]

    def _count(self) -> None:
        """The weights of each group by the values that some block has, of very many maybe few."""
        atoms = self.atoms
        self._values = np.unique(self.codes)
        self._place = np.full(self.domain.size, -1, dtype=np.int64)
        self._place[self._values] = np.arange(len(self._values))
        places, size = self._place[self.codes], len(self._values)
        self._histogram = self.task.screens.counted(atoms.group, atoms.weights, places, size)

    def _put(self, blocks: Integers, codes: Integers) -> None:
        if (self._place[codes] < 0).any():
            self.codes[blocks] = codes
            self._count()
            return
        self._move(blocks, -1)
        self.codes[blocks] = codes
        self._move(blocks, 1)

    def _move(self, blocks: Integers, sign: int) -> None:
        if self._histogram is not None:
            places = self.atoms.group[blocks], self._place[self.codes[blocks]]
            np.add.at(self._histogram, places, sign * self.atoms.weights[blocks])

    def _pass_calm_nodes(self) -> None:
        """Of nodes to be looked at again, those in which no candidate comes near are done."""
        open_nodes = [n for n, standing in enumerate(self._standings) if standing is None]
        if self._histogram is None or not open_nodes:
            return
        counts, values = self._histogram, self._values
        for number in self.task.screens.calm_nodes(counts, self.domain, values, open_nodes):
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
