"""The rule of C4.5, node by node with fifty digits: one test a column, average gain, best ratio."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
Test = tuple[Decimal, Decimal, str, Any, list[list[Row]]]  # gain, ratio, column, cut, branches


def slow_c45(
    rows: Sequence[Row], target: str, columns: Sequence[str], min_leaf: int, mdl: bool
) -> Any:
    """The tree as nested lists: a leaf is the counts of its classes, a split its column, its cut
    (None for one branch for each category) and its branches."""
    with localcontext() as context:
        context.prec = 50
        many = {  # categories, of which nearly every record has another
            name
            for name in columns
            if isinstance(rows[0][name], str)
            and 10 * len({row[name] for row in rows}) >= 3 * len(rows)
        }
        return _Growth(target, columns, min_leaf, mdl, many).grown(list(rows))


@dataclass
class _Growth:
    target: str
    columns: Sequence[str]
    least: int
    mdl: bool
    many: set[str]

    def grown(self, rows: list[Row]) -> Any:
        counts = sorted(Counter(row[self.target] for row in rows).items())
        tests = [t for name in self.columns if (t := self._test(rows, name)) is not None]
        if len(counts) < 2 or not tests:
            return counts
        counted = [test for test in tests if test[2] not in self.many] or tests
        mean = sum(test[0] for test in counted) / len(counted)
        good = [test for test in tests if test[0] >= mean - Decimal("1e-40")]
        best = good[0]
        for test in good[1:]:
            if test[1] > best[1] + Decimal("1e-40"):
                best = test
        return [best[2], best[3], [self.grown(part) for part in best[4]]]

    def _test(self, rows: list[Row], name: str) -> Test | None:
        best: Test | None = None
        # of a cut both sides, of branches any two
        legal = [
            one
            for one in _tried(rows, name)
            if sum(len(part) >= self.least for part in one[1]) >= 2
        ]
        for cut, branches in legal:
            gain = _disorder([r[self.target] for r in rows])
            parts = (_disorder([r[self.target] for r in part]) for part in branches)
            gain -= sum(parts, Decimal(0))
            if self.mdl and cut is not None:
                gain -= _log2(len(legal))
            sizes = [number for number, part in enumerate(branches) for _ in part]
            if best is None or gain > best[0] + Decimal("1e-40"):
                best = (gain, gain / _disorder(sizes), name, cut, branches)
        return best if best is not None and best[0] > Decimal("1e-40") else None


def _tried(rows: list[Row], name: str) -> list[tuple[Any, list[list[Row]]]]:
    """Cuts with their branches."""
    values = sorted({row[name] for row in rows})
    if isinstance(values[0], str):
        branches = [[row for row in rows if row[name] == v] for v in values]
        return [(None, branches)] if len(branches) > 1 else []
    return [
        ((a + b) / 2, [[r for r in rows if r[name] <= a], [r for r in rows if r[name] > a]])
        for a, b in pairwise(values)
    ]


def _disorder(labels: list[Any]) -> Decimal:
    """The entropy of labels in bits, times their number."""
    counts = Counter(labels).values()
    total = len(labels) * _log2(len(labels))
    return total - sum((c * _log2(c) for c in counts), Decimal(0))


def _log2(x: int) -> Decimal:
    return Decimal(x).ln() / Decimal(2).ln()
