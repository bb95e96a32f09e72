"""Compiled loops over values in ascending order: rows in order, their counts, gains of cuts.

For columns with about as many values as rows. `privet.engine.in_order` keeps the rows in order,
`privet.tree.choose` asks for the gains. `counting` next door counts into tables instead.
"""

from typing import Any

import numpy as np

from privet.compiled.counting import _jit


@_jit
def rows_in_order(codes: Any, size: Any, out: Any) -> None:
    """All row numbers by ascending code: codes are counted, and each row is put into its place."""
    places = np.zeros(size + 1, dtype=np.uint32)
    for row in range(len(codes)):
        places[codes[row] + 1] += 1
    for code in range(size):
        places[code + 1] += places[code]
    for row in range(len(codes)):
        out[places[codes[row]]] = row
        places[codes[row]] += 1


@_jit
def keep_marked(rows: Any, marked: Any, out: Any) -> None:
    """Those of some rows that are marked, in their order; `out` has one place more than those."""
    kept = 0
    for i in range(len(rows)):
        out[kept] = rows[i]
        kept += marked[rows[i]]  # the next one takes the place of a row that is not marked


@_jit
def classes_in_order(rows: Any, codes: Any, classes: Any, found: Any, out: Any) -> int:
    """The codes of rows in order, each once, and out[place, class] += 1; how many codes it were."""
    place = -1
    for i in range(len(rows)):
        row = rows[i]
        if place < 0 or found[place] != codes[row]:
            place += 1
            found[place] = codes[row]
        out[place, classes[row]] += 1
    return place + 1


@_jit
def classes_of_own(rows: Any, codes: Any, classes: Any, seen: Any, found: Any, out: Any) -> int:
    """What `classes_in_order` finds of rows in any order, none of which shares its code: how many
    codes it were, or -1 where two rows share one. `seen` has a place for each code, all of them 0,
    and is left so; no `rows` stands for all."""
    n = len(rows) if len(rows) else len(codes)
    if len(rows):
        for i in range(n):
            seen[codes[rows[i]]] = classes[rows[i]] + 1
    else:
        for i in range(n):
            seen[codes[i]] = classes[i] + 1
    place = 0
    for code in range(len(seen)):
        if seen[code]:
            found[place] = code
            out[place, seen[code] - 1] = 1
            seen[code] = 0
            place += 1
    return place if place == n else -1


@_jit
def sums_in_order(rows: Any, codes: Any, units: Any, found: Any, out: Any) -> int:
    """The codes of rows in order, each once, and out[place] += (1, response)."""
    place = -1
    for i in range(len(rows)):
        row = rows[i]
        if place < 0 or found[place] != codes[row]:
            place += 1
            found[place] = codes[row]
        out[place, 0] += 1
        out[place, 1] += units[row]
    return place + 1


@_jit
def highest_gini(weights: Any, whole: Any, allowed: Any, least: Any, floor: Any) -> Any:
    """The highest gain of a cut (minus infinity without any), whether the weights add up to the
    whole, and how many cuts gain at least `floor`.

    A cut after row i counts if both sides have `least` records and allowed[i] says so; an empty
    `allowed` allows all.
    """
    left, before = np.zeros(len(whole)), _squares(whole) / whole.sum()
    n, n_left, best, found = whole.sum(), 0.0, -np.inf, 0
    for i in range(len(weights)):
        of_left, of_right = 0.0, 0.0
        for c in range(len(whole)):  # `_moved_on`, which would take twice as long here
            left[c] += weights[i, c]
            n_left += weights[i, c]
            right = whole[c] - left[c]
            of_left += left[c] * left[c]
            of_right += right * right
        if n_left < least or n - n_left < least or (len(allowed) and not allowed[i]):
            continue
        gain = of_left / n_left + of_right / (n - n_left) - before
        best = max(best, gain)
        found += gain >= floor
    return best, (left == whole).all(), found


@_jit
def gini_cuts(
    weights: Any,
    whole: Any,
    allowed: Any,
    least: Any,
    floor: Any,
    rows: Any,
    gains: Any,
    lefts: Any,
) -> None:
    """The cuts that gain at least `floor`: their rows, gains, and weights of the left side. There
    is room for as many as `highest_gini` finds; to make it here would slow each step down."""
    left, before = np.zeros(len(whole)), _squares(whole) / whole.sum()
    n, n_left, found = whole.sum(), 0.0, 0
    for i in range(len(weights)):
        of_left, of_right, moved = _moved_on(left, whole, weights, i)
        n_left += moved
        if n_left < least or n - n_left < least or (len(allowed) and not allowed[i]):
            continue
        gain = of_left / n_left + of_right / (n - n_left) - before
        if gain >= floor:
            rows[found], gains[found] = i, gain
            for c in range(len(whole)):
                lefts[found, c] = np.int64(left[c])
            found += 1


@_jit
def best_gini_of_columns(
    weights: Any, edges: Any, by_mean: Any, whole: Any, least: Any, out: Any
) -> None:
    """The highest gain of a cut of each column; minus infinity where there is none, and no number
    where the weights do not add up to the whole.

    The values of column i are the rows of `weights` from edges[i] up to edges[i+1]. They are cut in
    their order or, of two classes, in that of the share of the second.
    """
    left, before = np.empty(len(whole)), _squares(whole) / whole.sum()
    n = whole.sum()
    for column in range(len(out)):
        first, size = edges[column], edges[column + 1] - edges[column]
        order = np.arange(size)
        if by_mean[column]:
            order = _by_share(weights[first : first + size])
        best, n_left = -np.inf, 0.0
        left[:] = 0.0
        for i in range(size):
            of_left, of_right, moved = _moved_on(left, whole, weights, first + order[i])
            n_left += moved
            if n_left >= least and n - n_left >= least:
                best = max(best, of_left / n_left + of_right / (n - n_left) - before)
        out[column] = best if (left == whole).all() else np.nan


@_jit
def _moved_on(left: Any, whole: Any, weights: Any, row: Any) -> Any:
    """A cut moved past one value: the squares of both sides, and the records that went over."""
    of_left, of_right, moved = 0.0, 0.0, 0.0
    for c in range(len(whole)):
        left[c] += weights[row, c]
        moved += weights[row, c]
        right = whole[c] - left[c]
        of_left += left[c] * left[c]
        of_right += right * right
    return of_left, of_right, moved


@_jit
def _squares(whole: Any) -> Any:
    total = 0.0
    for c in range(len(whole)):
        total += whole[c] * whole[c]
    return total


@_jit
def _by_share(weights: Any) -> Any:
    """Values by the share of the second class, equal ones in their order."""
    shares = np.empty(len(weights))
    for i in range(len(weights)):
        shares[i] = weights[i, 1] / max(weights[i, 0] + weights[i, 1], 1)
    return np.argsort(shares, kind="mergesort")
