"""Slow twin of the likelihood of seen classes under a tree, in loops over all possible originals.

Every combination of original values is sent down the tree by itself, and counts as much as the
product of the chances of its values. Shares in the leaves are settled record by record.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product

Law = Sequence[float]
Matrix = Sequence[Sequence[float]]  # matrix[seen][original]


def leaf_chances(
    seen: Sequence[Sequence[int]],
    laws: Sequence[Law],
    matrices: Sequence[Matrix],
    leaf_of: Callable[[tuple[int, ...]], int],
    leaves: int,
) -> list[list[float]]:
    """For each record, whose seen codes stand in a row, the chance of each leaf."""
    found = []
    for codes in seen:
        posteriors = []
        for code, law, matrix in zip(codes, laws, matrices, strict=True):
            both = [matrix[code][original] * share for original, share in enumerate(law)]
            posteriors.append([cell / sum(both) for cell in both])
        chances = [0.0] * leaves
        for originals in product(*(range(len(law)) for law in laws)):
            parts = [own[value] for own, value in zip(posteriors, originals, strict=True)]
            chances[leaf_of(originals)] += math.prod(parts)
        found.append(chances)
    return found


def fitted(
    chances: Sequence[Sequence[float]],
    seen: Sequence[int],
    counts: Sequence[Sequence[float]],
    channel: Matrix,
    rounds: int,
) -> float:
    """The log-likelihood of the seen classes after so many rounds; `channel[seen][own]`."""
    leaves, classes = range(len(counts)), range(len(counts[0]))
    every = sum(map(sum, counts))
    common = [sum(own[c] for own in counts) / every for c in classes]

    def shared(held: Sequence[Sequence[float]]) -> list[list[float]]:
        return [[(own[c] + common[c]) / (sum(own) + 1) for c in classes] for own in held]

    def parts(row: int, shares: list[list[float]]) -> list[list[float]]:
        return [
            [chances[row][leaf] * shares[leaf][c] * channel[seen[row]][c] for c in classes]
            for leaf in leaves
        ]

    shares = shared(counts)
    for _ in range(rounds):
        held = [[0.0 for _ in classes] for _ in leaves]
        for row in range(len(seen)):
            own = parts(row, shares)
            whole = sum(map(sum, own))
            for leaf in leaves:
                for c in classes:
                    held[leaf][c] += own[leaf][c] / whole
        shares = shared(held)
    return sum(math.log(sum(map(sum, parts(row, shares)))) for row in range(len(seen)))
