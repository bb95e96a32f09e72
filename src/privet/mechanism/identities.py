"""Who a row is: what it holds, and how many rows alike came before it.

Every value of a column has a secret number of 128 bits under the seed, and the content of a row is
the sum of the numbers of its cells. Two rows that differ have contents that differ, but for one
chance in 2 ** 128: the difference holds the number of at least one value that nothing else holds.
Rows alike are told apart by their occurrence number, which has a secret number as well. So the set
of identities follows from the seed and the set of rows; their order, the order of columns, and the
files and batches that they came in are of no consequence. `row_bits` draws at identities.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Digests
from privet.mechanism.chacha import words_at
from privet.randomness import key_of
from privet.schema import Kind
from privet.table import Domain, Table

Numbers = npt.NDArray[np.uint64]
_KINDS = {kind: np.uint64(number) for number, kind in enumerate(Kind, start=1)}


@dataclass(frozen=True, eq=False, repr=False)
class Identities:
    """128 bits for each row."""

    low: Numbers
    high: Numbers

    def __len__(self) -> int:
        return len(self.low)

    def take(self, rows: Any) -> "Identities":
        return Identities(self.low[rows], self.high[rows])


def numbered(rows: int) -> Identities:
    """Identities of rows of which nothing is known but their number."""
    return Identities(np.arange(rows, dtype=np.uint64), np.zeros(rows, dtype=np.uint64))


def of_digests(digests: Digests) -> Identities:
    """Identities of rows that have a digest of their own: half of its bytes."""
    low, high = np.ascontiguousarray(digests[:, :16]).view("<u8").T.astype(np.uint64)
    return Identities(low, high)


def identities_of(table: Table, seed: int) -> Identities:
    """The identities of all rows of a table."""
    return told_apart(Contents(table, table.names, seed).of(table), seed)


class Contents:
    """What rows of a table hold, as 128 bits for each; the table may come in parts."""

    def __init__(self, table: Table, names: Sequence[str], seed: int) -> None:
        self._numbers = {
            name: _numbers_of(table[name].domain, key_of(seed, f"value:{name}")) for name in names
        }

    def of(self, part: Table) -> Identities:
        """The contents of some rows, whose domains are those of the table."""
        low, high = np.zeros((2, part.n_rows), dtype=np.uint64)
        for name, (of_low, of_high) in self._numbers.items():
            codes = part[name].codes
            low += of_low[codes]
            high += of_high[codes]
        return Identities(low, high)


def told_apart(contents: Identities, seed: int) -> Identities:
    """Identities from contents of rows, among which all that are alike must be."""
    earlier = occurrences(contents)
    again = np.flatnonzero(earlier)
    low, high = contents.low.copy(), contents.high.copy()
    numbers = earlier[again].astype(np.uint64)
    more_low, more_high = _drawn(key_of(seed, "occurrence"), numbers, np.zeros_like(numbers))
    low[again] += more_low
    high[again] += more_high
    return Identities(low, high)


def occurrences(contents: Identities) -> npt.NDArray[np.int64]:
    """For each row how many rows before it are alike."""
    order = np.argsort(contents.low, kind="stable")
    low, high = contents.low[order], contents.high[order]
    same = low[1:] == low[:-1]
    if bool((high[1:] != high[:-1])[same].any()):  # half of the bits may be equal by chance
        order = np.lexsort((contents.high, contents.low))
        low, high = contents.low[order], contents.high[order]
        same = (low[1:] == low[:-1]) & (high[1:] == high[:-1])
    places = np.arange(len(order))
    firsts = np.zeros(len(order), dtype=np.int64)
    firsts[1:] = np.where(same, 0, places[1:])
    found = np.empty(len(order), dtype=np.int64)
    found[order] = places - np.maximum.accumulate(firsts)
    return found


def _numbers_of(domain: Domain, key: bytes) -> tuple[Numbers, Numbers]:
    """The secret number of each value of a domain, by code; kind and value together make it."""
    if domain.kind is Kind.CATEGORY:
        texts = (hashlib.sha256(text.encode("utf-8", "surrogatepass")) for text in domain.values)
        halves = np.frombuffer(b"".join(t.digest()[:16] for t in texts), dtype="<u8")
        low, high = halves.reshape(-1, 2).T.astype(np.uint64)
    else:
        low = domain.values.view(np.uint64).copy()
        high = np.full(len(low), _KINDS[domain.kind], dtype=np.uint64)
    if domain.missing:
        low, high = np.append(low, np.uint64(0)), np.append(high, np.uint64(0))
    return _drawn(key, low, high)


def _drawn(key: bytes, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """128 bits of the block at each position."""
    words = words_at(key, np.ascontiguousarray(low), np.ascontiguousarray(high), 0, 4)
    wide = words.astype(np.uint64)
    return wide[0] | wide[1] << np.uint64(32), wide[2] | wide[3] << np.uint64(32)
