"""HMAC-SHA256 of many short texts at once (Numba). Imported only for many texts.

Each step of the hash is done for many texts side by side (lanes), which the compiler turns into
vector instructions. HMAC needs four blocks; the two that hold the key are the same for all texts
and are hashed once. `privet.files.digests` has the same by the standard library, which is the
oracle of these loops. They are here because its calls alone cost more, for millions of keys, than
masking may cost in all.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_jit: Callable[[_Loop], _Loop] = numba.njit(nogil=True, cache=True, boundscheck=False)

LONGEST = 55  # bytes of a text that fit one block, with the mark of its end and its length
_LANES = 128
_MASK = 0xFFFFFFFF


def _primes(n: int) -> list[int]:
    found: list[int] = []
    candidate = 2
    while len(found) < n:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


def _root(number: int, power: int) -> int:
    """The first 32 bits after the point of a square or cube root, exactly."""
    scaled = number << (32 * power)
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**power <= scaled else (low, middle)
    return low & _MASK


_ROUNDS = np.array([_root(prime, 3) for prime in _primes(64)], dtype=np.uint32)
_START = np.array([_root(prime, 2) for prime in _primes(8)], dtype=np.uint32)


@_jit
def _turned(x: Any, by: Any) -> Any:
    return (x >> np.uint32(by)) | (x << np.uint32(32 - by))


@_jit
def _swapped(x: Any) -> Any:
    """The four bytes of a word in the other order: SHA-256 reads the first as the highest."""
    low, high = np.uint32(0xFF00), np.uint32(0xFF0000)
    return (
        (x << np.uint32(24))
        | ((x & low) << np.uint32(8))
        | ((x & high) >> np.uint32(8))
        | (x >> np.uint32(24))
    )


@_jit
def _absorb(state: Any, words: Any, rounds: Any, v: Any) -> None:
    """One block into the states: state[8, lanes], words[16, lanes]; words and v are scratch."""
    lanes = state.shape[1]
    v[:] = state
    for t in range(64):
        if t >= 16:
            at, a1, a9, a14 = t & 15, (t - 15) & 15, (t - 7) & 15, (t - 2) & 15
            for lane in range(lanes):
                x = words[a1, lane]
                y = words[a14, lane]
                small = _turned(x, 7) ^ _turned(x, 18) ^ (x >> np.uint32(3))
                large = _turned(y, 17) ^ _turned(y, 19) ^ (y >> np.uint32(10))
                words[at, lane] = words[at, lane] + small + words[a9, lane] + large
        # The eight variables rotate: at round t, variable i stands in row (i - t) mod 8.
        a, b, c, d = (-t) & 7, (1 - t) & 7, (2 - t) & 7, (3 - t) & 7
        e, f, g, h = (4 - t) & 7, (5 - t) & 7, (6 - t) & 7, (7 - t) & 7
        k = rounds[t]
        for lane in range(lanes):
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
        for lane in range(lanes):
            state[i, lane] = state[i, lane] + v[i, lane]


@_jit
def _fill(words: Any, block: Any, data: Any, offsets: Any, base: Any, last: Any) -> None:
    """The block of each text: its bytes, a mark, zeros, and its length with the key's block."""
    as_words = block.view(np.uint32)
    for lane in range(words.shape[1]):
        row = min(base + lane, last - 1)
        begin = offsets[row]
        length = offsets[row + 1] - begin
        as_words[:] = np.uint32(0)
        for i in range(length):
            block[i] = data[begin + i]
        block[length] = np.uint8(0x80)
        for i in range(15):
            words[i, lane] = _swapped(as_words[i])
        words[15, lane] = np.uint32((64 + length) * 8)


@_jit
def _hmac_rows(inner: Any, outer: Any, data: Any, offsets: Any, rounds: Any, out: Any) -> None:
    """inner and outer are the states after the key's blocks; out[texts, 8] are digests as words."""
    state = np.empty((8, _LANES), dtype=np.uint32)
    words = np.empty((16, _LANES), dtype=np.uint32)
    scratch = np.empty((8, _LANES), dtype=np.uint32)
    block = np.empty(64, dtype=np.uint8)
    last = len(out)
    for base in range(0, last, _LANES):
        _fill(words, block, data, offsets, base, last)
        for i in range(8):
            state[i, :] = inner[i]
        _absorb(state, words, rounds, scratch)
        for i in range(8):
            words[i, :] = state[i, :]
            state[i, :] = outer[i]
        words[8, :] = np.uint32(0x80000000)
        words[9:15, :] = np.uint32(0)
        words[15, :] = np.uint32((64 + 32) * 8)
        _absorb(state, words, rounds, scratch)
        for lane in range(min(_LANES, last - base)):
            for i in range(8):
                out[base + lane, i] = _swapped(state[i, lane])


@_jit
def _write_integers(values: Any, prefix: Any, data: Any, offsets: Any) -> Any:
    """Decimal texts end to end; returns how many bytes they take."""
    at = 0
    digits = np.empty(20, dtype=np.uint8)
    for row in range(len(values)):
        offsets[row] = at
        for byte in prefix:
            data[at] = byte
            at += 1
        value = values[row]
        left = np.uint64(value)
        if value < 0:
            data[at] = np.uint8(45)  # a minus sign
            at += 1
            left = np.uint64(0) - left
        count = 0
        while count == 0 or left > np.uint64(0):
            tens = left // np.uint64(10)
            digits[count] = np.uint8(48) + np.uint8(left - tens * np.uint64(10))
            left = tens
            count += 1
        for place in range(count):
            data[at] = digits[count - 1 - place]
            at += 1
    offsets[len(values)] = at
    return at


def texts_of_integers(values: Any, prefix: bytes) -> tuple[Any, Any]:
    """Each of some int64 as a text behind a prefix: bytes end to end, and where each begins."""
    data = np.empty(len(values) * (len(prefix) + 20), dtype=np.uint8)
    offsets = np.empty(len(values) + 1, dtype=np.int64)
    used = _write_integers(values, np.frombuffer(prefix, dtype=np.uint8), data, offsets)
    return data[:used], offsets


def _after_block(block: bytes) -> Any:
    """The state of SHA-256 after its first block."""
    words = np.frombuffer(block, dtype=">u4").astype(np.uint32)[:, None].copy()
    state = _START[:, None].copy()
    _absorb(state, words, _ROUNDS, np.empty_like(state))
    return np.ascontiguousarray(state[:, 0])


def hmac_all(inner_block: bytes, outer_block: bytes, data: Any, offsets: Any) -> Any:
    """The digests of texts of at most `LONGEST` bytes; text i is data[offsets[i]:offsets[i + 1]].

    The blocks are those of the key, as HMAC makes them.
    """
    words = np.empty((len(offsets) - 1, 8), dtype=np.uint32)
    inner, outer = _after_block(inner_block), _after_block(outer_block)
    _hmac_rows(inner, outer, data, offsets, _ROUNDS, words)
    return words.view(np.uint8)
