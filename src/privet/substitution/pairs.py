"""Which two columns hang together, and how: what the laws of single columns cannot say.

The joint law of two columns is inverted through both matrices. What it has beyond the product of
their single laws is noise, or a bond. A bond that all classes share is found first, then what a
class has beyond it. Both are tested by their slow waves, with so high a bar that of all pairs
without any bond half a one is expected to pass; what passes is shrunk, band by band, by what noise
would give it (`laws`). A bond is a factor: how much likelier two values are together than apart.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from privet.arrays import Floats, Integers
from privet.mechanism.substitution import Block
from privet.substitution.laws import Classes, Waves, stays
from privet.table import Codes

MOST_BLOCKS = 45  # 990 pairs; a wider table is modelled without bonds
PASSING_BY_CHANCE = 0.5  # pairs, in the mean
SLOWEST = 3  # waves of an ordered column that are tested
_STRONGEST = 5.0  # factors are kept between this and its inverse: a rare value has a wild one
_WIDEST = 1 << 16  # cells of a joint law


@dataclass(frozen=True, eq=False)
class Bond:
    """Two blocks, by their places; for each class and pair of codes how much likelier they are."""

    first: int
    second: int
    factors: Floats  # classes x codes x codes


def find_bonds(
    blocks: Sequence[Block],
    codes: Sequence[Codes],
    laws: Sequence[Sequence[Floats]],
    classes: Classes,
) -> list[Bond]:
    """The bonds that the records bear out; `laws` are those of each block in each class."""
    if len(blocks) > MOST_BLOCKS:
        return []
    waves = [Waves.of(block, own) for block, own in zip(blocks, codes, strict=True)]
    pairs = [(i, j) for j in range(len(blocks)) for i in range(j)]
    found = []
    for i, j in pairs:
        if len(waves[i].basis) * len(waves[j].basis) <= _WIDEST:
            pair = _Pair(waves[i], waves[j], PASSING_BY_CHANCE / len(pairs))
            factors = pair.factors(codes[i], codes[j], laws[i], laws[j], classes)
            if factors is not None:
                found.append(Bond(i, j, factors))
    return found


@dataclass(frozen=True, eq=False)
class _Pair:
    first: Waves
    second: Waves
    chance: float  # of passing without a bond

    def factors(
        self,
        one: Codes,
        two: Codes,
        laws_of_one: Sequence[Floats],
        laws_of_two: Sequence[Floats],
        classes: Classes,
    ) -> Floats | None:
        """For each class the factors of all pairs of codes; None where no bond is borne out."""
        n = max(len(one), 1)
        each = self._beyond_products(one, two, classes)
        alone = np.stack([np.outer(a, b) for a, b in zip(laws_of_one, laws_of_two, strict=True)])
        common = np.tensordot(classes.shares, each, 1)
        of_all = np.ones(alone.shape[1:])
        if self._passes(float((common**2 / self._noise)[self._slow].sum()) * n, 1):
            product = np.maximum(np.tensordot(classes.shares, alone, 1), 1e-12)
            of_all = _bounded(1 + self._values(self._shrunk(common, 1 / n)) / product)
        own = each - np.stack([self._waved((of_all - 1) * product) for product in alone])
        own = own - np.tensordot(classes.shares, own, 1)
        energy = (own**2 / self._noise)[:, *self._slow].sum(axis=(1, 2)) @ classes.worth
        if not self._passes(float(energy), len(own) - 1):
            return None if (of_all == 1).all() else np.repeat(of_all[None], len(own), axis=0)
        variances = np.maximum(1 / classes.worth - 1 / n, 0)
        kept = [self._values(self._shrunk(a, v)) for a, v in zip(own, variances, strict=True)]
        return _bounded(of_all + np.stack(kept) / np.maximum(alone, 1e-12))

    @property
    def _noise(self) -> Floats:
        """The variance that one record gives to each product of waves."""
        return np.outer(self.first.noise, self.second.noise)

    @property
    def _slow(self) -> tuple[Integers, Integers]:
        first, second = np.ix_(_tested(self.first), _tested(self.second))
        return first, second

    def _passes(self, energy: float, times: int) -> bool:
        """Whether slow waves hold more than noise would, but once in so many pairs."""
        freedom = times * _freedom(self.first) * _freedom(self.second)
        return freedom > 0 and energy > _chi_square(freedom, self.chance)

    def _beyond_products(self, one: Codes, two: Codes, classes: Classes) -> Floats:
        """For each class the joint law less the product of the single ones, in waves."""
        rows, columns = len(self.first.basis), len(self.second.basis)
        both: Integers = one.astype(np.int64) * columns + two
        joint = classes.shares_of(both, rows * columns)
        found = []
        for share in joint.reshape(-1, rows, columns):
            beyond = share - np.outer(share.sum(axis=1), share.sum(axis=0))
            found.append(self.first.inverted @ beyond @ self.second.inverted.T)
        return np.stack(found)

    def _shrunk(self, waved: Floats, variance: float) -> Floats:
        shrunk, noise = waved.copy(), variance * self._noise
        for one in self.first.bands:
            for two in self.second.bands:
                band = np.ix_(one, two)
                shrunk[band] *= stays(waved[band], noise[band])
        return shrunk

    def _values(self, waved: Floats) -> Floats:
        values: Floats = self.first.basis.T @ waved @ self.second.basis
        return values

    def _waved(self, values: Floats) -> Floats:
        waved: Floats = self.first.basis @ values @ self.second.basis.T
        return waved


def _bounded(factors: Floats) -> Floats:
    return np.clip(factors, 1 / _STRONGEST, _STRONGEST)


def _tested(waves: Waves) -> Integers:
    size = len(waves.basis)
    return np.arange(1, min(SLOWEST + 1, size)) if waves.ordered else np.arange(size)


def _freedom(waves: Waves) -> int:
    """Of what is tested: shares of categories sum to one, so one of them is not free."""
    return len(_tested(waves)) - (not waves.ordered)


def _chi_square(freedom: int, chance: float) -> float:
    """What a chi-square exceeds with this chance (Wilson and Hilferty)."""
    part = 2 / (9 * freedom)
    bound = 1 - part + NormalDist().inv_cdf(1 - min(chance, 0.5)) * math.sqrt(part)
    return freedom * max(bound, 0.0) ** 3
