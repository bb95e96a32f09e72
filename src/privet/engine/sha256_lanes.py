"""SHA-256 for many short texts at once, compiled (Numba). Imported only for many texts.

Each step of the hash is done for several texts side by side (lanes), which the compiler turns into
vector instructions. HMAC needs four blocks; the two that hold the key are the same for all texts
and are hashed once. `digests` has the plain way, which is the oracle of these loops.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

_LANES = 16
_THREADS = 2
_jit = numba.njit(nogil=True, cache=True, boundscheck=False)


def _primes(n: int) -> list[int]:
    found: list[int] = []
    candidate = 2
    while len(found) < n:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


def _root(number: int, power: int, bits: int = 32) -> int:
    """The first bits after the point of a square or cube root, exactly."""
    scaled = number << (power * bits)
    low, high = 0, 1 << (bits + 8)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**power <= scaled else (low, middle)
    return low & 0xFFFFFFFF


_ROUNDS = np.array([_root(prime, 3) for prime in _primes(64)], dtype=np.uint32)
_START = np.array([_root(prime, 2) for prime in _primes(8)], dtype=np.uint32)


@_jit  # type: ignore[untyped-decorator]
def _turned(x: Any, by: Any) -> Any:
    return (x >> np.uint32(by)) | (x << np.uint32(32 - by))


@_jit  # type: ignore[untyped-decorator]
def _absorb(state: Any, words: Any, rounds: Any, v: Any) -> None:
    """One block into the states: state[8, lanes], words[16, lanes]; words and v are scratch."""
    for i in range(8):
        for lane in range(_LANES):
            v[i, lane] = state[i, lane]
    for t in range(64):
        if t >= 16:
            at, a1, a9, a14 = t & 15, (t - 15) & 15, (t - 7) & 15, (t - 2) & 15
            for lane in range(_LANES):
                x = words[a1, lane]
                y = words[a14, lane]
                small = _turned(x, 7) ^ _turned(x, 18) ^ (x >> np.uint32(3))
                large = _turned(y, 17) ^ _turned(y, 19) ^ (y >> np.uint32(10))
                words[at, lane] = words[at, lane] + small + words[a9, lane] + large
        # The eight variables rotate: at round t, variable i stands in row (i - t) mod 8.
        a, b, c, d = (-t) & 7, (1 - t) & 7, (2 - t) & 7, (3 - t) & 7
        e, f, g, h = (4 - t) & 7, (5 - t) & 7, (6 - t) & 7, (7 - t) & 7
        k = rounds[t]
        for lane in range(_LANES):
            ve = v[e, lane]
            va = v[a, lane]
            one = (
                v[h, lane]
                + (_turned(ve, 6) ^ _turned(ve, 11) ^ _turned(ve, 25))
                + ((ve & v[f, lane]) ^ (~ve & v[g, lane]))
                + k
                + words[t & 15, lane]
            )
            two = (_turned(va, 2) ^ _turned(va, 13) ^ _turned(va, 22)) + (
                (va & v[b, lane]) ^ (va & v[c, lane]) ^ (v[b, lane] & v[c, lane])
            )
            v[d, lane] = v[d, lane] + one
            v[h, lane] = one + two
    for i in range(8):
        for lane in range(_LANES):
            state[i, lane] = state[i, lane] + v[i, lane]


@_jit  # type: ignore[untyped-decorator]
def _hmac_rows(
    inner: Any, outer: Any, data: Any, offsets: Any, rounds: Any, first: Any, last: Any, out: Any
) -> None:
    """Digests of texts first..last; inner and outer are the states after the key's blocks."""
    state = np.empty((8, _LANES), dtype=np.uint32)
    words = np.empty((16, _LANES), dtype=np.uint32)
    scratch = np.empty((8, _LANES), dtype=np.uint32)
    for base in range(first, last, _LANES):
        for lane in range(_LANES):
            row = min(base + lane, last - 1)
            begin, length = offsets[row], offsets[row + 1] - offsets[row]
            for i in range(8):
                state[i, lane] = inner[i]
            for i in range(16):
                word = np.uint32(0)
                for j in range(4):
                    place = 4 * i + j
                    byte = np.uint32(0)
                    if place < length:
                        byte = np.uint32(data[begin + place])
                    elif place == length:
                        byte = np.uint32(0x80)
                    word = (word << np.uint32(8)) | byte
                words[i, lane] = word
            words[15, lane] = np.uint32((64 + length) * 8)
        _absorb(state, words, rounds, scratch)
        for lane in range(_LANES):
            for i in range(8):
                words[i, lane] = state[i, lane]
                state[i, lane] = outer[i]
            words[8, lane] = np.uint32(0x80000000)
            for i in range(9, 15):
                words[i, lane] = np.uint32(0)
            words[15, lane] = np.uint32((64 + 32) * 8)
        _absorb(state, words, rounds, scratch)
        for lane in range(min(_LANES, last - base)):
            for i in range(8):
                word = state[i, lane]
                for j in range(4):
                    out[base + lane, 4 * i + j] = np.uint8((word >> np.uint32(24 - 8 * j)) & 255)


def _after_block(block: bytes) -> npt.NDArray[np.uint32]:
    """The state of SHA-256 after its first block."""
    words = np.repeat(np.frombuffer(block, dtype=">u4").astype(np.uint32)[:, None], _LANES, axis=1)
    state = np.repeat(_START[:, None], _LANES, axis=1)
    _absorb(state, words, _ROUNDS, np.empty_like(state))
    return np.ascontiguousarray(state[:, 0])


def hmac_all(
    inner_block: bytes,
    outer_block: bytes,
    data: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    out: npt.NDArray[np.uint8],
) -> None:
    """Fill `out` with the digests of texts of at most 55 bytes, on two threads."""
    inner, outer = _after_block(inner_block), _after_block(outer_block)
    n = len(out)
    edges = [n * part // _THREADS for part in range(_THREADS + 1)]

    def hash_part(part: int) -> None:
        if edges[part] < edges[part + 1]:
            first, last = edges[part], edges[part + 1]
            _hmac_rows(inner, outer, data, offsets, _ROUNDS, first, last, out)

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(hash_part, range(_THREADS)))
