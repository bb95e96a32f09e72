"""Compiled loops that deal the records of nodes out to their children (Numba).

A large node has a table: its records by value of each narrow column and class. Of its children all
but the largest are counted, and what is left of the table is the largest one's.

`levels` looks at the nodes; `privet.tree.levels` prepares the arrays.
"""

from typing import Any

import numpy as np

from privet.compiled.counting import _inner, _jit
from privet.compiled.values import clear


@_jit
def deal(
    rows: Any,
    starts: Any,
    ends: Any,
    by_column: Any,  # codes by column and row
    sizes: Any,
    classes: Any,
    weights: Any,  # records of each node by class
    column: Any,  # of the split of each node, -1 if it has none
    low: Any,
    cut: Any,  # whether there are two children, codes up to `low` and those above
    dealt: Any,  # out: the rows of all children
    begins: Any,  # out: where those of each child begin; one end more
    code_of: Any,  # out: the code of a branch
    below: Any,  # out: records of each child by class, zeros before
) -> None:
    """Deal the records of each node that is split out to its children, in their order."""
    most = 2
    for c in range(len(sizes)):
        most = max(most, sizes[c])
    place, number = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    spare = np.empty(len(dealt) + 1, dtype=dealt.dtype)
    at, child = 0, 0
    for node in range(len(column)):
        c = column[node]
        if c < 0:
            continue
        here = rows[starts[node] : ends[node]]
        begins[child] = at
        if cut[node]:
            middle = at + _cut(here, by_column[c], low[node], dealt[at:], spare)
            begins[child + 1], code_of[child], code_of[child + 1] = middle, 0, 1
            at += len(here)
            _weigh(dealt, begins[child], middle, at, classes, weights[node], below, child)
            child += 2
            continue
        clear(place, sizes[c])
        for i in range(len(here)):
            place[by_column[c, here[i]]] += 1
        for code in range(sizes[c]):
            if place[code]:
                begins[child], code_of[child], number[code] = at, code, child
                size, place[code] = place[code], at
                at += size
                child += 1
        for i in range(len(here)):
            row = here[i]
            code = by_column[c, row]
            dealt[place[code]] = row
            place[code] += 1
            below[number[code], classes[row]] += 1
    begins[child] = at


@_inner
def _cut(here: Any, codes: Any, highest: Any, out: Any, spare: Any) -> Any:
    """Rows up to a code first, then the others; returns how many are up to it."""
    left, right = 0, 0
    for i in range(len(here)):  # both are written, one of them counts
        row = here[i]
        out[left], spare[right] = row, row
        goes_left = codes[row] <= highest
        left += goes_left
        right += not goes_left
    for i in range(right):
        out[left + i] = spare[i]
    return left


@_inner
def _weigh(
    dealt: Any,
    begin: Any,
    middle: Any,
    end: Any,
    classes: Any,
    weights: Any,
    below: Any,
    child: Any,
) -> None:
    """The records by class of two children: the smaller one is counted, the other is the rest."""
    smaller, other, first, last = child, child + 1, begin, middle
    if middle - begin > end - middle:
        smaller, other, first, last = child + 1, child, middle, end
    for i in range(first, last):
        below[smaller, classes[dealt[i]]] += 1
    for k in range(len(weights)):
        below[other, k] = weights[k] - below[smaller, k]


@_jit
def divide_tables(
    rows: Any,  # of all children, those of a child side by side
    starts: Any,  # where the rows of each child begin; one end more
    first: Any,  # the first child of each parent; one end more
    slots: Any,  # the table of each parent in `tables`, -1 if it has none
    tables: Any,
    codes: Any,
    offsets: Any,  # where each column begins in a table, -1 for one that is not in it
    classes: Any,
    n_classes: Any,
    new_slots: Any,  # the table of each child in `new_tables`, -1 if it shall have none
    new_tables: Any,  # out, zeros before
) -> None:
    """The tables of children: counted, or what the others leave of their parent's."""
    for parent in range(len(slots)):
        if slots[parent] < 0:
            continue
        largest = first[parent]
        for child in range(first[parent], first[parent + 1]):
            if starts[child + 1] - starts[child] > starts[largest + 1] - starts[largest]:
                largest = child
        size = starts[largest + 1] - starts[largest]
        whole = starts[first[parent + 1]] - starts[first[parent]]
        rest = new_slots[largest] >= 0 and 2 * size >= whole
        if rest:
            for cell in range(tables.shape[1]):
                new_tables[new_slots[largest], cell] = tables[slots[parent], cell]
        for child in range(first[parent], first[parent + 1]):
            if rest and child == largest:
                continue
            here = rows[starts[child] : starts[child + 1]]
            if new_slots[child] >= 0:
                count(here, codes, offsets, classes, n_classes, 1, new_tables[new_slots[child]])
                if rest:
                    for cell in range(tables.shape[1]):
                        counted = new_tables[new_slots[child], cell]
                        new_tables[new_slots[largest], cell] -= counted
            elif rest:
                count(here, codes, offsets, classes, n_classes, -1, new_tables[new_slots[largest]])


@_jit
def count(
    rows: Any, codes: Any, offsets: Any, classes: Any, n_classes: Any, times: Any, table: Any
) -> None:
    """Add the records of some rows to a table, so many times."""
    for i in range(len(rows)):
        row = rows[i]
        for c in range(len(offsets)):
            if offsets[c] >= 0:
                table[offsets[c] + codes[row, c] * n_classes + classes[row]] += times
