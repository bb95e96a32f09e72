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
    chance, so chosen that as many change. `floor` is the chance that a class is then replaced by
    any class, each alike.
    """

    technique: Technique
    counts: tuple[tuple[int, ...], ...]  # of the classes, by leaf
    floor: float = 0.0

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
        v = Fraction(self.floor)
        return (1 - v) * self._by_technique + v * self._replaced * self.records

    @property
    def _by_technique(self) -> Fraction:
        """The same before any class is replaced."""
        if self.technique == "none" or self.classes < 2:
            return Fraction(0)
        return sum((self.expected_in(leaf) for leaf in self.counts), Fraction(0))

    @property
    def _replaced(self) -> Fraction:
        """The chance that any class is another one than the original."""
        return Fraction(self.classes - 1, self.classes)

    @property
    def variance(self) -> Fraction:
        """The variance of the number of changed classes."""
        v, changed = Fraction(self.floor), self._by_technique
        if self.technique == "none" or self.classes < 2:
            before = Fraction(0)
        elif self.technique == "all-leaves":
            before = changed * (1 - self.chance)
        else:
            of_leaf = _variance_permuted if self.technique == "random" else _variance_drawn
            before = sum((of_leaf(leaf) for leaf in self.counts), Fraction(0))
        # of a class that the technique changes, and of one that it does not
        means = (1 - v) + v * self._replaced, v * self._replaced
        spread = [mean * (1 - mean) for mean in means]
        return (1 - v) ** 2 * before + changed * spread[0] + (self.records - changed) * spread[1]

    @property
    def chance(self) -> Fraction:
        """The chance of a change that all-leaves gives to every record."""
        return self._by_technique / self.records if self.records else Fraction(0)

    def shares_in(self, leaf: int) -> Floats:
        """The shares of the classes in a leaf."""
        shares = np.array(self.counts[leaf], dtype=np.float64)
        return np.asarray(shares / max(shares.sum(), 1.0))

    def transition(self, leaf: int) -> Floats:
        """In a leaf, the chance of each released class (columns) for each original one (rows)."""
        same = np.eye(self.classes)
        if self.technique == "none":
            drawn = same
        elif self.technique == "all-leaves":
            p = float(self.chance)
            drawn = (1 - p) * same + p * (1 - same) / max(self.classes - 1, 1)
        else:
            drawn = np.tile(self.shares_in(leaf), (self.classes, 1))
        return np.asarray((1 - self.floor) * drawn + self.floor / self.classes)

    @property
    def epsilon(self) -> float | None:
        """How far a released class can tell original ones apart, at most, to one who knows the tree
        and the shares of its leaves: the logarithm of the largest ratio of chances. None where no
        bound holds, and for permutations, which tie the records of a leaf to each other."""
        if self.technique == "random":
            return None
        return largest_log_ratio([self.transition(leaf) for leaf in range(len(self.counts))])

    def posterior(self, leaf: int) -> Floats:
        """The chance of each original class (columns) given the released class (rows), to one who
        knows the record's leaf."""
        return self.posterior_of(self.shares_in(leaf), leaf)

    def posterior_of(self, prior: Floats, leaf: int = 0) -> Floats:
        """The same from what is known of a record of a leaf before."""
        joint = prior[None, :] * self.transition(leaf).T
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
        return {**data, "floor": self.floor}

    @classmethod
    def of(
        cls, technique: Technique, leaves: Sequence[Sequence[int]], floor: float = 0.0
    ) -> "ClassLaw":
        return cls(technique, tuple(tuple(map(int, leaf)) for leaf in leaves), floor)


def largest_log_ratio(matrices: Sequence[Floats]) -> float | None:
    """The logarithm of the largest ratio of two chances of one released value; None if one of them
    is zero and the other is not."""
    worst = 0.0
    for chances in matrices:
        most, least = chances.max(axis=0), chances.min(axis=0)
        if ((least == 0) & (most > 0)).any():
            return None
        seen = most > 0
        worst = max(worst, float(np.log(most[seen] / least[seen]).max(initial=0.0)))
    return worst


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
