"""Compiled counting loops (Numba). Imported only for tables large enough to pay for it.

Each kernel releases the interpreter lock, so that columns are counted on several threads.
`memory` has the same in plain NumPy, for small tables and as the oracle of these loops.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numba
import numpy as np

from privet.left_alone import can_be_hidden, hidden

if can_be_hidden("scipy.linalg"):  # which numba would import, and no loop of ours needs
    with hidden("scipy.linalg"), suppress(ImportError):
        import numba.np.arraymath

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_jit: Callable[[_Loop], _Loop] = numba.njit(nogil=True, cache=True, boundscheck=False)
_inner: Callable[[_Loop], _Loop] = numba.njit(  # called by compiled loops alone: compiled faster
    nogil=True, boundscheck=False, no_cpython_wrapper=True, no_cfunc_wrapper=True
)


@_jit
def classes_all(codes: Any, classes: Any, out: Any) -> None:
    """out[code, class] += 1 over all rows."""
    for i in range(len(codes)):
        out[codes[i], classes[i]] += 1


@_jit
def classes_some(codes: Any, classes: Any, rows: Any, out: Any) -> None:
    """out[code, class] += 1 over some rows."""
    for i in range(len(rows)):
        row = rows[i]
        out[codes[row], classes[row]] += 1


@_jit
def sums_all(codes: Any, units: Any, out: Any) -> None:
    """out[code] += (1, response) over all rows."""
    for i in range(len(codes)):
        out[codes[i], 0] += 1
        out[codes[i], 1] += units[i]


@_jit
def sums_some(codes: Any, units: Any, rows: Any, out: Any) -> None:
    """out[code] += (1, response) over some rows."""
    for i in range(len(rows)):
        row = rows[i]
        out[codes[row], 0] += 1
        out[codes[row], 1] += units[row]


@_jit
def mix(key: Any, codes: Any, size: Any) -> None:
    """key = key * size + code, in place: one more digit of a mixed-radix number."""
    for i in range(len(key)):
        key[i] = key[i] * size + codes[i]


@_jit
def count_dense(key: Any, out: Any) -> None:
    for i in range(len(key)):
        out[key[i]] += 1


@_jit
def group(key: Any, ids: Any) -> Any:
    """Number the distinct keys in order of appearance, by an open-addressing hash table.

    `ids[i]` becomes the number of key[i]'s group; returns one key for each group.
    """
    capacity = np.uint64(1024)
    table = np.full(capacity, -1, dtype=np.int64)
    distinct = np.empty(1024, dtype=np.uint64)
    found = 0
    for i in range(len(key)):
        k = key[i]
        slot = _slot(k, capacity)
        while table[slot] >= 0 and distinct[table[slot]] != k:
            slot = (slot + np.uint64(1)) & (capacity - np.uint64(1))
        if table[slot] < 0:
            if found == len(distinct):
                grown = np.empty(2 * found, dtype=np.uint64)
                for g in range(found):  # a slice would take seconds to compile
                    grown[g] = distinct[g]
                distinct = grown
            distinct[found] = k
            table[slot] = found
            ids[i] = found
            found += 1
            if np.uint64(2 * found) > capacity:
                capacity = capacity * np.uint64(4)
                table = np.full(capacity, -1, dtype=np.int64)
                for g in range(found):
                    place = _slot(distinct[g], capacity)
                    while table[place] >= 0:
                        place = (place + np.uint64(1)) & (capacity - np.uint64(1))
                    table[place] = g
        else:
            ids[i] = table[slot]
    return distinct[:found].copy()


@_jit
def _slot(key: Any, capacity: Any) -> Any:
    mixed = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(20)) & (capacity - np.uint64(1))


@_jit
def children_of_all(codes: Any, child_of_code: Any, child: Any, sizes: Any) -> None:
    """The child that each row goes to, by its code, and how many go to each."""
    for row in range(len(codes)):
        child[row] = child_of_code[codes[row]]
        sizes[child[row]] += 1


@_jit
def children_of_some(codes: Any, rows: Any, child_of_code: Any, child: Any, sizes: Any) -> None:
    """The same for some rows."""
    for i in range(len(rows)):
        child[i] = child_of_code[codes[rows[i]]]
        sizes[child[i]] += 1


@_jit
def rows_of_child(child: Any, number: Any, out: Any) -> None:
    """All rows that go to one child; `out` has one place more than those."""
    kept = 0
    for row in range(len(child)):
        out[kept] = row
        kept += child[row] == number  # the next row takes the place of one that goes elsewhere


@_jit
def some_rows_of_child(rows: Any, child: Any, number: Any, out: Any) -> None:
    """The same for some rows."""
    kept = 0
    for i in range(len(rows)):
        out[kept] = rows[i]
        kept += child[i] == number
