"""Laws of noise: chances add up, closed forms equal what is listed one by one and what is drawn.

Simulations are compared with five standard errors: a right law is called wrong in fewer than one of
a million comparisons.
"""

import itertools
import json
import math
from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.slow_number_law import slow_fold, slow_law
from privet.mechanism.class_laws import ClassLaw
from privet.mechanism.grids import Grid
from privet.mechanism.noise_laws import ENDS, CategoryLaw, draw_by_group
from privet.mechanism.number_laws import NumberLaw, folded
from privet.mechanism.shapes import Bars, Steps, shape_from, shape_of
from privet.schema import Kind

WHOLE_GRID = Grid(Kind.INTEGER)
CURVES = ("bell", "normal", "laplace")
FALSE_ALARM = 5.0  # standard errors
DRAWS = 200_000

leaf_counts = st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(lambda c: 0 < sum(c) <= 7)


def within(found: float, expected: float, deviation: float, draws: int = DRAWS) -> bool:
    return abs(found - expected) <= FALSE_ALARM * deviation / math.sqrt(draws) + 1e-12


# -- curves --------------------------------------------------------------------------------------


def test_the_steps_are_those_of_the_paper() -> None:
    steps = Steps()
    published = [0.1353, 0.1282, 0.1091, 0.0833, 0.0571, 0.0352, 0.0195]
    assert steps.shares[6:].tolist() == pytest.approx(published, abs=5e-5)
    assert (0.276 * steps.offsets[6:]).tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert steps.offsets**2 @ steps.shares == pytest.approx(1)


@pytest.mark.parametrize(("law", "reach"), [("bell", 2.35), ("normal", 5.97), ("laplace", 11.94)])
def test_a_curve_has_deviation_one_and_whole_chances(law: str, reach: float) -> None:
    bars = shape_of(law)
    assert isinstance(bars, Bars)
    assert sum(bars.chances) == 2**32
    assert bars.chances == bars.chances[::-1]
    assert bars.edges[-1] == pytest.approx(reach, abs=0.01)
    middles = (bars.edges[1:] + bars.edges[:-1]) / 2
    squares = (middles**2 + bars.width**2 / 12) @ np.array(bars.chances) / 2**32
    assert squares == pytest.approx(1)
    assert shape_from(json.loads(json.dumps(bars.to_data()))) == bars


@pytest.mark.parametrize("bars", [[1, 2], [2**31, 2**31 + 1], [2**33, -(2**32)], [0.5] * 2])
def test_other_rows_of_numbers_are_no_curves(bars: list[int]) -> None:
    with pytest.raises(ValueError, match="symmetric"):
        shape_from({"law": "bell", "bars": bars})


@given(st.sampled_from(CURVES), st.floats(0.001, 12))
def test_rounded_noise_has_the_deviation_asked_for(law: str, deviation: float) -> None:
    """To one in a million below 8 steps of the grid; above, to one in a thousand."""
    number = NumberLaw(WHOLE_GRID, shape_of(law), 1.0, -400, 400, "reflect", deviation)
    listed = number.law_of(0)
    mean = sum(to * p for to, p in listed.items())
    found = math.sqrt(sum(to * to * p for to, p in listed.items()))
    assert sum(listed.values()) == pytest.approx(1)
    assert mean == pytest.approx(0, abs=1e-9)
    assert found == pytest.approx(deviation, rel=1e-6 if deviation < 8 else 1e-3)


# -- numbers -------------------------------------------------------------------------------------


@given(st.integers(-300, 300), st.integers(-9, 9), st.integers(0, 12), st.sampled_from(ENDS))
def test_folding_is_walking_back(unit: int, low: int, room: int, ends: str) -> None:
    fast = folded(np.array([unit]), low, low + room, ends)  # type: ignore[arg-type]
    assert fast.tolist() == [slow_fold(unit, low, low + room, ends)]


