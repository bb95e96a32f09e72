"""Noise on a table that is larger than memory: a batch at a time, with the draws of the whole.

Everything is drawn for each row by itself but what is exchanged within a leaf, where all its rows
take part. So the batches are gone through twice: first to see who takes part in exchanges, and
what they give away; then, when it is settled who gets what, to draw. With a seed, the rows are
those that are drawn in memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from privet.files.on_disk import Array, Pieces
from privet.files.row_batches import batches, joined
from privet.mechanism.identities import Identities
from privet.noise.exchanges import Exchanges
from privet.noise.streams import Draws, Exchange, Rows
from privet.randomness import generator
from privet.table import STRETCH, Table, rows_between, stretch
from privet.tree.leaves import Leaves
from privet.tree.model import Tree


@dataclass(frozen=True, eq=False)
class Drawn:
    """A table and what was drawn of it, row beside row, and with a seed who the rows are."""

    original: Table
    released: Table
    who: Identities | None = field(repr=False)

    def some(self, most: int) -> "Drawn":
        """At most so many of the rows, drawn at random: with a seed by who they are, so that it
        does not matter in which order the rows come."""
        n_rows = self.original.n_rows
        if self.who is None:
            if n_rows <= most:
                return self
            rows = np.sort(generator(None).choice(n_rows, most, replace=False))
            return self._taken(rows, None)
        rows = _least(self.who, most)
        return self._taken(rows, self.who.take(rows))

    def _taken(self, rows: Rows, who: Identities | None) -> "Drawn":
        original, released = self.original.take(rows), self.released.take(rows)
        return Drawn(original, released, who)


def _least(who: Identities, most: int) -> Rows:
    """The rows whose identities are least, so many at most and in that order."""
    found = np.zeros(0, dtype=np.intp)
    for start in range(0, len(who), STRETCH):
        stop = min(start + STRETCH, len(who))
        rows = np.concatenate([found, np.arange(start, stop)])
        found = rows[np.lexsort((who.high[rows], who.low[rows]))[:most]]
    return found


class Batches:
    """A table in batches that can be gone through more than once; it lies where tables do.

    With a seed rows alike are in one batch, so that the order of the rows is lost.
    """

    def __init__(
        self, table: Table, seed: int | None, in_order: bool = False, rows: int | None = None
    ) -> None:
        self.seed = seed
        self.who: Identities | None = None
        if seed is None:
            self.table = table
            self._edges = [*range(0, table.n_rows, rows or STRETCH), table.n_rows]
            return
        self._edges = [0]
        halves = Pieces(), Pieces()

        def told() -> Iterator[Table]:
            for part, who in batches(table, table.names, seed, in_order, rows):
                assert who is not None
                self._edges.append(self._edges[-1] + part.n_rows)
                halves[0].append(who.low)
                halves[1].append(who.high)
                yield part

        self.table = joined(told())
        self.who = Identities(*(half.whole(np.uint64) for half in halves))

    @property
    def number(self) -> int:
        return len(self._edges) - 1

    def __iter__(self) -> Iterator[tuple[Table, Draws]]:
        for start, stop in pairwise(self._edges):
            who = None
            if self.who is not None:
                halves: list[Array] = [self.who.low, self.who.high]
                who = Identities(*(stretch(half, start, stop) for half in halves))
            yield rows_between(self.table, start, stop), Draws(self.seed, who)


def drawn_in_batches(
    parts: Batches,
    tree: Tree,
    exchanges: Callable[[Table, Leaves], list[Exchange]],
    draw: Callable[[Table, Leaves, Draws], Table],
) -> Drawn:
    """The noise of all batches: `exchanges` says what is exchanged in one, `draw` draws it."""
    asked = Exchanges(parts.number)
    for number, (part, draws) in enumerate(parts):
        for exchange in exchanges(part, Leaves(tree, part)):
            asked.add(number, exchange, draws)
    asked.settle()
    released = joined(
        draw(part, Leaves(tree, part), Draws(draws.seed, draws.identities, asked.of_batch(number)))
        for number, (part, draws) in enumerate(parts)
    )
    return Drawn(parts.table, released, parts.who)
