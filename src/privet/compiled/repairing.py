"""Compiled loops of the local search for a recoding by leaf: faults of trials, and their repair.

The twin of `preserve.by_leaf.faults` and `preserve.by_leaf.local_search`, for one tree that cuts
values along an order or by mean, by Gini's gain or by deviance. Whole numbers in floats are added
up, so that each sum is exact in any order, and what is rounded is rounded as it is there.

`tree`: how the tree cuts (the order of codes, by mean or not, the first and last column of its
weights, whether they are sums, whether records are the first column, the smallest leaf). `nodes`:
the arrays of `faults._Block`. Trials of one atom are of each of some options.
"""

from typing import Any

import numpy as np

from privet.compiled.counting import _inner, _jit

REPAIRED, FAILED, MORE_WORDS = 1, 0, 2


@_inner
def _purity(weights: Any, first: Any, last: Any, sums: Any, n: Any) -> Any:
    if n <= 0:
        return 0.0
    if sums:
        return weights[first + 1] * weights[first + 1] / n
    total = 0.0
    for c in range(first, last):
        total += weights[c] * weights[c]
    return total / n


@_inner
def _records(weights: Any, counted: Any) -> Any:
    """The records of one row of weights: its first column, or the sum of `counted` columns."""
    total = weights[0]
    for c in range(1, counted):
        total += weights[c]
    return total


@_inner
def _look_at_cut(left: Any, total: Any, n_left: Any, n: Any, wrong: Any, node: Any, at: Any) -> Any:
    """Whether a cut is a fault, and whether it is the chosen one, offered."""
    tree, nodes, right_side = at
    first, last, sums, min_leaf = tree[2], tree[3], tree[4], tree[6]
    parent, limit, later, own, _, of_left = nodes[:6]
    n_right = n - n_left
    if n_left < min_leaf or n_right < min_leaf:
        return False, False
    if own[node] and wrong == 0 and n_left == of_left[node]:
        return False, True
    for c in range(len(total)):
        right_side[c] = total[c] - left[c]
    gain = _purity(left, first, last, sums, n_left) + _purity(
        right_side, first, last, sums, n_right
    )
    bound = later[node] if own[node] and wrong > 0 else limit[node]
    return gain - parent[node] > bound, False


@_inner
def _missing_or_moved(n: Any, node: Any, code: Any, nodes: Any) -> Any:
    """Values to be carried that are not, and whether the threshold moved, with a further record at
    a value; everything in the order of the tree."""
    right, required, keeps, has_threshold = nodes[4], nodes[6], nodes[7], nodes[8]
    size = len(n)
    found = 0
    lowest, highest = -1, -1
    for i in range(size):
        if n[i] > 0 or i == code:
            if right[node, i] and lowest < 0:
                lowest = i
            if not right[node, i]:
                highest = i
        elif required[node, i]:
            found += 1
    if has_threshold[node]:
        lowest = max(lowest, 0)
        highest = highest if highest >= 0 else size - 1
        found += not keeps[node, highest, lowest]
    return found


@_inner
def _along_the_order(
    histogram: Any, n: Any, weight: Any, more: Any, node: Any, options: Any, at: Any, out: Any
) -> None:
    """Faults among the cuts of one node along its order, for each place that an atom may take.

    A cut only depends on whether the atom is to its left. So each is looked at twice, or three
    times where the node is own and it matters whether the atom's value goes right.
    """
    size, width = histogram.shape
    right = at[1][4]
    left, with_it, total = np.zeros(width), np.zeros(width), weight.copy()
    n_total = more
    for i in range(size):
        _add(total, histogram[i])
        n_total += n[i]
    before = np.zeros(size + 1)  # faults of cuts before a place, the atom to their right
    behind = np.zeros((2, size + 1))  # the same with it to their left, its value going left, right
    at_place = np.zeros((2, size))
    n_left, wrong = 0.0, 0.0
    for i in range(size):
        _add(left, histogram[i])
        n_left += n[i]
        wrong += n[i] * right[node, i]
        without, _ = _look_at_cut(left, total, n_left, n_total, wrong, node, at)
        before[i + 1] = before[i] + (without and n[i] > 0)
        for c in range(width):
            with_it[c] = left[c] + weight[c]
        for goes in range(2):
            wrong_now = wrong + more * goes
            is_fault, _ = _look_at_cut(with_it, total, n_left + more, n_total, wrong_now, node, at)
            at_place[goes, i] = is_fault
            behind[goes, i + 1] = behind[goes, i] + (is_fault and n[i] > 0)
    for place in range(len(options)):
        p = options[place]
        goes = 1 if right[node, p] else 0
        rest = behind[goes, size] - behind[goes, p + 1]
        out[place] = before[p] + at_place[goes, p] + rest