@st.composite
def number_laws(draw: st.DrawFn) -> tuple[NumberLaw, int]:
    """A law of a curve, with a value of its column."""
    low, room = draw(st.integers(-40, 40)), draw(st.integers(1, 40))
    law = NumberLaw(
        WHOLE_GRID,
        shape_of(draw(st.sampled_from(CURVES))),
        draw(st.sampled_from([0.01, 0.1, 0.276, 1.0, 4.0])),
        low,
        low + room - 1,
        draw(st.sampled_from(ENDS)),  # type: ignore[arg-type]
        draw(st.one_of(st.none(), st.floats(0.0, 20))),
    )
    return law, draw(st.integers(low, low + room - 1))


@settings(deadline=None)
@given(number_laws())
def test_the_law_is_what_a_reader_works_out(drawn: tuple[NumberLaw, int]) -> None:
    """From mechanism.json alone, by walking through every move."""
    law, unit = drawn
    told = json.loads(json.dumps({"noise": law.shape.to_data(), "entry": law.to_data()}))
    slow = slow_law(told["noise"]["bars"], told["entry"], unit)
    fast = law.law_of(unit)
    assert sum(fast.values()) == pytest.approx(1)
    for to in set(slow) | set(fast):
        assert fast.get(to, 0.0) == pytest.approx(slow.get(to, 0.0), abs=1e-9)
    mean = sum(to * chance for to, chance in slow.items())
    assert law.bias(np.array([unit])).tolist() == pytest.approx([mean - unit], abs=1e-8)
    assert law.stays(np.array([unit])).tolist() == pytest.approx([slow.get(unit, 0.0)], abs=1e-9)


@pytest.mark.parametrize(
    ("ends", "at_one", "at_ten"),
    [("clamp", 1.112, 8.882), ("reflect-whole", 1.224, 7.765), ("reflect", 1.112, 8.197)],
)
def test_the_bias_of_the_paper_at_the_ends_is_stated(
    ends: str, at_one: float, at_ten: float
) -> None:
    law = NumberLaw(WHOLE_GRID, Steps(), 0.276, 1, 10, ends)  # type: ignore[arg-type]
    units = np.array([1, 5, 10])
    bias = law.bias(units)
    assert [1 + bias[0], 10 + bias[2]] == pytest.approx([at_one, at_ten], abs=1e-3)
    assert bias[1] == pytest.approx(0, abs=1e-12)
    assert 1 - law.stays(units)[1] == pytest.approx(0.737, abs=1e-3)


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("unit", [1, 5, 10])
@pytest.mark.parametrize("shape", ["paper", *CURVES])
def test_draws_follow_the_listed_law(unit: int, ends: str, shape: str) -> None:
    law = NumberLaw(WHOLE_GRID, shape_of(shape), 0.276, 1, 10, ends)  # type: ignore[arg-type]
    rng = np.random.default_rng([7, unit])
    drawn = law.draw(np.full(DRAWS, unit), rng.random(DRAWS), rng.random(DRAWS))
    found = Counter(drawn.tolist())
    listed = law.law_of(unit)
    assert set(found) <= set(listed)
    for to, p in listed.items():
        assert within(found[to] / DRAWS, p, math.sqrt(p * (1 - p)))


def test_every_grid_point_within_reach_can_be_an_origin() -> None:
    """Of a number released by the steps of the paper only 26 origins are left; of one released by
    a curve every grid point within reach."""
    units = np.arange(1, 20_001)
    origins = {}
    for law in ("paper", *CURVES):
        number = NumberLaw(WHOLE_GRID, shape_of(law), 0.276, 1, 20_000)
        chances = number.chances(units, np.array([5000]))[:, 0]
        origins[law] = int((chances > 0).sum())
    assert origins["paper"] <= 26 + 13  # those that come back from the upper end
    assert origins["bell"] > 8000
    assert origins["normal"] > 15_000
    assert origins["laplace"] > 15_000


