"""Many digests put in order (Numba). Imported only for many digests.

Digests are spread evenly, so that their first bits tell nearly where each belongs. Rows are dealt
into some thousand large buckets, few enough to be written side by side; each of them, which now
fits the processor's cache, is dealt once more into small buckets of some ten, within which every
digest goes the few steps to its place. Digests that crowd (no hash made them) are left to
`privet.files.digests`, whose way by NumPy is the oracle of these loops.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_jit: Callable[[_Loop], _Loop] = numba.njit(nogil=True, cache=True, boundscheck=False)

_FULLEST = 64  # digests of a small bucket: the steps within it grow with its square
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
def _deal(digests: Any, shift: Any, following: Any, dealt: Any, rows: Any) -> None:
    """Whole digests into large buckets, and the row of each."""
    words, out = digests.view(np.uint64), dealt.view(np.uint64)
    for row in range(len(digests)):
        bucket = _head(digests, row) >> shift
        place = following[bucket]
        following[bucket] = place + 1
        for word in range(words.shape[1]):
            out[place, word] = words[row, word]
        rows[place] = row


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
def _is_above(digests: Any, one: Any, other: Any) -> Any:
    """Whether a digest sorts behind another that shares its first eight bytes."""
    for place in range(8, digests.shape[1]):
        if digests[one, place] != digests[other, place]:
            return digests[one, place] > digests[other, place]
    return False


@_jit
def _settle(digests: Any, heads: Any, order: Any) -> None:
    """Each digest to its place among those before it: few of its small bucket are above it."""
    for start in range(1, len(digests)):
        head, row, place = heads[start], order[start], start
        while place > 0 and (
            heads[place - 1] > head
            or (heads[place - 1] == head and _is_above(digests, order[place - 1], row))
        ):
            heads[place], order[place] = heads[place - 1], order[place - 1]
            place -= 1
        heads[place], order[place] = head, row


@_jit
def _order_buckets(dealt: Any, rows: Any, starts: Any, shift: Any, smalls: Any, out: Any) -> None:
    """Every large bucket in order, and `rows` along with it; `starts` are those of small ones."""
    bounds = np.append(starts[::smalls], len(dealt))
    widest = (bounds[1:] - bounds[:-1]).max()
    heads = np.empty(widest, dtype=np.uint64)
    order, own_rows = np.empty(widest, dtype=np.int64), np.empty(widest, dtype=np.int64)
    words, to = dealt.view(np.uint64), out.view(np.uint64)
    for bucket in range(len(bounds) - 1):
        start, stop = bounds[bucket], bounds[bucket + 1]
        if start == stop:
            continue
        own = dealt[start:stop]
        following = starts[bucket * smalls : (bucket + 1) * smalls] - start
        _deal_small(own, shift, following, heads, order)
        _settle(own, heads, order)
        own_rows[: stop - start] = rows[start:stop]
        for place in range(stop - start):
            rows[start + place] = own_rows[order[place]]
            for word in range(words.shape[1]):
                to[start + place, word] = words[start + order[place], word]


def put_in_order(digests: Any) -> Any:
    """Put digests in order where they are, since fresh memory costs as much as the sorting.

    Returns the row that each one had, equal ones as they came; or None, if they crowd, and then
    nothing was moved.
    """
    bits = max(len(digests).bit_length() - _BITS_WITHIN, 2)
    large = bits // 2
    sizes = np.zeros(1 << bits, dtype=np.int64)
    _sizes(digests, np.uint64(64 - bits), sizes)
    if int(sizes.max()) > _FULLEST:
        return None
    starts = np.cumsum(sizes) - sizes
    smalls = 1 << (bits - large)
    dealt, rows = np.empty_like(digests), np.empty(len(digests), dtype=np.int64)
    _deal(digests, np.uint64(64 - large), starts[::smalls].copy(), dealt, rows)
    _order_buckets(dealt, rows, starts, np.uint64(64 - bits), smalls, digests)
    return rows
