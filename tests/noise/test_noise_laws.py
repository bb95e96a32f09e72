"""Laws of noise: chances add up, closed forms equal what is listed one by one and what is drawn.

Simulations are compared with five standard errors: a right law is called wrong in fewer than one of
a million comparisons.
"""

import json
import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.mechanism.class_laws import ClassLaw
from privet.mechanism.grids import Grid
from privet.mechanism.noise_laws import (
    ENDS,
    BellLaw,
    CategoryLaw,
    NumberLaw,
    draw_by_group,
    folded,
)
from privet.schema import Kind

WHOLE = Grid(Kind.INTEGER)
FALSE_ALARM = 5.0  # standard errors
DRAWS = 200_000

leaf_counts = st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(lambda c: 0 < sum(c) <= 7)


def within(found: float, expected: float, deviation: float, draws: int = DRAWS) -> bool:
    return abs(found - expected) <= FALSE_ALARM * deviation / math.sqrt(draws) + 1e-12


# -- the bell ------------------------------------------------------------------------------------


def test_the_standard_law_is_that_of_the_paper() -> None:
    bell = BellLaw()
    published = [0.1353, 0.1282, 0.1091, 0.0833, 0.0571, 0.0352, 0.0195]
    assert bell.shares[6:].tolist() == pytest.approx(published, abs=5e-5)
    assert bell.offsets[6:].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


@given(st.floats(0.001, 10))
def test_mean_and_deviation_are_those_asked_for(sd: float) -> None:
    bell = BellLaw(sd)
    assert bell.shares.sum() == pytest.approx(1)
    assert bell.offsets @ bell.shares == pytest.approx(0, abs=1e-12)
    assert math.sqrt(bell.offsets**2 @ bell.shares) == pytest.approx(sd, rel=1e-9)


# -- numbers -------------------------------------------------------------------------------------


def slow_fold(unit: int, low: int, high: int, ends: str) -> int:
    """Step by step: walk from the nearer end, and turn or jump whenever it is passed."""
    while not low <= unit <= high:
        if ends == "clamp":
            unit = max(low, min(unit, high))
        elif ends == "wrap":
            unit += (high - low + 1) * (1 if unit < low else -1)
        elif ends == "reflect":
            unit = 2 * low - 1 - unit if unit < low else 2 * high + 1 - unit
        elif low == high:
            unit = low
        else:
            unit = 2 * low - unit if unit < low else 2 * high - unit
    return unit


@given(st.integers(-300, 300), st.integers(-9, 9), st.integers(0, 12), st.sampled_from(ENDS))
def test_folding_is_walking_back(unit: int, low: int, room: int, ends: str) -> None:
    fast = folded(np.array([unit]), low, low + room, ends)  # type: ignore[arg-type]
    assert fast.tolist() == [slow_fold(unit, low, low + room, ends)]


@pytest.mark.parametrize(
    ("ends", "at_one", "at_ten"),
    [("clamp", 1.112, 8.882), ("reflect-whole", 1.224, 7.765), ("reflect", 1.112, 8.197)],
)
def test_the_bias_at_the_ends_is_stated(ends: str, at_one: float, at_ten: float) -> None:
    law = NumberLaw(WHOLE, BellLaw(), 1, 10, ends)  # type: ignore[arg-type]
    bias, _, changed = law.moments(np.array([1, 5, 10]))
    assert [1 + bias[0], 10 + bias[2]] == pytest.approx([at_one, at_ten], abs=1e-3)
    assert bias[1] == pytest.approx(0, abs=1e-12)
    assert changed[1] == pytest.approx(0.737, abs=1e-3)


