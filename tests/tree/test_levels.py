"""Trees looked at ahead, level by level, against the slow twin and against node by node."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.random_tables import TARGET, coded, plain_tables
from oracles.slow_grower import SlowGrowth, SlowSettings
from oracles.slow_words import bits, plain
from privet.datasets import adult_like
from privet.engine import MemoryEngine
from privet.schema import Kind, Schema
from privet.table import Table
from privet.tree import Grower, Tree, grow, levels

by_logs = pytest.mark.parametrize("impurity", ["entropy", "gain-ratio"])
patient = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(params=[2, 1_000_000], ids=["as usual", "tables for every node"])
def every_tree_ahead(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Tree]]:
    """Trees of any size are looked at ahead; with very large `SMALL` every node is large."""
    seen: list[Any] = []
    run = levels.LevelByLevel.run

    def counted(self: levels.LevelByLevel) -> levels.Ahead:
        seen.append(self)
        return run(self)

    monkeypatch.setattr(levels, "WORTH_IT", 0)
    monkeypatch.setattr(levels, "SMALL", request.param)
    monkeypatch.setattr(levels.LevelByLevel, "run", counted)
    yield seen
    assert seen, "no tree was looked at ahead"


def node_by_node(table: Table, schema: Schema, grower: Grower) -> Tree:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "WORTH_IT", 10**12)
        return grow(MemoryEngine(table), schema, grower)


@by_logs
@settings(patient, max_examples=150)
@given(data=st.data())
def test_a_tree_looked_at_ahead_is_that_of_the_twin(
    impurity: Any, every_tree_ahead: list[Tree], data: st.DataObject
) -> None:
    table = data.draw(plain_tables(regression=False))
    depth = data.draw(st.sampled_from([None, None, 0, 1, 2]))
    grower = Grower(
        impurity, "multiway", depth=depth, min_leaf=data.draw(st.sampled_from([1, 1, 2, 3]))
    )
    tree = grow(MemoryEngine(table.table()), table.schema(), grower)
    slow = SlowSettings(
        impurity=impurity,
        categories="multiway",
        leaves=None,
        depth=depth,
        min_leaf=grower.min_leaf,
        min_gain=0.0,
        step=1.0,
    )
    expected = SlowGrowth(table.cells, table.ordered, table.attributes, TARGET, slow).grow()
    assert bits(plain(tree)) == bits(expected)


@by_logs
@pytest.mark.parametrize("target", ["income", "occupation", "sex"])
def test_many_nodes_at_once_are_those_of_one_by_one(
    impurity: Any, target: str, every_tree_ahead: list[Tree]
) -> None:
    table = adult_like(2500, 7)
    noise = np.random.default_rng(2).normal(size=2500) + table["age"].codes / 40
    many_values = coded(noise.tolist(), Kind.DECIMAL)
    table = Table({"noise": many_values, **{name: table[name] for name in table}})
    schema = table.schema().with_roles(target=target)
    for min_leaf in (1, 12):
        grower = Grower(impurity, "multiway", min_leaf=min_leaf)
        ahead = grow(MemoryEngine(table), schema, grower)
        assert ahead.n_leaves > 50
        assert ahead == node_by_node(table, schema, grower)


def test_an_identifier_as_class_grows_the_same_tree(every_tree_ahead: list[Tree]) -> None:
    """Every cut of a node parts no class then, so that all of them tie."""
    given = adult_like(150, 3)
    people = [f"p{number}" for number in np.random.default_rng(1).permutation(150).tolist()]
    person = coded(people, Kind.CATEGORY)
    table = Table({"x": given["age"], "y": given["hours_per_week"], "person": person})
    schema = table.schema().with_roles(target="person")
    grower = Grower("gain-ratio", "multiway", min_leaf=2)
    assert grow(MemoryEngine(table), schema, grower) == node_by_node(table, schema, grower)


@pytest.mark.parametrize(
    "other",
    [
        Grower("gini", "multiway"),
        Grower("gain-ratio", "subset"),
        Grower("gain-ratio", "multiway", leaves=5),
        Grower("gain-ratio", "multiway", min_gain=0.1),
    ],
)
def test_other_trees_are_not_looked_at_ahead(other: Grower) -> None:
    table = adult_like(20_000, 1)
    names = [n for n in table if n != "income"]
    assert levels.can_look_ahead(table, Grower("gain-ratio", "multiway"), names, "income")
    assert not levels.can_look_ahead(table, other, names, "income")
