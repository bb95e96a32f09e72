"""What bounds say of attributes is true of every candidate that is listed for them, and growing
with them is growing without."""

import sys
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, plain_tables
from privet.engine import MemoryEngine
from privet.schema import Kind
from privet.tree import Grower, Tree, grow
from privet.tree.bounds import GainBounds, best_of_few
from privet.tree.candidates import candidates_of
from privet.tree.guard import Guard
from privet.tree.impurity import RULES
from privet.tree.response import counted_target, grid_step

IMPURITIES = ["gini", "entropy", "gain-ratio", "deviance"]


def drawn(data: st.DataObject, impurity: str) -> PlainTable:
    return data.draw(plain_tables(regression=impurity == "deviance", most_rows=40))


@pytest.mark.parametrize("impurity", ["gini", "deviance"])
@given(data=st.data(), guard=st.integers(1, 6), min_leaf=st.integers(1, 3))
def test_no_candidate_gains_more(
    impurity: str, data: st.DataObject, guard: int, min_leaf: int
) -> None:
    """Exactly, whatever a guard joins."""
    plain, rule = drawn(data, impurity), RULES[impurity]
    engine, regression = MemoryEngine(plain.table()), impurity == "deviance"
    domain = engine.domain(TARGET)
    step = grid_step(domain, plain.n_rows) if regression else None
    (tallies,) = engine.tally(plain.attributes, [()], counted_target(engine, TARGET, step))
    parent = tuple(tallies[plain.attributes[0]].weights.sum(axis=0).tolist())
    domains = {name: engine.domain(name) for name in plain.attributes}
    by_mean = regression or domain.size == 2
    bounds = GainBounds(domains, rule, by_mean, (), guard > 1).of(tallies, parent, min_leaf)
    for index, name in enumerate(bounds):
        tally = tallies[name]
        units = Guard(guard).units(name, domains[name], tally.codes, rule.records(tally.weights))
        asked = name, index, domains[name], tally, False, regression, None, units
        candidates = candidates_of(*asked)
        if candidates is None:
            continue
        children = candidates.spread(tally.weights)
        for number in range(len(candidates)):
            sides = tuple(tuple(child[number].tolist()) for child in children)
            records = [side[0] if regression else sum(side) for side in sides]
            if min(records) >= min_leaf:
                assert rule.exact(sides, parent) <= bounds[name], (name, number)


@pytest.mark.parametrize("impurity", IMPURITIES)
@given(data=st.data(), guard=st.integers(1, 6), min_leaf=st.integers(1, 3))
def test_the_same_tree_as_by_looking_at_every_attribute(
    impurity: str, data: st.DataObject, guard: int, min_leaf: int
) -> None:
    plain = drawn(data, impurity)
    grower: dict[str, Any] = {"impurity": impurity, "min_leaf": min_leaf, "leaves": 6}

    def grown() -> Tree:
        engine = MemoryEngine(plain.table())
        return grow(engine, plain.schema(), Grower(**grower), guard=Guard(guard))

    with patch.object(GainBounds, "of", lambda *_: {}):
        expected = grown()
    assert grown() == expected


def test_few_attributes_are_looked_at() -> None:
    answers = ["no", "yes"] * 20
    cells = {
        "good": [int(answer == "yes") for answer in answers],
        "bad": [row // 2 % 5 for row in range(40)],
        "worse": ["a" if row < 20 else "b" for row in range(40)],
        TARGET: answers,
    }
    kinds = dict.fromkeys(cells, Kind.CATEGORY) | {"good": Kind.INTEGER, "bad": Kind.INTEGER}
    plain, asked = PlainTable(kinds, cells), list[list[str]]()

    def listening(attributes: Any, bounds: Any, best_of: Any) -> Any:
        def best(some: list[str]) -> Any:
            asked.append(some)
            return best_of(some)

        return best_of_few(attributes, bounds, best)

    with patch.object(sys.modules["privet.tree.grow"], "best_of_few", listening):
        grow(MemoryEngine(plain.table()), plain.schema(), Grower(leaves=2), guard=Guard(3))
    assert asked == [["good"]]
