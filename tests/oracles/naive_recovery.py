"""Slow twins of the attacks on substituted values, in loops over records and cells.

Matrices are lists of columns of fractions: `matrix[k][h]` is the chance that k becomes h. Linear
equations are solved by elimination, directions are found by turning pairs of axes (Jacobi).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import hypot
from typing import Any

Cells = list[list[Fraction]]
Numbers = list[list[float]]


def inner(first: Sequence[Any], second: Sequence[Any]) -> Any:
    return sum(a * b for a, b in zip(first, second, strict=True))


class Singular(Exception):
    """Equations that have no single solution."""


def gamma_diagonal(gamma: int, size: int) -> Cells:
    total = gamma + size - 1
    return [[Fraction(gamma if h == k else 1, total) for h in range(size)] for k in range(size)]


def power(matrix: Cells, times: int) -> Cells:
    """The law of so many draws, one after another."""
    law = matrix
    for _ in range(times - 1):
        law = [
            [sum(column[m] * matrix[m][h] for m in range(len(matrix))) for h in range(len(matrix))]
            for column in law
        ]
    return law


def solved(rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """x with rows @ x = right, by elimination."""
    left = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for at in range(len(left)):
        pivot = next((i for i in range(at, len(left)) if left[i][at]), None)
        if pivot is None:
            raise Singular
        left[at], left[pivot] = left[pivot], left[at]
        left[at] = [cell / left[at][at] for cell in left[at]]
        for i in range(len(left)):
            if i != at:
                left[i] = [a - left[i][at] * b for a, b in zip(left[i], left[at], strict=True)]
    return [row[-1] for row in left]


def bayes_beliefs(
    victim: Sequence[int], sample: Sequence[Sequence[int]], matrices: Sequence[Cells], column: int
) -> list[Fraction]:
    """What is believed of a victim's original in one column, not scaled."""
    beliefs = [Fraction(0)] * len(matrices[column])
    for person in sample:
        chance = Fraction(1)
        for own, seen, matrix in zip(person, victim, matrices, strict=True):
            chance *= matrix[own][seen]
        beliefs[person[column]] += chance
    return beliefs


def law_of(outcomes: Sequence[int], matrix: Cells) -> list[Fraction]:
    """Estimated shares of the originals; what is below 0 is 0."""
    size = len(matrix)
    counts = [Fraction(sum(seen == h for seen in outcomes)) for h in range(size)]
    found = solved([[matrix[k][h] for k in range(size)] for h in range(size)], counts)
    kept = [max(value, Fraction(0)) for value in found]
    return [value / sum(kept) for value in kept]


class Linear:
    """Least squares from some records, by the number or by every value of each column."""

    def __init__(
        self,
        outcomes: Sequence[Sequence[int]],
        matrices: Sequence[Cells],
        values: Sequence[Sequence[Fraction]],
        by_number: bool,
    ) -> None:
        self.matrices, self.values, self.by_number = matrices, values, by_number
        self.rows = [self.features_of(record) for record in outcomes]
        n, columns = len(outcomes), len(matrices)
        self.usual = [sum(own) / n for own in zip(*self.rows, strict=True)]
        wide = range(len(self.usual))
        self.between = [
            [sum(r[i] * r[j] for r in self.rows) / n - self.usual[i] * self.usual[j] for j in wide]
            for i in wide
        ]
        laws = [law_of([r[c] for r in outcomes], matrices[c]) for c in range(columns)]
        self.centres = [
            sum(p * v for p, v in zip(laws[c], values[c], strict=True)) for c in range(columns)
        ]
        self.spread = [
            sum(p * (v - self.centres[c]) ** 2 for p, v in zip(laws[c], values[c], strict=True))
            for c in range(columns)
        ]
        self.shared = []
        for target in range(columns):
            size = len(values[target])
            inverse = solved(matrices[target], values[target])  # figure @ column k is the value
            figures = [inverse[record[target]] for record in outcomes]
            mean = sum(figures) / n
            own_row = []
            for place in wide:
                column, feature = self.owner(place)
                means = [
                    sum(matrices[column][k][h] * self.feature(column, feature, h)
                        for h in range(len(matrices[column])))
                    for k in range(len(matrices[column]))
                ]  # fmt: skip
                if column == target:
                    found = sum(
                        laws[target][k] * (values[target][k] - self.centres[target]) * means[k]
                        for k in range(size)
                    )
                else:
                    found = sum(f * r[place] for f, r in zip(figures, self.rows, strict=True)) / n
                    found -= mean * self.usual[place]
                usual = sum(p * m for p, m in zip(laws[column], means, strict=True))
                variance = sum(
                    p * (m - usual) ** 2 for p, m in zip(laws[column], means, strict=True)
                )
                most = (float(variance) * float(self.spread[target])) ** 0.5
                own_row.append(Fraction(min(max(float(found), -most), most)))
            self.shared.append(own_row)

    def feature(self, column: int, feature: int, code: int) -> Fraction:
        return self.values[column][code] if self.by_number else Fraction(int(code == feature))

    def owner(self, place: int) -> tuple[int, int]:
        """The column of a feature, and which of its features it is."""
        for column, values in enumerate(self.values):
            own = 1 if self.by_number else len(values) - 1
            if place < own:
                return column, place
            place -= own
        raise IndexError

    def features_of(self, record: Sequence[int]) -> list[Fraction]:
        """The last value of a column is told by the others, so it is left out."""
        found = []
        for column, code in enumerate(record):
            own = 1 if self.by_number else len(self.values[column]) - 1
            found += [self.feature(column, i, code) for i in range(own)]
        return found

    def weights(self, target: int) -> list[Fraction]:
        return solved(self.between, self.shared[target])


