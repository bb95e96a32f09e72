"""t-closeness: how far sensitive values in an equivalence class are spread unlike in the table.

Equal distance (categories): half the sum of absolute differences of shares. Ordered distance
(numbers and dates): the earth mover's distance over the sorted values that occur, missing last,
neighbours being 1 / (values - 1) apart. Both are one integer over another, so that every engine
and every order of rows gives the same figure.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.criteria.groups import Groups, spread
from privet.criteria.verdict import Verdict, plain
from privet.engine import Counts
from privet.errors import InvalidParameter
from privet.exact import peak, smallest_ratio, threshold, times, wide_enough


@dataclass(frozen=True)
class TCloseness:
    """In every equivalence class the distance to the whole table is at most t."""

    t: Fraction
    ordered: bool = False

    def __init__(self, t: int | float | str | Fraction, ordered: bool = False) -> None:
        must = "a number between 0 and 1"
        wanted = threshold("t", t, must)
        if not 0 <= wanted <= 1:
            raise InvalidParameter("t", must, t, "t = 0.3 is a common choice.")
        object.__setattr__(self, "t", wanted)
        object.__setattr__(self, "ordered", ordered)

    def judge(self, counts: Counts, totals: Integers | None = None) -> Verdict:
        groups = Groups.of(counts)
        return self.judge_groups(groups, totals_of(counts) if totals is None else totals)

    def judge_groups(self, groups: Groups, totals: npt.NDArray[Any]) -> Verdict:
        """The verdict on equivalence classes, whatever their cells count."""
        parameters: dict[str, int | float | str] = {
            "t": plain(self.t),
            "distance": "ordered" if self.ordered else "equal",
        }
        above, below = _distances(groups, totals, self.ordered)
        worst = smallest_ratio(above, groups.sizes, largest=True) / below
        broken = ~self._within(above, below, groups.sizes)
        return Verdict.of("t-closeness", parameters, worst, broken, groups.sizes)

    def admits(self, groups: npt.NDArray[Any], totals: npt.NDArray[Any]) -> Booleans:
        """Whether each candidate group is close to `totals` (or empty); see `Criterion.admits`."""
        occupied_groups, occupied = Groups.of_arrays(groups)
        within = self.keeps(occupied_groups, totals.astype(np.int64, copy=False))
        return spread(within, occupied, groups.shape[:-1])

    def keeps(self, groups: Groups, totals: Integers) -> Booleans:
        """Whether each group is close to the whole table, `totals` by sensitive value."""
        above, below = _distances(groups, totals, self.ordered)
        return self._within(above, below, groups.sizes)

    def _within(self, above: npt.NDArray[Any], below: int, sizes: Integers) -> Booleans:
        allowed = times(times(sizes, below), self.t.numerator)
        within: Booleans = times(above, self.t.denominator) <= allowed
        return within


def measure_t(counts: Counts, ordered: bool = False, totals: Integers | None = None) -> Fraction:
    """The largest distance of an equivalence class: the smallest t that holds.

    Where counts are a portion of those of a table, `totals` are of the whole table.
    """
    groups = Groups.of(counts)
    totals = totals_of(counts) if totals is None else totals
    above, below = _distances(groups, totals, ordered)
    return smallest_ratio(above, groups.sizes, largest=True) / below


def totals_of(counts: Counts) -> Integers:
    """The records of the whole table by sensitive value."""
    totals = np.zeros(int(counts.keys[:, -1].max()) + 1, dtype=np.int64)
    np.add.at(totals, counts.keys[:, -1], counts.n)
    return totals


def _distances(groups: Groups, totals: Integers, ordered: bool) -> tuple[npt.NDArray[Any], int]:
    """Distances as integers: the one of group g is above[g] / (size of g * below)."""
    records = int(totals.sum())
    if not ordered:
        return _equal(groups, totals, records), records
    steps = max(1, int(np.count_nonzero(totals)) - 1)
    return _moved(groups, totals, records), records * steps


def _equal(groups: Groups, totals: Integers, records: int) -> npt.NDArray[Any]:
    """Sum of max(0, c N - T n) over the values of a group: the excess of shares, which is half the
    sum of all absolute differences, because these differences sum to zero.

    Each product is at most n N, and so is their sum.
    """
    bound = records * peak(groups.sizes)
    n, overall = wide_enough(groups.n, bound), wide_enough(totals, bound)
    excess = n * records - overall[groups.values] * groups.sizes[groups.of_cell]
    return groups.total(np.maximum(excess, 0))


def _moved(groups: Groups, totals: Integers, records: int) -> npt.NDArray[Any]:
    """Sum over all values j of |C_j N - P_j n|, C and P being cumulative counts.

    C stays the same from one value of the group to its next, while P rises: so a group costs its
    own values, not all values of the table. Within such a stretch, the terms change sign once,
    where P exceeds C N / n; sums of P on both sides come from a second cumulative sum.
    Each term is at most n N, there are as many as values, and every partial sum stays below twice
    values * n * N.
    """
    occurring = np.flatnonzero(totals)
    size_of = groups.sizes[groups.of_cell]
    bound = 4 * len(occurring) * records * peak(groups.sizes)
    up_to = np.cumsum(totals[occurring])
    overall = wide_enough(up_to, bound)
    sums = np.concatenate(([0], np.cumsum(overall)))  # sums[j]: P of all values before j
    first = np.searchsorted(occurring, groups.values)
    after = np.append(first[1:], 0)
    after[groups.starts[1:] - 1] = len(occurring)
    after[-1:] = len(occurring)
    cumulative = np.cumsum(groups.n)
    cumulative -= (cumulative[groups.starts] - groups.n[groups.starts])[groups.of_cell]
    reached = wide_enough(cumulative, bound) * records
    turn = np.searchsorted(up_to, (reached // size_of).astype(up_to.dtype), side="right")
    turn = np.clip(turn, first, after)
    lower = reached * (turn - first) - size_of * (sums[turn] - sums[first])
    upper = size_of * (sums[after] - sums[turn]) - reached * (after - turn)
    leading = groups.sizes * sums[first[groups.starts]]
    moved: npt.NDArray[Any] = leading + groups.total(lower + upper)
    return moved
