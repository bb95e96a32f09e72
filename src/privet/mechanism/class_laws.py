"""Laws of class noise: how many classes change, and what is left to know about one.

Everything follows from the class counts of the leaves, in exact fractions. `noise_laws` next door
has the laws of numbers and categories.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from privet.arrays import Floats

Technique = Literal["random", "probabilistic", "all-leaves", "none"]
TECHNIQUES: tuple[str, ...] = get_args(Technique)


@dataclass(frozen=True)
class ClassLaw:
    """Class noise by the class counts of the leaves.

    random: the classes of a leaf are permuted among its records. probabilistic: each record draws
    by the shares of its leaf. all-leaves: each record of the table gets another class with one
    chance, so chosen that as many change.
    """

    technique: Technique
    counts: tuple[tuple[int, ...], ...]  # of the classes, by leaf

    @property
    def records(self) -> int:
        return sum(map(sum, self.counts))

    @property
    def classes(self) -> int:
        return len(self.counts[0])

    def expected_in(self, leaf: Sequence[int]) -> Fraction:
        """N - sum of squares / N: the records of a leaf whose draw is another class."""
        n = sum(leaf)
        return n - Fraction(sum(c * c for c in leaf), n) if n else Fraction(0)

    @property
    def expected(self) -> Fraction:
        """The expected number of changed classes, the same for all three techniques."""
        if self.technique == "none" or self.classes < 2:
            return Fraction(0)
        return sum((self.expected_in(leaf) for leaf in self.counts), Fraction(0))

    @property
    def variance(self) -> Fraction:
        """The variance of the number of changed classes."""
        if self.technique == "all-leaves":
            return self.expected * (1 - self.chance)
        if self.technique == "none":
            return Fraction(0)
        of_leaf = _variance_permuted if self.technique == "random" else _variance_drawn
        return sum((of_leaf(leaf) for leaf in self.counts), Fraction(0))

    @property
    def chance(self) -> Fraction:
        """The chance of a change that all-leaves gives to every record."""
        return self.expected / self.records if self.records else Fraction(0)

    def posterior(self, leaf: int) -> Floats:
        """The chance of each original class (columns) given the released class (rows), to one who
        knows the record's leaf."""
        shares = np.array(self.counts[leaf], dtype=np.float64)
        shares /= max(shares.sum(), 1.0)
        if self.technique == "none":
            return np.eye(self.classes)
        if self.technique != "all-leaves":
            return np.tile(shares, (self.classes, 1))
        return self.posterior_of(shares)

    def posterior_of(self, prior: Floats) -> Floats:
        """The same for all-leaves, from what is known of a record before."""
        p = float(self.chance)
        same = np.eye(self.classes)
        released = (1 - p) * same + p * (1 - same) / max(self.classes - 1, 1)
        joint = prior[None, :] * released.T
        total = joint.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(joint, total, out=np.zeros_like(joint), where=total > 0))

    @property
    def unprotected(self) -> int:
        """Records in homogeneous leaves: their class is certain to one who knows the leaf."""
        return sum(sum(leaf) for leaf in self.counts if max(leaf) == sum(leaf))

    @property
    def best_guess(self) -> int:
        """Records whose class is guessed rightly by naming the majority of their leaf."""
        return sum(max(leaf) for leaf in self.counts)

    def to_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"technique": self.technique, "within": "the leaves of model.json"}
        if self.technique == "all-leaves":
            data = {"technique": self.technique, "chance": float(self.chance)}
        return data

    @classmethod
    def of(cls, technique: Technique, leaves: Sequence[Sequence[int]]) -> "ClassLaw":
        return cls(technique, tuple(tuple(map(int, leaf)) for leaf in leaves))


def _variance_drawn(leaf: Sequence[int]) -> Fraction:
    n = sum(leaf)
    return sum((c * Fraction(c, n) * (1 - Fraction(c, n)) for c in leaf), Fraction(0))


def _variance_permuted(leaf: Sequence[int]) -> Fraction:
    """Of the matches of a random permutation: squares of the doubly centred table of matches."""
    n = sum(leaf)
    if n < 2:
        return Fraction(0)
    squares, cubes = (sum((Fraction(c, n) ** k for c in leaf), Fraction(0)) for k in (2, 3))
    return Fraction(n * n, n - 1) * (squares - 2 * cubes + squares * squares)
