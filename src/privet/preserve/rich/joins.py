"""Joins: two released values become one everywhere, so that the cut between them is gone.

Never across a threshold or a list of the tree, never two pinned numbers, never a number with
missing. A join of neighbouring numbers changes no other candidate.
"""

import numpy as np

from privet.arrays import Booleans, Integers
from privet.preserve.by_leaf.contests import Violation
from privet.preserve.rich.watch import Watch


def join(watch: Watch, fixed: Booleans, violation: Violation) -> tuple[int, int] | None:
    """Join the cheapest pair of values over the cut: (the one that stays, the one that goes)."""
    ordered = watch.task.ordered
    pair = _neighbours(watch, fixed, violation) if ordered else _labels(watch, fixed, violation)
    if pair is None:
        return None
    stays, goes = pair
    watch.set(np.flatnonzero(watch.codes == goes), stays)
    return pair


def _neighbours(watch: Watch, fixed: Booleans, violation: Violation) -> tuple[int, int] | None:
    codes, domain = watch.codes, watch.domain
    low, high = int(codes[violation.left].max()), int(codes[violation.right].min())
    if high == domain.missing_code:
        return None
    below, above = domain.values[low].item(), domain.values[high].item()
    # every released value between the two goes with them
    thresholds = [seen.threshold for seen in watch.task.own]
    if any(t is not None and below <= t < above for t in thresholds):
        return None
    return _heavier(watch, fixed, low, high)


def _labels(watch: Watch, fixed: Booleans, violation: Violation) -> tuple[int, int] | None:
    codes = watch.codes
    sides = [
        task_side
        for seen in watch.task.own
        for task_side in (
            watch.task.side(seen, number, watch.domain) for number in range(len(seen.sides))
        )
    ]
    best = None
    records = watch.task.records_of(watch.atoms.weights)
    total = np.bincount(codes, weights=records, minlength=watch.domain.size)
    for one in np.unique(codes[violation.left]).tolist():
        for two in np.unique(codes[violation.right]).tolist():
            if any(side[one] != side[two] for side in sides):
                continue
            pair = _heavier(watch, fixed, one, two)
            if pair is not None and (best is None or total[pair[1]] < total[best[1]]):
                best = pair
    return best


def _heavier(watch: Watch, fixed: Booleans, one: int, two: int) -> tuple[int, int] | None:
    """The value that stays: the pinned one, else that of more records, else the lower."""
    records: Integers = watch.task.records_of(watch.atoms.weights)
    has = [watch.codes == code for code in (one, two)]
    pinned = [bool(fixed[h].any()) for h in has]
    if all(pinned):
        return None
    heavier = int(records[has[1]].sum()) > int(records[has[0]].sum())
    second = pinned[1] or (heavier and not pinned[0])
    return (two, one) if second else (one, two)
