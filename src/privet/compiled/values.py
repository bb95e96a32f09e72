"""Compiled loops over the values of one column in one node (Numba): their order, their branches.

`levels` puts the columns of a node together. Numba remembers a compiled loop by the file it is in:
after a change here, `levels.py` must be touched as well.
"""

from typing import Any

from privet.compiled.counting import _jit

VALUES = 8  # records are put in order by counting values, if there are so many a record at most


@_jit
def clear(numbers: Any, n: Any) -> None:
    """The first numbers 0. (An assignment to a slice takes seconds to compile.)"""
    for i in range(n):
        numbers[i] = 0


@_jit
def put_in_order(
    here: Any, codes: Any, c: Any, size: Any, order: Any, spare: Any, tally: Any
) -> None:
    """The places of records by their code: counted, or merged if there are many more values."""
    n = len(here)
    if size <= VALUES * n:
        clear(tally, size + 1)
        for i in range(n):
            tally[codes[here[i], c] + 1] += 1
        for code in range(size):
            tally[code + 1] += tally[code]
        for i in range(n):
            code = codes[here[i], c]
            order[tally[code]] = i
            tally[code] += 1
        return
    for i in range(n):
        order[i] = i
    run = 1
    while run < n:
        for begin in range(0, n, 2 * run):
            middle, end = min(begin + run, n), min(begin + 2 * run, n)
            i, j = begin, middle
            for place in range(begin, end):
                if j == end or (
                    i < middle and codes[here[order[i]], c] <= codes[here[order[j]], c]
                ):
                    spare[place] = order[i]
                    i += 1
                else:
                    spare[place] = order[j]
                    j += 1
        for i in range(n):
            order[i] = spare[i]
        run *= 2


@_jit
def branches_counted(
    counts: Any,
    size: Any,
    stride: Any,
    alive: Any,
    whole: Any,
    n: Any,
    min_leaf: Any,
    table: Any,
) -> Any:
    """Of one branch for each value: how many, gain and information in units, the first two codes,
    and whether no class is parted. Fewer than two branches mean that there is no such split."""
    m = len(whole)
    n_branches, gain, info, first, second, pieces = 0, table[n], table[n], -1, -1, 0
    for k in range(m):
        gain -= table[whole[k]]
    for code in range(size):
        records = 0
        for k in range(m):
            w = counts[code * stride + alive[k]]
            if w:
                records += w
                pieces += 1
                gain += table[w]
        if records:
            if records < min_leaf:
                return 0, gain, info, first, second, False
            gain -= table[records]
            info -= table[records]
            first, second = (code, -1) if n_branches == 0 else (first, code)
            n_branches += 1
    return n_branches, gain, info, first, second, pieces == m


@_jit
def branches_in_order(
    here: Any,
    codes: Any,
    c: Any,
    order: Any,
    own: Any,
    whole: Any,
    left: Any,
    min_leaf: Any,
    table: Any,
) -> Any:
    """The same from records in the order of their codes."""
    n, m = len(here), len(whole)
    n_branches, gain, info, first, second, pieces = 0, table[n], table[n], -1, -1, 0
    begin = 0
    while begin < n:  # first whether all branches are large enough
        code = codes[here[order[begin]], c]
        if begin + min_leaf > n or codes[here[order[begin + min_leaf - 1]], c] != code:
            return 0, gain, info, first, second, False
        begin += min_leaf
        while begin < n and codes[here[order[begin]], c] == code:
            begin += 1
    for k in range(m):
        gain -= table[whole[k]]
        left[k] = 0
    begin = 0
    while begin < n:
        code = codes[here[order[begin]], c]
        end = begin
        while end < n and codes[here[order[end]], c] == code:
            k = own[order[end]]
            pieces += left[k] == 0
            gain += table[left[k] + 1] - table[left[k]]
            left[k] += 1
            end += 1
        for i in range(begin, end):
            left[own[order[i]]] = 0
        gain -= table[end - begin]
        info -= table[end - begin]
        first, second = (code, -1) if n_branches == 0 else (first, code)
        n_branches += 1
        begin = end
    return n_branches, gain, info, first, second, pieces == m
