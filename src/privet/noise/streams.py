"""Random numbers that belong to rows, and orders drawn at random: what all noise is made of.

With a seed, the numbers of a row depend on the seed, the part of the noise, the column, the purpose
and the row itself (`privet.mechanism.identities`), never on where the row stands. So the same seed
and the same set of rows give the same set of released rows, whatever the order of the rows and the
files that they came in; and no part and no column depends on which others are perturbed. Without a
seed every number is the operating system's, and nobody asks who a row is. `draws` next door puts
what is drawn into cells.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.mechanism.identities import Identities, identities_of
from privet.mechanism.row_bits import as_shares, numbers_together
from privet.randomness import generator
from privet.table import Coded, Table
from privet.tree.leaves import Leaves

Rows = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Exchange:
    """Columns whose values are exchanged among some rows, within their leaves and all alike; part
    and name say which random numbers decide."""

    part: str
    name: str
    columns: tuple[Coded, ...]
    leaves: Leaves = field(repr=False)
    rows: Rows = field(repr=False)


class Exchanged(Protocol):
    """Where what rows get in exchanges is known already, since others than them take part."""

    def of(self, asked: Exchange) -> list[npt.NDArray[Any]]:
        """The new codes of the rows of an exchange, for each of its columns."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Who is drawn, and from which seed: where the streams of all parts and columns come from."""

    seed: int | None = field(repr=False)
    identities: Identities | None = field(repr=False)
    known: Exchanged | None = field(default=None, repr=False)

    @classmethod
    def of(cls, table: Table, seed: int | None) -> "Draws":
        """The draws of all rows of a table."""
        return cls(seed, None if seed is None else identities_of(table, seed))

    def stream(self, part: str, column: str) -> "Stream":
        return Stream(self.seed, part, column, self.identities)

    def exchanged(self, asked: Exchange) -> list[npt.NDArray[Any]]:
        """The columns of an exchange afterwards."""
        if self.known is None:
            stream = self.stream(asked.part, asked.name)
            codes = [column.codes for column in asked.columns]
            return exchanged(codes, asked.leaves.rank, asked.rows, stream)
        pairs = zip(asked.columns, self.known.of(asked), strict=True)
        return [_with(column.codes, asked.rows, new) for column, new in pairs]

    def again(self, number: int) -> "Draws":
        """The same rows drawn once more; redraws have numbers."""
        return replace(self, seed=another_seed(self.seed, number))


def another_seed(seed: int | None, number: int) -> int | None:
    """The seed of a redraw; without a seed there is none."""
    if seed is None:
        return None
    return int.from_bytes(hashlib.sha256(f"{seed}:redraw {number}".encode()).digest()[:8], "little")


@dataclass(frozen=True)
class Stream:
    """The random numbers of one part for one column."""

    seed: int | None = field(repr=False)
    part: str
    column: str
    identities: Identities | None = field(default=None, repr=False, compare=False)

    def under(self, *settings: Any) -> "Stream":
        """Numbers of its own for some settings of a law: plain data, in which 1 is not 1.0.

        Under one seed, two deviations must not stretch the same draws: twice the one release less
        the other would be the original.
        """
        return replace(self, part=f"{self.part} {json.dumps(settings)}")

    def uniform(self, rows: Rows, *purposes: str) -> list[Floats]:
        """For each purpose a number in [0, 1) for each of some rows."""
        if self.seed is None:
            return [generator(None).random(len(rows)) for _ in purposes]
        return [as_shares(numbers) for numbers in self._numbers(rows, purposes)]

    def order(self, group: npt.NDArray[Any], rows: Rows) -> Rows:
        """Places among some rows: by their groups, and inside a group in an order drawn at random.

        Rows whose numbers are equal are told apart by who they are.
        """
        numbers = self.numbers(rows)
        bits = max(int(group.max(initial=0)).bit_length(), 1)
        packed = group.astype(np.uint64) << np.uint64(64 - bits)
        packed |= numbers >> np.uint64(bits)
        order = np.argsort(packed)
        packed = packed[order]
        if self.identities is None or not bool((packed[1:] == packed[:-1]).any()):
            return order
        own = self.identities.take(rows)
        return np.lexsort((own.high, own.low, numbers, group))

    def numbers(self, rows: Rows) -> Numbers:
        """64 bits for each of some rows, by which they are put into an order."""
        if self.seed is None:
            return np.asarray(generator(None).bit_generator.random_raw(len(rows)))
        return self._numbers(rows, ("order",))[0]

    def _numbers(self, rows: Rows, purposes: Sequence[str]) -> list[Numbers]:
        assert self.seed is not None
        assert self.identities is not None
        named = [f"noise:{self.part}:{purpose}:{self.column}" for purpose in purposes]
        return numbers_together(self.seed, named, self.identities.take(rows))


def exchanged(
    columns: Sequence[npt.NDArray[Any]], group: npt.NDArray[Any], rows: Rows, stream: Stream
) -> list[npt.NDArray[Any]]:
    """Codes of some rows exchanged at random among those of the same group, in all columns alike.

    The first row in the order that is drawn gets the smallest codes of its group, and so on: which
    row a code came from is of no consequence.
    """
    here = group[rows]
    own = [codes[rows] for codes in columns]
    by_value = np.lexsort((*own[::-1], here))
    goes_to = rows[stream.order(here, rows)]
    pairs = zip(columns, own, strict=True)
    return [_with(codes, goes_to, some[by_value]) for codes, some in pairs]


def _with(codes: npt.NDArray[Any], rows: Rows, new: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Codes of which some rows have others."""
    changed = codes.copy()
    changed[rows] = new
    return changed


def in_one_order(table: Table, draws: Draws, draw: Callable[[Table, Draws], Table]) -> Table:
    """What is drawn for the rows in the order of who they are, each put back into its place.

    For what goes by the places of rows: with a seed, it does not depend on the order they come in.
    """
    who = draws.identities
    if who is None:
        return draw(table, draws)
    order = np.lexsort((who.high, who.low))
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    rows = table.take(order)
    drawn = draw(rows, replace(draws, identities=who.take(order)))
    changed = {name: drawn[name] for name in drawn if drawn[name] is not rows[name]}
    return table.replace({name: Coded(c.domain, c.codes[back]) for name, c in changed.items()})
