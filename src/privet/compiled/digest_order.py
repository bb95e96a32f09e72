"""Many digests put in order (Numba). Imported only for many digests.

Digests are spread evenly, so that their first bits tell nearly where each belongs. Rows are dealt
into some thousand large buckets, few enough to be written side by side; each of them, which fits
the processor's cache, is dealt once more into small buckets of some ten, within which every digest
goes the few steps to its place. All of it happens in the memory where the digests are, since as
much fresh memory costs more than the sorting: rows are collected by bucket in blocks of a few, full
blocks go to the front, where all rows have been read, and are then swapped to where their bucket
stands. Digests that crowd (no hash made them) are left to
`privet.files.digests`, whose way by NumPy is the oracle of these loops.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_jit: Callable[[_Loop], _Loop] = numba.njit(nogil=True, cache=True, boundscheck=False)

_FULLEST = 64  # digests of a small bucket: the steps within it grow with its square
_BLOCK = 16  # digests that move together; a thousand buckets' blocks fit a processor's cache
_BITS_WITHIN = 4  # a small bucket holds from 8 to 16 digests in the mean


@_jit
def _head(digests: Any, row: Any) -> Any:
    """The first eight bytes as a number that sorts like them."""
    head = np.uint64(0)
    for place in range(8):
        head = (head << np.uint64(8)) | np.uint64(digests[row, place])
    return head


@_jit
def _sizes(digests: Any, shift: Any, sizes: Any) -> None:
    """How many digests each small bucket will hold."""
    for row in range(len(digests)):
        sizes[_head(digests, row) >> shift] += 1


@_jit
def _copy(words: Any, rows: Any, at: Any, other_words: Any, other_rows: Any, n: Any) -> None:
    """The first n of other digests and rows, to this place. Arrays put into slices would take
    seconds to compile."""
    for i in range(n):
        rows[at + i] = other_rows[i]
        for word in range(4):
            words[at + i, word] = other_words[i, word]


@_jit
def _collect(
    digests: Any, shift: Any, rows: Any, waiting: Any, n_waiting: Any, of_block: Any
) -> Any:
    """Full blocks to the front, their rows and their buckets; the others wait, each bucket's in a
    block of its own. Returns how many blocks are full."""
    words, digests_waiting, rows_waiting = digests.view(np.uint64), waiting[0], waiting[1]
    full = 0
    for row in range(len(words)):
        bucket = _head(digests, row) >> shift
        place = n_waiting[bucket]
        for word in range(4):
            digests_waiting[bucket, place, word] = words[row, word]
        rows_waiting[bucket, place] = row
        place += 1
        if place == _BLOCK:
            _copy(words, rows, full * _BLOCK, digests_waiting[bucket], rows_waiting[bucket], _BLOCK)
            of_block[full] = bucket
            full += 1
            place = 0
        n_waiting[bucket] = place
    return full


@_jit
def _swap_blocks(words: Any, rows: Any, of_block: Any, firsts: Any) -> None:
    """Blocks where those of their bucket stand; `firsts` is the first block of each bucket, and the
    end of the last."""
    following = firsts.copy()
    for bucket in range(len(firsts) - 1):
        while following[bucket] < firsts[bucket + 1]:
            here = following[bucket]
            other = of_block[here]
            there = following[other]
            following[other] += 1
            if there == here:
                continue
            one, two = here * _BLOCK, there * _BLOCK
            for place in range(_BLOCK):
                for word in range(4):
                    kept = words[one + place, word]
                    words[one + place, word] = words[two + place, word]
                    words[two + place, word] = kept
                row = rows[one + place]
                rows[one + place] = rows[two + place]
                rows[two + place] = row
            of_block[here], of_block[there] = of_block[there], other


@_jit
def _deal_small(digests: Any, shift: Any, following: Any, heads: Any, order: Any) -> None:
    """The digests of one large bucket into its small ones: their heads, and where they are."""
    first = _head(digests, 0) >> shift
    first -= first % np.uint64(len(following))  # the number of the first small bucket of this one
    for row in range(len(digests)):
        head = _head(digests, row)
        bucket = (head >> shift) - first
        place = following[bucket]
        following[bucket] = place + 1
        heads[place] = head
        order[place] = row


@_jit
def _is_above(digests: Any, rows: Any, one: Any, other: Any) -> Any:
    """Whether a digest sorts behind another that shares its first eight bytes."""
    for place in range(8, digests.shape[1]):
        if digests[one, place] != digests[other, place]:
            return digests[one, place] > digests[other, place]
    return rows[one] > rows[other]


@_jit
def _settle(digests: Any, rows: Any, heads: Any, order: Any) -> None:
    """Each digest to its place among those before it: few of its small bucket are above it."""
    for start in range(1, len(digests)):
        head, row, place = heads[start], order[start], start
        while place > 0 and (
            heads[place - 1] > head
            or (heads[place - 1] == head and _is_above(digests, rows, order[place - 1], row))
        ):
            heads[place], order[place] = heads[place - 1], order[place - 1]
            place -= 1
        heads[place], order[place] = head, row


@_jit
def _order_buckets(
    words: Any, rows: Any, firsts: Any, waiting: Any, n_waiting: Any, starts: Any, shift: Any
) -> None:
    """Every large bucket in order, the last one first: it goes behind where its blocks are, so that
    no block is written over before its turn. `starts` are those of small buckets."""
    n_large = len(firsts) - 1
    smalls = len(starts) // n_large
    bounds = np.empty(n_large + 1, np.int64)
    bounds[n_large] = len(words)
    widest = 0
    for back in range(n_large):
        bucket = n_large - 1 - back
        bounds[bucket] = starts[bucket * smalls]
        widest = max(widest, bounds[bucket + 1] - bounds[bucket])
    heads, own_words = np.empty(widest, np.uint64), np.empty((widest, 4), np.uint64)
    order, own_rows = np.empty(widest, np.int64), np.empty(widest, np.int64)
    for back in range(n_large):
        bucket = n_large - 1 - back
        start, n = bounds[bucket], bounds[bucket + 1] - bounds[bucket]
        if n == 0:
            continue
        begin, in_blocks = firsts[bucket] * _BLOCK, n - n_waiting[bucket]
        _copy(own_words, own_rows, 0, words[begin:], rows[begin:], in_blocks)
        late = n_waiting[bucket]
        _copy(own_words, own_rows, in_blocks, waiting[0][bucket], waiting[1][bucket], late)
        own = own_words[:n].view(np.uint8)
        following = starts[bucket * smalls : (bucket + 1) * smalls] - start
        _deal_small(own, shift, following, heads, order)
        _settle(own, own_rows, heads, order)
        for place in range(n):
            rows[start + place] = own_rows[order[place]]
            for word in range(4):
                words[start + place, word] = own_words[order[place], word]


def put_in_order(digests: Any) -> Any:
    """Put digests in order where they are. Returns the row that each one had, equal ones as they
    came; or None, if they crowd, and then nothing was moved."""
    bits = max(len(digests).bit_length() - _BITS_WITHIN, 2)
    large = bits // 2
    sizes = np.zeros(1 << bits, dtype=np.int64)
    _sizes(digests, np.uint64(64 - bits), sizes)
    if int(sizes.max()) > _FULLEST:
        return None
    starts = np.cumsum(sizes) - sizes
    del sizes
    n_large, rows = 1 << large, np.empty(len(digests), dtype=np.int64)
    n_waiting, of_block = np.zeros(n_large, np.int64), np.empty(len(rows) // _BLOCK, np.int32)
    waiting = np.empty((n_large, _BLOCK, 4), np.uint64), np.empty((n_large, _BLOCK), np.int64)
    full = _collect(digests, np.uint64(64 - large), rows, waiting, n_waiting, of_block)
    firsts = np.append(0, np.cumsum(np.bincount(of_block[:full], minlength=n_large)))
    words = digests.view(np.uint64)
    _swap_blocks(words, rows, of_block, firsts)
    _order_buckets(words, rows, firsts, waiting, n_waiting, starts, np.uint64(64 - bits))
    return rows
