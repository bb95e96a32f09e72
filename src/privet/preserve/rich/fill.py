"""One value for each block in one column, so that every leaf keeps its distribution.

Numbers: in each leaf the blocks, sorted by their mean, are laid along the leaf's sorted values; a
block gets the value in the middle of its stretch, clipped to its own range. Categories: blocks take
categories of their own records until each category has as many records in the leaf as it had.
Other fills (`middle`, `drawn`) are for columns that these do not suit. `pins` keeps the numbers
next to a threshold of the tree.
"""

from collections.abc import Callable
from hashlib import sha256

import numpy as np

from privet.arrays import Integers
from privet.preserve.rich.members import Members

_PAIRS_AT_ONCE = 1 << 16
Fill = Callable[[Members, str], Integers]


def by_leaf(members: Members, column: str) -> Integers:
    """Leaf quantiles for numbers, leaf quotas for categories."""
    return _quantiles(members) if members.domain.kind.is_ordered else _quotas(members)


def middle(members: Members, column: str) -> Integers:
    """The median of each block, or its commonest category."""
    return _medians(members) if members.domain.kind.is_ordered else commonest(members)


def drawn(members: Members, column: str) -> Integers:
    """The value of one record of each block, by a digest of the column's name and the block."""
    places = []
    for block, size in enumerate(members.sizes.tolist()):
        digest = sha256(f"{column}\n{block}".encode()).digest()
        places.append(int.from_bytes(digest[:8], "big") % size)
    return _value_at(members, np.array(places, dtype=np.int64))


def _value_at(members: Members, place: Integers) -> Integers:
    """The value at a place of each block's own sorted values."""
    before = np.cumsum(members.n)
    first = before[members.starts] - members.n[members.starts]
    return members.code[np.searchsorted(before, first + place, side="right")]


def _medians(members: Members) -> Integers:
    """The lower median of what is there; missing if most of a block is."""
    return _value_at(members, (members.sizes - 1) // 2)


def commonest(members: Members) -> Integers:
    """The commonest value of each block, of several the first."""
    order = np.lexsort((members.code, -members.n, members.block))
    return members.code[order[members.starts]]


def _quantiles(members: Members) -> Integers:
    sums = np.add.reduceat(members.code * members.n, members.starts)
    mean = sums / members.sizes
    given = np.empty(members.n_blocks, dtype=np.int64)
    for group, (codes, records) in members.group_sums().items():
        here = np.flatnonzero(members.group == group)
        here = here[np.lexsort((here, mean[here]))]
        sizes = members.sizes[here]
        middles = np.cumsum(sizes) - sizes + (sizes - 1) // 2
        given[here] = codes[np.searchsorted(np.cumsum(records), middles, side="right")]
    return members.clipped(given)


def _quotas(members: Members) -> Integers:
    """Pairs of block and category, the surest first; a category is given out until its records in
    the leaf are used up (half of a block may be too many)."""
    size, group = members.domain.size, members.group[members.block]
    left = np.zeros((int(members.group.max()) + 1, size), dtype=np.int64)
    np.add.at(left, (group, members.code), members.n)
    share = members.n / members.sizes[members.block]
    order = np.lexsort((members.code, members.block, left[group, members.code], -share))
    given = [-1] * members.n_blocks
    room: list[list[int]] = left.tolist()
    sizes = members.sizes.tolist()
    for start in range(0, len(order), _PAIRS_AT_ONCE):  # lists take many times what arrays do
        some = order[start : start + _PAIRS_AT_ONCE]
        pairs = (members.block[some], members.code[some], group[some])
        for block, code, leaf in zip(*(part.tolist() for part in pairs), strict=True):
            if given[block] < 0 and 2 * room[leaf][code] >= sizes[block]:
                given[block] = code
                room[leaf][code] -= sizes[block]
    codes = np.array(given, dtype=np.int64)
    return np.where(codes < 0, commonest(members), codes)
