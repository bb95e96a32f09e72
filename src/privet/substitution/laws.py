"""The law of each column within each class, as far as it differs from that of all classes.

Inverted counts of few records are mostly noise: a column that has nothing to do with the classes
looks different in each of them, and a tree would split by it. Here the difference between a class
and all records is taken apart into waves (an ordered column; categories stay as they are), in bands
from slow to quick. Each band is shrunk by what noise alone would give it, and dropped where it is
no more than that: James and Stein's estimate, band by band. The variance of the noise is known,
because the matrix is. `pairs` does the same for two columns together.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from privet.arrays import Floats, Integers
from privet.mechanism.substitution import Block
from privet.substitution.estimate import onto_simplex
from privet.table import Codes

CAUTION = 2.0  # a band is taken to hold so many times the noise that it has in the mean


@dataclass(frozen=True, eq=False)
class Classes:
    """How much each record counts towards each class: 1 or 0 for a target that stands in clear,
    weights without bias for one that is perturbed (`regions`)."""

    weights: Floats  # records x classes

    @property
    def records(self) -> Floats:
        """Of each class; weights without bias may say less than one of a class that is rare."""
        records: Floats = np.maximum(self.weights.sum(axis=0), 1.0)
        return records

    @property
    def worth(self) -> Floats:
        """As many records in clear would tell as much of each class."""
        squares = np.maximum((self.weights**2).sum(axis=0), 1.0)
        worth: Floats = self.records**2 / squares
        return worth

    @property
    def shares(self) -> Floats:
        shares: Floats = self.records / self.records.sum()
        return shares

    def shares_of(self, codes: Codes | Integers, size: int) -> Floats:
        """classes x codes: the share of each code within each class, as it is seen."""
        counts = np.stack([np.bincount(codes, own, size) for own in self.weights.T])
        shares: Floats = counts / self.records[:, None]
        return shares


@dataclass(frozen=True, eq=False)
class Waves:
    """A block's basis, its rows in bands, and how noisy each row is when a record is seen."""

    basis: Floats  # orthonormal rows
    inverted: Floats  # what a seen code adds to each row
    bands: tuple[Integers, ...]
    noise: Floats  # the variance of one record, for each row
    ordered: bool

    @classmethod
    def of(cls, block: Block, codes: Codes) -> "Waves":
        size = block.matrix.size
        ordered = len(block.columns) == 1 and block.domains[0].shown.kind.is_ordered
        basis = _cosines(size) if ordered else np.eye(size)
        inverted = basis @ block.matrix.solve(np.eye(size))
        seen = np.bincount(codes, minlength=size) / max(len(codes), 1)
        noise = np.maximum((inverted**2) @ seen - (inverted @ seen) ** 2, 1e-12)
        bands = _bands(size) if ordered else (np.arange(size),)
        return cls(basis, inverted, bands, noise, ordered)


def laws_by_class(block: Block, codes: Codes, classes: Classes) -> list[Floats]:
    """For each class the law of a block's originals, with the noise taken away."""
    size = block.matrix.size
    waves = Waves.of(block, codes)
    each = waves.inverted @ classes.shares_of(codes, size).T
    common = each @ classes.shares
    even = waves.basis @ np.full(size, 1.0 / size)
    # the first row is a sum that is known; it has no noise, and stays
    kept = even + _shrunk(common - even, waves, 1.0 / max(len(codes), 1))
    laws = []
    for own, worth in zip(each.T, classes.worth, strict=True):
        variance = max(1.0 / worth - 1.0 / max(len(codes), 1), 0.0)
        beyond = _shrunk(own - common, waves, variance)
        laws.append(onto_simplex(waves.basis.T @ (kept + beyond), 1.0))
    return laws


def _shrunk(apart: Floats, waves: Waves, variance: float) -> Floats:
    shrunk = apart.copy()
    for band in waves.bands:
        shrunk[band] *= stays(apart[band], variance * waves.noise[band])
    return shrunk


def stays(apart: Floats, noise: Floats) -> float:
    """How much of a band stays, given what noise would give each of its numbers."""
    energy, expected = float((apart**2).sum()), CAUTION * float(noise.sum())
    return 1.0 - expected / energy if energy > expected else 0.0


def _cosines(size: int) -> Floats:
    """Row k has k half waves."""
    places = (np.arange(size) + 0.5) / size
    waves = np.cos(np.pi * np.arange(size)[:, None] * places) * np.sqrt(2.0 / size)
    waves[0] = np.sqrt(1.0 / size)
    return np.asarray(waves)


def _bands(size: int) -> tuple[Integers, ...]:
    """0 | 1 | 2 | 3, 4 | 5 to 8 | 9 to 16 | ...: the quicker the waves, the wider their band."""
    starts = [0, 1, 2, 3]
    while starts[-1] < size:
        starts.append(2 * starts[-1] - 1)
    ends = [min(start, size) for start in starts]
    return tuple(np.arange(a, b) for a, b in pairwise(ends) if a < b)
