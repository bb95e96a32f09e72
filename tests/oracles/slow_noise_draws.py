"""Noise drawn for rows one at a time: a row's number from a block of its own, orders by `sorted`.

The slow twin of `privet.noise.streams`. It knows a row by its identity alone.
"""

import json
from collections.abc import Sequence

from privet.randomness import key_of

_MASK = 0xFFFFFFFF
_ROUND = [(i, 4 + i, 8 + i, 12 + i) for i in range(4)] + [
    (i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)
]

Identity = tuple[int, int]


def block(key: bytes, position: Identity) -> list[int]:
    """The sixteen words of ChaCha20 (RFC 8439), the position in place of counter and nonce."""
    text = b"expand 32-byte k" + key + b"".join(half.to_bytes(8, "little") for half in position)
    start = [int.from_bytes(text[i : i + 4], "little") for i in range(0, 64, 4)]
    state = list(start)
    for a, b, c, d in _ROUND * 10:
        for one, two, three, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[one] = (state[one] + state[two]) & _MASK
            mixed = state[three] ^ state[one]
            state[three] = (mixed << by | mixed >> (32 - by)) & _MASK
    return [(one + two) & _MASK for one, two in zip(state, start, strict=True)]


def number(
    seed: int, part: str, column: str, purposes: Sequence[str], place: int, who: Identity
) -> int:
    """The 64 bits of one row for one of several purposes that are drawn together."""
    named = [f"noise:{part}:{purpose}:{column}" for purpose in purposes]
    words = block(key_of(seed, f"rows with numbers:{json.dumps(named)}"), who)
    return words[2 * place] << 32 | words[2 * place + 1]


def exchanged(
    seed: int,
    part: str,
    column: str,
    codes: Sequence[int],
    group: Sequence[int],
    rows: Sequence[int],
    who: Sequence[Identity],
) -> list[int]:
    """Codes exchanged within groups: the row whose number is least gets the least code."""
    found = list(codes)
    for one in set(group):
        here = [row for row in rows if group[row] == one]
        drawn = sorted(
            here, key=lambda row: (number(seed, part, column, ["order"], 0, who[row]), who[row])
        )
        for row, code in zip(drawn, sorted(codes[row] for row in here), strict=True):
            found[row] = code
    return found
