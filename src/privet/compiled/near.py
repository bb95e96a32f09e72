"""Compiled loops over candidates that scores cannot tell apart (Numba).

`values` offers them, `levels` has them settled. Numba remembers a compiled loop by the file it is
in: after a change here, `values.py` and `levels.py` must be touched as well.
"""

from typing import Any, NamedTuple

from privet.compiled.counting import _inner

NOTHING, DECIDED, ASK = 0, 1, 2

MOST_NEAR = 64
NEAR = 1e-9  # relative distance below which scores are not told apart


class Rule(NamedTuple):
    """How splits are scored: x log2 x comes from a table, in units."""

    min_leaf: Any
    ratio: Any  # gain ratio, not gain
    table: Any
    unit: Any


class Near(NamedTuple):
    """The best candidates so far: column, last code on the left, first one on the right, children;
    and their scores."""

    candidates: Any
    scores: Any


@_inner
def considered(
    c: Any,
    last: Any,
    code: Any,
    moved: Any,
    n: Any,
    parted: Any,
    total: Any,
    rule: Any,
    doubt: Any,
    near: Any,
    best: Any,
    n_near: Any,
) -> Any:
    """Note a cut if it may be made and may be the best; say whether nothing can be above it."""
    if moved < rule.min_leaf or n - moved < rule.min_leaf:
        return best, n_near, False
    info = rule.table[n] - rule.table[moved] - rule.table[n - moved]
    value = (info + total) / info if rule.ratio else (info + total) * rule.unit
    perfect = rule.ratio and parted == 0
    if perfect or value >= best - 2 * doubt - NEAR * best:
        best, n_near = noted(value, c, last, code, 2, doubt, near, best, n_near, perfect)
    return best, n_near, perfect


@_inner
def noted(
    value: Any,
    c: Any,
    low: Any,
    high: Any,
    n_children: Any,
    doubt: Any,
    near: Any,
    best: Any,
    n_near: Any,
    perfect: Any,
) -> Any:
    """One more candidate among the best so far; those that have fallen behind may be let go."""
    best = max(best, value)
    if perfect:
        n_near = 0
    elif n_near == MOST_NEAR:
        n_near = kept(near, n_near, best - 2 * doubt - NEAR * best)
    if n_near >= MOST_NEAR:
        return best, MOST_NEAR + 1
    near.candidates[n_near, 0], near.candidates[n_near, 1] = c, low
    near.candidates[n_near, 2], near.candidates[n_near, 3] = high, n_children
    near.scores[n_near] = value
    return best, n_near + 1


@_inner
def kept(near: Any, n_near: Any, floor: Any) -> Any:
    """Let go all below the floor."""
    found = 0
    for i in range(n_near):
        if near.scores[i] >= floor:
            near.scores[found] = near.scores[i]
            for field in range(4):
                near.candidates[found, field] = near.candidates[i, field]
            found += 1
    return found


@_inner
def settled(node: Any, near: Any, n_near: Any, gains: Any) -> Any:
    """What is plain of candidates that scores cannot tell apart.

    They stand in the order in which equal ones are preferred, so that with equal children the first
    one is the best. Children with the shares of their parent gain nothing.
    """
    if gains and n_near == 1:
        return DECIDED
    for i in range(n_near):
        if near.candidates[i, 3] != 2:
            return ASK
        moved = _left_of(node, near.candidates[i, 0], near.candidates[i, 1])
        if i == 0:
            for k in range(len(node.whole)):
                node.order[k] = node.left[k]  # of the first; the order has served
        if not (_like_the_first(node) if gains else _like_the_whole(node, moved)):
            return ASK
    return DECIDED if gains else NOTHING


@_inner
def _left_of(node: Any, c: Any, low: Any) -> Any:
    """The records of a node that go left, by class and altogether."""
    moved = 0
    for k in range(len(node.whole)):
        node.left[k] = 0
    for i in range(len(node.here)):
        if node.codes[node.here[i], c] <= low:
            node.left[node.own[i]] += 1
            moved += 1
    return moved


@_inner
def _like_the_first(node: Any) -> Any:
    same, mirrored = True, True
    for k in range(len(node.whole)):
        same &= node.left[k] == node.order[k]
        mirrored &= node.left[k] == node.whole[k] - node.order[k]
    return same or mirrored


@_inner
def _like_the_whole(node: Any, moved: Any) -> Any:
    same = True
    for k in range(len(node.whole)):
        same &= node.left[k] * len(node.here) == node.whole[k] * moved
    return same