@given(
    st.integers(-30, 30),
    st.floats(0.01, 2),
    st.sampled_from(ENDS),
    st.one_of(st.none(), st.floats(0.1, 20)),
)
def test_moments_are_those_of_the_listed_law(
    unit: int, sd: float, ends: str, size: float | None
) -> None:
    law = NumberLaw(WHOLE, BellLaw(sd), -31, 33, ends, size)  # type: ignore[arg-type]
    listed = law.law_of(unit)
    mean = sum(to * chance for to, chance in listed.items())
    variance = sum((to - mean) ** 2 * chance for to, chance in listed.items())
    bias, spread, changed = (float(m[0]) for m in law.moments(np.array([unit])))
    assert sum(listed.values()) == pytest.approx(1)
    assert all(-31 <= to <= 33 for to in listed)
    assert (bias, spread) == (
        pytest.approx(mean - unit, abs=1e-9),
        pytest.approx(variance, abs=1e-8),
    )
    assert changed == pytest.approx(1 - listed.get(unit, 0.0), abs=1e-9)


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("unit", [1, 5, 10])
def test_draws_follow_the_listed_law(unit: int, ends: str) -> None:
    law = NumberLaw(WHOLE, BellLaw(), 1, 10, ends)  # type: ignore[arg-type]
    rng = np.random.default_rng([7, unit])
    drawn = law.draw(np.full(DRAWS, unit), rng.random(DRAWS), rng.random(DRAWS))
    found = Counter(drawn.tolist())
    listed = law.law_of(unit)
    assert set(found) <= set(listed)
    for to, p in listed.items():
        assert within(found[to] / DRAWS, p, math.sqrt(p * (1 - p)))


@pytest.mark.parametrize(("ends", "is_kept"), [("wrap", True), ("reflect", True)])
def test_a_uniform_column_stays_uniform(ends: str, is_kept: bool) -> None:
    """Wrap and half-step mirrors are doubly stochastic when the noise ignores the value."""
    law = NumberLaw(WHOLE, BellLaw(), 3, 9, ends, size=6.5)  # type: ignore[arg-type]
    sums: Counter[int] = Counter()
    for unit in range(3, 10):
        sums.update(law.law_of(unit))
    assert list(sums.values()) == pytest.approx([1.0] * 7)
    whole = NumberLaw(WHOLE, BellLaw(), 3, 9, "reflect-whole", size=6.5)
    uneven: Counter[int] = Counter()
    for unit in range(3, 10):
        uneven.update(whole.law_of(unit))
    assert uneven[3] != pytest.approx(1.0, abs=0.01)


@given(st.sampled_from([None, 12.5]), st.sampled_from(["reflect", "clamp"]), st.integers(0, 40))
def test_a_law_is_plain_data(size: float | None, ends: str, unit: int) -> None:
    for grid in (WHOLE, Grid(Kind.DECIMAL, 5, 2), Grid(Kind.DECIMAL, exponent=-3)):
        law = NumberLaw(grid, BellLaw(0.4), 0, 40, ends, size)  # type: ignore[arg-type]
        again = NumberLaw.from_data(json.loads(json.dumps(law.to_data())), grid.kind)
        assert again.law_of(unit) == law.law_of(unit)
        assert again.grid == law.grid


# -- classes -------------------------------------------------------------------------------------


@given(leaf_counts)
def test_closed_forms_of_random_equal_all_permutations(counts: list[int]) -> None:
    classes = [v for v, n in enumerate(counts) for _ in range(n)]
    changes = [
        sum(a != b for a, b in zip(classes, order, strict=True)) for order in permutations(classes)
    ]
    law = ClassLaw.of("random", [counts])
    assert float(law.expected) == pytest.approx(np.mean(changes))
    assert float(law.variance) == pytest.approx(np.var(changes), abs=1e-9)


@given(leaf_counts)
def test_closed_forms_of_probabilistic_equal_sums_of_draws(counts: list[int]) -> None:
    n = sum(counts)
    chances = [1 - c / n for c in counts for _ in range(c)]
    law = ClassLaw.of("probabilistic", [counts])
    assert float(law.expected) == pytest.approx(sum(chances))
    assert float(law.variance) == pytest.approx(sum(p * (1 - p) for p in chances))


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [((32, 1), 1.939), ((26, 3), 5.379), ((6, 4), 4.8), ((132, 62, 48, 5), 151.466)],
)
def test_expected_changes_of_known_leaves(leaf: tuple[int, ...], expected: float) -> None:
    for technique in ("random", "probabilistic", "all-leaves"):
        law = ClassLaw.of(technique, [leaf])  # type: ignore[arg-type]
        assert float(law.expected) == pytest.approx(expected, abs=1e-3)


