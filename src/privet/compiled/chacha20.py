"""ChaCha20 of many positions at once (Numba). Imported only for many rows.

Each step is done for many positions side by side (lanes), which the compiler turns into vector
instructions. `privet.mechanism.chacha` has the same in plain NumPy, and says what it is for.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_jit: Callable[[_Loop], _Loop] = numba.njit(nogil=True, cache=True, boundscheck=False)

_LANES = 128


@_jit
def _turned(x: Any, by: Any) -> Any:
    return np.uint32(x << np.uint32(by)) | np.uint32(x >> np.uint32(32 - by))


@_jit
def _quarter(a: Any, b: Any, c: Any, d: Any) -> None:
    """A quarter round on four words of every lane. A sum would be of 64 bits if nothing were
    said."""
    for lane in range(_LANES):
        wa, wb, wc, wd = a[lane], b[lane], c[lane], d[lane]
        wa = np.uint32(wa + wb)
        wd = _turned(wd ^ wa, 16)
        wc = np.uint32(wc + wd)
        wb = _turned(wb ^ wc, 12)
        wa = np.uint32(wa + wb)
        wd = _turned(wd ^ wa, 8)
        wc = np.uint32(wc + wd)
        wb = _turned(wb ^ wc, 7)
        a[lane], b[lane], c[lane], d[lane] = wa, wb, wc, wd


@_jit
def _double_round(state: Any) -> None:
    for i in range(4):
        _quarter(state[i], state[4 + i], state[8 + i], state[12 + i])
    for i in range(4):
        a, b, c, d = i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4
        _quarter(state[a], state[b], state[c], state[d])


@_jit
def fill_words(begin: Any, low: Any, high: Any, first: Any, out: Any) -> None:
    """out[i, j] becomes word first + i of the block at position j; `begin` are the first twelve
    words of the state, which all positions share."""
    state = np.empty((16, _LANES), dtype=np.uint32)
    n = len(low)
    for base in range(0, n, _LANES):
        width = min(_LANES, n - base)
        for i in range(12):
            state[i, :] = begin[i]
        for lane in range(_LANES):
            row = base + min(lane, width - 1)
            state[12, lane] = np.uint32(low[row])
            state[13, lane] = np.uint32(low[row] >> np.uint64(32))
            state[14, lane] = np.uint32(high[row])
            state[15, lane] = np.uint32(high[row] >> np.uint64(32))
        for _ in range(10):
            _double_round(state)
        for i in range(out.shape[0]):
            word = first + i
            for lane in range(width):
                row = base + lane
                if word < 12:
                    given = begin[word]
                else:
                    place = low[row] if word < 14 else high[row]
                    given = np.uint32(place >> np.uint64(32 * (word % 2)))
                out[i, row] = state[word, lane] + given
