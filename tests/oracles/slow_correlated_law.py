"""The chance of a released record whose numbers were moved together, as a reader works it out.

Column after column: the centre of the noise is where regression on the moves before puts it, by the
inverse of their covariances; the chance of a point is what the bars put on all places that walk
back to it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from oracles.slow_number_law import slow_fold

OWN = 0.01


def slow_chance(
    bars: list[int],
    entries: Sequence[dict[str, Any]],
    correlations: Sequence[Sequence[float]],
    person: Sequence[int],
    record: Sequence[int],
) -> float:
    """From what mechanism.json tells of the moved columns, in their order; values in units."""
    keeps = [1 / (1 + entry["sd"] ** 2) ** 0.5 for entry in entries]
    spread = np.array([k * e["sd"] * e["relative_to"] for k, e in zip(keeps, entries, strict=True)])
    shrunk = (1 - OWN) * np.array(correlations) + OWN * np.eye(len(entries))
    covariance = shrunk * np.outer(spread, spread)
    starts = [
        e["mean"] + k * (x - e["mean"]) for k, e, x in zip(keeps, entries, person, strict=True)
    ]
    total, moves = 1.0, np.zeros(len(entries))
    for j, entry in enumerate(entries):
        before = covariance[:j, :j]
        weights = np.linalg.solve(before, covariance[:j, j]) if j else np.zeros(0)
        left = covariance[j, j] - weights @ covariance[:j, j]
        # A move before counts by what the column's own curve explains of it.
        centre = starts[j] + weights @ moves[:j]
        total *= _walked(bars, entry, centre, max(left - 1 / 12, 0.0) ** 0.5, record[j])
        innovation = (record[j] - centre) * left / max(left, 1 / 12)
        moves[j] = weights @ moves[:j] + innovation
    return total


def _walked(
    bars: list[int], entry: dict[str, Any], centre: float, stretch: float, point: int
) -> float:
    low, high, ends = entry["low"], entry["high"], entry["ends"]
    middle = (len(bars) - 1) / 2
    square = sum(c * ((i - middle) ** 2 + 1 / 12) for i, c in enumerate(bars)) / sum(bars)
    width = stretch / square**0.5
    if width == 0:
        return float(slow_fold(int(np.floor(centre + 0.5)), low, high, ends) == point)
    found = 0.0
    for place, chance in enumerate(bars):
        start = centre + (place - len(bars) / 2) * width
        unit = int(np.floor(start + 0.5))
        while unit - 0.5 < start + width:
            share = min(start + width, unit + 0.5) - max(start, unit - 0.5)
            if share > 0 and slow_fold(unit, low, high, ends) == point:
                found += chance / sum(bars) * share / width
            unit += 1
    return found
