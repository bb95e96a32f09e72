"""Spectral filtering: noise taken out of a table by what its columns have in common.

Kargupta and others (2003): where noise was added independently to correlated columns, the
covariance of the released table has a few large eigenvalues that belong to the data, and the rest
belong to the noise. Keeping the large ones gives the data back. It needs noise of one known
variance for all records, which random substitution does not have. Bayes' rule needs less.
"""

from dataclasses import dataclass

import numpy as np

from privet.arrays import Floats
from privet.errors import UsageError


@dataclass(frozen=True)
class Recovery:
    """Root mean square distances from the originals; `ratio` below 1 says something was won.

    `blind` is that of guessing every column's mean: recovery above it is worth nothing, whatever
    the ratio.
    """

    distortion: float
    recovered: float
    blind: float

    @property
    def ratio(self) -> float:
        return self.recovered / self.distortion

    @property
    def succeeds(self) -> bool:
        return self.recovered < min(self.distortion, self.blind)


def spectral_filter(released: Floats, noise_variance: float) -> Floats:
    """The released records (rows) with what looks like noise taken out."""
    if released.ndim != 2 or len(released) < 2:
        raise UsageError("Spectral filtering needs a table of numbers.", "records are its rows.")
    if noise_variance <= 0:
        raise UsageError("The variance of the noise must be above 0.", "")
    means = released.mean(axis=0)
    centred = released - means
    values, vectors = np.linalg.eigh(centred.T @ centred / len(released))
    # the largest eigenvalue that noise alone would have (Marchenko and Pastur)
    bound = noise_variance * (1 + np.sqrt(released.shape[1] / len(released))) ** 2
    kept = vectors[:, values > bound]
    filtered: Floats = centred @ kept @ kept.T + means
    return filtered


def attack_by_spectrum(
    released: Floats, originals: Floats, noise_variance: float | None = None
) -> Recovery:
    """How near the filter comes to the originals; without a variance, the true mean one is told."""
    distances = (released - originals) ** 2
    variance = float(distances.mean()) if noise_variance is None else noise_variance
    found = spectral_filter(released, variance)
    return Recovery(
        float(np.sqrt(distances.mean())),
        float(np.sqrt(((found - originals) ** 2).mean())),
        float(np.sqrt(((originals - originals.mean(axis=0)) ** 2).mean())),
    )
