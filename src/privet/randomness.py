"""Where random numbers come from.

Without a seed, a generator is keyed by the operating system. With a seed, each column has its own
stream: Philox, a counter-based generator, keyed by the SHA-256 of seed and column. A counter can be
set to any place at once, so the draw of a row depends on seed, column and row number alone, and
batches, threads and partitions give the same draws as one pass. Draws that depend on what a row
holds, and not on where it stands, are next door, in `privet.mechanism.row_bits`; they take their
keys from here.

Every call that draws takes `seed=`: None, a whole number, or a generator from which one is drawn.
A seed is as secret as what it hides: whoever knows it can draw the same numbers again.
"""

import hashlib
import operator
import random
import secrets

import numpy as np

from privet.errors import InvalidParameter

Seed = int | np.random.Generator | None

_KEY_BYTES = 16
_DRAWS_IN_A_STEP = 4  # one step of the Philox counter yields four 64-bit draws


def seed_of(seed: Seed) -> int | None:
    """The seed of a call: as given, drawn from a generator, or none (OS entropy)."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(1 << 63))
    try:
        return None if seed is None else operator.index(seed)
    except TypeError:
        got = f"a {type(seed).__name__}"  # never the seed itself: it is a secret
        raise InvalidParameter("seed", "a whole number or a generator of numpy", got) from None


def generator(seed: int | None, column: str = "") -> np.random.Generator:
    """A generator for one column: reproducible with a seed, from OS entropy without one."""
    return np.random.Generator(_stream(seed, column))


def repeatable(purpose: str) -> random.Random:
    """Choices for a search that must go the same way every time: they hide nothing."""
    return random.Random(purpose)


def at_row(seed: int | None, column: str, row: int, draws: int = 1) -> np.random.Generator:
    """The generator of a column, advanced to a row for which every earlier row took `draws` draws.

    `at_row(s, c, 1000).random(n)` equals `generator(s, c).random(1000 + n)[1000:]`. The same holds
    for whatever takes one 64-bit draw for each number, as `random` does. It does not hold for
    `normal`, `integers` and others that draw until they are content: make those from `random`.

    Without a seed there is nothing to repeat, and each call has fresh entropy.
    """
    if operator.index(row) < 0:
        raise InvalidParameter("row", "at least 0", row)
    if operator.index(draws) < 1:
        raise InvalidParameter("draws", "at least 1", draws)
    stream = _stream(seed, column)
    steps, rest = divmod(operator.index(row) * operator.index(draws), _DRAWS_IN_A_STEP)
    stream.advance(steps)
    stream.random_raw(rest)
    return np.random.Generator(stream)


def key_of(seed: int, purpose: str) -> bytes:
    """A key of 32 bytes, which tells nothing of the keys of other purposes."""
    # The number ends at the first colon, so no two pairs of seed and purpose share a text.
    text = f"{operator.index(seed)}:{purpose}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).digest()


def _stream(seed: int | None, column: str) -> np.random.Philox:
    if seed is None:
        return np.random.Philox(key=secrets.randbits(8 * _KEY_BYTES))
    return np.random.Philox(key=int.from_bytes(key_of(seed, column)[:_KEY_BYTES], "little"))
