"""ChaCha20 (RFC 8439) as a function of a key and many positions.

A block has sixteen words of 32 bits. Its position takes the place of counter and nonce: 128 bits.
Blocks at different positions cannot be told from independent random ones by whoever lacks the key.
Few positions are done here by NumPy, many by `privet.compiled.chacha20`; the words are the same.
`identities` says who is at which position, `row_bits` what the words are for.
"""

import numpy as np
import numpy.typing as npt

COMPILE_FROM = 50_000  # positions from which the compiled loop wins, its import included
WORDS = 16  # of a block
_CONSTANTS = np.frombuffer(b"expand 32-byte k", dtype="<u4").astype(np.uint32)

Words = npt.NDArray[np.uint32]


def words_at(
    key: bytes,
    low: npt.NDArray[np.uint64],
    high: npt.NDArray[np.uint64],
    first: int = 0,
    count: int = 1,
    compiled: bool | None = None,
) -> Words:
    """count x positions: words of the blocks at some positions, from word `first` on.

    `compiled` decides on the compiled loop, which otherwise the number of positions does.
    """
    begin = np.concatenate([_CONSTANTS, np.frombuffer(key, dtype="<u4").astype(np.uint32)])
    if len(low) >= COMPILE_FROM if compiled is None else compiled:
        from privet.compiled.chacha20 import fill_words

        out = np.empty((count, len(low)), dtype=np.uint32)
        fill_words(begin, low, high, first, out)
        return out
    start = np.empty((WORDS, len(low)), dtype=np.uint32)
    start[:12] = begin[:, None]
    for word, place in ((12, low), (14, high)):
        start[word] = place & np.uint64(0xFFFFFFFF)
        start[word + 1] = place >> np.uint64(32)
    state = start.copy()
    for _ in range(10):
        for i in range(4):
            _quarter(state, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            _quarter(state, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return np.asarray((state + start)[first : first + count])


def _quarter(state: Words, a: int, b: int, c: int, d: int) -> None:
    for one, two, three, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[one] += state[two]
        mixed = state[three] ^ state[one]
        state[three] = (mixed << np.uint32(by)) | (mixed >> np.uint32(32 - by))
