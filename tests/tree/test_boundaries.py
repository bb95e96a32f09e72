"""Whom the boundaries of a tree tell: nobody is named who has a second possible target."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from oracles.possible_targets import how_many, possible_targets
from oracles.random_tables import TARGET, PlainTable, plain_tables
from oracles.slow_grower import AdmissibleRows, SlowSettings
from privet.engine import MemoryEngine
from privet.files.frames import table_of
from privet.schema import Kind
from privet.tree import Grower, grow
from privet.tree.boundaries import (
    BoundaryCount,
    Person,
    Place,
    count_boundaries,
    people_at_boundaries,
)
from privet.tree.guard import Guard
from privet.tree.moved_splits import Boundary, possible_responses

IMPURITIES = ["gini", "entropy", "gain-ratio", "deviance"]
MOST_WORLDS = 40
patient = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


@st.composite
def small_tables(draw: st.DrawFn, regression: bool, classes: str) -> PlainTable:
    """Few records, most of them alone with their values."""
    n = draw(st.integers(4, 9))
    kinds: dict[str, Kind] = {}
    cells: dict[str, list[Any]] = {}
    for number in range(draw(st.integers(1, 2))):
        name = f"c{number}"
        kinds[name] = draw(st.sampled_from([Kind.INTEGER, Kind.CATEGORY]))
        values: Any = (
            st.integers(0, 12) if kinds[name] is Kind.INTEGER else st.sampled_from("abcdefg")
        )
        if draw(st.booleans()):
            values = values | st.none()
        cells[name] = draw(st.lists(values, min_size=n, max_size=n))
    answers = st.integers(0, 4) if regression else st.sampled_from(classes)
    kinds[TARGET] = Kind.INTEGER if regression else Kind.CATEGORY
    cells[TARGET] = draw(st.lists(answers, min_size=n, max_size=n))
    assume(len(set(cells[TARGET])) > 1)
    return PlainTable(kinds, cells)


def row_of(person: Person, table: PlainTable, leaves: npt.NDArray[Any]) -> int:
    mark = person.marks[0]
    alone = (leaves == person.leaf) & (table.table()[mark.attribute].codes == mark.code)
    (row,) = np.flatnonzero(alone).tolist()
    return int(row)


def check_against_all_worlds(
    table: PlainTable,
    grower: Grower,
    admissible: Any = None,
    slow_admissible: Callable[[list[Any]], AdmissibleRows] | None = None,
) -> None:
    """No possible target of anybody is excluded, and nobody is counted twice."""
    engine = MemoryEngine(table.table())
    tree = grow(engine, table.schema(), grower, admissible)
    leaves = tree.leaf_of_rows(table.table())
    assume(1 < how_many(table.cells[TARGET], leaves.tolist()) <= MOST_WORLDS)
    people = people_at_boundaries(engine, tree, admissible)
    count = count_boundaries(engine, tree, admissible)
    assert count.told + count.narrowed == len(people)
    event(f"told: {count.told > 0}, narrowed: {count.narrowed > 0}")
    if not people:
        return
    slow = SlowSettings(
        impurity=grower.impurity,
        categories=grower.categories,
        leaves=grower.leaves,
        min_leaf=grower.min_leaf,
        step=tree.step or 1.0,
    )
    attributes = list(grower.attributes or table.attributes)
    possible = possible_targets(
        table.cells, table.ordered, attributes, TARGET, slow, leaves.tolist(), slow_admissible
    )
    rows = [row_of(person, table, leaves) for person in people]
    assert len(set(rows)) == len(rows)
    for row, person in zip(rows, people, strict=True):
        thought = {engine.domain(TARGET).value(code) for code in person.possible.tolist()}
        assert possible[row] <= thought
        assert len(thought) < len(
            {table.cells[TARGET][r] for r in np.flatnonzero(leaves == leaves[row])}
        )


@pytest.mark.parametrize("impurity", IMPURITIES)
@pytest.mark.parametrize("classes", ["ny", "pqr"])
@patient
@given(data=st.data())
def test_nobody_is_excluded_from_a_target_that_some_world_gives(
    impurity: Any, classes: str, data: st.DataObject
) -> None:
    table = data.draw(small_tables(impurity == "deviance", classes))
    grower = Grower(
        impurity=impurity,
        leaves=data.draw(st.sampled_from([2, 2, 3, 4])),
        min_leaf=data.draw(st.sampled_from([1, 1, 2, 3])),
        categories=data.draw(st.sampled_from(["subset", "subset", "multiway"])),  # type: ignore[arg-type]
    )
    check_against_all_worlds(table, grower)


@patient
@given(data=st.data())
def test_tables_with_odd_values(data: st.DataObject) -> None:
    impurity: Any = data.draw(st.sampled_from(IMPURITIES))
    table = data.draw(plain_tables(regression=impurity == "deviance", most_rows=9, most_columns=2))
    min_leaf = data.draw(st.sampled_from([1, 2]))
    check_against_all_worlds(table, Grower(impurity=impurity, leaves=3, min_leaf=min_leaf))


class _BothPeriods:
    """Every leaf must hold records of both periods (a stand-in for l-diversity)."""

    columns = ("period",)

    def __call__(self, column: str, children: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        return np.asarray((children > 0).all(axis=(1, 2)))


class _NoneOrTwo:
    """Every target has two records in a leaf or none (as if an attacker knew the target)."""

    columns = (TARGET,)

    def __call__(self, column: str, children: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        return np.asarray((children != 1).all(axis=(1, 2)))


@patient
@given(data=st.data())
def test_a_move_that_would_not_have_been_admitted_excludes_nothing(data: st.DataObject) -> None:
    impurity: Any = data.draw(st.sampled_from(IMPURITIES))
    table = data.draw(small_tables(impurity == "deviance", "ny"))
    n = table.n_rows
    periods = data.draw(st.lists(st.sampled_from("st"), min_size=n, max_size=n))
    assume(len(set(periods)) == 2)
    attributes = tuple(table.attributes)
    wider = PlainTable({"period": Kind.CATEGORY, **table.kinds}, {"period": periods, **table.cells})

    def admitted(answers: list[Any]) -> AdmissibleRows:
        return lambda parts: all(len({periods[r] for r in part}) == 2 for part in parts)

    grower = Grower(impurity=impurity, leaves=3, attributes=attributes)
    check_against_all_worlds(wider, grower, _BothPeriods(), admitted)


@patient
@given(data=st.data())
def test_a_judge_of_the_target_itself_sees_the_supposed_target(data: st.DataObject) -> None:
    impurity: Any = data.draw(st.sampled_from(IMPURITIES))
    table = data.draw(
        small_tables(impurity == "deviance", data.draw(st.sampled_from(["ny", "pqr"])))
    )

    def admitted(answers: list[Any]) -> AdmissibleRows:
        return lambda parts: all(
            [answers[r] for r in part].count(a) != 1 for part in parts for a in set(answers)
        )

    check_against_all_worlds(table, Grower(impurity=impurity, leaves=3), _NoneOrTwo(), admitted)


# -- by hand -------------------------------------------------------------------------------------


def counted(
    cells: dict[str, list[Any]], guard: Guard | None = None, **grower: Any
) -> BoundaryCount:
    kinds = {
        name: Kind.CATEGORY if isinstance(column[0], str) else Kind.INTEGER
        for name, column in cells.items()
    }
    table = PlainTable(kinds, cells)
    engine = MemoryEngine(table.table())
    tree = grow(engine, table.schema(), Grower(**grower), guard=guard)
    return count_boundaries(engine, tree, guard=guard)


def test_one_person_from_tuvalu() -> None:
    """400 people; the one person of a category is on the side of its target, though 24 of the 147
    there have another one."""
    country = ["FR"] * 146 + ["DE"] * 253 + ["Tuvalu"]
    target = ["n"] * 24 + ["y"] * 122 + ["n"] * 200 + ["y"] * 53 + ["y"]
    cells = {"country": country, TARGET: target}
    assert counted(cells, leaves=2) == BoundaryCount(1, 0, 0, (Place(0, "country", 1, 0),))
    # a minimum leaf does not help: the order of the means tells as well
    assert counted(cells, leaves=2, min_leaf=147).told == 1
    assert counted(cells, leaves=2, guard=Guard(2)).told == 0


def test_alone_on_both_sides_of_a_threshold() -> None:
    age = [20, 20, 21, 21, 30, 40, 50, 50, 51, 51]
    target = [*"nnyn", "n", "y", *"yyny"]
    cells = {"age": age, TARGET: target}
    assert counted(cells, leaves=2) == BoundaryCount(2, 0, 0, (Place(0, "age", 2, 0),))
    # five on each side: neither may be moved
    assert counted(cells, leaves=2, min_leaf=5).told == 0
    assert counted(cells, leaves=2, guard=Guard(2)).told == 0
    # a second one with the same value protects both
    assert counted({"age": [*age, 30], TARGET: [*target, "n"]}, leaves=2).told == 1


def test_one_record_is_counted_once_though_two_nodes_tell_it() -> None:
    a = [0, 0, 0, 0, 1, 2, 2, 2, 3, 3, 3, 3]
    b = [0, 0, 1, 1, 5, 9, 9, 9, 4, 4, 4, 4]
    cells = {"a": a, "b": b, TARGET: [*"nnnynyynyyyy"]}
    found = counted(cells, leaves=3)
    assert len(found.places) >= 1
    assert found.told <= sum(place.told for place in found.places)


def test_a_branch_each_tells_nothing_but_its_leaf() -> None:
    cells = {"c": [*"aaaabbbbz"], TARGET: [*"nnnyyyyny"]}
    assert counted(cells, leaves=3, categories="multiway") == BoundaryCount()


def test_a_numeric_target_is_narrowed_to_an_interval() -> None:
    cells = {"a": [*range(8)], TARGET: [1, 30, 2, 3, 40, 41, 12, 43]}
    found = counted(cells, leaves=2, impurity="deviance")
    assert found.told + found.narrowed == 2
    assert counted(cells, leaves=2, impurity="deviance", guard=Guard(2)) == BoundaryCount()


@given(
    n=st.integers(2, 6),
    m=st.integers(1, 6),
    s=st.integers(-40, 40),
    q=st.integers(-40, 40),
    wins_ties=st.booleans(),
)
def test_possible_responses_are_those_for_which_the_move_gains_nothing(
    n: int, m: int, s: int, q: int, wins_ties: bool
) -> None:
    low, high = possible_responses((n, s), (m, q), wins_ties)
    made = Fraction(s * s, n) + Fraction(q * q, m)
    for y in range(-150, 151):
        moved = Fraction((s - y) ** 2, n - 1) + Fraction((q + y) ** 2, m + 1)
        first = moved > made or (wins_ties and moved == made)
        assert (low <= y <= high) == (not first)


def test_only_the_neighbours_of_a_threshold_are_looked_at() -> None:
    """Where each row has a value of its own, all others cannot be told, and cost nothing."""
    looked_at: list[int] = []
    excluded = Boundary.excluded

    def counted(boundary: Boundary) -> Any:
        found = list(excluded(boundary))
        looked_at.append(len(found))
        return found

    draw = np.random.default_rng(4)
    cells = draw.normal(size=500)
    table = table_of({"x": cells, "y": np.where(cells + draw.normal(size=500) > 0, "yes", "no")})
    tree = grow(MemoryEngine(table), table.schema().with_roles(target="y"), Grower(leaves=6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Boundary, "excluded", counted)
        count_boundaries(MemoryEngine(table), tree)
    assert len(looked_at) == 5
    assert max(looked_at) <= 2
