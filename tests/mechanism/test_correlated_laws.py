"""Columns moved together: the law of every record against a slow twin, and what it keeps."""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.slow_correlated_law import slow_chance
from privet.mechanism.correlated_laws import CorrelatedLaw, Extent, correlations_of
from privet.mechanism.grids import Grid
from privet.mechanism.number_laws import NumberLaw
from privet.mechanism.shapes import shape_of
from privet.schema import Kind

SHAPE = shape_of("correlated")
ENDS = ("reflect", "reflect-whole", "clamp")


@st.composite
def correlated_laws(draw: st.DrawFn) -> CorrelatedLaw:
    """Two or three columns of few whole numbers, correlated as random columns are."""
    number = draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    mixed = rng.normal(size=(20, number)) @ rng.normal(size=(number, number))
    sd = draw(st.floats(0.1, 2.0))
    laws = {}
    for place in range(number):
        low = draw(st.integers(-5, 5))
        high = low + draw(st.integers(0, 6))
        size, mean = draw(st.floats(0.2, 6.0)), draw(st.floats(low, high))
        ends: Any = draw(st.sampled_from(ENDS))
        grid = Grid(Kind.INTEGER)
        laws[f"n{place}"] = NumberLaw(grid, SHAPE, sd, low, high, ends, size, mean)
    rows = np.corrcoef(mixed.T)
    return CorrelatedLaw(
        laws,
        [
            [1.0 if i == j else float(rows[max(i, j)][min(i, j)]) for j in range(number)]
            for i in range(number)
        ],
    )


def points_of(law: CorrelatedLaw) -> list[tuple[int, ...]]:
    return list(product(*(range(one.low, one.high + 1) for one in law.laws.values())))  # type: ignore[arg-type]


@settings(deadline=None, max_examples=40)
@given(correlated_laws(), st.data())
def test_the_chance_of_every_record_is_what_a_reader_works_out(
    law: CorrelatedLaw, data: st.DataObject
) -> None:
    points = points_of(law)
    person = data.draw(st.sampled_from(points))
    columns = [np.array(column) for column in zip(*points, strict=True)]
    own = [np.array([x]) for x in person]
    logs = law.among(list(law.laws)).log_chances(own, columns)[:, 0]
    assert np.exp(logs).sum() == pytest.approx(1)
    told = json.loads(json.dumps(law.to_data()))
    entries = [json.loads(json.dumps(one.to_data())) for one in law.laws.values()]
    bars = SHAPE.to_data()["bars"]
    for place in data.draw(st.lists(st.sampled_from(range(len(points))), max_size=4)):
        slow = slow_chance(bars, entries, told["correlations"], person, points[place])
        assert np.exp(logs[place]) == pytest.approx(slow, rel=1e-6, abs=1e-9)


@settings(deadline=None, max_examples=15)
@given(correlated_laws(), st.integers(0, 2**32), st.data())
def test_draws_follow_the_law(law: CorrelatedLaw, seed: int, data: st.DataObject) -> None:
    draws = 20_000
    points = points_of(law)
    person = data.draw(st.sampled_from(points))
    rng = np.random.default_rng(seed)
    together = law.among(list(law.laws))
    drawn = together.draw(
        [np.full(draws, x) for x in person],
        *([rng.random(draws) for _ in person] for _ in range(2)),
    )
    columns = [np.array(column) for column in zip(*points, strict=True)]
    chances = np.exp(together.log_chances([np.array([x]) for x in person], columns)[:, 0])
    place = {point: number for number, point in enumerate(points)}
    found = np.bincount([place[one] for one in zip(*drawn, strict=True)], minlength=len(points))
    error = np.sqrt(draws * chances * (1 - chances))
    assert (np.abs(found - draws * chances) <= 6 * error + 6).all()


@given(st.integers(1, 3), st.integers(0, 1000))
def test_correlations_are_those_of_the_columns_in_any_order(missing: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = rng.integers(-(2**51), 2**51, 200)
    two = one // 2 + rng.integers(-(2**50), 2**50, 200)
    constant = np.full(200, 7)
    present = [np.ones(200, dtype=bool), rng.random(200) > missing / 10, np.ones(200, dtype=bool)]
    columns = (one, two, constant)
    extents = [
        Extent(int(column[there].min()), int(column[there].max()))
        for column, there in zip(columns, present, strict=True)
    ]
    found = correlations_of([(columns, present)], extents, 200)
    order = rng.permutation(200)
    parts = [
        ([column[rows] for column in columns], [there[rows] for there in present])
        for rows in np.split(order, [0, 13, 150])
    ]
    assert correlations_of(parts, extents, 200) == found
    filled = np.where(present[1], two, two[present[1]].mean())
    assert found[0][1] == pytest.approx(np.corrcoef(one, filled)[0, 1], abs=1e-4)
    assert found[0][2] == found[2][1] == 0.0
    assert [found[i][i] for i in range(3)] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "correlations",
    [
        [[1.0, 0.5], [0.4, 1.0]],
        [[1.0]],
        [[0.9, 0.0], [0.0, 1.0]],
        [[1.0, 1.5], [1.5, 1.0]],
        [[1.0, float("nan")], [float("nan"), 1.0]],
    ],
)
def test_correlations_that_no_columns_have_are_refused(correlations: list[list[float]]) -> None:
    law = NumberLaw(Grid(Kind.INTEGER), SHAPE, 0.3, 0, 9, "reflect", 2.0, 4.5)
    told = {"columns": ["a", "b"], "correlations": correlations}
    with pytest.raises(ValueError, match="correlation"):
        _ = CorrelatedLaw.from_data(told, {"a": law, "b": law}).among(["a", "b"]).factors
