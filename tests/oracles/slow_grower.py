"""Growing a tree by looking at every row, every split and exact gains: the slow twin of the grower.

Written from the rules of docs/model-format.md; nothing of `privet.tree` is called. Gini and
deviance are fractions. A gain of entropy in bits is the logarithm of a fraction, so the fractions
themselves are compared. Gain ratios are quotients of logarithms to 300 digits; ratios that agree
to 200 digits are equal.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import inf, prod
from typing import Any

Cells = dict[str, list[Any]]  # None is missing; dates are days
Rows = list[int]
AdmissibleRows = Callable[[list[Rows]], bool]

DIGITS, EQUAL_TO = 300, Decimal(10) ** -200


@dataclass(frozen=True)
class SlowSettings:
    impurity: str = "gini"
    categories: str = "subset"
    leaves: int | None = None
    depth: int | None = None
    min_leaf: int = 1
    min_gain: float = 0.0
    step: float = 1.0
    guard: int = 1
    unguarded: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SlowNode:
    id: int
    parent: int | None
    depth: int
    weights: tuple[int, ...]
    split: tuple[Any, ...] | None = None
    children: tuple[int, ...] = ()


@dataclass(frozen=True)
class Candidate:
    gain: Any
    place: tuple[int, Any]
    split: tuple[Any, ...]
    parts: list[Rows]


class SlowGrowth:
    def __init__(
        self,
        cells: Cells,
        ordered: set[str],
        attributes: Sequence[str],
        target: str,
        settings: SlowSettings,
        admissible: AdmissibleRows | None = None,
        orders: Mapping[str, list[Any]] | None = None,
    ) -> None:
        self.cells, self.ordered, self.attributes = cells, ordered, list(attributes)
        self.settings, self.admissible = settings, admissible
        self.answer = cells[target]
        self.n = len(self.answer)
        self.regression = settings.impurity == "deviance"
        if self.regression:
            self.units = [round(Fraction(y) / Fraction(settings.step)) for y in self.answer]
        else:
            self.classes = in_order(self.answer)
        self.stored = dict(orders or {}) or {
            a: self.stored_order(a) for a in attributes if self.needs_stored_order(a)
        }

    # -- the growth ------------------------------------------------------------------------------

    def grow(self) -> list[SlowNode]:
        everything = list(range(self.n))
        nodes = [SlowNode(0, None, 0, self.weights(everything))]
        rows_of = {0: everything}
        open_leaves = {0: self.best_of_node(nodes[0], everything)}
        leaves = 1
        most = self.settings.leaves or self.n
        while True:
            chosen: int | None = None
            for number in sorted(open_leaves):
                mine = open_leaves[number]
                if mine is None:
                    continue
                older = open_leaves[chosen] if chosen is not None else None
                if older is None or self.compare(mine.gain, older.gain) > 0:
                    chosen = number
            if chosen is None:
                return nodes
            best = open_leaves.pop(chosen)
            assert best is not None
            if leaves + len(best.parts) - 1 > most:
                return nodes
            leaves += len(best.parts) - 1
            ids = tuple(range(len(nodes), len(nodes) + len(best.parts)))
            nodes[chosen] = replace(nodes[chosen], split=best.split, children=ids)
            for new, rows in zip(ids, best.parts, strict=True):
                child = SlowNode(new, chosen, nodes[chosen].depth + 1, self.weights(rows))
                nodes.append(child)
                rows_of[new] = rows
                open_leaves[new] = self.best_of_node(child, rows)

    def best_of_node(self, node: SlowNode, rows: Rows) -> Candidate | None:
        if self.settings.depth is not None and node.depth >= self.settings.depth:
            return None
        best: Candidate | None = None
        for index, attribute in enumerate(self.attributes):
            for key, split, parts in self.splits(attribute, rows):
                if min(map(len, parts)) < self.settings.min_leaf:
                    continue
                if self.admissible is not None and not self.admissible(parts):
                    continue
                mine = Candidate(self.gain(rows, parts), (index, key), split, parts)
                if self.gains_enough(mine.gain) and (best is None or self.comes_first(mine, best)):
                    best = mine
        return best

    def comes_first(self, mine: Candidate, other: Candidate | None) -> bool:
        """Within a node; mine is the later candidate's, so it must be truly better."""
        assert other is not None
        by_gain = self.compare(mine.gain, other.gain)
        return by_gain > 0 or (by_gain == 0 and mine.place < other.place)

    # -- splits ----------------------------------------------------------------------------------

    def splits(
        self, attribute: str, rows: Rows
    ) -> Iterator[tuple[Any, tuple[Any, ...], list[Rows]]]:
        cells = self.cells[attribute]
        present = in_order([cells[row] for row in rows])
        if len(present) < 2:
            return
        units = self.kept_together(attribute, present, rows)
        if attribute in self.ordered:
            for low, high in itertools.pairwise(present):
                if any(low in unit and high in unit for unit in units):
                    continue
                threshold = None if high is None else slow_midpoint(low, high)
                if threshold is not None and not low <= threshold < high:
                    continue  # integers so large that no float lies between them
                left = [r for r in rows if cells[r] is not None and cells[r] <= low]
                parts = [left, [r for r in rows if r not in set(left)]]
                key = inf if threshold is None else threshold
                yield key, ("threshold", attribute, threshold), parts
        elif self.settings.categories == "multiway":
            if len(units) < len(present):
                return
            parts = [[r for r in rows if cells[r] == value] for value in present]
            yield 0, ("multiway", attribute, tuple(present)), parts
        else:
            frame = self.stored.get(attribute, in_order(cells))
            for left_set in self.left_sets(attribute, units, rows):
                left_values = tuple(v for v in present if v in left_set)
                right_values = tuple(v for v in present if v not in left_set)
                parts = [
                    [r for r in rows if cells[r] in left_set],
                    [r for r in rows if cells[r] not in left_set],
                ]
                key = tuple(int(v in left_set) for v in frame)
                yield key, ("subset", attribute, left_values, right_values), parts

    def kept_together(self, attribute: str, present: list[Any], rows: Rows) -> list[list[Any]]:
        """The values that must stay together, units and their values in order of the values."""
        least = self.settings.guard
        cells = self.cells[attribute]
        count = Counter(cells[row] for row in rows)
        if least == 1 or attribute in self.settings.unguarded:
            return [[value] for value in present]
        if attribute in self.ordered:
            return blocks(present, count, least)
        small = [value for value in present if count[value] < least]
        large = [value for value in present if count[value] >= least]
        if small and large and sum(count[value] for value in small) < least:
            small.append(min(large, key=lambda value: (count[value], present.index(value))))
        together = [[v for v in present if v in small]] if small else []
        units = together + [[value] for value in present if value not in small]
        return sorted(units, key=lambda unit: present.index(unit[0]))

    def left_sets(self, attribute: str, units: list[list[Any]], rows: Rows) -> Iterator[set[Any]]:
        cells = self.cells[attribute]
        if attribute in self.stored:
            place = self.stored[attribute].index
            order = sorted(units, key=lambda unit: min(map(place, unit)))
        elif self.regression or len(self.classes) == 2:
            means = [self.mean([r for r in rows if cells[r] in unit]) for unit in units]
            order = [units[i] for i in sorted(range(len(units)), key=lambda i: (means[i], i))]
        else:
            first, *others = units
            for size in range(len(others)):
                for chosen in itertools.combinations(others, size):
                    yield {value for unit in (first, *chosen) for value in unit}
            return
        for cut in range(1, len(order)):
            yield {value for unit in order[:cut] for value in unit}

    def mean(self, rows: Rows) -> Fraction:
        if self.regression:
            return Fraction(sum(self.units[r] for r in rows), len(rows))
        return Fraction(sum(self.answer[r] == self.classes[-1] for r in rows), len(rows))

    def needs_stored_order(self, attribute: str) -> bool:
        if self.regression or self.settings.categories == "multiway" or attribute in self.ordered:
            return False
        return len(self.classes) > 2 and len(set(self.cells[attribute])) > 12

    def stored_order(self, attribute: str) -> list[Any]:
        """All categories by the share of the most frequent class, then by label. With a guard it is
        the share of all that a category is kept together with."""
        frequency = Counter(self.answer)
        largest = max(self.classes, key=lambda c: (frequency[c], -self.classes.index(c)))
        cells = self.cells[attribute]

        labels = in_order(cells)
        units = self.kept_together(attribute, labels, list(range(self.n)))

        def share(value: Any) -> Fraction:
            (unit,) = (unit for unit in units if value in unit)
            answers = [y for y, v in zip(self.answer, cells, strict=True) if v in unit]
            return Fraction(answers.count(largest), len(answers))

        return sorted(labels, key=lambda v: (share(v), labels.index(v)))

    # -- gains -----------------------------------------------------------------------------------

    def weights(self, rows: Rows) -> tuple[int, ...]:
        if self.regression:
            return len(rows), sum(self.units[r] for r in rows)
        answers = [self.answer[r] for r in rows]
        return tuple(answers.count(c) for c in self.classes)

    def gain(self, rows: Rows, parts: list[Rows]) -> Any:
        whole, children = self.weights(rows), [self.weights(part) for part in parts]
        if self.settings.impurity == "gini":
            return gini(whole) - sum(map(gini, children))
        if self.regression:
            return self.deviance(rows) - sum(map(self.deviance, parts))
        power = two_to_the_entropy(whole) / prod(map(two_to_the_entropy, children))
        if self.settings.impurity == "entropy":
            return power
        with localcontext() as context:
            context.prec = DIGITS
            return log2(power) / log2(two_to_the_entropy(tuple(map(len, parts))))

    def deviance(self, rows: Rows) -> Fraction:
        mean = Fraction(sum(self.units[r] for r in rows), len(rows))
        step = Fraction(self.settings.step)
        return sum(((self.units[r] - mean) ** 2 for r in rows), Fraction(0)) * step * step

    def compare(self, a: Any, b: Any) -> int:
        if self.settings.impurity == "gain-ratio" and abs(a - b) < EQUAL_TO:
            return 0
        return int(a > b) - int(a < b)

    def gains_enough(self, gain: Any) -> bool:
        least = Fraction(self.settings.min_gain)
        if self.settings.impurity == "gain-ratio":
            return self.compare(gain, Decimal(0)) > 0 and self.compare(gain, decimal(least)) >= 0
        least *= self.n
        if self.settings.impurity == "entropy":
            return gain > 1 and gain**least.denominator >= 2**least.numerator
        return gain > 0 and gain >= least


