"""The original counts, estimated from the perturbed ones.

Inverting the matrix gives an unbiased estimate that may be negative. Four corrections: negative
counts set to zero (as Dowd, Xu and Zhang do; the sum then exceeds n), zeroed and scaled back to n,
the nearest counts that are not negative and sum to n (`simplex`, the default), and the most likely
ones (`likelihood`, in closed form). `predicted_error` says beforehand how far off the raw estimate
will be. `rebuild` makes a table from the estimate.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.errors import InvalidParameter, UsageError
from privet.mechanism.matrices import GammaDiagonal, Matrix

Method = Literal["raw", "zeroed", "scaled", "simplex", "likelihood"]
METHODS: tuple[str, ...] = get_args(Method)


def estimate(counts: npt.ArrayLike, matrix: Matrix, method: Method = "simplex") -> Floats:
    """Estimated original counts from perturbed ones, one for each value of the domain."""
    if method not in METHODS:
        raise InvalidParameter("method", "one of " + ", ".join(METHODS), method)
    seen = np.asarray(counts, dtype=np.float64)
    if seen.shape != (matrix.size,):
        raise UsageError(
            f"There must be {matrix.size} counts, one for each value, got {seen.size}.",
            "values that do not occur count 0.",
        )
    if method == "likelihood":
        return _most_likely(seen, matrix)
    raw = matrix.solve(seen)
    if method == "raw":
        return raw
    if method == "simplex":
        return onto_simplex(raw, float(seen.sum()))
    zeroed: Floats = np.maximum(raw, 0.0)
    if method == "scaled" and zeroed.sum() > 0:
        zeroed = zeroed * (seen.sum() / zeroed.sum())
    return zeroed


def onto_simplex(point: Floats, total: float) -> Floats:
    """The nearest point without negative coordinates whose coordinates sum to `total`."""
    falling = np.sort(point)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(point) + 1)
    kept = int(np.flatnonzero(falling > excess)[-1]) if total > 0 else 0
    projected: Floats = np.maximum(point - excess[kept], 0.0)
    return projected


def _most_likely(seen: Floats, matrix: Matrix) -> Floats:
    """Where expectation maximisation would end: (M f)_i is y_i / (n nu), but at least q.

    nu makes the shares sum to 1. Values that fall to q have no original records at all.
    """
    if not isinstance(matrix, GammaDiagonal):
        raise UsageError(
            "The most likely counts have a closed form for gamma-diagonal matrices only.",
            "use simplex.",
        )
    n = float(seen.sum())
    if n == 0:
        return np.zeros_like(seen)
    least = matrix.move / matrix.total
    falling = np.sort(seen)[::-1] / n
    kept = np.arange(1, matrix.size + 1)
    nu = np.cumsum(falling) / (1.0 - (matrix.size - kept) * least)
    # the largest set of values that all stay above the floor
    fits = np.flatnonzero(falling > least * nu)
    chosen = nu[int(fits[-1])]
    shares = np.maximum(seen / n / chosen, least)
    likely: Floats = np.maximum((shares - least) * matrix.total / (matrix.keep - matrix.move), 0.0)
    return np.asarray(likely * (n / likely.sum()))


def whole_counts(estimated: Floats, n: int) -> npt.NDArray[np.int64]:
    """Whole counts that sum to n: rounded down, the largest remainders rounded up."""
    total = float(estimated.sum())
    shares = estimated * (n / total) if total > 0 else np.full(len(estimated), n / len(estimated))
    whole = np.floor(shares).astype(np.int64)
    left = n - int(whole.sum())
    order = np.argsort(whole - shares, kind="stable")
    whole[order[:left]] += 1
    return whole


# -- how far off ----------------------------------------------------------------------------------


def standard_deviations(matrix: Matrix, originals: Floats) -> Floats:
    """Of each raw estimate, when these are the original counts."""
    if isinstance(matrix, GammaDiagonal):
        keep, move = matrix.keep / matrix.total, matrix.move / matrix.total
        others = originals.sum() - originals
        variance = originals * keep * (1 - keep) + others * move * (1 - move)
        spread: Floats = np.sqrt(variance) * matrix.total / (matrix.keep - matrix.move)
        return spread
    dense = matrix.dense()
    covariance = np.diag(dense @ originals) - (dense * originals) @ dense.T
    inverse = matrix.solve(np.eye(matrix.size))
    variances = np.einsum("ij,jk,ik->i", inverse, covariance, inverse)
    return np.asarray(np.sqrt(np.maximum(variances, 0.0)))


def predicted_error(matrix: Matrix, n: int, originals: npt.ArrayLike | None = None) -> float:
    """The expected error of the raw estimate, sum |estimate - count| / n.

    Without `originals` a uniform column is assumed: the error hardly depends on the shape.
    """
    if n < 1:
        return math.inf
    counts = np.full(matrix.size, n / matrix.size) if originals is None else np.asarray(originals)
    spread = standard_deviations(matrix, np.asarray(counts, dtype=np.float64))
    return math.sqrt(2 / math.pi) * float(spread.sum()) / n


@dataclass(frozen=True)
class Quality:
    """How good an estimate is, as far as the perturbed counts tell."""

    predicted: float  # error of the raw estimate before anything was seen
    expected: float  # the same, with the estimated counts put in
    uniform_does_as_well: bool

    def to_data(self) -> dict[str, Any]:
        return {
            "predicted_error": self.predicted,
            "expected_error": self.expected,
            "uniform_does_as_well": self.uniform_does_as_well,
        }


def quality(counts: npt.ArrayLike, matrix: Matrix) -> Quality:
    """The predicted error, before and after, and whether guessing n / N would do as well.

    The squared distance of the originals from n / N is estimated without bias: that of the raw
    estimate, less its variance.
    """
    seen = np.asarray(counts, dtype=np.float64)
    n = int(seen.sum())
    estimated = estimate(seen, matrix, "simplex")
    variance = float((standard_deviations(matrix, estimated) ** 2).sum())
    distance = float(((matrix.solve(seen) - n / matrix.size) ** 2).sum()) - variance
    return Quality(
        predicted_error(matrix, n), predicted_error(matrix, n, estimated), distance <= variance
    )
