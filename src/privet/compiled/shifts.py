"""The compiled inner loop of random substitution (Numba). Imported only for large tables.

`privet.mechanism.sampling` has the same in plain NumPy and hands in the random bits, so both give
the same codes.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_jit: Callable[[_Loop], _Loop] = numba.njit(nogil=True, cache=True, boundscheck=False)


_RUN = 256  # rows computed together, without a branch; repeated draws are looked for afterwards


def shift_codes(codes: Any, lanes: Any, out: Any, again: Any, law: Any) -> int:
    """Shift each code by its draw; a draw that must be repeated is noted in `again`."""
    keep, move, size, total = law.tolist()
    if lanes.dtype.itemsize == 2 and move == 1:
        return int(_shift_short(codes, lanes, out, again, keep, size, total))
    bits = 8 * lanes.dtype.itemsize
    return int(_shift_long(codes, lanes, out, again, keep, move, size, total, bits))


@_jit
def _shift_short(
    codes: Any, lanes: Any, out: Any, again: Any, keep: Any, size: Any, total: Any
) -> int:
    """Whole gamma, 16 random bits: all fits in 32 bits, so that many rows are done at once."""
    count, width = np.uint32(total), np.uint32(size)
    uneven, still = np.uint32((1 << 16) % total), np.uint32(keep - 1)
    found = 0
    for start in range(0, len(codes), _RUN):
        old, lane = codes[start : start + _RUN], lanes[start : start + _RUN]
        new = out[start : start + _RUN]
        repeated = np.uint32(0)
        for i in range(len(old)):
            wide = np.uint32(np.uint32(lane[i]) * count)
            repeated += np.uint32(np.uint32(wide & np.uint32(0xFFFF)) < uneven)
            shift = np.uint32(max(np.uint32(wide >> np.uint32(16)), still) - still)
            moved = np.uint32(np.uint32(old[i]) + shift)
            new[i] = min(moved, np.uint32(moved - width))  # below zero wraps round to huge
        if repeated:
            for i in range(len(old)):
                if np.uint32(np.uint32(np.uint32(lane[i]) * count) & np.uint32(0xFFFF)) < uneven:
                    again[found] = start + i
                    found += 1
    return found


@_jit
def _shift_long(
    codes: Any,
    lanes: Any,
    out: Any,
    again: Any,
    keep: Any,
    move: Any,
    size: Any,
    total: Any,
    bits: Any,
) -> int:
    """Any gamma, 16 or 32 random bits."""
    below = np.int64(1) << bits
    mask, uneven, still = below - 1, below % total, keep - move
    found = 0
    for i in range(len(codes)):
        wide = np.int64(lanes[i]) * total
        if (wide & mask) < uneven:
            again[found] = i
            found += 1
        moved = np.int64(codes[i]) + max((wide >> bits) - still, 0) // move
        out[i] = moved - size if moved >= size else moved
    return found
