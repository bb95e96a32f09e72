"""HMAC-SHA256 of many short texts at once (Numba). Imported only for many texts.

Eight rounds of the hash are done for many texts side by side (lanes), which the compiler turns into
vector instructions: the eight variables of a text stay in registers from round to round. Numba
widens sums and shifts of 32 bits to 64, in which nothing turns many words at once, so that every
step narrows its result. HMAC needs four blocks; the two that hold the key are the same for all
texts and are hashed once. Integers are written as digits on the way. `privet.files.digests` has the
same by the standard library, which is the oracle of these loops. They are here because its calls
alone cost more, for millions of keys, than masking may cost in all.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_jit: Callable[[_Loop], _Loop] = numba.njit(nogil=True, cache=True, boundscheck=False)

LONGEST = 55  # bytes of a text that fit one block, with the mark of its end and its length
_LANES = 128
_EIGHT = 8 * _LANES
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
# The two digits of each number below a hundred.
_PAIRS = np.array([[48 + n // 10, 48 + n % 10] for n in range(100)], dtype=np.uint8)


@_jit
def _turned(x: Any, by: Any) -> Any:
    return np.uint32(np.uint32(x >> np.uint32(by)) | np.uint32(x << np.uint32(32 - by)))


@_jit
def _swapped(x: Any) -> Any:
    """The four bytes of a word in the other order: SHA-256 reads the first as the highest."""
    low, high = np.uint32(0xFF00), np.uint32(0xFF0000)
    return np.uint32(
        (x << np.uint32(24))
        | ((x & low) << np.uint32(8))
        | ((x & high) >> np.uint32(8))
        | (x >> np.uint32(24))
    )


@_jit
def _round(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, word: Any) -> Any:
    """What stands for d and for h after a round; the others only change their names."""
    one = np.uint32(
        h + (_turned(e, 6) ^ _turned(e, 11) ^ _turned(e, 25)) + (g ^ (e & (f ^ g))) + word
    )
    two = np.uint32((_turned(a, 2) ^ _turned(a, 13) ^ _turned(a, 22)) + ((a & b) | (c & (a | b))))
    return np.uint32(d + one), np.uint32(one + two)


@_jit
def _eight_rounds(v: Any, words: Any, k: Any) -> None:
    """Eight rounds: v[8 * lanes], words[8 * lanes]. After them each variable has its name again."""
    k0, k1, k2, k3, k4, k5, k6, k7 = k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7]
    for i in range(_LANES):
        a, b, c, d = v[i], v[_LANES + i], v[2 * _LANES + i], v[3 * _LANES + i]
        e, f, g, h = (
            v[4 * _LANES + i], v[5 * _LANES + i], v[6 * _LANES + i], v[7 * _LANES + i],
        )  # fmt: skip
        d, h = _round(a, b, c, d, e, f, g, h, k0 + words[i])
        c, g = _round(h, a, b, c, d, e, f, g, k1 + words[_LANES + i])
        b, f = _round(g, h, a, b, c, d, e, f, k2 + words[2 * _LANES + i])
        a, e = _round(f, g, h, a, b, c, d, e, k3 + words[3 * _LANES + i])
        h, d = _round(e, f, g, h, a, b, c, d, k4 + words[4 * _LANES + i])
        g, c = _round(d, e, f, g, h, a, b, c, k5 + words[5 * _LANES + i])
        f, b = _round(c, d, e, f, g, h, a, b, k6 + words[6 * _LANES + i])
        e, a = _round(b, c, d, e, f, g, h, a, k7 + words[7 * _LANES + i])
        v[i], v[_LANES + i], v[2 * _LANES + i], v[3 * _LANES + i] = a, b, c, d
        v[4 * _LANES + i], v[5 * _LANES + i], v[6 * _LANES + i], v[7 * _LANES + i] = e, f, g, h


@_jit
def _next_word(old: Any, after: Any, between: Any, late: Any) -> Any:
    """A word of the schedule, of those 16, 15, 7 and 2 before it."""
    small = _turned(after, 7) ^ _turned(after, 18) ^ np.uint32(after >> np.uint32(3))
    large = _turned(late, 17) ^ _turned(late, 19) ^ np.uint32(late >> np.uint32(10))
    return np.uint32(old + small + between + large)


@_jit
def _eight_words(p: Any, q: Any) -> None:
    """The next eight words of the schedule in place of p, the oldest eight; q are those between."""
    for i in range(_LANES):
        p0, p1, p2, p3 = p[i], p[_LANES + i], p[2 * _LANES + i], p[3 * _LANES + i]
        p4, p5, p6, p7 = (
            p[4 * _LANES + i], p[5 * _LANES + i], p[6 * _LANES + i], p[7 * _LANES + i],
        )  # fmt: skip
        q0, q6, q7 = q[i], q[6 * _LANES + i], q[7 * _LANES + i]
        p0 = _next_word(p0, p1, q[_LANES + i], q6)
        p1 = _next_word(p1, p2, q[2 * _LANES + i], q7)
        p2 = _next_word(p2, p3, q[3 * _LANES + i], p0)
        p3 = _next_word(p3, p4, q[4 * _LANES + i], p1)
        p4 = _next_word(p4, p5, q[5 * _LANES + i], p2)
        p5 = _next_word(p5, p6, q6, p3)
        p6 = _next_word(p6, p7, q7, p4)
        p7 = _next_word(p7, q0, p0, p5)
        p[i], p[_LANES + i], p[2 * _LANES + i], p[3 * _LANES + i] = p0, p1, p2, p3
        p[4 * _LANES + i], p[5 * _LANES + i], p[6 * _LANES + i], p[7 * _LANES + i] = p4, p5, p6, p7


@_jit
def _absorb(state: Any, words: Any, rounds: Any, v: Any) -> None:
    """One block into the states: state[8 * lanes], words[16 * lanes]; words and v are scratch."""
    for i in range(_EIGHT):  # arrays put into slices take seconds to compile
        v[i] = state[i]
    low, high = words[:_EIGHT], words[_EIGHT:]
    for t in range(0, 64, 16):
        if t:
            _eight_words(low, high)
        _eight_rounds(v, low, rounds[t : t + 8])
        if t:
            _eight_words(high, low)
        _eight_rounds(v, high, rounds[t + 8 : t + 16])
    for i in range(_EIGHT):
        state[i] = np.uint32(state[i] + v[i])


@_jit
def _fill(words: Any, block: Any, data: Any, offsets: Any, base: Any, last: Any) -> None:
    """The block of each text: its bytes, a mark, zeros, and its length with the key's block."""
    as_words = block.view(np.uint32)
    for lane in range(_LANES):
        row = min(base + lane, last - 1)
        begin = offsets[row]
        length = offsets[row + 1] - begin
        as_words[:] = np.uint32(0)
        for i in range(length):
            block[i] = data[begin + i]
        block[length] = np.uint8(0x80)
        for i in range(15):
            words[i * _LANES + lane] = _swapped(as_words[i])
        words[15 * _LANES + lane] = np.uint32((64 + length) * 8)


