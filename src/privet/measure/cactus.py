"""CACTUS: clusters of categories from pairs of values that occur together more than by chance.

It looks at the whole table where DETECTIVE looks at leaves, and serves as the comparison. Two
values of different columns are *strong* together if they occur more than alpha times as often as
evenly spread, independent columns would have it. Values of one column that are strong with the same
values elsewhere are alike. A cluster is a set of values in every column, all strong with one
another.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.engine import MemoryEngine
from privet.errors import InvalidParameter, UsageError
from privet.schema import Kind
from privet.table import Table, Value

MOST_SETS = 2000  # of values that are followed in one column; beyond, only the smallest are

_Codes = frozenset[int]


@dataclass(frozen=True)
class StrongPair:
    """Two values of two columns that occur together often."""

    columns: tuple[str, str]
    values: tuple[Value, Value]
    count: int
    expected: float


@dataclass(frozen=True)
class Cluster:
    """A set of values in each column, and how many records have all their values within."""

    values: tuple[tuple[Value, ...], ...]
    support: int
    expected: float


@dataclass(frozen=True, eq=False)
class Clustering:
    """What was found. `is_complete` is false if there were too many sets to follow them all."""

    columns: tuple[str, ...]
    strong: tuple[StrongPair, ...]
    similar: dict[tuple[str, Value, Value], dict[str, int]]  # by the other column
    projections: dict[str, tuple[tuple[Value, ...], ...]]
    candidates: int
    clusters: tuple[Cluster, ...]
    is_complete: bool

    def to_data(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {
            "columns": list(self.columns),
            "strong": [asdict(pair) for pair in self.strong],
            "similar": [
                {"column": column, "first": first, "second": second, "by": by}
                for (column, first, second), by in self.similar.items()
            ],
            "candidates": self.candidates,
            "clusters": [asdict(cluster) for cluster in self.clusters],
            "is_complete": self.is_complete,
        }


def cactus(table: Table, columns: Sequence[str], alpha: float = 1.2) -> Clustering:
    """Cluster the values of some columns of categories."""
    if not 0 < alpha < float("inf"):
        raise InvalidParameter("alpha", "a number above 0", alpha)
    if len(columns) < 2 or any(table[c].domain.kind is not Kind.CATEGORY for c in columns):
        raise UsageError("CACTUS needs two or more columns of categories.", "name such columns.")
    return _Search(table, tuple(columns), alpha).run()


class _Search:
    def __init__(self, table: Table, columns: tuple[str, ...], alpha: float) -> None:
        self.table, self.columns, self.alpha = table, columns, alpha
        self.engine = MemoryEngine(table)
        self.sizes = [table[name].domain.size for name in columns]
        self.is_complete = True
        self.counts = {(i, j): self._count(i, j) for i, j in combinations(range(len(columns)), 2)}
        self.strong = {
            pair: counts > self._expected(*pair) * alpha for pair, counts in self.counts.items()
        }

    def _expected(self, i: int, j: int) -> float:
        return self.table.n_rows / (self.sizes[i] * self.sizes[j])

    def _count(self, i: int, j: int) -> npt.NDArray[np.int64]:
        counted = self.engine.count([self.columns[i], self.columns[j]])
        table = np.zeros((self.sizes[i], self.sizes[j]), dtype=np.int64)
        table[counted.keys[:, 0], counted.keys[:, 1]] = counted.n
        return table

    def _between(self, i: int, j: int) -> npt.NDArray[np.bool_]:
        """Which values of column i are strong with which of column j."""
        return self.strong[i, j] if i < j else self.strong[j, i].T

    def run(self) -> Clustering:
        sets = [self._projections(i) for i in range(len(self.columns))]
        candidates = self._candidates(sets)
        clusters = [self._cluster(candidate) for candidate in candidates]
        return Clustering(
            self.columns,
            tuple(self._strong_pairs()),
            self._similar(),
            {
                name: tuple(self._labels(i, codes) for codes in sorted(sets[i], key=sorted))
                for i, name in enumerate(self.columns)
            },
            len(candidates),
            tuple(c for c in clusters if c.support > self.alpha * c.expected),
            self.is_complete,
        )

    def _strong_pairs(self) -> Iterable[StrongPair]:
        for (i, j), strong in self.strong.items():
            for a, b in np.argwhere(strong).tolist():
                yield StrongPair(
                    (self.columns[i], self.columns[j]),
                    (self._label(i, a), self._label(j, b)),
                    int(self.counts[i, j][a, b]),
                    self._expected(i, j),
                )

    def _similar(self) -> dict[tuple[str, Value, Value], dict[str, int]]:
        found: dict[tuple[str, Value, Value], dict[str, int]] = {}
        for i, name in enumerate(self.columns):
            for j, other in enumerate(self.columns):
                if i == j:
                    continue
                shared = self._between(i, j).astype(np.int64) @ self._between(i, j).T
                for a, b in combinations(range(self.sizes[i]), 2):
                    if shared[a, b]:
                        pair = name, self._label(i, a), self._label(i, b)
                        found.setdefault(pair, {})[other] = int(shared[a, b])
        return found

    def _projections(self, i: int) -> set[_Codes]:
        """Sets of values of column i that are strong with common values in every other column."""
        found: set[_Codes] = {frozenset(range(self.sizes[i]))}
        for j in range(len(self.columns)):
            if j != i:
                sides = self._closed_sides(self._between(i, j))
                found = self._few({mine & side for mine in found for side in sides} - {frozenset()})
        return found

    def _closed_sides(self, strong: npt.NDArray[np.bool_]) -> set[_Codes]:
        """All sets of rows that are strong with every column of some set of columns."""
        closed: set[_Codes] = set()
        for column in strong.T:
            rows = frozenset(np.flatnonzero(column).tolist())
            closed |= {rows} | {rows & other for other in closed}
            closed = self._few(closed - {frozenset()})
        return closed

    def _few(self, sets: set[_Codes]) -> set[_Codes]:
        if len(sets) <= MOST_SETS:
            return sets
        self.is_complete = False
        return set(sorted(sets, key=lambda s: (len(s), sorted(s)))[:MOST_SETS])

    def _candidates(self, sets: Sequence[set[_Codes]]) -> list[tuple[_Codes, ...]]:
        """Extended column by column; those within another one are dropped at the end."""
        found: list[tuple[_Codes, ...]] = [()]
        for j, of_column in enumerate(sets):
            found = [
                (*chosen, codes)
                for chosen in found
                for codes in of_column
                if all(
                    self._between(i, j)[np.ix_(sorted(mine), sorted(codes))].all()
                    for i, mine in enumerate(chosen)
                )
            ]
            if len(found) > MOST_SETS:
                self.is_complete = False
                found = sorted(found, key=lambda c: [sorted(s) for s in c])[:MOST_SETS]
        maximal = [
            one
            for one in found
            if not any(
                one != two and all(a <= b for a, b in zip(one, two, strict=True)) for two in found
            )
        ]
        return sorted(maximal, key=lambda c: [sorted(s) for s in c])

    def _cluster(self, candidate: tuple[_Codes, ...]) -> Cluster:
        inside = np.ones(self.table.n_rows, dtype=bool)
        for name, codes in zip(self.columns, candidate, strict=True):
            inside &= np.isin(self.table[name].codes, sorted(codes))
        share = prod(len(codes) / size for codes, size in zip(candidate, self.sizes, strict=True))
        values = tuple(self._labels(i, codes) for i, codes in enumerate(candidate))
        return Cluster(values, int(inside.sum()), self.table.n_rows * share)

    def _label(self, i: int, code: int) -> Value:
        return self.table[self.columns[i]].domain.value(code)

    def _labels(self, i: int, codes: _Codes) -> tuple[Value, ...]:
        return tuple(self._label(i, code) for code in sorted(codes))
