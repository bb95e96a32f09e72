"""Compiled loops over the values of one column in one node (Numba): their order, cuts, branches.

A column is counted by value and class, or its records are put in the order of their values. `near`
keeps the best candidates, `levels` puts the columns of a node together. Numba remembers a compiled
loop by the file it is in: after a change here, `levels.py` must be touched as well.
"""

from typing import Any, NamedTuple

from privet.compiled.counting import _inner
from privet.compiled.near import considered, noted

VALUES = 48  # records are put in order by counting values, if there are so many a record at most


class Node(NamedTuple):
    """What the loops know of a node, and where they may write."""

    here: Any  # its rows
    codes: Any  # of all rows, by row and column
    own: Any  # the class of each of its records among those that it has
    whole: Any  # its records of each of these classes
    counts: Any  # records by value and class, of columns one after the other
    stride: Any  # from a value to the next one in the counts
    alive: Any  # the place of each of its classes within a stride
    left: Any  # room for a number of each class
    order: Any  # room for a number of each record: its places in the order of a column
    spare: Any  # the same: the codes in that order


@_inner
def put_in_order(node: Any, c: Any, size: Any, tally: Any) -> None:
    """The places of records by their code, and the codes in that order: counted, or merged if there
    are many more values."""
    here, codes, order, n = node.here, node.codes, node.order, len(node.here)
    if size > VALUES * n:
        _merge(node, c)
        return
    clear(tally, size + 1)
    for i in range(n):
        tally[codes[here[i], c] + 1] += 1
    for code in range(size):
        tally[code + 1] += tally[code]
    for i in range(n):
        code = codes[here[i], c]
        order[tally[code]], node.spare[tally[code]] = i, code
        tally[code] += 1


@_inner
def _merge(node: Any, c: Any) -> None:
    here, codes, order, spare, n = node.here, node.codes, node.order, node.spare, len(node.here)
    for i in range(n):
        order[i] = i
    run = 1
    while run < n:
        for begin in range(0, n, 2 * run):
            middle, end = min(begin + run, n), min(begin + 2 * run, n)
            i, j = begin, middle
            for place in range(begin, end):
                first = j == end or (
                    i < middle and codes[here[order[i]], c] <= codes[here[order[j]], c]
                )
                spare[place] = order[i] if first else order[j]
                i += first
                j += not first
        for i in range(n):
            order[i] = spare[i]
        run *= 2
    for i in range(n):
        spare[i] = codes[here[order[i]], c]


@_inner
def clear(numbers: Any, n: Any) -> None:
    """The first numbers 0. (An assignment to a slice takes seconds to compile.)"""
    for i in range(n):
        numbers[i] = 0


# -- cuts: `total` is x log x summed over the classes of both sides, less that of the parent -------


@_inner
def _passed(node: Any, k: Any, records: Any, table: Any) -> Any:
    """Records of a class go to the left: what that adds to the total and to the parted classes."""
    a, b = node.left[k], node.whole[k] - node.left[k]
    node.left[k] = a + records
    more = table[a + records] - table[a] + table[b - records] - table[b]
    return more, (a == 0) - (b == records)


@_inner
def cuts_counted(
    node: Any,
    c: Any,
    size: Any,
    begin: Any,
    rule: Any,
    doubt: Any,
    near: Any,
    best: Any,
    n_near: Any,
) -> Any:
    """Note the best cuts of a column; stop at one that nothing can be above."""
    n, m = len(node.here), len(node.whole)
    clear(node.left, m)
    moved, parted, total, last = 0, 0, 0, -1
    for code in range(size):
        records = 0
        for k in range(m):
            records += node.counts[begin + code * node.stride + node.alive[k]]
        if records == 0:
            continue
        best, n_near, perfect = considered(
            c, last, code, moved, n, parted, total, rule, doubt, near, best, n_near
        )
        if perfect:
            return best, n_near, True
        for k in range(m):
            own = node.counts[begin + code * node.stride + node.alive[k]]
            if own:
                more, opened = _passed(node, k, own, rule.table)
                total += more
                parted += opened
        moved += records
        if n - moved < rule.min_leaf:
            break
        last = code
    return best, n_near, False