@_jit
def _fill_integers(
    words: Any, block: Any, values: Any, prefix: Any, pairs: Any, base: Any, last: Any
) -> None:
    """The same of a prefix and a number's decimal digits, which take 24 bytes at most."""
    as_words, digits = block.view(np.uint32), np.empty(20, dtype=np.uint8)
    words[6 * _LANES :] = np.uint32(0)
    for lane in range(_LANES):
        value = values[min(base + lane, last - 1)]
        left, hundred = np.uint64(value), np.uint64(100)
        as_words[:6] = np.uint32(0)
        at = len(prefix)
        for i in range(at):
            block[i] = prefix[i]
        if value < 0:
            block[at] = np.uint8(45)  # a minus sign
            at += 1
            left = np.uint64(0) - left
        first = 20
        while left >= hundred:
            rest = left // hundred
            pair = left - rest * hundred
            first -= 2
            digits[first], digits[first + 1] = pairs[pair, 0], pairs[pair, 1]
            left = rest
        first -= 2
        digits[first], digits[first + 1] = pairs[left, 0], pairs[left, 1]
        if left < np.uint64(10):
            first += 1
        for i in range(first, 20):
            block[at + i - first] = digits[i]
        at += 20 - first
        block[at] = np.uint8(0x80)
        for i in range(6):
            words[i * _LANES + lane] = _swapped(as_words[i])
        words[15 * _LANES + lane] = np.uint32((64 + at) * 8)


