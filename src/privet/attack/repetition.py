"""Repeated perturbation: does drawing again and again lead back to the original?

It does not. The t-fold law of a gamma-diagonal matrix is M^t = 1/N + r^t (I - 1/N) with
r = (gamma - 1) / (gamma + N - 1): the diagonal falls, all else rises, and everything tends to 1/N.
Another matrix is multiplied with itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Floats
from privet.attack.drawn_again import mechanism_of
from privet.errors import InvalidParameter
from privet.mechanism.matrices import GammaDiagonal, Matrix

_MOST_TIMES = 10_000


@dataclass(frozen=True)
class Repetition:
    """After each number of further draws: the chance that a value is still (or again) itself."""

    stays: tuple[float, ...]
    furthest_from_even: tuple[float, ...]  # largest distance of a cell of M^t from 1/N
    even: float

    @property
    def succeeds(self) -> bool:
        """Whether some further draw made the original likelier."""
        return any(b > a + 1e-12 for a, b in zip(self.stays, self.stays[1:], strict=False))


@dataclass(frozen=True)
class Repetitions:
    """What drawing again does to each block of a release."""

    times: int
    columns: Mapping[str, Repetition]

    @property
    def succeeds(self) -> bool:
        return any(found.succeeds for found in self.columns.values())

    def to_data(self) -> dict[str, Any]:
        return {
            "attack": "repetition",
            "times": self.times,
            "succeeds": self.succeeds,
            "columns": {
                name: {
                    "stays": list(one.stays),
                    "furthest_from_even": list(one.furthest_from_even),
                    "even": one.even,
                }
                for name, one in self.columns.items()
            },
        }

    def sentences(self) -> list[str]:
        """The finding, for people."""
        return [
            f"{name}: after 1 draw a value is its original with chance {one.stays[0]:.3f}, after "
            f"{self.times:,} with {one.stays[-1]:.3f} ({one.even:.3f} if nothing were known)"
            + ("; some draw led back." if one.succeeds else "; no draw led back.")
            for name, one in self.columns.items()
        ]


def attack_by_repetition(release: Any, *, times: int = 20) -> Repetitions:
    """Draw released values again up to so many times, and watch the law of each block.

    `release` is a release by random substitution, its folder or its mechanism file.

    >>> release = privet.substitute({"ill": ["yes", "no"] * 9}, gamma=9, domain_from_data=True)
    >>> privet.attack.by_repetition(release, times=3).succeeds
    False
    """
    if not 1 <= times <= _MOST_TIMES:
        raise InvalidParameter("times", f"between 1 and {_MOST_TIMES}", times)
    blocks = mechanism_of(release).blocks
    return Repetitions(times, {b.name: drawn_repeatedly(b.matrix, times) for b in blocks})


def repeated(matrix: Matrix, times: int) -> Floats:
    """M^t, the law of t draws one after another."""
    if times < 1:
        raise InvalidParameter("times", "at least 1", times)
    return np.asarray(np.linalg.matrix_power(matrix.dense(), times))


def drawn_repeatedly(matrix: Matrix, times: int) -> Repetition:
    """Draw again up to so many times and watch the law."""
    even = 1 / matrix.size
    if isinstance(matrix, GammaDiagonal):
        rate = float((matrix.gamma - 1) / (matrix.gamma + matrix.size - 1))
        powers = rate ** np.arange(1, times + 1) * (1 - even)
        return Repetition(tuple((even + powers).tolist()), tuple(powers.tolist()), even)
    law = matrix.dense()
    power = law
    stays, distance = [], []
    for _ in range(times):
        stays.append(float(np.diag(power).mean()))
        distance.append(float(np.abs(power - even).max()))
        power = law @ power
    return Repetition(tuple(stays), tuple(distance), even)
