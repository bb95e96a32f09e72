"""Transition matrices: how likely each value is replaced by each other one, in whole numbers.

Column k of a matrix is the law of what value k becomes. Every matrix is held as integer weights
over a common total, so that the sampler in `sampling` can follow it exactly. `GammaDiagonal` keeps
a value with weight gamma and moves it anywhere else with weight 1; `TransitionMatrix` is any other
matrix whose columns sum to 1.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.errors import InvalidParameter, UsageError

Number = int | float | str | Fraction

LARGEST_TOTAL = 1 << 30  # of integer weights: a 32-bit draw then succeeds three times out of four
ADVISED_GAMMA = (5, 12)  # the range that Dowd, Xu and Zhang advise
_GRID = 1 << 30  # for matrices of floats whose columns do not sum to exactly 1
_SLACK = 1e-9
_LONGEST_NUMBER = 400
_HUGE_EXPONENT = re.compile(r"[eE][+-]?0*[1-9][0-9]{3}")


def exact_number(value: Number, name: str) -> Fraction:
    """A number as it was written: 0.1 is one tenth, not the float nearest to it."""
    if isinstance(value, Fraction):
        return value
    text = str(value)
    try:
        if len(text) > _LONGEST_NUMBER or _HUGE_EXPONENT.search(text):
            raise ValueError  # 1e999999999 is short to write, and long to work with
        number = Fraction(text)
        float(number)  # what is too large for a decimal cannot be reckoned with
        return number
    except OverflowError:
        raise InvalidParameter(name, "below 1e308", value) from None
    except (ValueError, ZeroDivisionError):
        raise InvalidParameter(name, "a number or a fraction such as 19/2", value) from None


@dataclass(frozen=True)
class GammaDiagonal:
    """gamma on the diagonal and 1 elsewhere, divided by gamma + N - 1."""

    gamma: Fraction
    size: int

    def __init__(self, gamma: Number, size: int) -> None:
        object.__setattr__(self, "gamma", exact_number(gamma, "gamma"))
        object.__setattr__(self, "size", int(size))
        if self.gamma <= 1:
            raise InvalidParameter(
                "gamma",
                "above 1",
                gamma,
                "at 1 every value is as likely as any other and nothing can be estimated.",
            )
        if self.size < 2:
            raise InvalidParameter(
                "The number of values N", "at least 2", size, "one value has nothing to hide."
            )
        if self.total > LARGEST_TOTAL:
            raise UsageError(
                "gamma and N together need larger whole numbers than can be drawn exactly "
                f"(at most {LARGEST_TOTAL:,}).",
                "give a smaller gamma, one with fewer digits, or fewer values.",
            )

    @property
    def keep(self) -> int:
        """Weight of staying the same; of `total`."""
        return self.gamma.numerator

    @property
    def move(self) -> int:
        """Weight of becoming one certain other value; of `total`."""
        return self.gamma.denominator

    @property
    def total(self) -> int:
        return self.keep + self.move * (self.size - 1)

    @property
    def amplification(self) -> Fraction:
        """The largest ratio within a row: how much a seen value can speak for one original."""
        return self.gamma

    @property
    def condition_number(self) -> float:
        """1 + N / (gamma - 1): how much the inverse enlarges errors."""
        return float(1 + self.size / (self.gamma - 1))

    def dense(self) -> Floats:
        matrix = np.full((self.size, self.size), self.move / self.total)
        np.fill_diagonal(matrix, self.keep / self.total)
        return matrix

    def apply(self, counts: Floats) -> Floats:
        """M @ counts, along the first axis."""
        other, same = self.move / self.total, self.keep / self.total
        applied: Floats = other * counts.sum(axis=0) + (same - other) * counts
        return applied

    def solve(self, counts: Floats) -> Floats:
        """M^-1 @ counts, along the first axis."""
        solved: Floats = (self.total * counts - self.move * counts.sum(axis=0)) / (
            self.keep - self.move
        )
        return solved

    def expected(self, values: Floats) -> Floats:
        """For each original the mean of what it becomes, where outcomes stand for these values."""
        return self.apply(values)  # the matrix is symmetric

    def unbiased(self, values: Floats) -> Floats:
        """For each outcome a figure whose mean over the draws of an original is its value."""
        return self.solve(values)

    def entropy(self, prior: Sequence[float] | None = None) -> float:
        """H(M) in bits; every column has the same entropy, so a prior changes nothing."""
        _check_prior(prior, self.size)
        same, other = self.keep / self.total, self.move / self.total
        return -(same * math.log2(same) + (self.size - 1) * other * math.log2(other))


@dataclass(frozen=True, eq=False)
class TransitionMatrix:
    """Any invertible matrix whose columns sum to 1: weights[h, k] of `total` for k becoming h."""

    weights: npt.NDArray[np.int64]
    total: int

    @classmethod
    def of(cls, matrix: Any) -> "TransitionMatrix":
        """From rows of numbers or fractions; floats are read as the decimals they are written as.

        Columns that sum to 1 only nearly (within 1e-9) are put on a grid of 2^-30.
        """
        if isinstance(matrix, TransitionMatrix):
            return matrix
        columns = _exact_columns(matrix)
        total = math.lcm(*(cell.denominator for column in columns for cell in column))
        if total > LARGEST_TOTAL or any(sum(column) != 1 for column in columns):
            total = _GRID
        weights = np.array([_apportioned(column, total) for column in columns]).T
        return cls.of_weights(weights, total)

    @classmethod
    def of_weights(cls, weights: npt.NDArray[np.int64], total: int) -> "TransitionMatrix":
        # Cells above the total are refused by themselves: their sum may wrap round to it.
        cells = bool(((weights >= 0) & (weights <= total)).all()) and 0 < total <= LARGEST_TOTAL
        if not cells or len(weights) < 2 or (weights.sum(axis=0) != total).any():
            raise UsageError(
                "Each column of a transition matrix holds weights that sum to its total.",
                "the mechanism file may have been edited.",
            )
        found = cls(weights.astype(np.int64), int(total))
        if np.linalg.cond(found.dense()) > 1e12:
            raise UsageError(
                "The transition matrix is singular: two originals cannot be told apart by counts.",
                "give a matrix with an inverse, such as a gamma-diagonal one.",
            )
        return found

    @property
    def size(self) -> int:
        return len(self.weights)

    @property
    def amplification(self) -> Fraction | float:
        """The largest ratio within a row; infinite where a value rules out an original."""
        low, high = self.weights.min(axis=1).tolist(), self.weights.max(axis=1).tolist()
        ratios: list[Fraction | float] = [
            Fraction(top, bottom) if bottom else math.inf
            for bottom, top in zip(low, high, strict=True)
            if top
        ]
        return max(ratios)

    @property
    def condition_number(self) -> float:
        return float(np.linalg.cond(self.dense()))

    def dense(self) -> Floats:
        return self.weights / self.total

    @cached_property
    def _inverse(self) -> Floats:
        return np.asarray(np.linalg.inv(self.dense()), dtype=np.float64)

    def apply(self, counts: Floats) -> Floats:
        applied: Floats = self.dense() @ counts
        return applied

    def solve(self, counts: Floats) -> Floats:
        solved: Floats = self._inverse @ counts
        return solved

    def expected(self, values: Floats) -> Floats:
        """For each original the mean of what it becomes, where outcomes stand for these values."""
        means: Floats = self.dense().T @ values
        return means

    def unbiased(self, values: Floats) -> Floats:
        """For each outcome a figure whose mean over the draws of an original is its value."""
        figures: Floats = self._inverse.T @ values
        return figures

    def entropy(self, prior: Sequence[float] | None = None) -> float:
        """H(M) in bits: the entropy of each column, weighted by the prior (uniform if None)."""
        shares = _check_prior(prior, self.size)
        dense = self.dense()
        logs = np.zeros_like(dense)
        np.log2(dense, out=logs, where=dense > 0)
        return float(-(dense * logs).sum(axis=0) @ shares)


Matrix = GammaDiagonal | TransitionMatrix


def epsilon(matrix: Matrix) -> float:
    """ln of the amplification: the local differential privacy of one draw, rounded up."""
    factor = matrix.amplification
    if factor == math.inf:
        return math.inf
    return math.nextafter(math.log(factor), math.inf)


def largest_gamma(rho1: Number, rho2: Number) -> Fraction:
    """The largest gamma that lets no prior of at most rho1 become a posterior above rho2."""
    low, high = exact_number(rho1, "rho1"), exact_number(rho2, "rho2")
    if not 0 < low < high < 1:
        raise UsageError(
            f"rho1 and rho2 must satisfy 0 < rho1 < rho2 < 1, got {rho1} and {rho2}.",
            "rho1 is what may be believed before, rho2 what may be believed after.",
        )
    return high * (1 - low) / (low * (1 - high))


def worst_posterior(rho1: Number, gamma: Number) -> Fraction:
    """rho2: the largest belief that a draw with this gamma can make of a prior rho1."""
    low, factor = exact_number(rho1, "rho1"), exact_number(gamma, "gamma")
    if not 0 < low < 1 or factor <= 1:
        raise UsageError(
            f"rho1 must lie between 0 and 1 and gamma above 1, got {rho1} and {gamma}.",
            "rho1 = 0.1 and gamma = 9 give rho2 = 0.5.",
        )
    return factor * low / (1 - low + factor * low)


def gamma_for_draws(gamma: Number, digits: int = 3) -> Fraction:
    """gamma rounded down to few decimals, so that it can be drawn exactly and promises no less."""
    exact = exact_number(gamma, "gamma")
    scale = 10**digits
    return exact if exact.denominator <= scale else Fraction(math.floor(exact * scale), scale)


def advice_on_gamma(gamma: Fraction) -> str:
    """What suffers when gamma lies outside the advised range; empty inside it."""
    low, high = ADVISED_GAMMA
    if gamma < low:
        return f"gamma {float(gamma):g} is below {low}: accuracy suffers."
    if gamma > high:
        return f"gamma {float(gamma):g} is above {high}: privacy suffers."
    return ""


def _exact_columns(matrix: Any) -> list[tuple[Fraction, ...]]:
    """The columns of a square matrix of probabilities, each of which sums to 1 at least nearly."""
    rows = matrix.tolist() if isinstance(matrix, np.ndarray) else [list(row) for row in matrix]
    size = len(rows)
    if size < 2 or any(len(row) != size for row in rows):
        raise UsageError(
            f"A transition matrix is square with at least 2 rows, got {_shape(rows)}.",
            "give one column of probabilities for each value.",
        )
    exact = [[exact_number(cell, "A transition probability") for cell in row] for row in rows]
    columns = list(zip(*exact, strict=True))
    wrong = [place for place, column in enumerate(columns, 1) if not _sums_to_one(column)]
    if wrong:
        transposed = all(map(_sums_to_one, exact))
        raise UsageError(
            "Each column of a transition matrix holds probabilities that sum to 1; "
            f"column {wrong[0]} does not.",
            "its rows do: write rows as columns."
            if transposed
            else "column k is what value k becomes: no cell below 0, and 1 in all.",
        )
    return columns


def _shape(rows: Sequence[Sequence[Any]]) -> str:
    lengths = sorted({len(row) for row in rows})
    told = " or ".join(map(str, lengths if len(lengths) < 3 else (lengths[0], lengths[-1])))
    return f"{len(rows)} rows of {told} cells" if rows else "none"


def _sums_to_one(cells: Sequence[Fraction]) -> bool:
    return min(cells) >= 0 and abs(float(sum(cells) - 1)) <= _SLACK


def _apportioned(column: Sequence[Fraction], total: int) -> list[int]:
    """Whole weights of a total, each near its share; the largest takes what rounding left over."""
    weights = [math.floor(cell * total + Fraction(1, 2)) for cell in column]
    largest = max(range(len(column)), key=lambda place: column[place])
    weights[largest] += total - sum(weights)
    return weights


def _check_prior(prior: Sequence[float] | None, size: int) -> Floats:
    if prior is None:
        return np.full(size, 1 / size)
    shares = np.asarray(prior, dtype=np.float64)
    if len(shares) != size or (shares < 0).any() or abs(shares.sum() - 1) > _SLACK:
        raise UsageError(
            f"A prior holds {size} probabilities that sum to 1.", "one for each value, in order."
        )
    return shares
