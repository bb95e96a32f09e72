"""The exact check of one filled column, kept up to date while repairs change a few blocks.

Whether a candidate wins in a node depends on the blocks below that node alone. So a `Watch` looks
again only at the nodes above what was changed. `by_leaf.conditions` has the conditions themselves.
"""

from collections.abc import Iterator

import numpy as np

from privet.arrays import Integers
from privet.preserve.by_leaf.conditions import Atoms, ColumnTask
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

    def set(self, blocks: Integers, codes: Integers | int) -> None:
        """Give some blocks other values."""
        self.codes[blocks] = codes
        for group in np.unique(self.atoms.group[blocks]).tolist():
            for number in self._nodes_above.get(group, ()):
                self._standings[number] = None

    def violations(self) -> Iterator[Violation]:
        """What is wrong: lost splits, then candidates that win or tie, from the root down."""
        standings = [self._standing(number) for number in range(len(self._standings))]
        yield from self.task.broken(standings)
        for winners in self._winners:
            yield from winners

    def holds(self) -> bool:
        """Whether the trees stay, be it by the rule of ties."""
        return all(violation.tie for violation in self.violations())

    def _standing(self, number: int) -> Standing:
        standing = self._standings[number]
        if standing is None:
            seen = self.task.nodes_seen[number]
            standing = self.task.standing(seen, self.atoms, self.domain, self.codes)
            self._standings[number] = standing
            self._winners[number] = list(standing.winners(self.codes))
        return standing
