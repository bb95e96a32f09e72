"""Compiled loops that look at all nodes of one level of a tree (Numba).

Scores are differences of whole numbers: x log2 x is looked up in a table of rounded units, so that
a sum is the same in any order. Where the rounded scores cannot tell two candidates apart, and they
are not plainly equal, a node is handed back (`ASK`) and decided exactly elsewhere.

`values` looks at one column, `near` keeps the best candidates, `dealing` deals records out to the
children. `privet.tree.levels` prepares the arrays and reads what comes out; `privet.tree.choose`
decides the same one node at a time and is the oracle of these loops.
"""

from typing import Any

import numpy as np

from privet.compiled.counting import _inner, _jit
from privet.compiled.near import ASK, DECIDED, MOST_NEAR, NEAR, NOTHING, Near, Rule, kept, settled
from privet.compiled.values import (
    VALUES,
    Node,
    branches_counted,
    branches_in_order,
    branches_noted,
    clear,
    cuts_counted,
    cuts_in_order,
    put_in_order,
)

CELLS = 4  # a column is counted by value and class if that takes so many cells a record at most


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
    longest: Any,  # records of a node
    state: Any,  # out: NOTHING, DECIDED or ASK
    column: Any,  # out: the column of the best split
    low: Any,  # out: the highest code on the left; the first one if there are branches
    high: Any,  # out: the lowest code on the right
    n_children: Any,  # out
    score: Any,  # out
    error: Any,  # out: how far the score may be from the true one
) -> None:
    """Find the best split of each node."""
    n_columns, n_classes = len(sizes), weights.shape[1]
    cells, most, wide = _room(sizes, offsets, n_classes, longest)
    scratch, tally = np.empty(cells, dtype=np.int64), np.empty(most, dtype=np.int64)
    begins = np.empty(n_columns, dtype=np.int64)
    own = np.empty(longest, dtype=np.int64)
    order, spare = np.empty(longest, dtype=np.int64), np.empty(longest, dtype=np.int64)
    rank, alive = np.empty(n_classes, dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    whole, left = np.empty(n_classes, dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    rule = Rule(min_leaf, ratio, table, unit)
    near = Near(np.empty((MOST_NEAR, 4), dtype=np.int64), np.empty(MOST_NEAR, dtype=np.float64))
    for place in range(len(state)):
        here = rows[starts[place] : ends[place]]
        m = _classes_of(weights[place], rank, alive, whole)
        known = slots[place] >= 0
        if wide or not known:
            _number(here, classes, rank, own)
        if known:
            counts, stride = tables[slots[place]], n_classes
            for c in range(n_columns):
                begins[c] = offsets[c]
        else:
            counts, stride = scratch, m
            _count(here, codes, sizes, own, m, alive, counts, begins)
        node = Node(here, codes, own, whole[:m], counts, stride, alive, left, order, spare)
        doubt = _doubt(len(here), m, sizes, ordered, rule)
        best, n_near, perfect = _columns(node, sizes, ordered, begins, tally, rule, doubt, near)
        error[place], score[place] = doubt, best
        if perfect:  # nothing is above it, and no equal comes before it
            state[place] = DECIDED
        elif n_near == 0:
            state[place] = NOTHING
        elif n_near > MOST_NEAR:
            state[place] = ASK
        else:
            n_near = kept(near, n_near, best - 2 * doubt - NEAR * best)
            if n_near > 1 or best <= doubt:
                _number(here, classes, rank, own)
            state[place] = settled(node, near, n_near, best > doubt)
        if state[place] == DECIDED:
            column[place], low[place] = near.candidates[0, 0], near.candidates[0, 1]
            high[place], n_children[place] = near.candidates[0, 2], near.candidates[0, 3]


@_inner
def _room(sizes: Any, offsets: Any, n_classes: Any, longest: Any) -> Any:
    """Cells for counts, for values to be put in order, and whether a column is in no table."""
    cells, most, wide = 0, 1, False
    for c in range(len(sizes)):
        wide |= offsets[c] < 0
        most = max(most, sizes[c])
        cells += min(sizes[c] * n_classes, CELLS * longest)
    return cells, min(most, VALUES * longest) + 1, wide


@_inner
def _classes_of(weights: Any, rank: Any, alive: Any, whole: Any) -> Any:
    """Number the classes that a node has."""
    m = 0
    for k in range(len(weights)):
        if weights[k] > 0:
            rank[k], alive[m], whole[m] = m, k, weights[k]
            m += 1
    return m


@_inner
def _number(here: Any, classes: Any, rank: Any, own: Any) -> None:
    for i in range(len(here)):
        own[i] = rank[classes[here[i]]]


@_inner
def _count(
    here: Any, codes: Any, sizes: Any, own: Any, m: Any, alive: Any, counts: Any, begins: Any
) -> None:
    """Count a small node by value and class, columns with few enough values."""
    used = 0
    for c in range(len(sizes)):
        begins[c] = -1
        if sizes[c] * m <= CELLS * len(here):
            begins[c] = used
            used += sizes[c] * m
    clear(counts, used)
    for i in range(len(here)):
        for c in range(len(sizes)):
            if begins[c] >= 0:
                counts[begins[c] + codes[here[i], c] * m + own[i]] += 1
    for k in range(m):
        alive[k] = k


@_inner
def _doubt(n: Any, m: Any, sizes: Any, ordered: Any, rule: Any) -> Any:
    """How far a score may be off: each looked-up logarithm by its rounding and by half a unit."""
    widest = 2
    for c in range(len(sizes)):
        if not ordered[c]:
            widest = max(widest, min(sizes[c], n // rule.min_leaf))
    logs = (m + 1) * (widest + 1)
    doubt = 2.0**-46 * (n * np.log2(n + 2.0) + 1) + logs * rule.unit
    if not rule.ratio:
        return doubt
    # a gain is at most the information of its split, and that is at least this
    table, fewest = rule.table, rule.min_leaf
    return 4 * doubt / max(rule.unit * (table[n] - table[fewest] - table[n - fewest]), 1.0)


@_inner
def _columns(
    node: Any,
    sizes: Any,
    ordered: Any,
    begins: Any,
    tally: Any,
    rule: Any,
    doubt: Any,
    near: Any,
) -> Any:
    """Note the best candidates of all columns; stop at one that nothing can be above."""
    best, n_near, perfect = 0.0, 0, False
    for c in range(len(sizes)):
        if begins[c] < 0:
            put_in_order(node, c, sizes[c], tally)
        if ordered[c] and begins[c] >= 0:
            best, n_near, perfect = cuts_counted(
                node, c, sizes[c], begins[c], rule, doubt, near, best, n_near
            )
        elif ordered[c]:
            best, n_near, perfect = cuts_in_order(node, c, rule, doubt, near, best, n_near)
        else:
            if begins[c] >= 0:
                found = branches_counted(node, sizes[c], begins[c], rule)
            else:
                found = branches_in_order(node, rule)
            best, n_near, perfect = branches_noted(found, c, rule, doubt, near, best, n_near)
        if perfect:
            break
    return best, n_near, perfect
