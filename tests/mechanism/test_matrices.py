"""Transition matrices: exact weights, what they promise, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter, UsageError
from privet.mechanism.matrices import (
    GammaDiagonal,
    TransitionMatrix,
    advice_on_gamma,
    epsilon,
    gamma_for_draws,
    largest_gamma,
    worst_posterior,
)

gammas = st.fractions(Fraction(11, 10), 40, max_denominator=20)
sizes = st.integers(2, 40)


@given(gammas, sizes)
def test_gamma_diagonal_is_its_dense_twin(gamma: Fraction, size: int) -> None:
    matrix = GammaDiagonal(gamma, size)
    dense = matrix.dense()
    assert np.allclose(dense.sum(axis=0), 1)
    assert Fraction(matrix.keep, matrix.move) == gamma
    counts = np.arange(size, dtype=float) + 1
    assert np.allclose(matrix.apply(counts), dense @ counts)
    assert np.allclose(matrix.solve(matrix.apply(counts)), counts)
    assert matrix.condition_number == pytest.approx(np.linalg.cond(dense), rel=1e-6)
    by_column = -(dense * np.log2(dense)).sum(axis=0)
    assert matrix.entropy() == pytest.approx(by_column.mean())
    assert matrix.amplification == gamma


@given(gammas, sizes)
def test_a_general_matrix_of_the_same_weights_agrees(gamma: Fraction, size: int) -> None:
    special = GammaDiagonal(gamma, size)
    rows = [
        [Fraction(special.keep if h == k else special.move, special.total) for k in range(size)]
        for h in range(size)
    ]
    general = TransitionMatrix.of(rows)
    assert np.array_equal(general.weights * special.total, general.total * np.rint(
        special.dense() * special.total).astype(np.int64))  # fmt: skip
    assert general.amplification == gamma
    assert general.entropy() == pytest.approx(special.entropy())
    assert epsilon(general) == epsilon(special) >= math.log(gamma)


@given(st.fractions(Fraction(1, 100), Fraction(98, 100), max_denominator=100), gammas)
def test_rho_and_gamma_are_inverse(rho1: Fraction, gamma: Fraction) -> None:
    rho2 = worst_posterior(rho1, gamma)
    assert rho1 < rho2 < 1
    assert largest_gamma(rho1, rho2) == gamma


def test_known_figures() -> None:
    assert largest_gamma("0.1", 0.5) == 9
    assert epsilon(GammaDiagonal(9, 20)) == pytest.approx(math.log(9))
    assert epsilon(GammaDiagonal(9, 20)) >= math.log(9)
    assert gamma_for_draws("2.71828182845") == Fraction(2718, 1000)
    assert GammaDiagonal("19/2", 4).total == 19 + 2 * 3
    assert GammaDiagonal(9.5, 4) == GammaDiagonal("19/2", 4)


@pytest.mark.parametrize(("gamma", "says"), [(4, "accuracy"), (13, "privacy"), (5, ""), (12, "")])
def test_advice_says_which_side_suffers(gamma: int, says: str) -> None:
    advice = advice_on_gamma(Fraction(gamma))
    assert (says in advice) if says else advice == ""


@pytest.mark.parametrize("gamma", [1, 0.5, 0, -3, "x", "1/0", float("nan"), float("inf")])
def test_a_gamma_that_hides_or_tells_all_is_refused(gamma: object) -> None:
    with pytest.raises(InvalidParameter):
        GammaDiagonal(gamma, 5)  # type: ignore[arg-type]


def test_one_value_or_too_fine_a_gamma_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="at least 2"):
        GammaDiagonal(9, 1)
    with pytest.raises(UsageError, match="fewer digits"):
        GammaDiagonal("9.000000000001", 20)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0]],
        [[0.5, 0.5], [0.5, 0.5]],
        [[0.9, 0.2], [0.2, 0.8]],
        [[1.1, 0.0], [-0.1, 1.0]],
        [[0.5, 0.5]],
        [["a", 0.5], [0.5, 0.5]],
    ],
)
def test_matrices_that_are_singular_or_no_laws_are_refused(matrix: object) -> None:
    with pytest.raises(UsageError):
        TransitionMatrix.of(matrix)


def test_weights_whose_sum_wraps_round_or_is_nothing_are_refused() -> None:
    """They would pass for a matrix of hardly any epsilon in a mechanism file that was edited."""
    most, size = 1 << 64, 4
    low, high = most // size - (1 << 50), most // size + 3 * (1 << 50) + 7
    weights = np.full((size, size), low, dtype=np.int64)
    np.fill_diagonal(weights, high)
    assert weights.sum(axis=0).tolist() == [7] * size
    for cells, total in ((weights, 7), (np.zeros((size, size), dtype=np.int64), 0)):
        with pytest.raises(UsageError, match="weights that sum to its total"):
            TransitionMatrix.of_weights(cells, total)


def test_decimals_are_read_as_written_and_near_sums_put_on_a_grid() -> None:
    exact = TransitionMatrix.of([[0.9, 0.2], [0.1, 0.8]])
    assert exact.total == 10
    assert exact.weights.tolist() == [[9, 2], [1, 8]]
    third = 1 / 3
    near = TransitionMatrix.of(np.array([[third, 0.1, 0.2], [third, 0.8, 0.2], [third, 0.1, 0.6]]))
    assert near.total == 1 << 30
    assert (near.weights.sum(axis=0) == near.total).all()
    assert TransitionMatrix.of([[1, 0.5], [0, 0.5]]).amplification == math.inf
    assert epsilon(TransitionMatrix.of([[1, 0.5], [0, 0.5]])) == math.inf


def test_a_prior_weighs_the_columns() -> None:
    matrix = TransitionMatrix.of([[1, 0.5], [0, 0.5]])
    assert matrix.entropy() == pytest.approx(0.5)
    assert matrix.entropy([0.25, 0.75]) == pytest.approx(0.75)
    with pytest.raises(UsageError):
        matrix.entropy([0.5, 0.6])