def blocks(present: list[Any], count: Counter[Any], least: int) -> list[list[Any]]:
    """Numbers laid one after another into blocks; missing, the last, is a block if it may be."""
    laid: list[list[Any]] = [[]]
    for value in present:
        if value is not None:
            if sum(count[v] for v in laid[-1]) >= least:
                laid.append([])
            laid[-1].append(value)
    if len(laid) > 1 and sum(count[v] for v in laid[-1]) < least:
        rest = laid.pop()
        laid[-1] += rest
    if None in present:
        numbers = sum(count[v] for v in present if v is not None)
        if count[None] >= least and numbers >= least:
            laid.append([None])
        else:
            laid[-1].append(None)
    return laid


def gini(weights: tuple[int, ...]) -> Fraction:
    """Records times Gini impurity."""
    n = sum(weights)
    return n * (1 - sum((Fraction(w, n) ** 2 for w in weights), Fraction(0)))


def two_to_the_entropy(weights: tuple[int, ...]) -> Fraction:
    """2 to the power of (records times entropy in bits): n^n / prod(w^w), a fraction."""
    return Fraction(sum(weights) ** sum(weights), prod(w**w for w in weights))


@cache  # many worlds of one table ask for the same logarithms
def log2(x: Fraction) -> Decimal:
    return (Decimal(x.numerator).ln() - Decimal(x.denominator).ln()) / Decimal(2).ln()


def decimal(x: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(x.numerator) / Decimal(x.denominator)


def in_order(cells: Sequence[Any]) -> list[Any]:
    """The distinct values, sorted, missing last."""
    distinct = set(cells)
    return sorted(distinct - {None}) + ([None] if None in distinct else [])


def slow_midpoint(low: Any, high: Any) -> float:
    """The float nearest to the exact mean (halves to even), or the lower value if that is no less
    than the upper one. Zero is never negative."""
    mean = (Fraction(low) + Fraction(high)) / 2
    rounded = float(mean)
    return (float(low) if rounded >= high else rounded) + 0.0
