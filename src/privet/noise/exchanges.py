"""Who gets what where values are exchanged among more rows than are in memory.

In an exchange the row whose random number is least gets the least values of its leaf, and so on
(`streams.exchanged`). Rows are dealt onto piles by their numbers, so that the piles follow one
another; a pile is sorted by itself, and what its rows get goes onto the pile of each row's batch.
Of the values only how often each occurs in each leaf is held.
"""

from dataclasses import dataclass, field

import numpy as np

from privet.arrays import Integers
from privet.engine.combinations import Combinations
from privet.files.on_disk import Array, Pieces
from privet.noise.streams import Draws, Exchange, Numbers
from privet.table import code_type


class Exchanges:
    """The exchanges of a table that comes in so many batches."""

    def __init__(self, batches: int) -> None:
        self._batches = batches
        self._asked: dict[tuple[str, str], _Exchange] = {}

    def add(self, batch: int, asked: Exchange, draws: Draws) -> None:
        """One batch takes part in an exchange."""
        known = self._asked.get((asked.part, asked.name))
        if known is None:
            sizes = [column.domain.size for column in asked.columns]
            known = _Exchange(asked.leaves.number, sizes, self._batches)
            self._asked[asked.part, asked.name] = known
        known.add(batch, asked, draws)

    def settle(self) -> None:
        """Decide who gets what, now that all have come."""
        for known in self._asked.values():
            known.settle()

    def of_batch(self, batch: int) -> "_OfBatch":
        return _OfBatch(self._asked, batch)


@dataclass(frozen=True, eq=False)
class _OfBatch:
    """What the rows of one batch get."""

    asked: "dict[tuple[str, str], _Exchange]" = field(repr=False)
    batch: int

    def of(self, asked: Exchange) -> list[Array]:
        return self.asked[asked.part, asked.name].taken(self.batch, len(asked.rows))


class _Exchange:
    """One exchange: numbers and places of rows on piles, and counts of values."""

    def __init__(self, leaves: int, sizes: list[int], batches: int) -> None:
        self._leaves = leaves
        self._given = Combinations([leaves, *sizes])
        self._types = [code_type(size) for size in sizes]
        self._rows = [_Rows() for _ in range(batches)]  # as many piles as batches, as large
        self._got = [[Pieces() for _ in range(1 + len(sizes))] for _ in range(batches)]

    def add(self, batch: int, asked: Exchange, draws: Draws) -> None:
        rows = asked.rows
        leaf = asked.leaves.rank[rows]
        self._given.add([leaf, *(column.codes[rows] for column in asked.columns)])
        numbers = draws.stream(asked.part, asked.name).numbers(rows)
        # Half of who a row is tells apart whose numbers are equal.
        who = numbers if draws.identities is None else draws.identities.low[rows]
        places = np.arange(len(rows), dtype=np.uint32)
        where = np.full(len(rows), batch, dtype=np.uint32)
        pile_of = _pile_of(numbers, len(self._rows))
        order = np.argsort(pile_of, kind="stable")
        ends = np.searchsorted(pile_of[order], np.arange(1, len(self._rows)))
        for pile, some in zip(self._rows, np.split(order, ends), strict=True):
            pile.put(numbers[some], who[some], leaf[some], where[some], places[some])

    def settle(self) -> None:
        """Pile by pile, the rows in the order of their numbers get the values of their leaf."""
        ends = np.cumsum(self._given.n)
        starts = np.searchsorted(self._given.keys[:, 0], np.arange(self._leaves))
        next_of_leaf = np.concatenate(([0], ends))[starts]  # the value that is given next
        for pile in self._rows:
            numbers, who, leaf, where, places = pile.taken()
            order = np.lexsort((who, numbers, leaf))
            leaf = leaf[order]
            records = np.bincount(leaf, minlength=self._leaves)
            before = np.cumsum(records) - records
            turn = next_of_leaf[leaf] + np.arange(len(order)) - before[leaf]
            next_of_leaf += records
            got = self._given.keys[np.searchsorted(ends, turn, side="right"), 1:]
            self._hand_out(where[order], places[order], got)

    def _hand_out(self, where: Array, places: Array, got: Integers) -> None:
        order = np.argsort(where, kind="stable")
        ends = np.searchsorted(where[order], np.arange(1, len(self._got)))
        for pieces, some in zip(self._got, np.split(order, ends), strict=True):
            pieces[0].append(places[some])
            for piece, codes, kind in zip(pieces[1:], got.T, self._types, strict=True):
                piece.append(codes[some].astype(kind))

    def taken(self, batch: int, rows: int) -> list[Array]:
        """What the rows of a batch get, in their order; for the last time."""
        places, *codes = (np.concatenate(list(pieces.taken())) for pieces in self._got[batch])
        found = []
        for some in codes:
            own = np.empty(rows, dtype=some.dtype)
            own[places] = some
            found.append(own)
        return found


class _Rows:
    """Rows on a pile: their numbers, who they are, leaf, batch and place in it."""

    def __init__(self) -> None:
        self._pieces = [Pieces() for _ in range(5)]

    def put(self, *arrays: Array) -> None:
        for pieces, array in zip(self._pieces, arrays, strict=True):
            pieces.append(array)

    def taken(self) -> list[Array]:
        return [np.concatenate(list(pieces.taken())) for pieces in self._pieces]


def _pile_of(numbers: Numbers, piles: int) -> Array:
    """Which pile a number is on: greater numbers are on later piles."""
    half = np.uint64(32)
    return (numbers >> half) * np.uint64(piles) >> half