@pytest.mark.parametrize("shape", ["paper", *CURVES])
def test_a_uniform_column_stays_uniform(shape: str) -> None:
    """Wrap and half-step mirrors are doubly stochastic when the noise ignores the value."""
    every = np.arange(3, 10)
    for ends in ("wrap", "reflect"):
        law = NumberLaw(WHOLE_GRID, shape_of(shape), 0.276, 3, 9, ends, 6.5)  # type: ignore[arg-type]
        assert law.chances(every, every).sum(axis=0).tolist() == pytest.approx([1.0] * 7)
    whole = NumberLaw(WHOLE_GRID, shape_of(shape), 0.276, 3, 9, "reflect-whole", 6.5)
    assert whole.chances(every, every).sum(axis=0)[0] != pytest.approx(1.0, abs=0.01)


@given(
    st.sampled_from([None, 12.5]),
    st.sampled_from(["reflect", "clamp"]),
    st.integers(0, 40),
    st.sampled_from(["paper", *CURVES]),
)
def test_a_law_is_plain_data(size: float | None, ends: str, unit: int, shape: str) -> None:
    for grid in (WHOLE_GRID, Grid(Kind.DECIMAL, 5, 2), Grid(Kind.DECIMAL, exponent=-3)):
        law = NumberLaw(grid, shape_of(shape), 0.4, 0, 40, ends, size)  # type: ignore[arg-type]
        told = json.loads(json.dumps([law.to_data(), law.shape.to_data()]))
        again = NumberLaw.from_data(told[0], shape_from(told[1]), grid.kind)
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


@given(leaf_counts, st.sampled_from(["random", "probabilistic", "all-leaves", "none"]))
def test_a_floor_mixes_every_class_in(counts: list[int], technique: Any) -> None:
    """Against the sums over all that can happen to single records, and to all of them by draws."""
    v, size = 0.25, len(counts)
    law = ClassLaw.of(technique, [counts], v)
    plain = ClassLaw.of(technique, [counts])
    mixed = (1 - v) * plain.transition(0) + v / size
    assert law.transition(0) == pytest.approx(mixed)
    assert law.transition(0).sum(axis=1).tolist() == pytest.approx([1.0] * size)
    changes = sum(n * (1 - mixed[c, c]) for c, n in enumerate(counts))
    assert float(law.expected) == pytest.approx(changes)
    if technique != "random":  # records are drawn one by one: variances add up
        spread = sum(n * mixed[c, c] * (1 - mixed[c, c]) for c, n in enumerate(counts))
        assert float(law.variance) == pytest.approx(spread, abs=1e-9)
    ratios = [math.log(a[w] / b[w]) for a in mixed for b in mixed for w in range(size) if b[w] > 0]
    if technique == "random":
        assert law.epsilon is None
    else:
        assert law.epsilon == pytest.approx(max(ratios))
    assert ClassLaw.of("none", [counts]).epsilon is None


def test_a_floor_and_a_permutation_vary_as_all_orders_do() -> None:
    """By all permutations of a leaf, each with all that the floor can do."""
    counts, v = (2, 1), 0.5
    classes = [0, 0, 1]
    mean = square = 0.0
    for order in permutations(classes):
        stays = [(1 - v) * (a == b) + v / 2 for a, b in zip(classes, order, strict=True)]
        for changed in itertools.product([0, 1], repeat=3):
            chance = math.prod(1 - s if c else s for c, s in zip(changed, stays, strict=True)) / 6
            mean += chance * sum(changed)
            square += chance * sum(changed) ** 2
    law = ClassLaw.of("random", [counts], v)
    assert float(law.expected) == pytest.approx(mean)
    assert float(law.variance) == pytest.approx(square - mean**2)


def test_the_epsilon_of_a_category_follows_from_its_floor() -> None:
    counts, drawn = np.array([[5, 3, 2]]), np.array([[0.5, 0.5, 0.0]])
    assert CategoryLaw(counts, drawn).epsilon == 0.0  # all records draw alike
    assert CategoryLaw(counts, drawn, 0.5).epsilon is None  # a value that only its owner can have
    with_floor = 0.9 * drawn + 0.1 / 3
    least = 0.5 * 0.1 / 3
    assert CategoryLaw(counts, with_floor, 0.5).epsilon == pytest.approx(
        math.log((0.5 + least) / least)
    )


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
