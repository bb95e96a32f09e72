"""Alphabets: the new values that a recoding by leaf may take for one column.

The search for a recoding (`faults`, `local_search`, `solver`) works over one alphabet at a time,
the plain one first.
"""

import sys
from fractions import Fraction
from typing import Any

import numpy as np

from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.contests import NodeSeen
from privet.table import Domain
from privet.tree.candidates import midpoint

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
    low, high = domain.values[0].item(), domain.values[-1].item()
    chosen: dict[Any, None] = dict.fromkeys(base.values.tolist())
    gaps = task.leaf_counts.gaps(task.column)
    ends = [domain.values[code].item() for gap in gaps for code in (gap.below, gap.above)]
    chosen.update(dict.fromkeys(ends))
    thresholds = sorted({gap.threshold for gap in gaps})
    for value in list(chosen):
        for threshold in thresholds:
            if len(chosen) >= max(MOST_VALUES, len(base.values)):
                break
            mirrored = _number(2 * Fraction(threshold) - Fraction(value), domain)
            if mirrored is not None and low <= mirrored <= high:
                chosen[mirrored] = None
    values = np.array(sorted(chosen), dtype=domain.values.dtype)
    return Domain(domain.kind, values, base.missing)


def _number(value: Fraction, domain: Domain) -> int | float | None:
    if domain.kind.is_integral:
        return int(value) if value.denominator == 1 else None
    if abs(value) > _LARGEST_FLOAT:
        return None
    return float(value) + 0.0


def keeps_threshold(task: ColumnTask, seen: NodeSeen, low: Any, high: Any) -> bool:
    """Condition 2 for two neighbouring values, in the arithmetic of the growers in question."""
    threshold = seen.threshold
    if threshold is None or midpoint(low, high) != threshold:
        return False
    if not task.float32_safe:
        return True
    a, b = np.float32(low), np.float32(high)
    return float(a) == low and float(b) == high and float(a) / 2 + float(b) / 2 == threshold