@_jit
def _digests(words: Any, state: Any, scratch: Any, inner: Any, outer: Any, rounds: Any) -> None:
    """The digests of one block of texts, in `state`; inner and outer are the states after the
    key's blocks."""
    for i in range(8):
        state[i * _LANES : (i + 1) * _LANES] = inner[i]
    _absorb(state, words, rounds, scratch)
    for i in range(_EIGHT):
        words[i] = state[i]
    words[_EIGHT : _EIGHT + _LANES] = np.uint32(0x80000000)
    words[_EIGHT + _LANES : 15 * _LANES] = np.uint32(0)
    words[15 * _LANES :] = np.uint32((64 + 32) * 8)
    for i in range(8):
        state[i * _LANES : (i + 1) * _LANES] = outer[i]
    _absorb(state, words, rounds, scratch)


@_jit
def _hmac_rows(
    inner: Any, outer: Any, rounds: Any, texts: Any, integers: Any, pairs: Any, out: Any
) -> None:
    """out[rows, 8] are digests as words, of the texts (bytes, offsets), or of the integers (values,
    prefix) where there are any."""
    state, scratch = np.empty(_EIGHT, dtype=np.uint32), np.empty(_EIGHT, dtype=np.uint32)
    words, block = np.empty(2 * _EIGHT, dtype=np.uint32), np.empty(64, dtype=np.uint8)
    last = len(out)
    for base in range(0, last, _LANES):
        if len(integers[0]):
            _fill_integers(words, block, integers[0], integers[1], pairs, base, last)
        else:
            _fill(words, block, texts[0], texts[1], base, last)
        _digests(words, state, scratch, inner, outer, rounds)
        for lane in range(min(_LANES, last - base)):
            for i in range(8):
                out[base + lane, i] = _swapped(state[i * _LANES + lane])


def _after_block(block: bytes) -> Any:
    """The state of SHA-256 after its first block."""
    words = np.repeat(np.frombuffer(block, dtype=">u4").astype(np.uint32), _LANES)
    state = np.repeat(_START, _LANES)
    _absorb(state, words, _ROUNDS, np.empty_like(state))
    return np.ascontiguousarray(state[::_LANES])


def hmac_all(inner_block: bytes, outer_block: bytes, data: Any, offsets: Any) -> Any:
    """The digests of texts of at most `LONGEST` bytes; text i is data[offsets[i]:offsets[i + 1]].

    The blocks are those of the key, as HMAC makes them.
    """
    integers = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8)
    return _hmac(inner_block, outer_block, (data, offsets), integers, len(offsets) - 1)


def hmac_of_integers(inner_block: bytes, outer_block: bytes, values: Any, prefix: bytes) -> Any:
    """The digests of some int64 as decimal texts behind a prefix of at most three bytes."""
    texts = np.empty(0, dtype=np.uint8), np.empty(0, dtype=np.int64)
    integers = values, np.frombuffer(prefix, dtype=np.uint8)
    return _hmac(inner_block, outer_block, texts, integers, len(values))


def _hmac(inner_block: bytes, outer_block: bytes, texts: Any, integers: Any, n: int) -> Any:
    words = np.empty((n, 8), dtype=np.uint32)
    states = (_after_block(inner_block), _after_block(outer_block))
    _hmac_rows(*states, _ROUNDS, texts, integers, _PAIRS, words)
    return words.view(np.uint8)
