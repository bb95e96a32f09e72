"""Alphabets: the new values that a recoding by leaf may take for one column.

The search for a recoding (`faults`, `local_search`, `solver`) works over one alphabet at a time,
the plain one first.
"""

import sys
from fractions import Fraction
from typing import Any

import numpy as np

from privet.arrays import Booleans
from privet.exact import in_single_precision
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.contests import NodeSeen
from privet.table import Domain
from privet.tree.candidates import midpoints

MOST_VALUES = 28  # of the richer alphabet
_LARGEST_FLOAT = Fraction(sys.float_info.max)


def own_values(task: ColumnTask) -> Domain:
    """The values that the global recoding releases (M)."""
    return task.base.domain


def more_values(task: ColumnTask) -> Domain:
    """Those, the values next to thresholds, and reflections on thresholds (R)."""
    base, domain = task.base.domain, task.domain
    if not task.ordered or len(domain.values) == 0:
        return base
    chosen: dict[Any, None] = dict.fromkeys(base.values.tolist())
    gaps = task.leaf_counts.gaps(task.column)
    ends = [domain.values[code].item() for gap in gaps for code in (gap.below, gap.above)]
    chosen.update(dict.fromkeys(ends))
    thresholds = sorted({gap.threshold for gap in gaps})
    for value in list(chosen):
        for threshold in thresholds:
            if len(chosen) >= max(MOST_VALUES, len(base.values)):
                break
            image = mirrored(value, threshold, domain)
            if image is not None:
                chosen[image] = None
    values = np.array(sorted(chosen), dtype=domain.values.dtype)
    return Domain(domain.kind, values, base.missing)


def mirrored(value: float, threshold: float, domain: Domain) -> int | float | None:
    """The number as far behind a threshold as a value is before it; None if that is none of the
    column's kind and range."""
    exact = 2 * Fraction(threshold) - Fraction(value)
    if domain.kind.is_integral:
        image: int | float = int(exact)
        if exact.denominator != 1:
            return None
    elif abs(exact) > _LARGEST_FLOAT:
        return None
    else:
        image = float(exact) + 0.0
    return image if domain.values[0].item() <= image <= domain.values[-1].item() else None


def neighbours_keeping(task: ColumnTask, seen: NodeSeen, domain: Domain) -> Booleans:
    """Condition 2 for any two values as neighbours, the lower one first (codes x codes): whether
    they keep the threshold, in the arithmetic of the growers in question. Found once for each
    alphabet of a task."""
    key = id(domain), seen.threshold
    if key not in task.neighbours:  # with the domain, so that no other gets its number
        task.neighbours[key] = domain, _neighbours_keeping(task.float32_safe, key[1], domain)
    return task.neighbours[key][1]


def _neighbours_keeping(float32_safe: bool, threshold: float | None, domain: Domain) -> Booleans:
    keeps = np.zeros((domain.size, domain.size), dtype=bool)
    values = domain.values
    if threshold is None:
        return keeps
    low, high = np.triu_indices(len(values), 1)
    kept = midpoints(values[low], values[high]) == threshold
    if float32_safe:
        fits = in_single_precision(values)
        halves = values.astype(np.float32).astype(np.float64) / 2
        kept &= fits[low] & fits[high] & (halves[low] + halves[high] == threshold)
    keeps[low[kept], high[kept]] = True
    return keeps
