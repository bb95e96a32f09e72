"""CACTUS on the customers: the one cluster of the paper, and the slow way on random tables."""

from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.datasets import csd
from privet.errors import InvalidParameter, UsageError
from privet.measure.cactus import cactus
from privet.schema import Kind
from privet.table import Coded, Table

COLUMNS = ("country_of_origin", "car_make", "profession", "status")


def test_the_cluster_of_the_paper() -> None:
    found = cactus(csd(), COLUMNS, 1.2)
    assert len(found.strong) == 21
    (cluster,) = found.clusters
    assert cluster.values == (("England", "USA"), ("Ford", "Toyota"), ("Scientist",), ("Good",))
    assert (cluster.support, round(cluster.expected, 1)) == (153, 22.2)
    makes = {("Ford", "Toyota"), ("Nissan",), ("Toyota",)}
    assert set(found.projections["car_make"]) == makes
    assert found.similar["car_make", "Ford", "Toyota"] == {
        "country_of_origin": 2,
        "profession": 1,
        "status": 1,
    }
    assert found.is_complete


@pytest.mark.parametrize(("alpha", "clusters"), [(1.0, 1), (1.24, 1), (3.0, 0)])
def test_how_strong_is_strong(alpha: float, clusters: int) -> None:
    assert len(cactus(csd(), COLUMNS, alpha).clusters) == clusters


def subsets(values: list[str]) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(values, n) for n in range(1, len(values) + 1)))


def slow(rows: list[tuple[str, ...]], alpha: float) -> set[tuple[tuple[str, ...], ...]]:
    """All products of sets whose values are strong with one another, kept if they are maximal
    among products of projections and have the support."""
    width = len(rows[0])
    domains = [sorted({row[i] for row in rows}) for i in range(width)]

    def strong(i: int, a: str, j: int, b: str) -> bool:
        n = sum(row[i] == a and row[j] == b for row in rows)
        return n > alpha * len(rows) / (len(domains[i]) * len(domains[j]))

    def closed(i: int, j: int) -> set[tuple[str, ...]]:
        sides = set()
        for other in subsets(domains[j]):
            sides.add(tuple(a for a in domains[i] if all(strong(i, a, j, b) for b in other)))
        return sides - {()}

    projections = []
    for i in range(width):
        others = [closed(i, j) for j in range(width) if j != i]
        found = set()
        for choice in product(*others):
            common = set(domains[i]).intersection(*map(set, choice))
            found.add(tuple(sorted(common)))
        projections.append(found - {()})
    candidates = [
        c
        for c in product(*projections)
        if all(
            strong(i, a, j, b) for i, j in combinations(range(width), 2) for a in c[i] for b in c[j]
        )
    ]
    kept = set()
    for c in candidates:
        within = [d for d in candidates if all(set(x) <= set(y) for x, y in zip(c, d, strict=True))]
        support = sum(all(row[i] in c[i] for i in range(width)) for row in rows)
        share = np.prod([len(c[i]) / len(domains[i]) for i in range(width)])
        if within == [c] and support > alpha * len(rows) * share:
            kept.add(c)
    return kept


@given(
    st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=4, max_size=25),
    st.sampled_from([0.8, 1.3, 2.1]),
)
def test_clusters_are_those_of_the_slow_way(rows: list[tuple[str, ...]], alpha: float) -> None:
    none = np.zeros(len(rows), dtype=bool)
    columns: dict[str, Any] = {
        f"c{i}": Coded.of(np.array([row[i] for row in rows], dtype=object), Kind.CATEGORY, none)
        for i in range(3)
    }
    found = cactus(Table(columns), tuple(columns), alpha)
    assert {c.values for c in found.clusters} == slow(rows, alpha)


def test_what_cannot_be_clustered_is_refused() -> None:
    with pytest.raises(InvalidParameter):
        cactus(csd(), COLUMNS, 0)
    with pytest.raises(UsageError):
        cactus(csd(), ("status",), 1.2)
