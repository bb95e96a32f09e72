"""The audit lets a right sampler pass and finds one that keeps the truth too often."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.attack.epsilon_audit import _lower, audit_epsilon
from privet.errors import InvalidParameter
from privet.mechanism.matrices import GammaDiagonal, epsilon
from privet.mechanism.sampling import substitute

MATRIX = GammaDiagonal(9, 20)


def right(original: int, draws: int) -> np.ndarray:
    return substitute(MATRIX, np.full(draws, original, dtype=np.uint8))


def careless(original: int, draws: int) -> np.ndarray:
    """A "lie" that may be the truth after all, so that the truth is kept too often."""
    rng = np.random.default_rng(original + draws)
    lie = rng.integers(0, 20, draws)
    return np.where(rng.random(draws) < 9 / 28, original, lie)


def test_a_right_sampler_passes_and_a_careless_one_does_not() -> None:
    """False alarm: at most one run in a hundred, by the confidence (checked once, unseeded)."""
    claim = epsilon(MATRIX)
    found = audit_epsilon(right, 20, claim, 100_000, confidence=0.9999)
    assert not found.refuted
    assert claim - 0.3 < found.proven
    fault = audit_epsilon(careless, 20, claim, 200_000)
    assert fault.refuted
    assert fault.proven < math.log(9 / 28 + 19 / 28 / 20) - math.log(19 / 28 / 20) + 0.1


@given(st.integers(1, 30), st.integers(0, 30), st.sampled_from([0.001, 0.01, 0.05]))
def test_the_bound_against_exact_sums(hits: int, misses: int, doubt: float) -> None:
    n = hits + misses
    low = Fraction(_lower(hits, n, doubt))
    tail = sum(math.comb(n, k) * low**k * (1 - low) ** (n - k) for k in range(hits, n + 1))
    assert float(tail) == pytest.approx(doubt, rel=1e-6)


def test_no_hits_prove_nothing_and_odd_settings_are_refused() -> None:
    assert _lower(0, 10, 0.01) == 0.0
    with pytest.raises(InvalidParameter):
        audit_epsilon(right, 20, 2.0, draws=1)
    with pytest.raises(InvalidParameter):
        audit_epsilon(right, 20, 2.0, confidence=1.0)
