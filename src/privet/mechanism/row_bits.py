"""Random bits that belong to a row: drawn at its identity, under a key of seed and purpose.

A seeded draw must not depend on where a row stands, nor on the batch or file that it came with. So
its bits are no stretch of a stream: they are words of a block of `chacha` at the row's identity
(`identities`), whose key is the SHA-256 of seed and purpose. Purposes that are served together, as
the columns of a table are, share a block for their first draw, under a key of all their names: a
block costs much more than a draw. A draw that must be repeated takes a word of its purpose's own
block, and after the last one of a further block.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.mechanism.chacha import WORDS, Words, words_at
from privet.mechanism.identities import Identities
from privet.randomness import key_of

_WORD = 1 << 32


@dataclass(frozen=True, eq=False, repr=False)
class RowBits:
    """The bits of some rows for one purpose."""

    seed: int
    purpose: str
    rows: Identities
    first: Words | None = None  # one word for each row, where a block is shared

    def take(self, rows: Any) -> "RowBits":
        first = None if self.first is None else self.first[rows]
        return RowBits(self.seed, self.purpose, self.rows.take(rows), first)

    def words(self, attempt: int = 0) -> Words:
        """A word for each row, another one for each attempt."""
        if self.first is not None:
            if attempt == 0:
                return self.first
            attempt -= 1
        turn, place = divmod(attempt, WORDS)
        words: Words = self._words(turn, place, 1)[0]
        return words

    def shares(self) -> npt.NDArray[np.float64]:
        """For each row a number from 0 up to but not including 1, a multiple of 2 ** -53."""
        upper, lower = self._words(0, 0, 2).astype(np.uint64)
        return as_shares(upper << np.uint64(32) | lower)

    def _words(self, turn: int, first: int, count: int) -> Words:
        key = key_of(self.seed, f"rows {turn}:{self.purpose}")
        return words_at(key, self.rows.low, self.rows.high, first, count)


def bits_together(seed: int, purposes: Sequence[str], rows: Identities) -> dict[str, RowBits]:
    """The bits of some rows for several purposes; the order of these does not matter."""
    found: dict[str, RowBits] = {}
    ordered = sorted(purposes)
    for start in range(0, len(ordered), WORDS):
        some = ordered[start : start + WORDS]
        key = key_of(seed, f"rows together:{json.dumps(some)}")
        firsts = words_at(key, rows.low, rows.high, 0, len(some))
        pairs = zip(some, firsts, strict=True)
        found |= {purpose: RowBits(seed, purpose, rows, first) for purpose, first in pairs}
    return found


def numbers_together(
    seed: int, purposes: Sequence[str], rows: Identities
) -> list[npt.NDArray[np.uint64]]:
    """64 bits for each row for each of up to eight purposes, from one block under a key of all."""
    if 2 * len(purposes) > WORDS:
        raise ValueError("a block has numbers for eight purposes")
    key = key_of(seed, f"rows with numbers:{json.dumps(list(purposes))}")
    words = words_at(key, rows.low, rows.high, 0, 2 * len(purposes)).astype(np.uint64)
    return [
        upper << np.uint64(32) | lower
        for upper, lower in words.reshape(len(purposes), 2, len(rows))
    ]


def as_shares(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Numbers of 64 bits as numbers from 0 up to but not including 1, multiples of 2 ** -53."""
    return np.asarray((numbers >> np.uint64(11)) * 2.0**-53)


def below(totals: npt.NDArray[np.integer], bits: RowBits | None) -> npt.NDArray[np.int64]:
    """For each row a whole number below its total, at most 2 ** 32, all of them equally likely.

    A word times the total, of which the upper half is taken; the few products whose lower half
    would favour some number are drawn again. Without bits they are the operating system's.
    """
    drawn = np.zeros(len(totals), dtype=np.int64)
    wide_totals = totals.astype(np.uint64)
    rest, attempt = np.flatnonzero(totals > 1), 0
    while len(rest):
        some = wide_totals[rest]
        if bits is None:
            words = np.frombuffer(os.urandom(4 * len(rest)), dtype=np.uint32)
        else:
            words = bits.take(rest).words(attempt)
        wide = words.astype(np.uint64) * some
        drawn[rest] = wide >> np.uint64(32)
        rest = rest[(wide & np.uint64(_WORD - 1)) < np.uint64(_WORD) % some]
        attempt += 1
    return drawn