def test_two_classes_have_the_short_formulas() -> None:
    m, n = 26, 3
    whole = m + n
    random, drawn = (ClassLaw.of(t, [(m, n)]) for t in ("random", "probabilistic"))  # type: ignore[arg-type]
    assert float(random.variance) == pytest.approx(4 * m**2 * n**2 / (whole**2 * (whole - 1)))
    assert float(drawn.variance) == pytest.approx(m * n / whole)


def test_what_is_left_to_know() -> None:
    law = ClassLaw.of("random", [(145, 9), (20, 0)])
    assert law.posterior(0)[1].tolist() == pytest.approx([0.9416, 0.0584], abs=1e-4)
    assert law.posterior(1)[0].tolist() == [1, 0]
    assert (law.unprotected, law.best_guess) == (20, 165)
    everywhere = ClassLaw("all-leaves", ((444, 239),))
    p = float(everywhere.chance)
    posterior = everywhere.posterior_of(np.array([0.65, 0.35]))
    assert posterior[1, 1] == pytest.approx((1 - p) * 0.35 / ((1 - p) * 0.35 + p * 0.65))
    assert posterior.sum(axis=1).tolist() == pytest.approx([1, 1])


# -- categories ----------------------------------------------------------------------------------


@given(
    st.lists(
        st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=1, max_size=5
    ),
    st.data(),
)
def test_draws_by_group_follow_their_shares(rows: list[list[int]], data: st.DataObject) -> None:
    """Against the obvious way: walk along the shares until they exceed the number drawn."""
    shares = np.array(rows, dtype=float)
    shares /= shares.sum(axis=1, keepdims=True)
    group = data.draw(st.integers(0, len(rows) - 1))
    part = data.draw(st.integers(0, 1000))
    uniform = min((part + 0.5) / 1000, np.nextafter(1.0, 0.0))
    total, slow = 0.0, -1
    for slow, share in enumerate(shares[group]):  # noqa: B007
        total += share
        if uniform < total - 1e-12:
            break
    fast = draw_by_group(shares, np.array([group]), np.array([uniform]))
    assert rows[group][int(fast[0])] > 0
    if abs(total - uniform) > 1e-9:
        assert fast.tolist() == [slow]


def test_shares_of_zero_and_one_are_certain() -> None:
    shares = np.tile([0.0, 1.0, 0.0], (500, 1))
    largest = np.full(500, np.nextafter(1.0, 0.0))
    assert set(draw_by_group(shares, np.arange(500), largest).tolist()) == {1}
    assert set(draw_by_group(shares, np.arange(500), np.zeros(500)).tolist()) == {1}


@pytest.mark.parametrize("participation", [1.0, 0.4])
@pytest.mark.parametrize("random_value", [0.0, 0.25])
def test_category_draws_follow_the_transition_matrix(
    participation: float, random_value: float
) -> None:
    counts = np.array([[5, 3, 2], [0, 4, 0]])
    drawn = np.array([[0.3, 0.5, 0.2], [0.1, 0.9, 0.0]])
    law = CategoryLaw(counts, drawn, participation, random_value)
    rng = np.random.default_rng(3)
    for leaf in (0, 1):
        matrix = law.transition(leaf)
        assert matrix.sum(axis=1).tolist() == pytest.approx([1, 1, 1])
        for value in range(3):
            codes = np.full(DRAWS, value)
            uniform = [rng.random(DRAWS) for _ in range(4)]
            found = law.draw(np.full(DRAWS, leaf), codes, uniform)
            for to, p in enumerate(matrix[value].tolist()):
                assert within((found == to).mean(), p, math.sqrt(p * (1 - p)))
        changed = 1 - float(law.shares[leaf] @ np.diag(matrix))
        assert law.changed_by_leaf[leaf] == pytest.approx(changed)


def test_a_full_draw_tells_nothing_beyond_the_leaf() -> None:
    law = CategoryLaw(np.array([[5, 3, 2]]), np.array([[0.6, 0.3, 0.1]]))
    for given_value in law.posterior(0):
        assert given_value.tolist() == pytest.approx([0.5, 0.3, 0.2])
