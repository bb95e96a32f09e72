"""Naive linkage: who knows no law takes the nearest person for a released record's owner.

Numbers count by their distance as a share of the column's range, categories as equal or not.
`intruder` next door knows the law.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.table import Coded, Table

_MOST_CELLS = 4_000_000


def nearest_hits(
    released: Table,
    people: Table,
    known: Sequence[str],
    rows: npt.NDArray[np.intp],
    owner: npt.NDArray[np.intp],
) -> float:
    """The share of some released records whose nearest person is their owner; of several nearest
    people one is taken at random."""
    size = max(_MOST_CELLS // max(people.n_rows, 1), 1)
    hits = 0.0
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        distance = np.zeros((len(part), people.n_rows))
        for name in known:
            distance += _distances(released[name], people[name], part)
        least = distance.min(axis=1)
        near = distance <= least[:, None] + 1e-12
        own = near[np.arange(len(part)), owner[part]]
        hits += float((own / near.sum(axis=1)).sum())
    return hits / max(len(rows), 1)


def _distances(
    released: Coded, people: Coded, rows: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    domain = released.domain.union(people.domain)
    shown, theirs = released.into(domain).codes[rows], people.into(domain).codes
    if not domain.kind.is_ordered or len(domain.values) < 2:
        return np.asarray(shown[:, None] != theirs[None, :], dtype=np.float64)
    place: Floats = domain.values.astype(np.float64)
    place = (place - place[0]) / (place[-1] - place[0])
    place = np.append(place, [2.0] * domain.missing)  # missing is a whole range away
    return np.asarray(np.minimum(np.abs(place[shown][:, None] - place[theirs][None, :]), 1.0))
