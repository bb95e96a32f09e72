"""Compiled loops that look at all nodes of one level of a tree (Numba): scores, then dealing out.

Scores are differences of whole numbers: x log2 x is looked up in a table of rounded units, so that
a sum is the same in any order. Where the rounded scores cannot tell two candidates apart, and they
are not plainly equal, a node is handed back (`ASK`) and decided exactly elsewhere.

`privet.tree.levels` prepares the arrays and reads what comes out; `privet.tree.choose` decides the
same one node at a time and is the oracle of these loops.
"""

from typing import Any

import numpy as np

from privet.compiled.counting import _jit
from privet.compiled.values import VALUES, branches_counted, branches_in_order, clear, put_in_order

NOTHING, DECIDED, ASK = 0, 1, 2

_CELLS = 4  # a column is counted by value and class if that takes so many cells a record at most
_MOST_NEAR = 64
_NEAR = 1e-9  # relative distance below which scores are not told apart


@_jit
def look(
    rows: Any,  # those of a node side by side
    starts: Any,  # where the rows of each node begin
    ends: Any,  # and where they end
    codes: Any,  # by row and column
    sizes: Any,  # values of each column
    ordered: Any,  # which columns are cut; others have one branch for each value
    classes: Any,  # of each row
    weights: Any,  # records of each node by class
    slots: Any,  # the table of each node in `tables`, -1 if it has none
    tables: Any,  # records by value of narrow columns and class, of large nodes
    offsets: Any,  # where each column begins in a table, -1 for a wide one
    min_leaf: Any,
    ratio: Any,  # gain ratio, not gain
    table: Any,  # x log2 x in units
    unit: Any,
    state: Any,  # out: NOTHING, DECIDED or ASK
    column: Any,  # out: the column of the best split
    low: Any,  # out: the highest code on the left; the first one if there are branches
    high: Any,  # out: the lowest code on the right
    branches: Any,  # out: how many children
    score: Any,  # out
    error: Any,  # out: how far the score may be from the true one
) -> None:
    """Find the best split of each node."""
    n_columns, n_classes = len(sizes), weights.shape[1]
    longest = 0
    for node in range(len(state)):
        longest = max(longest, ends[node] - starts[node])
    most = 1
    cells = 0
    wide = False
    for c in range(n_columns):
        wide |= offsets[c] < 0
        most = max(most, sizes[c])
        cells += min(sizes[c] * n_classes, _CELLS * longest)
    scratch = np.zeros(cells, dtype=np.int64)
    begins = np.empty(n_columns, dtype=np.int64)
    own = np.empty(longest, dtype=np.int64)
    order, spare = np.empty(longest, dtype=np.int64), np.empty(longest, dtype=np.int64)
    tally = np.zeros(min(most, VALUES * longest) + 1, dtype=np.int64)
    rank, alive = np.empty(n_classes, dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    whole, left = np.empty(n_classes, dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    near = np.empty((_MOST_NEAR, 4), dtype=np.int64)
    scores = np.empty(_MOST_NEAR, dtype=np.float64)
    for node in range(len(state)):
        here = rows[starts[node] : ends[node]]
        n = len(here)
        m = 0
        for k in range(n_classes):
            if weights[node, k] > 0:
                rank[k], alive[m], whole[m] = m, k, weights[node, k]
                m += 1
        known = slots[node] >= 0
        if not known or wide:
            for i in range(n):
                own[i] = rank[classes[here[i]]]
        if known:
            counts, stride = tables[slots[node]], n_classes
            for c in range(n_columns):
                begins[c] = offsets[c]
        else:
            counts, stride = scratch, m
            used = 0
            for c in range(n_columns):
                begins[c] = -1
                if sizes[c] * m <= _CELLS * n:
                    begins[c] = used
                    used += sizes[c] * m
            clear(counts, used)
            for i in range(n):
                row = here[i]
                for c in range(n_columns):
                    if begins[c] >= 0:
                        counts[begins[c] + codes[row, c] * m + own[i]] += 1
            for k in range(m):
                alive[k] = k
        # how far a score may be off: each looked-up logarithm by its rounding and by half a unit
        widest = 2
        for c in range(n_columns):
            if not ordered[c]:
                widest = max(widest, min(sizes[c], n // min_leaf))
        logs = (m + 1) * (widest + 1)
        doubt = 2.0**-46 * (n * np.log2(n + 2.0) + 1) + logs * unit
        if ratio:  # a gain is at most the information of its split, and that is at least this
            least = unit * (table[n] - table[min_leaf] - table[n - min_leaf])
            doubt = 4 * doubt / max(least, 1.0)
        best, n_near, perfect = 0.0, 0, False
        for c in range(n_columns):
            dense = begins[c] >= 0
            if not dense:
                put_in_order(here, codes, c, sizes[c], order, spare, tally)
            if not ordered[c]:
                if dense:
                    found = branches_counted(
                        counts[begins[c] :], sizes[c], stride, alive, whole[:m], n, min_leaf, table
                    )
                else:
                    found = branches_in_order(
                        here, codes, c, order, own, whole[:m], left, min_leaf, table
                    )
                n_branches, gain, info, first, second, kept = found
                if n_branches < 2:
                    continue
                perfect = ratio and kept
                value = gain / info if ratio else gain * unit
                best, n_near = _noted(
                    value, c, first, second, n_branches, best, doubt, near, scores, n_near, perfect
                )
                if perfect:
                    break
                continue
            best, n_near, perfect = _cuts(
                here,
                codes,
                c,
                sizes[c],
                counts,
                begins[c],
                stride,
                alive,
                order,
                own,
                whole[:m],
                left,
                min_leaf,
                ratio,
                table,
                unit,
                best,
                doubt,
                near,
                scores,
                n_near,
            )
            if perfect:
                break
        error[node], score[node] = doubt, best
        if perfect:  # nothing is above it, and no equal comes before it
            state[node] = DECIDED
        elif n_near == 0:
            state[node] = NOTHING
            continue
        elif n_near > _MOST_NEAR:
            state[node] = ASK
            continue
        else:
            n_near = _kept_near(best - 2 * doubt - _NEAR * best, near, scores, n_near)
            for i in range(n):
                if n_near == 1 and best > doubt:
                    break
                own[i] = rank[classes[here[i]]]
            state[node] = _settled(
                here, codes, own, whole[:m], left[:m], order, near, n_near, best > doubt
            )
        column[node], low[node] = near[0, 0], near[0, 1]
        high[node], branches[node] = near[0, 2], near[0, 3]


@_jit
def _cuts(
    here: Any,
    codes: Any,
    c: Any,
    n_values: Any,
    counts: Any,
    begin: Any,  # of the column in the counts, -1 if it is not in them
    stride: Any,
    alive: Any,
    order: Any,
    own: Any,
    whole: Any,
    left: Any,
    min_leaf: Any,
    ratio: Any,
    table: Any,
    unit: Any,
    best: Any,
    doubt: Any,
    near: Any,
    scores: Any,
    n_near: Any,
) -> Any:
    """Note the best cuts of a column; stop at one that parts no class if nothing can be above."""
    n, m, dense = len(here), len(whole), begin >= 0
    clear(left, m)
    moved, parted, total, last, place = 0, 0, 0, -1, 0
    while True:
        if dense:  # the next value that occurs
            code = last + 1
            size = 0
            while code < n_values:
                for k in range(m):
                    size += counts[begin + code * stride + alive[k]]
                if size:
                    break
                code += 1
            if size == 0:
                break
        else:
            if place == n:
                break
            code = codes[here[order[place]], c]
        if moved >= min_leaf and n - moved >= min_leaf:
            info = table[n] - table[moved] - table[n - moved]
            perfect = ratio and parted == 0
            value = (info + total) / info if ratio else (info + total) * unit
            if perfect or value >= best - 2 * doubt - _NEAR * best:
                best, n_near = _noted(
                    value, c, last, code, 2, best, doubt, near, scores, n_near, perfect
                )
            if perfect:
                return best, n_near, True
        if dense:
            for k in range(m):
                w = counts[begin + code * stride + alive[k]]
                if w:
                    a, b = left[k], whole[k] - left[k]
                    total += table[a + w] - table[a] + table[b - w] - table[b]
                    left[k] = a + w
                    parted += (a == 0) - (a + w == whole[k])
            moved += size
        else:
            while place < n and codes[here[order[place]], c] == code:
                k = own[order[place]]
                a, b = left[k], whole[k] - left[k]
                total += table[a + 1] - table[a] + table[b - 1] - table[b]
                left[k] = a + 1
                parted += (a == 0) - (a + 1 == whole[k])
                place += 1
            moved = place
        if n - moved < min_leaf:
            break
        last = code
    return best, n_near, False


@_jit
def _noted(
    value: Any,
    c: Any,
    low: Any,
    high: Any,
    n_branches: Any,
    best: Any,
    doubt: Any,
    near: Any,
    scores: Any,
    n_near: Any,
    perfect: Any,
) -> Any:
    """One more candidate among the best so far; those that have fallen behind may be let go."""
    best = max(best, value)
    if perfect:
        n_near = 0
    elif n_near == _MOST_NEAR:
        n_near = _kept_near(best - 2 * doubt - _NEAR * best, near, scores, n_near)
    if n_near >= _MOST_NEAR:
        return best, _MOST_NEAR + 1
    near[n_near, 0], near[n_near, 1], near[n_near, 2], near[n_near, 3] = c, low, high, n_branches
    scores[n_near] = value
    return best, n_near + 1


@_jit
def _kept_near(floor: Any, near: Any, scores: Any, n_near: Any) -> Any:
    kept = 0
    for i in range(n_near):
        if scores[i] >= floor:
            scores[kept] = scores[i]
            for field in range(4):
                near[kept, field] = near[i, field]
            kept += 1
    return kept


@_jit
def _settled(
    here: Any,
    codes: Any,
    own: Any,
    whole: Any,
    left: Any,
    first_left: Any,
    near: Any,
    n_near: Any,
    gains: Any,
) -> Any:
    """What is plain of candidates that scores cannot tell apart.

    They stand in the order in which equal ones are preferred, so that with equal children the first
    one is the best. Children with the shares of their parent gain nothing.
    """
    if gains and n_near == 1:
        return DECIDED
    n, m = len(here), len(whole)
    for i in range(n_near):
        if near[i, 3] != 2:
            return ASK
        clear(left, m)
        moved = 0
        for j in range(n):
            if codes[here[j], near[i, 0]] <= near[i, 1]:
                left[own[j]] += 1
                moved += 1
        if not gains:
            for k in range(m):
                if left[k] * n != whole[k] * moved:
                    return ASK
            continue
        same, mirrored = True, True
        for k in range(m):
            if i == 0:
                first_left[k] = left[k]
            same &= left[k] == first_left[k]
            mirrored &= left[k] == whole[k] - first_left[k]
        if not same and not mirrored:
            return ASK
    return DECIDED if gains else NOTHING
