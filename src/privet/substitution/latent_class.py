"""A latent class model of the originals, fitted to perturbed records, and records drawn from it.

Within each class of the target the originals are taken to come from a few hidden components; within
a component the columns are independent. The matrices of the mechanism stand between originals and
what was seen, so the fit (expectation maximisation) finds the originals' laws, not the perturbed
ones. Components let columns be correlated, which one-column estimates in `rebuild` cannot see.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.mechanism.matrices import GammaDiagonal, Matrix
from privet.randomness import generator
from privet.table import Codes

COMPILE_FROM = 4_000  # records
RECORDS_FOR_A_COMPONENT = 1_000
MOST_COMPONENTS = 32
MOST_ROUNDS = 300
_STILL = 1e-7  # gain in log-likelihood per record and round below which the fit has settled
_PRIOR = 1.0  # records added to each law, spread evenly: no probability becomes zero
_WIDEST = 1 << 22  # cells of the laws of one column in all components
_CHUNK = 1 << 14


@dataclass(frozen=True, eq=False)
class LatentClasses:
    """Shares of the components, and laws[j][value, component] of the originals of block j."""

    matrices: tuple[Matrix, ...]
    shares: Floats
    laws: tuple[Floats, ...]

    def seen(self) -> list[Floats]:
        """For each block the laws of what is seen of it."""
        return [m.apply(law) for m, law in zip(self.matrices, self.laws, strict=True)]

    def draw(self, codes: Sequence[Codes], rng: np.random.Generator) -> list[Codes]:
        """Originals drawn given what was seen: first a component for each record, then values."""
        component = self._draw_components(codes, rng)
        return [
            draw_originals(matrix, law, own, component, rng)
            for matrix, law, own in zip(self.matrices, self.laws, codes, strict=True)
        ]

    def _draw_components(
        self, codes: Sequence[Codes], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        seen = self.seen()
        drawn = np.empty(len(codes[0]), dtype=np.int64)
        for start in range(0, len(drawn), _CHUNK):
            part = _parts(seen, self.shares, [c[start : start + _CHUNK] for c in codes])
            ends = np.cumsum(part, axis=1)
            goal = rng.random(len(part)) * ends[:, -1]
            drawn[start : start + _CHUNK] = (ends < goal[:, None]).sum(axis=1)
        return np.minimum(drawn, len(self.shares) - 1)


def components_for(records: int) -> tuple[int, ...]:
    """Numbers of components for the models that are averaged: as many as the records can feed."""
    most = int(np.clip(records // RECORDS_FOR_A_COMPONENT, 1, MOST_COMPONENTS))
    return tuple(sorted({max(1, most // 4), max(1, most // 2), most}))


def fit_average(codes: Sequence[Codes], matrices: Sequence[Matrix], seed: int = 0) -> LatentClasses:
    """The average of models of three sizes: each finds other things, noise of one alone fades."""
    sizes = components_for(len(codes[0]))
    models = [
        fit_latent_classes(codes, matrices, size, seed + place) for place, size in enumerate(sizes)
    ]
    laws = zip(*(model.laws for model in models), strict=True)
    return LatentClasses(
        tuple(matrices),
        np.concatenate([model.shares / len(models) for model in models]),
        tuple(np.concatenate(own, axis=1) for own in laws),
    )


def fit_latent_classes(
    codes: Sequence[Codes],
    matrices: Sequence[Matrix],
    components: int,
    seed: int = 0,
    rounds: int = MOST_ROUNDS,
) -> LatentClasses:
    """Fit the model to perturbed codes, one array for each block."""
    widest = max(matrix.size for matrix in matrices)
    count = max(1, min(components, _WIDEST // widest))
    rng = generator(seed, "latent classes")
    laws = [rng.dirichlet(np.full(m.size, 2.0), count).T for m in matrices]
    shares = np.full(count, 1.0 / count)
    step = _step(codes, matrices)
    reached = -np.inf
    for _ in range(rounds):
        laws, shares, now = step(laws, shares)
        if now - reached < _STILL * len(codes[0]):
            break
        reached = now
    return LatentClasses(tuple(matrices), shares, tuple(laws))


def _step(codes: Sequence[Codes], matrices: Sequence[Matrix]) -> Any:
    """One round of expectation maximisation, as a function of laws and shares."""
    sizes = [matrix.size for matrix in matrices]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    compiled = len(codes[0]) >= COMPILE_FROM
    stacked = np.stack([c.astype(np.uint16 if max(sizes) <= 1 << 16 else np.uint32) for c in codes])

    def expected(seen: list[Floats], shares: Floats) -> tuple[Floats, float]:
        weights = np.zeros((int(offsets[-1]) + 1, len(shares)))
        if compiled:
            from privet.compiled.latent_class import expect

            scaled = [law * size for law, size in zip(seen, sizes, strict=True)]  # no underflow
            reached = expect(stacked, np.concatenate(scaled), offsets, shares, weights)
            return weights, float(reached)
        part = _parts(seen, shares, codes)
        whole = part.sum(axis=1, keepdims=True)
        part /= whole
        for first, own, size in zip(offsets, codes, sizes, strict=False):
            for k in range(len(shares)):
                weights[first : first + size, k] = np.bincount(own, part[:, k], size)
        weights[-1] = part.sum(axis=0)
        return weights, float(np.log(whole).sum())

    def step(laws: list[Floats], shares: Floats) -> tuple[list[Floats], Floats, float]:
        seen = [m.apply(law) for m, law in zip(matrices, laws, strict=True)]
        weights, reached = expected(seen, shares)
        new = []
        for place, (matrix, law) in enumerate(zip(matrices, laws, strict=True)):
            ratio = weights[offsets[place] : offsets[place + 1]] / seen[place]
            mass = law * _transposed(matrix, ratio) + _PRIOR / matrix.size
            new.append(mass / mass.sum(axis=0))
        mixed = weights[-1] + _PRIOR
        return new, mixed / mixed.sum(), reached

    return step


def _parts(seen: Sequence[Floats], shares: Floats, codes: Sequence[Codes]) -> Floats:
    """For each record and component: its share times the likelihood of what was seen."""
    part = np.tile(shares, (len(codes[0]), 1))
    for law, own in zip(seen, codes, strict=True):
        part *= (law * len(law))[own]
    return part


def _transposed(matrix: Matrix, ratio: Floats) -> Floats:
    """M^T @ ratio; a gamma-diagonal matrix is its own transpose."""
    if isinstance(matrix, GammaDiagonal):
        return matrix.apply(ratio)
    turned: Floats = matrix.dense().T @ ratio
    return turned


def draw_originals(
    matrix: Matrix,
    law: Floats,
    seen: Codes,
    component: npt.NDArray[np.int64],
    rng: np.random.Generator,
) -> Codes:
    """An original for each record: in proportion to its law and to the chance of what was seen."""
    share = rng.random(len(seen))
    if isinstance(matrix, GammaDiagonal):
        # M is 1 everywhere and gamma - 1 more on the diagonal: kept, or drawn from the law itself
        extra = float(matrix.gamma - 1) * law[seen, component]
        kept = share < extra / (1.0 + extra)
        ends = np.cumsum(law, axis=0).T
        drawn = _search(ends, component, rng.random(len(seen)))
        return np.where(kept, seen, drawn).astype(seen.dtype)
    originals = np.empty_like(seen)
    for value in range(matrix.size):
        rows = np.flatnonzero(seen == value)
        ends = np.cumsum(matrix.dense()[value][:, None] * law, axis=0).T
        originals[rows] = _search(ends, component[rows], share[rows])
    return originals


def _search(ends: Floats, row: npt.NDArray[np.int64], share: Floats) -> npt.NDArray[np.int64]:
    """For each draw the place in its own row of running sums; all rows are searched at once."""
    width = ends.shape[1]
    running = ends / ends[:, -1:]
    running[:, -1] = 1.0
    flat = (running + np.arange(len(ends))[:, None]).ravel()
    place = np.searchsorted(flat, share + row, side="right") - row * width
    found: npt.NDArray[np.int64] = np.clip(place, 0, width - 1)
    return found
