"""The rule of C4.5, node by node with fifty digits: one test a column, average gain, best ratio."""

from collections import Counter
from collections.abc import Sequence
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
        return _grown(list(rows), target, columns, min_leaf, mdl)


def _grown(rows: list[Row], target: str, columns: Sequence[str], least: int, mdl: bool) -> Any:
    counts = sorted(Counter(row[target] for row in rows).items())
    tests = [t for name in columns if (t := _test(rows, target, name, least, mdl)) is not None]
    if len(counts) < 2 or not tests:
        return counts
    mean = sum(test[0] for test in tests) / len(tests)
    good = [test for test in tests if test[0] >= mean - Decimal("1e-40")]
    best = good[0]
    for test in good[1:]:
        if test[1] > best[1] + Decimal("1e-40"):
            best = test
    branches = [_grown(part, target, columns, least, mdl) for part in best[4]]
    return [best[2], best[3], branches]


def _test(rows: list[Row], target: str, name: str, least: int, mdl: bool) -> Test | None:
    values = sorted({row[name] for row in rows})
    if isinstance(values[0], str):
        parts = [[(v, [row for row in rows if row[name] == v]) for v in values]]
        tried = [(None, [part for _, part in split]) for split in parts if len(split) > 1]
    else:
        tried = [
            ((a + b) / 2, [[r for r in rows if r[name] <= a], [r for r in rows if r[name] > a]])
            for a, b in pairwise(values)
        ]
    best: Test | None = None
    for cut, branches in tried:
        if sum(len(part) >= least for part in branches) < 2:  # of a cut both, of branches any two
            continue
        gain = _disorder([r[target] for r in rows])
        gain -= sum((_disorder([r[target] for r in part]) for part in branches), Decimal(0))
        if mdl and cut is not None:
            gain -= _log2(len(tried))
        sizes = [number for number, part in enumerate(branches) for _ in part]
        found = (gain, gain / _disorder(sizes), name, cut, branches)
        if best is None or gain > best[0] + Decimal("1e-40"):
            best = found
    return best if best is not None and best[0] > Decimal("1e-40") else None


def _disorder(labels: list[Any]) -> Decimal:
    """The entropy of labels in bits, times their number."""
    counts = Counter(labels).values()
    total = len(labels) * _log2(len(labels))
    return total - sum((c * _log2(c) for c in counts), Decimal(0))


def _log2(x: int) -> Decimal:
    return Decimal(x).ln() / Decimal(2).ln()
