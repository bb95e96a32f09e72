"""Joins: neighbouring released values become one everywhere, so that the cut between is gone.

Never across a threshold or a list of the tree, never two pinned numbers, never a number with
missing. A join of neighbouring numbers changes no other candidate.
"""

import numpy as np

from privet.arrays import Booleans, Integers
from privet.preserve.by_leaf.contests import Violation
from privet.preserve.rich.watch import Watch


def join(watch: Watch, fixed: Booleans, violation: Violation) -> list[tuple[int, int]]:
    """Join the values next to the cut: pairs of (the one that stays, one that goes), or nothing."""
    if watch.task.ordered:
        stays, gone = _neighbours(watch, fixed, violation)
    else:
        stays, gone = _labels(watch, fixed, violation)
    watch.set(np.flatnonzero(np.isin(watch.codes, gone)), stays)
    return [(stays, goes) for goes in gone]


def _neighbours(watch: Watch, fixed: Booleans, violation: Violation) -> tuple[int, list[int]]:
    codes, domain = watch.codes, watch.domain
    low, high = int(codes[violation.left].max()), int(codes[violation.right].min())
    if high == domain.missing_code:
        return low, []
    below, above = domain.values[low].item(), domain.values[high].item()
    thresholds = [seen.threshold for seen in watch.task.own]
    if any(t is not None and below <= t < above for t in thresholds):
        return low, []
    # other nodes may have values between the two: these go with them, or the order would change
    return _heaviest(watch, fixed, np.unique(codes[(codes >= low) & (codes <= high)]).tolist())


def _labels(watch: Watch, fixed: Booleans, violation: Violation) -> tuple[int, list[int]]:
    codes = watch.codes
    sides = [
        task_side
        for seen in watch.task.own
        for task_side in (
            watch.task.side(seen, number, watch.domain) for number in range(len(seen.sides))
        )
    ]
    best: tuple[int, list[int]] = -1, []
    records = watch.task.records_of(watch.atoms.weights)
    total = np.bincount(codes, weights=records, minlength=watch.domain.size)
    for one in np.unique(codes[violation.left]).tolist():
        for two in np.unique(codes[violation.right]).tolist():
            if any(side[one] != side[two] for side in sides):
                continue
            stays, gone = _heaviest(watch, fixed, [one, two])
            if gone and (not best[1] or total[gone[0]] < total[best[1][0]]):
                best = stays, gone
    return best


def _heaviest(watch: Watch, fixed: Booleans, values: list[int]) -> tuple[int, list[int]]:
    """The value that stays, and those that go: none, if two are pinned.

    The pinned one stays, else that of most records, else the lowest.
    """
    records: Integers = watch.task.records_of(watch.atoms.weights)
    pinned = np.unique(watch.codes[fixed])
    those = [code for code in values if code in pinned]
    if len(those) > 1:
        return values[0], []
    heavy = [int(records[watch.codes == code].sum()) for code in values]
    stays = those[0] if those else values[heavy.index(max(heavy))]
    return stays, [code for code in values if code != stays]
