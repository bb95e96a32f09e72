"""Pins: blocks that must carry the numbers next to a threshold, so that it stays bit for bit.

A threshold lies in the middle between the largest number on its left and the smallest on its
right. Values of a leaf's own records never lie between the two, so it is enough that one block on
each side carries its end; or that the ends are another pair with the same middle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from privet.arrays import Booleans, Integers
from privet.preserve.by_leaf.contests import NodeSeen
from privet.preserve.rich.members import Members
from privet.table import Domain
from privet.tree.candidates import midpoint

_MOST_PAIRS = 64  # other pairs of ends that are looked for on each side of a threshold


@dataclass(frozen=True, eq=False)
class End:
    """One end of a threshold: a number and the blocks on its side below the node."""

    code: int
    blocks: Integers
    upper: bool  # the largest number on the left, or else the smallest on the right


@dataclass(frozen=True, eq=False)
class Pinned:
    """A fill with its pins: which blocks may not change any more."""

    codes: Integers
    fixed: Booleans


def pin(members: Members, codes: Integers, own: Sequence[NodeSeen]) -> Pinned | None:
    """The fill with every end carried; None where blocks are too few to carry them."""
    codes = codes.copy()
    fixed = np.zeros(len(codes), dtype=bool)
    ends = [(seen, *_ends(members, seen)) for seen in own if seen.threshold is not None]
    ends.sort(key=lambda e: (min(_carriers(members, e[1]), _carriers(members, e[2])), e[0].node.id))
    for seen, low, high in ends:
        before = codes.copy(), fixed.copy()
        for one, two in _pairs(members.domain, seen, low, high):
            if _carry(members, codes, fixed, one) and _carry(members, codes, fixed, two):
                break
            codes, fixed = before[0].copy(), before[1].copy()
        else:
            return None
    return Pinned(codes, fixed)


def _ends(members: Members, seen: NodeSeen) -> tuple[End, End]:
    sides = [np.flatnonzero(np.isin(members.group, side)) for side in seen.sides]
    return (
        End(int(members.highest[sides[0]].max()), sides[0], upper=True),
        End(int(members.lowest[sides[1]].min()), sides[1], upper=False),
    )


def _pairs(domain: Domain, seen: NodeSeen, low: End, high: End) -> Iterator[tuple[End, End]]:
    """The threshold's own ends, then others with the same middle, from the nearest out."""
    yield low, high
    values = domain.values
    for code in range(low.code, max(low.code - _MOST_PAIRS, -1), -1):
        for other in range(high.code, min(high.code + _MOST_PAIRS, len(values))):
            if (code, other) == (low.code, high.code):
                continue
            middle = midpoint(values[code].item(), values[other].item())
            if middle == seen.threshold:
                yield End(code, low.blocks, upper=True), End(other, high.blocks, upper=False)
            if middle >= seen.threshold:  # type: ignore[operator]
                break


def _carriers(members: Members, end: End) -> int:
    holders = members.block[members.code == end.code]
    return int(np.isin(holders, end.blocks).sum())


def _carry(members: Members, codes: Integers, fixed: Booleans, end: End) -> bool:
    """See to it that a block on this side carries the end and none goes beyond it."""
    here = codes[end.blocks]
    beyond = end.blocks[here > end.code if end.upper else here < end.code]
    if fixed[beyond].any() or not members.near(beyond, end.code).all():
        return False
    codes[beyond] = end.code
    there = end.blocks[codes[end.blocks] == end.code]
    if not len(there):
        there = _most_likely(members, fixed, end)
        codes[there] = end.code
    if not fixed[there].any():
        fixed[there[:1]] = True
    return len(there) > 0


def _most_likely(members: Members, fixed: Booleans, end: End) -> Integers:
    """The block with the largest share of records at the end; none if no block is free."""
    has = members.code == end.code
    holders, share = members.block[has], members.n[has] / members.sizes[members.block[has]]
    usable = np.isin(holders, end.blocks) & ~fixed[holders]
    order = np.lexsort((holders[usable], -share[usable]))
    return np.asarray(holders[usable][order[:1]])