@_inner
def _by_mean(
    histogram: Any, n: Any, weight: Any, more: Any, node: Any, options: Any, at: Any, out: Any
) -> None:
    """The same by mean: the values of each trial are put in order, equal means by their codes."""
    size, width = histogram.shape
    above = at[0][2] + 1
    own, right = at[1][3], at[1][4]
    left, total = np.zeros(width), weight.copy()
    n_total = more
    means, order = np.empty(size), np.empty(size, dtype=np.int64)
    for i in range(size):
        _add(total, histogram[i])
        n_total += n[i]
    for place in range(len(options)):
        p = options[place]
        found = 0
        for i in range(size):
            extra = more if i == p else 0.0
            there = n[i] + extra
            if there <= 0:
                continue
            share = (histogram[i, above] + (weight[above] if i == p else 0.0)) / there
            j = found
            while j > 0 and means[j - 1] > share:
                means[j], order[j] = means[j - 1], order[j - 1]
                j -= 1
            means[j], order[j] = share, i
            found += 1
        for c in range(width):
            left[c] = 0.0
        n_left, wrong, faults, offered = 0.0, 0.0, 0, False
        for j in range(found):
            i = order[j]
            _add(left, histogram[i])
            there = n[i]
            if i == p:
                _add(left, weight)
                there += more
            n_left += there
            wrong += there * right[node, i]
            is_fault, is_chosen = _look_at_cut(left, total, n_left, n_total, wrong, node, at)
            faults += is_fault
            offered = offered or is_chosen
        out[place] = faults + (own[node] and not offered)


@_inner
def _faults_in(
    histogram: Any, weight: Any, code: Any, node: Any, options: Any, at: Any, out: Any
) -> None:
    """The faults of one node for each value that an atom, now at `code`, might take."""
    tree, nodes = at[0], at[1]
    order, by_mean, counted = tree[0], tree[1], tree[5]
    size, width = histogram.shape
    without, n = np.empty((size, width)), np.empty(size)
    place_of = np.empty(size, dtype=np.int64)
    for i in range(size):
        place_of[order[i]] = i
        for c in range(width):
            without[i, c] = histogram[order[i], c]
    for c in range(width):
        without[place_of[code], c] -= weight[c]
    for i in range(size):
        n[i] = _records(without[i], counted)
    more = _records(weight, counted)
    places = np.empty(len(options), dtype=np.int64)
    for i in range(len(options)):
        places[i] = place_of[options[i]]
    if by_mean:
        _by_mean(without, n, weight, more, node, places, at, out)
    else:
        _along_the_order(without, n, weight, more, node, places, at, out)
    for i in range(len(options)):
        out[i] += _missing_or_moved(n, node, places[i], nodes)


@_jit
def trial_faults(
    histograms: Any, weight: Any, code: Any, rows: Any, options: Any, tree: Any, nodes: Any
) -> Any:
    """The faults of some nodes for each value that an atom below them might take, options x
    nodes."""
    found = np.empty((len(options), len(rows)))
    out = np.empty(len(options))
    at = tree, nodes, np.empty(histograms.shape[2])
    for i in range(len(rows)):
        _faults_in(histograms[rows[i]], weight, code, rows[i], options, at, out)
        for j in range(len(options)):
            found[j, i] = out[j]
    return found


