"""Noise taken out by principal components, and by Bayes' estimate.

Huang, Du and Chen (2005): where noise of known variance was added to correlated columns, the
covariance of the originals is that of the release less that of the noise. Its strongest directions
hold most of the originals, so the release is projected on them. Or the originals are taken to be
normal, and the most likely ones are worked out. Both need noise that has mean 0 and does not hang
on the original. Random substitution has neither: `linear` knows the matrices and needs neither.
"""

import numpy as np

from privet.arrays import Floats


def by_principal_components(released: Floats, noise_variances: Floats) -> Floats:
    """The records (rows) projected on the strongest directions: those before the widest gap."""
    means = released.mean(axis=0)
    values, vectors = np.linalg.eigh(_covariance(released, noise_variances))
    values, vectors = values[::-1], vectors[:, ::-1]
    gaps = values[:-1] - values[1:]
    kept = vectors[:, : int(gaps.argmax()) + 1] if len(gaps) else vectors
    projected: Floats = (released - means) @ kept @ kept.T + means
    return projected


def by_bayes_estimate(released: Floats, noise_variances: Floats) -> Floats:
    """The most likely originals if these and the noise were normal."""
    means = released.mean(axis=0)
    values, vectors = np.linalg.eigh(_covariance(released, noise_variances))
    originals = (vectors * np.maximum(values, 0)) @ vectors.T  # no variance is below 0
    told = np.linalg.solve(originals + np.diag(noise_variances), originals)
    estimated: Floats = (released - means) @ told + means
    return estimated


def _covariance(released: Floats, noise_variances: Floats) -> Floats:
    """That of the originals, if the noise were independent of them."""
    centred = released - released.mean(axis=0)
    return np.asarray(centred.T @ centred / len(released) - np.diag(noise_variances))
