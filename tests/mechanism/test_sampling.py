"""The exact sampler: all draws enumerated, statistics with a stated false-alarm rate, batches.

Statistical tests draw from fixed seeds, so they never fail by chance; the bound says how rarely a
right sampler would miss it with a seed of its own: at most once in 10,000 for each test.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.mechanism import sampling
from privet.mechanism.identities import numbered
from privet.mechanism.matrices import GammaDiagonal, Matrix, TransitionMatrix
from privet.mechanism.row_bits import RowBits
from privet.mechanism.sampling import outcome, substitute

SKEWED = TransitionMatrix.of([[0.7, 0.1, 0.25], [0.2, 0.6, 0.25], [0.1, 0.3, 0.5]])


@given(st.fractions(Fraction(11, 10), 30, max_denominator=12), st.integers(2, 12))
def test_all_draws_enumerated_are_the_matrix(gamma: Fraction, size: int) -> None:
    """Each original, each of the equally likely draws: outcomes counted are the exact weights."""
    matrix = GammaDiagonal(gamma, size)
    draws = np.arange(matrix.total)
    for code in range(size):
        got = outcome(matrix, np.full(matrix.total, code, dtype=np.uint8), draws)
        wanted = [matrix.keep if h == code else matrix.move for h in range(size)]
        assert np.bincount(got, minlength=size).tolist() == wanted


def test_all_draws_of_a_general_matrix_are_its_weights() -> None:
    draws = np.arange(SKEWED.total)
    for code in range(3):
        got = outcome(SKEWED, np.full(SKEWED.total, code, dtype=np.uint8), draws)
        assert np.bincount(got, minlength=3).tolist() == SKEWED.weights[:, code].tolist()


@pytest.mark.parametrize("total", [2, 3, 28, 255, 256])
def test_every_lane_enumerated_gives_each_draw_equally_often(total: int) -> None:
    """All 65,536 lanes of 16 bits: accepted ones cover 0..total-1 equally often."""
    wide = np.arange(1 << 16) * total
    kept = (wide & 0xFFFF) >= (1 << 16) % total
    counts = np.bincount(wide[kept] >> 16, minlength=total)
    assert len(counts) == total
    assert (counts == (1 << 16) // total).all()


def test_the_sampler_repeats_exactly_the_lanes_that_would_favour_some_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = GammaDiagonal(9, 20)
    lanes = np.arange(1 << 16, dtype="<u2")
    again = []

    def given(m: Matrix, bits: object, n: int, attempt: int) -> np.ndarray:
        again.append(n)
        return lanes if attempt == 0 else np.full(n, 0xFFFF, dtype="<u2")

    monkeypatch.setattr(sampling, "_lanes", given)
    substitute(matrix, np.zeros(1 << 16, dtype=np.uint8), 1)
    assert again == [1 << 16, (1 << 16) % 28]


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    return float(((observed - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("seed", [3, None])
@pytest.mark.parametrize(
    "matrix", [GammaDiagonal(9, 20), GammaDiagonal("19/2", 7), GammaDiagonal(300, 50), SKEWED]
)
def test_transitions_follow_the_matrix(matrix: Matrix, seed: int | None) -> None:
    """Chi-square over all cells; its mean is d = N (N - 1). The bound d + 4.5 sqrt(2 d) + 16 is
    passed by a right sampler less than once in 10,000 runs (also without a seed)."""
    each = 20_000
    codes = np.repeat(np.arange(matrix.size, dtype=np.uint8), each)
    new = substitute(matrix, codes, seed, "x")
    seen = np.zeros((matrix.size, matrix.size))
    np.add.at(seen, (new, codes), 1)
    freedom = matrix.size * (matrix.size - 1)
    assert chi_square(seen, matrix.dense() * each) < freedom + 4.5 * np.sqrt(2 * freedom) + 16


def test_columns_are_drawn_independently() -> None:
    """Two columns of the same codes: how often both stay is binomial; 4 standard deviations."""
    matrix, n = GammaDiagonal(9, 20), 200_000
    codes = np.zeros(n, dtype=np.uint8)
    stay_a = substitute(matrix, codes, 5, "a") == 0
    stay_b = substitute(matrix, codes, 5, "b") == 0
    share = (9 / 28) ** 2
    both = int((stay_a & stay_b).sum())
    assert abs(both - n * share) < 4 * np.sqrt(n * share * (1 - share))


@given(
    st.sampled_from([GammaDiagonal(9, 20), GammaDiagonal("19/2", 7), GammaDiagonal(70_000, 9)]),
    st.permutations(range(60)),
    st.integers(0, 60),
    st.integers(0, 2**40),
)
def test_batches_and_order_do_not_matter(
    matrix: Matrix, order: list[int], cut: int, seed: int
) -> None:
    codes = (np.arange(60) % matrix.size).astype(np.uint8)
    bits = RowBits(seed, "substitution:x", numbered(60))
    whole = substitute(matrix, codes, seed, "x")
    parts = [
        substitute(matrix, codes[some], seed, bits=bits.take(some))
        for some in (order[:cut], order[cut:])
    ]
    assert np.array_equal(whole[order], np.concatenate(parts))


def test_repeated_draws_do_not_depend_on_the_rows_around() -> None:
    matrix = GammaDiagonal(200, 50)  # a total of 249: one lane in 257 is repeated
    codes = (np.arange(sampling.BLOCK + 1000) % 50).astype(np.uint8)
    whole = substitute(matrix, codes, 1, "x")
    order = np.random.default_rng(1).permutation(len(codes))
    bits = RowBits(1, "substitution:x", numbered(len(codes)))
    shuffled = substitute(matrix, codes[order], 1, bits=bits.take(order))
    assert np.array_equal(shuffled, whole[order])


@pytest.mark.parametrize(
    "matrix",
    [
        GammaDiagonal(9, 20),
        GammaDiagonal(200, 50),
        GammaDiagonal("19/2", 7),
        GammaDiagonal(9, 5000),
        GammaDiagonal("9.123", 300),
    ],
)
def test_the_compiled_loop_gives_the_same_codes(matrix: GammaDiagonal) -> None:
    from privet.table import code_type

    codes = (np.arange(150_000) % matrix.size).astype(code_type(matrix.size))
    slow = substitute(matrix, codes, 11, "x", compiled=False)
    assert np.array_equal(substitute(matrix, codes, 11, "x", compiled=True), slow)
    fresh = substitute(matrix, codes, None, "x", compiled=True)
    assert not np.array_equal(fresh, slow)
    assert int(fresh.max()) < matrix.size


def test_without_a_seed_two_draws_differ_and_progress_is_told() -> None:
    codes = np.zeros(100_000, dtype=np.uint8)
    told: list[int] = []
    a = substitute(GammaDiagonal(9, 20), codes, progress=told.append)
    b = substitute(GammaDiagonal(9, 20), codes)
    assert not np.array_equal(a, b)
    assert sum(told) == 100_000
    assert len(told) == 2