@_inner
def _drawn(words: Any, place: Any, n: Any) -> Any:
    """One of n things, as Python's generator takes it from its words, and the place of the next
    word; -1 where they do not suffice."""
    bits = 0
    while n >> bits:
        bits += 1
    while place < len(words):
        drawn = np.int64(words[place]) >> (32 - bits)
        place += 1
        if drawn < n:
            return drawn, place
    return np.int64(-1), place


@_inner
def _add(total: Any, more: Any) -> None:
    for c in range(len(total)):  # quicker to compile than a sum of arrays
        total[c] += more[c]


@_inner
def _count(marked: Any) -> Any:
    found = 0
    for i in range(len(marked)):
        found += marked[i]
    return found


@_inner
def _marked(inside: Any, atom: Any) -> Any:
    """The nodes that an atom is below."""
    found = np.empty(len(inside), dtype=np.int64)
    n = 0
    for node in range(len(inside)):
        if inside[node, atom]:
            found[n] = node
            n += 1
    return found[:n]


@_inner
def _nth(marked: Any, number: Any) -> Any:
    """The place of the mark with a number, counted from 0."""
    for i in range(len(marked)):
        if marked[i]:
            if number == 0:
                return i
            number -= 1
    return -1


@_inner
def _lowest(found: Any, lowest: Any) -> Any:
    """Mark the rows whose sum is the lowest; how many they are."""
    best, ties = np.inf, 0
    for i in range(len(found)):
        total = 0.0
        for j in range(found.shape[1]):
            total += found[i, j]
        if total < best:
            best, ties = total, 0
            for j in range(i):
                lowest[j] = False
        lowest[i] = total == best
        ties += total == best
    return ties


@_jit
def repair(
    codes: Any,
    faults: Any,
    histograms: Any,
    weights: Any,
    inside: Any,
    options: Any,
    edges: Any,
    words: Any,
    place: Any,
    steps: Any,
    tree: Any,
    nodes: Any,
) -> Any:
    """Give atoms below a faulty node better values; what came of it, the place of the next word,
    and the steps that are left where words are."""
    broken = np.zeros(len(faults), dtype=np.bool_)
    below = np.zeros(len(codes), dtype=np.bool_)
    while steps > 0:
        for i in range(len(faults)):
            broken[i] = faults[i] != 0
        n_broken = _count(broken)
        if n_broken == 0:
            return REPAIRED, place, steps
        drawn, at = _drawn(words, place, n_broken)
        if drawn < 0:
            return MORE_WORDS, place, steps
        node = _nth(broken, drawn)
        for i in range(len(below)):
            below[i] = inside[node, i] and edges[i + 1] - edges[i] > 1
        n_below = _count(below)
        if n_below == 0:
            return FAILED, at, steps
        drawn, at = _drawn(words, at, n_below)
        if drawn < 0:
            return MORE_WORDS, place, steps
        atom = _nth(below, drawn)
        may = options[edges[atom] : edges[atom + 1]]
        rows = _marked(inside, atom)
        found = trial_faults(histograms, weights[atom], codes[atom], rows, may, tree, nodes)
        lowest = np.zeros(len(may), dtype=np.bool_)
        ties = _lowest(found, lowest)
        drawn, at = _drawn(words, at, ties)
        if drawn < 0:
            return MORE_WORDS, place, steps
        best = _nth(lowest, drawn)
        for i in range(len(rows)):
            faults[rows[i]] = found[best, i]
            for c in range(weights.shape[1]):
                histograms[rows[i], codes[atom], c] -= weights[atom, c]
                histograms[rows[i], may[best], c] += weights[atom, c]
        codes[atom] = may[best]
        place = at
        steps -= 1
    for i in range(len(faults)):
        if faults[i] != 0:
            return FAILED, place, steps
    return REPAIRED, place, steps
