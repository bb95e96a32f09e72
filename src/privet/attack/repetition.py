"""Repeated perturbation: does drawing again and again lead back to the original?

It does not. The t-fold law of a gamma-diagonal matrix is M^t = 1/N + r^t (I - 1/N) with
r = (gamma - 1) / (gamma + N - 1): the diagonal falls, all else rises, and everything tends to 1/N.
"""

from dataclasses import dataclass

import numpy as np

from privet.arrays import Floats
from privet.errors import InvalidParameter
from privet.mechanism.matrices import Matrix


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


def repeated(matrix: Matrix, times: int) -> Floats:
    """M^t, the law of t draws one after another."""
    if times < 1:
        raise InvalidParameter("times", "at least 1", times)
    return np.asarray(np.linalg.matrix_power(matrix.dense(), times))


def attack_by_repetition(matrix: Matrix, times: int = 20) -> Repetition:
    """Draw again up to so many times and watch the law."""
    law = matrix.dense()
    power = law
    stays, distance = [], []
    for _ in range(times):
        stays.append(float(np.diag(power).mean()))
        distance.append(float(np.abs(power - 1 / matrix.size).max()))
        power = law @ power
    return Repetition(tuple(stays), tuple(distance), 1 / matrix.size)