def linear_by(
    outcomes: Sequence[Sequence[int]],
    matrices: Sequence[Cells],
    values: Sequence[Sequence[Fraction]],
    by_number: bool,
    halvings: Sequence[tuple[Sequence[int], Sequence[int]]],
) -> tuple[float, list[list[float]]]:
    """The share of the spread that is explained, and the guesses, record by record; `halvings` are
    the places of the records in either half."""
    settings = (matrices, values, by_number)
    whole = Linear(outcomes, *settings)
    judged = []
    for halves in halvings:
        first, second = (Linear([outcomes[i] for i in half], *settings) for half in halves)
        judged += [(first, second), (second, first)]
    told, spent = [], []
    for target in range(len(matrices)):
        one = two = 0.0
        for own, other in judged:
            w = own.weights(target)
            one += float(inner(w, other.shared[target]))
            two += float(
                sum(w[i] * other.between[i][j] * w[j] for i in range(len(w)) for j in range(len(w)))
            )
        spread = float(whole.spread[target])  # none: there is nothing to be told
        told.append(one / len(judged) / spread if spread else 0.0)
        spent.append(two / len(judged) / spread if spread else 0.0)
    shrink = min(max(sum(told) / sum(spent), 0.0), 1.0) if sum(spent) else 0.0
    gain = sum(2 * shrink * a - shrink**2 * b for a, b in zip(told, spent, strict=True)) / len(told)
    weights = [whole.weights(target) for target in range(len(matrices))]
    guesses = [
        [
            float(whole.centres[t])
            + shrink
            * float(sum(w * (x - u) for w, x, u in zip(weights[t], row, whole.usual, strict=True)))
            for t in range(len(matrices))
        ]
        for row in whole.rows
    ]
    return gain, guesses


def covariance(records: Numbers) -> Numbers:
    n, columns = len(records), range(len(records[0]))
    means = [sum(row[c] for row in records) / n for c in columns]
    return [
        [sum((r[i] - means[i]) * (r[j] - means[j]) for r in records) / n for j in columns]
        for i in columns
    ]


def directions(symmetric: Numbers) -> list[tuple[float, list[float]]]:
    """Eigenvalues with their vectors, the largest first: pairs of axes are turned until none is
    left to turn."""
    a = [list(row) for row in symmetric]
    size = len(a)
    v = [[float(i == j) for j in range(size)] for i in range(size)]
    for _ in range(60):
        for p in range(size):
            for q in range(p + 1, size):
                if a[p][q] == 0:
                    continue
                half = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = (1 if half >= 0 else -1) / (abs(half) + hypot(half, 1))
                c = 1 / hypot(t, 1)
                s = t * c
                for row in (*a, *v):
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                a[p], a[q] = (
                    [c * x - s * y for x, y in zip(a[p], a[q], strict=True)],
                    [s * x + c * y for x, y in zip(a[p], a[q], strict=True)],
                )
    found = [(a[i][i], [v[j][i] for j in range(size)]) for i in range(size)]
    return sorted(found, key=lambda one: -one[0])


def projected(records: Numbers, kept: Sequence[Sequence[float]]) -> Numbers:
    """Each record moved onto the kept directions through the mean."""
    n, columns = len(records), range(len(records[0]))
    means = [sum(row[c] for row in records) / n for c in columns]
    found = []
    for row in records:
        centred = [row[c] - means[c] for c in columns]
        shares = [sum(a * b for a, b in zip(centred, one, strict=True)) for one in kept]
        found.append(
            [
                means[c] + sum(s * one[c] for s, one in zip(shares, kept, strict=True))
                for c in columns
            ]
        )
    return found


def spectral(records: Numbers, variance: float) -> Numbers:
    bound = variance * (1 + (len(records[0]) / len(records)) ** 0.5) ** 2
    return projected(records, [v for value, v in directions(covariance(records)) if value > bound])


def _less_noise(records: Numbers, noise: Sequence[float]) -> Numbers:
    found = covariance(records)
    for c, variance in enumerate(noise):
        found[c][c] -= variance
    return found


def principal(records: Numbers, noise: Sequence[float]) -> Numbers:
    found = directions(_less_noise(records, noise))
    gaps = [a[0] - b[0] for a, b in pairwise(found)]
    kept = gaps.index(max(gaps)) + 1
    return projected(records, [vector for _, vector in found[:kept]])


def bayes_estimate(records: Numbers, noise: Sequence[float]) -> Numbers:
    """mean + S (S + noise)^-1 (record - mean), where S has no direction below 0."""
    n, columns = len(records), range(len(records[0]))
    means = [sum(row[c] for row in records) / n for c in columns]
    found = directions(_less_noise(records, noise))
    s = [[sum(max(e, 0.0) * v[i] * v[j] for e, v in found) for j in columns] for i in columns]
    both = [[Fraction(s[i][j] + (noise[i] if i == j else 0.0)) for j in columns] for i in columns]
    estimates = []
    for row in records:
        x = solved(both, [Fraction(row[c] - means[c]) for c in columns])
        estimates.append([means[i] + float(sum(s[i][j] * x[j] for j in columns)) for i in columns])
    return estimates
