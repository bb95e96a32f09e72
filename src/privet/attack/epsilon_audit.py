"""An audit of a sampler from outside: how large epsilon must be, judged by draws alone.

The sampler is run many times on each of two originals. For an outcome, a lower bound of its chance
given one and an upper bound given the other (Clopper and Pearson) bound the ratio from below, and
so epsilon. If that bound exceeds what is claimed, the claim is false, at the stated confidence. A
bound below the claim proves nothing but that these draws did not find a fault.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.attack.chances import at_least
from privet.errors import InvalidParameter

Sampler = Callable[[int, int], npt.NDArray[np.integer[Any]]]


@dataclass(frozen=True)
class Audit:
    """The largest epsilon that the draws prove, and the claim."""

    proven: float
    claimed: float
    draws: int
    confidence: float

    @property
    def refuted(self) -> bool:
        return self.proven > self.claimed


def audit_epsilon(
    sampler: Sampler,
    size: int,
    claimed: float,
    draws: int = 100_000,
    confidence: float = 0.99,
    pairs: int = 4,
) -> Audit:
    """Run `sampler(original, draws)` on a few originals and bound epsilon from below.

    Outcomes are picked on one half of the draws and judged on the other, so that the confidence
    needs a correction for the pairs alone.
    """
    if draws < 4:
        raise InvalidParameter("draws", "at least 4", draws)
    if not 0 < confidence < 1:
        raise InvalidParameter("confidence", "between 0 and 1", confidence)
    originals = sorted({round(i * (size - 1) / pairs) for i in range(pairs + 1)})
    half = draws // 2
    tries = [[np.bincount(sampler(x, half), minlength=size) for x in originals] for _ in range(2)]
    first, second = np.array(tries[0]), np.array(tries[1])
    # the most telling outcome for each ordered pair, by the first half
    doubt = (1 - confidence) / (len(originals) * (len(originals) - 1))
    proven = 0.0
    for a in range(len(originals)):
        for b in range(len(originals)):
            if a == b:
                continue
            outcome = int(np.argmax((first[a] + 0.5) / (first[b] + 0.5)))
            low = _lower(int(second[a, outcome]), half, doubt / 2)
            high = 1 - _lower(half - int(second[b, outcome]), half, doubt / 2)
            if low > 0:
                proven = max(proven, math.log(low / high))
    return Audit(proven, claimed, draws, confidence)


def _lower(hits: int, n: int, doubt: float) -> float:
    """Clopper and Pearson: the smallest chance that gives so many hits with probability `doubt`."""
    if hits == 0:
        return 0.0
    low, high = 0.0, hits / n
    for _ in range(60):
        middle = (low + high) / 2
        if at_least(hits, n, middle) < doubt:
            low = middle
        else:
            high = middle
    return low
