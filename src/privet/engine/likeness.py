"""How like two tables of the same columns are, by counts: column by column, and in pairs.

`marginal` of a column is the largest distance of its two distribution functions (numbers and dates:
Kolmogorov and Smirnov) or their total variation (categories); missing is a value like others.
`association` of a pair is how far Cramer's V moved, numbers and dates in fifths of the original's
records. 0 is alike. `distribution` next door shows one column in words.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from privet.arrays import Integers
from privet.engine.distribution import records_of
from privet.engine.protocol import Counts, Engine
from privet.schema import Kind
from privet.table import Domain

_PARTS = 5  # of a column of numbers
MOST_PAIRS = 300  # of wide tables so many pairs are looked at, spread evenly


@dataclass(frozen=True)
class Likeness:
    """How far a released table is from its original; 0 is alike, 1 as far as can be."""

    marginals: Mapping[str, float]
    associations: Mapping[tuple[str, str], float]

    @property
    def marginal_error(self) -> float:
        """The mean over columns."""
        return _mean(self.marginals.values())

    @property
    def association_error(self) -> float:
        """The mean over pairs of columns."""
        return _mean(self.associations.values())


class Likened:
    """A table to which others are compared; what concerns it alone is counted once."""

    def __init__(
        self, original: Engine, columns: Sequence[str], beside: Sequence[str] = ()
    ) -> None:
        """`beside`: columns that are in pairs only, since nothing is done to them."""
        self._original = original
        self._columns = tuple(columns)
        self._records = {c: records_of(original, c) for c in (*columns, *beside)}
        domains = {c: original.domain(c) for c in self._records}
        self._parts = {c: _Parts.of(domains[c], found) for c, found in self._records.items()}
        pairs = list(combinations(self._parts, 2))
        step = max(1, math.ceil(len(pairs) / MOST_PAIRS))
        self._pairs = pairs[::step]

    def to(self, released: Engine) -> Likeness:
        """How like the original another table is."""
        marginals = {c: self._marginal(released, c) for c in self._columns}
        found = self._associations(released)
        moved = {pair: abs(found[pair] - before) for pair, before in self._before.items()}
        return Likeness(marginals, moved)

    def _marginal(self, released: Engine, column: str) -> float:
        """How far the distributions of a column in both tables are apart."""
        domains = self._original.domain(column), released.domain(column)
        found = self._records[column], records_of(released, column)
        size, places = _side_by_side(*domains)
        shares = []
        for records_here, codes in zip(found, places, strict=True):
            records = np.zeros(size + 1, dtype=np.int64)
            records[codes] = records_here[: len(codes)]
            records[-1] = records_here[len(codes) :].sum()  # missing
            shares.append(records / max(int(records.sum()), 1))
        difference = shares[0] - shares[1]
        if domains[0].kind.is_ordered:
            return float(np.abs(np.cumsum(difference)).max())
        return float(np.abs(difference).sum()) / 2

    @cached_property
    def _before(self) -> Mapping[tuple[str, str], float]:
        return self._associations(self._original)

    def _associations(self, engine: Engine) -> Mapping[tuple[str, str], float]:
        edits = {
            column: parts.edit(engine.domain(column))
            for column, parts in self._parts.items()
            if parts.kind.is_ordered
        }
        coarse = engine.recode(edits)
        told = {column for column in self._parts if engine.domain(column).size > 1}
        return {
            pair: cramers_v(coarse.count(pair)) if told.issuperset(pair) else 0.0
            for pair in self._pairs
        }


@dataclass(frozen=True, eq=False)
class _Parts:
    """The parts of a column's values that count as one: numbers up to each of `ends`."""

    kind: Kind
    ends: tuple[float, ...]

    @classmethod
    def of(cls, domain: Domain, records: Integers) -> "_Parts":
        if not domain.kind.is_ordered or not len(domain.values):
            return cls(domain.kind, ())
        upto = np.cumsum(records[: len(domain.values)])
        places = [-(-upto[-1] * part // _PARTS) for part in range(1, _PARTS)]
        codes = np.searchsorted(upto, places)
        return cls(domain.kind, tuple(dict.fromkeys(domain.values[codes].tolist())))

    def edit(self, domain: Domain) -> tuple[Integers, Domain]:
        """The part of each code; missing is a part of its own."""
        ends = np.array(self.ends, dtype=domain.values.dtype)
        parts = np.searchsorted(ends, domain.values)
        new = Domain(Kind.INTEGER, np.arange(len(self.ends) + 1), domain.missing)
        if domain.missing:
            parts = np.append(parts, len(new.values))
        return parts.astype(np.int64), new


def _side_by_side(one: Domain, two: Domain) -> tuple[int, list[Integers]]:
    """How many values two domains have together, and the place of each value of either there."""
    if one.values.dtype == two.values.dtype and one.values.dtype.kind in "if":
        both = np.union1d(one.values, two.values)
        return len(both), [np.searchsorted(both, d.values) for d in (one, two)]
    values = sorted({v for d in (one, two) for v in d.values.tolist()})
    place = {value: number for number, value in enumerate(values)}
    places = [[place[value] for value in d.values.tolist()] for d in (one, two)]
    return len(values), [np.array(codes, dtype=np.int64) for codes in places]


def cramers_v(counts: Counts) -> float:
    """How much two columns tell of each other: 0 is nothing, 1 everything."""
    margins, values = [], []
    for side in range(2):
        of = counts.keys[:, side]
        sums = np.bincount(of, weights=counts.n)
        margins.append(sums[of])
        values.append(np.count_nonzero(sums))
    least = min(values)
    if least < 2:  # a column of one value tells nothing
        return 0.0
    n = counts.n.astype(np.float64)
    excess = float((n * (n / (margins[0] * margins[1]))).sum()) - 1  # chi squared over records
    return math.sqrt(max(excess, 0.0) / (least - 1))


def _mean(figures: Collection[float]) -> float:
    return sum(figures) / len(figures) if figures else 0.0
