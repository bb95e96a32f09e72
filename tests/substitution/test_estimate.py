"""Estimated counts: against slow twins, and their error against what was predicted."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import UsageError
from privet.mechanism.matrices import GammaDiagonal, Matrix, TransitionMatrix
from privet.mechanism.sampling import substitute
from privet.substitution.estimate import (
    estimate,
    onto_simplex,
    predicted_error,
    quality,
    standard_deviations,
    whole_counts,
)

SKEWED = TransitionMatrix.of([[0.7, 0.1, 0.25], [0.2, 0.6, 0.25], [0.1, 0.3, 0.5]])
counted = st.lists(st.integers(0, 500), min_size=2, max_size=12).filter(any)
gammas = st.fractions(Fraction(11, 10), 30, max_denominator=10)


@given(counted, gammas)
def test_sums_and_signs(counts: list[int], gamma: float) -> None:
    matrix = GammaDiagonal(gamma, len(counts))
    n = sum(counts)
    found = {m: estimate(counts, matrix, m) for m in ("raw", "scaled", "simplex", "likelihood")}  # type: ignore[arg-type]
    for method, estimated in found.items():
        assert estimated.sum() == pytest.approx(n)
        assert method == "raw" or (estimated >= 0).all()
    zeroed = estimate(counts, matrix, "zeroed")
    assert zeroed.sum() >= n - 1e-6
    assert np.allclose(matrix.apply(found["raw"]), counts)
    if (found["raw"] > 0).all():  # nothing to correct: all methods agree
        assert all(np.allclose(e, found["raw"]) for e in found.values())


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(0.5, 60))
def test_the_projection_is_the_nearest_point(point: list[float], total: float) -> None:
    """The slow twin: for the nearest point, one shift serves all coordinates that are not zero."""
    array = np.array(point)
    found = onto_simplex(array, total)
    assert found.sum() == pytest.approx(total)
    assert (found >= 0).all()
    shifts = (array - found)[found > 1e-9]
    assert np.allclose(shifts, shifts[0], atol=1e-7)
    assert (array[found <= 1e-9] <= shifts[0] + 1e-7).all()


@given(st.lists(st.integers(0, 200), min_size=2, max_size=6).filter(any), gammas)
def test_likelihood_is_where_expectation_maximisation_ends(counts: list[int], gamma: float) -> None:
    """No step of EM from the closed form makes the likelihood better."""
    matrix = GammaDiagonal(gamma, len(counts))
    likely = estimate(counts, matrix, "likelihood") / sum(counts)
    dense, seen = matrix.dense(), np.array(counts) / sum(counts)

    def fit(shares: np.ndarray) -> float:
        return float((seen * np.log(dense @ shares)).sum())

    step = likely * (dense.T @ (seen / (dense @ likely)))
    assert fit(step) <= fit(likely) + 1e-9
    for other in np.eye(len(counts)):
        assert fit(0.99 * likely + 0.01 * other) <= fit(likely) + 1e-9


def test_likelihood_of_other_matrices_is_refused() -> None:
    with pytest.raises(UsageError, match="gamma-diagonal"):
        estimate([1, 2, 3], SKEWED, "likelihood")
    with pytest.raises(UsageError, match="3 counts"):
        estimate([1, 2], SKEWED)


@given(counted, st.integers(0, 1000))
def test_whole_counts_sum_to_n(counts: list[int], n: int) -> None:
    whole = whole_counts(np.array(counts, dtype=float) * 1.37, n)
    assert whole.sum() == n
    assert (whole >= 0).all()
    assert np.abs(whole - np.array(counts) * n / sum(counts)).max() <= 1


@pytest.mark.parametrize(
    "matrix", [GammaDiagonal(9, 20), GammaDiagonal(2, 10), GammaDiagonal("19/2", 50), SKEWED]
)
def test_raw_is_unbiased_and_off_by_what_was_predicted(matrix: Matrix) -> None:
    """400 draws of 4,000 records. The mean estimate lies within 4.9 standard errors for each value
    (false alarm below 1 in 10,000 for 50 values), the mean error within 5 % of the prediction."""
    rng = np.random.default_rng(5)
    originals = rng.multinomial(4_000, rng.dirichlet(np.ones(matrix.size)))
    codes = np.repeat(np.arange(matrix.size, dtype=np.uint8), originals)
    draws = 400
    found = np.stack(
        [
            estimate(
                np.bincount(substitute(matrix, codes, seed, "x"), minlength=matrix.size),
                matrix,
                "raw",
            )
            for seed in range(draws)
        ]
    )
    spread = standard_deviations(matrix, originals.astype(float))
    assert (np.abs(found.mean(axis=0) - originals) < 4.9 * spread / np.sqrt(draws)).all()
    error = np.abs(found - originals).sum(axis=1).mean() / 4_000
    assert 0.95 < error / predicted_error(matrix, 4_000, originals) < 1.05


def test_a_warning_where_a_uniform_guess_does_as_well() -> None:
    flat, peaked = np.full(20, 500), np.r_[np.full(10, 1_000), np.zeros(10)]
    noisy, good = GammaDiagonal(2, 20), GammaDiagonal(9, 20)
    assert quality(flat, good).uniform_does_as_well
    assert not quality(good.apply(peaked), good).uniform_does_as_well
    assert quality(noisy.apply(peaked / 50), noisy).uniform_does_as_well
    assert quality(flat, good).predicted == pytest.approx(predicted_error(good, 10_000))
