"""The choice of C4.5: the best gain ratio among the tests whose gain is at least average.

Each column offers one test: its cut, its branches or its best subset, taken by information gain.
The average is over the columns that gain anything, but for those with a branch for nearly every
record. Without it a gain ratio is high where a test cuts off next to nothing. One branch for each
category may be asked if two of them are large enough, whatever the others have: a column of many
values then lifts the average. With `mdl`, a cut between numbers pays log2 of the number of cuts it
was chosen among, as later versions of C4.5 have it. C4.5 also wants a tenth of a node's records by
class, at most 25, on each side of such a cut; that is not done, for fewer trees outlive noise so.

C4.5 grows a whole tree. Where leaves are limited, the node that gains most is split next, since a
ratio says nothing of how many records it is about; what would make too many leaves is passed over.

The average couples the columns of a node: what is done to one can change the choice among others.
So no theorem keeps such a tree (`privet publish` refuses it). `choose` next door is for rules that
score every candidate by itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privet.exact import LogRatio, LogSum
from privet.tree.candidates import Cuts, OneBranchEach
from privet.tree.choose import NEAR, Choice, Offer, choose
from privet.tree.grower import Grower
from privet.tree.impurity import RULES, Weights

_GAIN, _RATIO = RULES["entropy"], RULES["c45"]
_LARGE_BRANCHES = 2
_MANY_BRANCHES = Fraction(3, 10)  # of the records of the table: left out of the average
_ROUNDING = 1e-12  # of a gain, for each record


@dataclass(frozen=True, eq=False)
class C45Choice(Choice):
    """A test with its gain ratio, the gain being less what the choice of a cut costs."""

    cuts: int = 1

    @cached_property
    def gain(self) -> LogSum:
        """In bits times records; exact."""
        cost = LogSum([(self.cuts, 1)])
        return LogSum.gain(self.children, self.parent).minus(cost)

    @cached_property
    def exact(self) -> LogRatio:
        return LogRatio(self.gain, LogSum.disorder([sum(child) for child in self.children]))

    @property
    def may_be_passed_over(self) -> bool:
        return True

    def beats(self, other: Choice, older: bool) -> bool:
        """Among nodes the gain decides: the ratio says nothing of how many records it is about."""
        assert isinstance(other, C45Choice)
        slack = NEAR * max(self.gain_score, other.gain_score) + _ROUNDING * sum(self.parent)
        if abs(self.gain_score - other.gain_score) > slack:
            return self.gain_score > other.gain_score
        lead = self.gain.minus(other.gain).sign()
        return lead > 0 if lead else older

    def has_higher_ratio(self, other: "C45Choice") -> bool:
        """Whether this test of a node is asked before another one of it."""
        return super().beats(other, older=self.place < other.place)

    @cached_property
    def gain_score(self) -> float:
        """The gain as a float."""
        parts = RULES["entropy"].approximate(
            [np.array([child], dtype=np.int64) for child in self.children],
            np.array(self.parent, dtype=np.int64),
        )
        return float(parts.scores[0]) - math.log2(self.cuts)


def choose_by_c45(
    offered: Sequence[Offer], parent: Weights, least: Fraction, grower: Grower, records: int
) -> Choice | None:
    """The test of a node of a table with so many records."""
    tests = []
    for offer in offered:
        test = _test_of(offer, parent, grower)
        if test is not None and test.gain > LogSum(()):
            tests.append(test)
    if not tests:
        return None
    good = _of_average_gain(tests, records)
    best = good[0]
    for test in good[1:]:
        if test.has_higher_ratio(best):
            best = test
    return best if _RATIO.reaches(best.exact, least) else None


def _test_of(offer: Offer, parent: Weights, grower: Grower) -> C45Choice | None:
    """The test that a column offers: the candidate with the highest gain."""
    candidates, needed, cuts = offer.candidates, grower.min_leaf, 1
    if isinstance(candidates, OneBranchEach):
        if int((_GAIN.records(offer.weights) >= needed).sum()) < _LARGE_BRANCHES:
            return None
        needed = 1
    elif grower.mdl and isinstance(candidates, Cuts) and candidates.domain.kind.is_ordered:
        cuts = _cuts_tried(candidates, offer, needed)
    best = choose([offer], parent, _GAIN, Fraction(0), needed)
    if best is None:
        return None
    sizes = np.array([[sum(child)] for child in best.children], dtype=np.float64)
    total = float(sizes.sum())
    information = -float((sizes * np.log2(sizes / total)).sum())
    made = C45Choice(
        best.candidates, best.number, best.children, best.parent, 0.0, 0.0, _RATIO, cuts
    )
    score = made.gain_score / information
    error = (best.error + _ROUNDING * total) / information
    return C45Choice(
        best.candidates, best.number, best.children, best.parent, score, error, _RATIO, cuts
    )


def _cuts_tried(candidates: Cuts, offer: Offer, needed: int) -> int:
    left = np.cumsum(_GAIN.records(candidates.in_order(offer.weights)))
    before, total = left[candidates.after], int(left[-1])
    return max(int((np.minimum(before, total - before) >= needed).sum()), 1)


def _of_average_gain(tests: Sequence[C45Choice], records: int) -> list[C45Choice]:
    """Those whose gain is at least the mean: by floats, or exactly where it is near. A branch for
    nearly every record gains most by chance; such tests have no part in it if there are others."""
    counted = [test for test in tests if not _has_many_branches(test, records)] or tests
    gains = [test.gain_score for test in tests]
    mean = sum(test.gain_score for test in counted) / len(counted)
    slack = NEAR * max(abs(gain) for gain in gains) + _ROUNDING * sum(tests[0].parent)
    return [
        test
        for test, gain in zip(tests, gains, strict=True)
        if gain > mean + slack or (gain >= mean - slack and _exact_lead(test, counted).sign() >= 0)
    ]


def _has_many_branches(test: C45Choice, records: int) -> bool:
    candidates = test.candidates
    many = candidates.domain.size >= _MANY_BRANCHES * records
    return many and isinstance(candidates, OneBranchEach)


def _exact_lead(test: C45Choice, tests: Sequence[C45Choice]) -> LogSum:
    """The gain of a test, as often as there are tests, less the gains of all."""
    terms = [(x, len(tests) * times) for x, times in test.gain.terms]
    terms += [(x, -times) for other in tests for x, times in other.gain.terms]
    return LogSum(terms)
