"""How the built-in tables are drawn: uniform numbers into codes, block by block.

Each generator declares its columns as domains of everything that might occur, and a function that
draws the codes of a block of rows. `assemble` runs it and drops the values that did not occur.
Every row takes as many numbers from each stream, so row i depends on the seed and on i alone: a
table of a thousand rows is the beginning of the table of a million.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.errors import InvalidParameter
from privet.randomness import at_row
from privet.schema import Kind
from privet.table import Coded, Codes, Domain, Table, code_type

Drawn = npt.NDArray[np.integer[Any]]

_BLOCK = 1 << 16  # rows drawn at a time: scratch arrays stay in the cache


@dataclass(frozen=True)
class Block:
    """Some neighbouring rows of a table that is being drawn."""

    dataset: str
    seed: int
    start: int
    rows: int

    def uniform(self, stream: str) -> Floats:
        """One number in [0, 1) for each row."""
        return at_row(self.seed, f"{self.dataset}:{stream}", self.start).random(self.rows)

    def bell(self, stream: str) -> Floats:
        """One roughly normal number for each row: mean 0, standard deviation 1, within 3.5."""
        u = at_row(self.seed, f"{self.dataset}:{stream}", self.start, draws=4)
        bell: Floats = (u.random((self.rows, 4)).sum(axis=1) - 2.0) * 3.0**0.5
        return bell


class Choice:
    """A law over codes for each value of a parent: one row of weights each."""

    def __init__(self, weights: Sequence[float] | Sequence[Sequence[float]] | Floats) -> None:
        table = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        shares = np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True)
        shares[:, -1] = 1.0
        self._width = table.shape[1]
        # Parent p owns the interval [p, p + 1), so that one search serves all parents.
        self._ends = (shares + np.arange(len(table))[:, None]).ravel()

    def draw(self, uniform: Floats, parent: Drawn | int = 0) -> Drawn:
        """One code for each row."""
        found = np.searchsorted(self._ends, uniform + parent, side="right")
        drawn: Drawn = np.minimum(found - parent * self._width, self._width - 1)
        return drawn


def assemble(
    dataset: str,
    n: int,
    seed: int,
    domains: Mapping[str, Domain],
    draw: Callable[[Block], Mapping[str, Drawn]],
) -> Table:
    """A table of n rows, drawn block by block; its domains hold only values that occur."""
    check_size(n)
    codes: dict[str, Codes] = {
        name: np.empty(n, code_type(domain.size)) for name, domain in domains.items()
    }
    seen = {name: np.zeros(domain.size, dtype=bool) for name, domain in domains.items()}
    for start in range(0, n, _BLOCK):
        rows = min(_BLOCK, n - start)
        drawn = draw(Block(dataset, seed, start, rows))
        for name in domains:
            codes[name][start : start + rows] = drawn[name]
            seen[name][drawn[name]] = True
    return Table({name: _occurring(domains[name], codes.pop(name), seen[name]) for name in domains})


def check_size(n: int) -> None:
    """A built-in table has at least one row."""
    if n < 1:
        raise InvalidParameter("The number of rows", "at least 1", n)


def categories(*labels: str, missing: bool = False) -> Domain:
    """A domain of labels, which must be given in their sorted order."""
    assert list(labels) == sorted(labels)
    return Domain(Kind.CATEGORY, np.array(labels, dtype=object), missing)


def integers(first: int, last: int, step: int = 1) -> Domain:
    """A domain of whole numbers."""
    return Domain(Kind.INTEGER, np.arange(first, last + 1, step, dtype=np.int64))


def tenths(first: int, last: int, missing: bool = False) -> Domain:
    """A domain of decimals with one digit after the point; bounds are given in tenths."""
    return Domain(Kind.DECIMAL, np.arange(first, last + 1) / 10.0, missing)


def bands(first: int, last: int, *ends: int) -> Drawn:
    """For each whole number from first to last, the band that it lies in (ends belong to bands)."""
    return np.searchsorted(np.asarray(ends), np.arange(first, last + 1))


def law_of_quantiles(
    levels: Sequence[float], values: Sequence[float], first: int, last: int
) -> Floats:
    """Weights of the whole numbers first..last when quantiles are joined by straight lines.

    A value may stand at two levels: it then has the whole weight between them.
    """
    grid = (np.arange(20_000) + 0.5) / 20_000
    drawn = np.floor(np.interp(grid, levels, values)).astype(np.int64)
    counted = np.bincount(np.clip(drawn, first, last) - first, minlength=last - first + 1)
    return counted.astype(np.float64)


def to_codes(values: Floats, domain: Domain) -> Drawn:
    """Codes of numbers rounded down into a domain of evenly spaced values, cut off at its ends."""
    first, step = domain.values[0], domain.values[1] - domain.values[0]
    codes: Drawn = np.clip((values - first) / step, 0, len(domain.values) - 1).astype(np.int64)
    return codes


def _occurring(domain: Domain, codes: Codes, seen: npt.NDArray[np.bool_]) -> Coded:
    if seen.all():
        return Coded(domain, codes)
    count = len(domain.values)
    kept = Domain(domain.kind, domain.values[seen[:count]], domain.missing and bool(seen[-1]))
    return Coded(domain, codes).merged(np.cumsum(seen) - seen, kept)
