"""Spectral filtering recovers added noise and fails on substitution."""

import numpy as np
import pytest

from privet.attack.spectral import attack_by_spectrum, spectral_filter
from privet.errors import UsageError
from privet.mechanism.matrices import GammaDiagonal
from privet.mechanism.sampling import substitute


def two_factors(n: int = 8_000) -> np.ndarray:
    rng = np.random.default_rng(1)
    data = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 10))
    return (data - data.mean(axis=0)) / data.std(axis=0)


@pytest.mark.parametrize("sigma", [0.5, 1.0])
def test_added_noise_is_taken_out(sigma: float) -> None:
    data = two_factors()
    noisy = data + np.random.default_rng(2).normal(0, sigma, data.shape)
    found = attack_by_spectrum(noisy, data, sigma**2)
    assert found.succeeds
    assert found.ratio < 0.5
    assert found.recovered < 0.5


@pytest.mark.parametrize("gamma", [2, 9])
def test_substituted_values_are_not_recovered(gamma: int) -> None:
    """The ratio is below one, and yet guessing the mean is nearer: the absolute error tells."""
    data = two_factors()
    low, width = data.min(axis=0), np.ptp(data, axis=0) / 20
    codes = np.minimum(((data - low) / width).astype(np.uint8), 19)
    drawn = np.stack(
        [substitute(GammaDiagonal(gamma, 20), c, 3, str(i)) for i, c in enumerate(codes.T)], axis=1
    )
    found = attack_by_spectrum(low + (drawn + 0.5) * width, data)
    assert not found.succeeds
    assert found.recovered > found.blind == pytest.approx(1.0)


def test_what_cannot_be_filtered_is_refused() -> None:
    with pytest.raises(UsageError):
        spectral_filter(np.zeros(4), 1.0)
    with pytest.raises(UsageError):
        spectral_filter(np.zeros((4, 2)), 0.0)