@_inner
def cuts_in_order(
    node: Any, c: Any, rule: Any, doubt: Any, near: Any, best: Any, n_near: Any
) -> Any:
    """The same from records in the order of their codes."""
    codes, n = node.spare, len(node.here)
    clear(node.left, len(node.whole))
    moved, parted, total, last = 0, 0, 0, -1
    while n - moved >= rule.min_leaf and moved < n:
        code = codes[moved]
        best, n_near, perfect = considered(
            c, last, code, moved, n, parted, total, rule, doubt, near, best, n_near
        )
        if perfect:
            return best, n_near, True
        while moved < n and codes[moved] == code:
            more, opened = _passed(node, node.own[node.order[moved]], 1, rule.table)
            total += more
            parted += opened
            moved += 1
        last = code
    return best, n_near, False


# -- branches --------------------------------------------------------------------------------------


@_inner
def branches_counted(node: Any, size: Any, begin: Any, rule: Any) -> Any:
    """Of one branch for each value: how many, gain and information in units, the first two codes,
    and whether no class is parted. Fewer than two branches mean that there is no such split."""
    m, table = len(node.whole), rule.table
    gain = info = table[len(node.here)]
    n_branches, first, second, pieces = 0, -1, -1, 0
    for k in range(m):
        gain -= table[node.whole[k]]
    for code in range(size):
        records = 0
        for k in range(m):
            own = node.counts[begin + code * node.stride + node.alive[k]]
            records += own
            pieces += own > 0
            gain += table[own]
        if records == 0:
            continue
        if records < rule.min_leaf:
            return 0, gain, info, first, second, False
        gain -= table[records]
        info -= table[records]
        first, second = (code, -1) if n_branches == 0 else (first, code)
        n_branches += 1
    return n_branches, gain, info, first, second, pieces == m


@_inner
def branches_in_order(node: Any, rule: Any) -> Any:
    """The same from records in the order of their codes."""
    n, m, table = len(node.here), len(node.whole), rule.table
    gain = info = table[n]
    n_branches, first, second, pieces = 0, -1, -1, 0
    if _least_branch(node) < rule.min_leaf:
        return 0, gain, info, first, second, False
    for k in range(m):
        gain -= table[node.whole[k]]
    clear(node.left, m)
    begin = 0
    while begin < n:
        code, end = node.spare[begin], begin
        while end < n and node.spare[end] == code:
            k = node.own[node.order[end]]
            pieces += node.left[k] == 0
            node.left[k] += 1
            gain += table[node.left[k]] - table[node.left[k] - 1]
            end += 1
        for i in range(begin, end):
            node.left[node.own[node.order[i]]] = 0
        gain -= table[end - begin]
        info -= table[end - begin]
        first, second = (code, -1) if n_branches == 0 else (first, code)
        n_branches += 1
        begin = end
    return n_branches, gain, info, first, second, pieces == m


@_inner
def _least_branch(node: Any) -> Any:
    """The fewest records with one code."""
    n = len(node.here)
    least, begin = n, 0
    for i in range(1, n + 1):
        if i == n or node.spare[i] != node.spare[begin]:
            least, begin = min(least, i - begin), i
    return least


@_inner
def branches_noted(
    found: Any, c: Any, rule: Any, doubt: Any, near: Any, best: Any, n_near: Any
) -> Any:
    """Note what was found of branches."""
    n_branches, gain, info, first, second, whole = found
    if n_branches < 2:
        return best, n_near, False
    perfect = rule.ratio and whole
    value = gain / info if rule.ratio else gain * rule.unit
    best, n_near = noted(value, c, first, second, n_branches, doubt, near, best, n_near, perfect)
    return best, n_near, perfect
