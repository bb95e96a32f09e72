"""How the records of a table lie in one column: by value, or numbers in ten even ranges.

Ranges are made once for several tables, so that a column can be compared before and after.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from privet.arrays import Integers
from privet.engine.protocol import Engine
from privet.schema import Kind
from privet.table import Domain, text_of

N_RANGES = 10


@dataclass(frozen=True)
class Share:
    """A value or a range of a column in words (None is missing), and how many records have it."""

    text: str | None
    records: int


@dataclass(frozen=True)
class Ranges:
    """Even ranges of numbers or dates, each from one of `starts` on; the last ends with `end`."""

    kind: Kind
    starts: tuple[float, ...]
    end: float

    @classmethod
    def over(cls, domains: Sequence[Domain]) -> "Ranges | None":
        """Ranges over all values of some domains of one ordered kind; None if there is no value."""
        ends = [
            v for d in domains if len(d.values) for v in (d.values[0].item(), d.values[-1].item())
        ]
        if not ends:
            return None
        kind, low, high = domains[0].kind, Fraction(min(ends)), max(ends)
        exact = [low + (Fraction(high) - low) * n / N_RANGES for n in range(N_RANGES)]
        starts = [math.ceil(start) if kind.is_integral else float(start) for start in exact]
        return cls(kind, tuple(dict.fromkeys(starts)), high)

    @property
    def texts(self) -> list[str]:
        """What each range holds, in words; no two are the same."""
        if self.kind.is_integral:
            lasts = [*(start - 1 for start in self.starts[1:]), self.end]
            ends = [
                (text_of(low, self.kind), text_of(high, self.kind))
                for low, high in zip(self.starts, lasts, strict=True)
            ]
            return [low if low == high else f"{low} to {high}" for low, high in ends]
        *inner, last = pairwise(self._decimals())
        return [
            *(f"{low} to under {high}" for low, high in inner),
            " to ".join(dict.fromkeys(last)),
        ]

    def _decimals(self) -> list[str]:
        """The ends in as few digits, from six on, as tell them apart."""
        ends = [*self.starts, self.end]
        distinct = len(set(ends))
        return next(
            texts
            for digits in range(6, 18)
            if len(set(texts := [f"{end:.{digits}g}" for end in ends])) == distinct
        )

    def shares(self, domain: Domain, records: Integers) -> list[Share]:
        """The records in each range, from those of each code, and those that miss a value."""
        bounds = np.searchsorted(domain.values, np.array(self.starts[1:], domain.values.dtype))
        parts = np.split(records[: len(domain.values)], bounds)
        shares = [Share(t, int(part.sum())) for t, part in zip(self.texts, parts, strict=True)]
        return [*shares, Share(None, int(records[-1]))] if domain.missing else shares


def records_of(source: Engine, column: str) -> Integers:
    """How many records have each value of a column, by code."""
    counts = source.count([column])
    records = np.zeros(source.domain(column).size, dtype=np.int64)
    records[counts.keys[:, 0]] = counts.n
    return records


def distribution(source: Engine, column: str, ranges: Ranges | None) -> list[Share]:
    """The records of a column by ranges, or by value where there are none."""
    domain, records = source.domain(column), records_of(source, column)
    if ranges is not None:
        return ranges.shares(domain, records)
    values = [domain.value(code) for code in range(domain.size)]
    return [
        Share(None if value is None else str(value), n)
        for value, n in zip(values, records.tolist(), strict=True)
    ]
