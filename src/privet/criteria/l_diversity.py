"""l-diversity: how far the sensitive value of a record is hidden within its equivalence class.

Four kinds, each with its own l (the largest one that holds is what `measure_l` gives):
strong     the most frequent value has at most a share of 1/l: l = size / most frequent count
distinct   at least l values occur
entropy    the entropy is at least log l: l = exp(entropy); ties are decided in `entropy.py`
recursive  r1 < c (rl + ... + rm), with r1 >= r2 >= ... the counts of the values, l whole
Missing is a value like any other.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.criteria import entropy
from privet.criteria.groups import Groups, spread
from privet.criteria.verdict import Figure, Verdict, plain
from privet.engine import Counts
from privet.errors import InvalidParameter
from privet.exact import smallest_ratio, threshold, times

KINDS = ("strong", "distinct", "entropy", "recursive")


@dataclass(frozen=True)
class LDiversity:
    """Every equivalence class has diversity l, of one kind; `c` matters to the recursive one only.

    l may be a fraction, given as number or decimal text; the recursive kind needs a whole one.
    """

    l: Fraction  # noqa: E741
    kind: str = "strong"
    c: Fraction = Fraction(3)

    def __init__(
        self,
        l: int | float | str | Fraction,  # noqa: E741
        kind: str = "strong",
        c: int | float | str | Fraction = 3,
    ) -> None:
        wanted = threshold("l", l, "a number of at least 1")
        if wanted < 1:
            raise InvalidParameter("l", "at least 1", l, "l = 2 is a common choice.")
        _require_kind(kind)
        if kind == "recursive" and wanted.denominator != 1:
            must, hint = "a whole number for the recursive kind", "the other kinds take any l."
            raise InvalidParameter("l", must, l, hint)
        object.__setattr__(self, "l", wanted)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "c", _positive(c))

    def judge(self, counts: Counts, totals: Integers | None = None) -> Verdict:
        return self.judge_groups(Groups.of(counts))

    def judge_groups(self, groups: Groups) -> Verdict:
        """The verdict on equivalence classes, whatever their cells count."""
        parameters: dict[str, int | float | str] = {"l": plain(self.l), "kind": self.kind}
        if self.kind == "recursive":
            parameters["c"] = plain(self.c)
        worst = _worst(groups, self.kind, self.c)
        return Verdict.of("l-diversity", parameters, worst, ~self.keeps(groups), groups.sizes)

    def admits(self, groups: npt.NDArray[Any], totals: npt.NDArray[Any] | None = None) -> Booleans:
        """Whether each candidate group is diverse enough (or empty); see `Criterion.admits`."""
        occupied_groups, occupied = Groups.of_arrays(groups)
        return spread(self.keeps(occupied_groups), occupied, groups.shape[:-1])

    def keeps(self, groups: Groups, totals: Integers | None = None) -> Booleans:
        """Whether each group is diverse enough."""
        kept: Booleans
        if self.kind == "strong":
            kept = times(groups.tops, self.l.numerator) <= times(groups.sizes, self.l.denominator)
        elif self.kind == "distinct":
            kept = times(groups.distinct, self.l.denominator) >= self.l.numerator
        elif self.kind == "entropy":
            kept = entropy.reaches(groups, self.l)
        else:
            kept = _recursive_l(groups, self.c) >= self.l.numerator
        return kept


def measure_l(counts: Counts, kind: str = "strong", c: int | float | str | Fraction = 3) -> Figure:
    """The largest l of one kind that holds in every equivalence class.

    Strong: a Fraction. Distinct and recursive: a whole number (recursive: 0 if not even l = 1
    holds with this c). Entropy: exp(entropy) as the nearest float, whole for equal counts.
    """
    _require_kind(kind)
    return _worst(Groups.of(counts), kind, _positive(c))


def _worst(groups: Groups, kind: str, c: Fraction) -> Figure:
    if kind == "strong":
        return smallest_ratio(groups.sizes, groups.tops)
    if kind == "entropy":
        return entropy.smallest(groups)
    return int((groups.distinct if kind == "distinct" else _recursive_l(groups, c)).min())


def _recursive_l(groups: Groups, c: Fraction) -> Integers:
    """For each group the largest l with r1 < c (rl + ... + rm), 0 if there is none.

    The right side falls as l rises, so it is the number of places l where the condition holds.
    """
    of_cell = groups.of_cell
    descending = groups.n[np.lexsort((-groups.n, of_cell))]
    before = np.cumsum(descending) - descending
    tails = (before[groups.starts] + groups.sizes)[of_cell] - before
    holds = times(groups.tops, c.denominator)[of_cell] < times(tails, c.numerator)
    return groups.total(holds.astype(np.int64))


def _positive(c: int | float | str | Fraction) -> Fraction:
    value = threshold("c", c, "a number above 0")
    if value <= 0:
        raise InvalidParameter("c", "a number above 0", c, "c = 3 is a common choice.")
    return value


def _require_kind(kind: str) -> None:
    if kind not in KINDS:
        must, hint = "one of " + ", ".join(KINDS), "strong is the default."
        raise InvalidParameter("the kind of l", must, kind, hint)
