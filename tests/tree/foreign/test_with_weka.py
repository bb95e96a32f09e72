"""WEKA's J48: its rules are understood, and what they do to our trees is named."""

from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from oracles.random_tables import TARGET, coded, plain_tables
from privet.schema import Kind
from privet.table import Table
from privet.tree import Grower
from privet.tree.foreign import Inexpressible, Task, grow_with, weka
from privet.tree.foreign.j48_rules import J48Rules
from tree.foreign.outside import needs, seeded_task, task_of

pytestmark = needs("weka")


def unexplained(task: Task) -> list[str]:
    """Nodes of J48's whole tree that its rules, as we know them, do not account for."""
    found = []
    waiting = [weka.whole(task)]
    while waiting:
        node = waiting.pop()
        rules = J48Rules(task, node.rows, weka.corrects())
        if not rules.expects(node):
            found.append(f"{len(node.rows)} records, '{node.attribute}'")
        waiting += node.children
    return found


@settings(max_examples=10)
@given(plain_tables(), st.sampled_from(["subset", "multiway"]), st.integers(1, 3))
def test_the_rules_account_for_every_node_of_small_trees(
    plain: Any, categories: Any, min_leaf: int
) -> None:
    task = task_of(plain.table(), Grower("gain-ratio", categories, min_leaf=min_leaf))
    try:
        found = unexplained(task)
    except Inexpressible:  # whole numbers beyond 2^53
        reject()
    assert found == []


@pytest.mark.parametrize("categories", ["subset", "multiway"])
@pytest.mark.parametrize("seed", range(3))
def test_the_rules_account_for_every_node(seed: int, categories: str) -> None:
    task = seeded_task(seed, "gain-ratio", categories=categories, leaves=8, min_leaf=5)
    assert unexplained(task) == []


def test_the_same_tree_where_the_rules_agree() -> None:
    letters = ["a"] * 20 + ["b"] * 20 + ["c"] * 20
    sexes = ["f", "m"] * 30
    answers = ["no"] * 20 + ["no", "yes"] * 10 + ["yes"] * 20
    columns = {
        "letter": coded(letters, Kind.CATEGORY),
        "sex": coded(sexes, Kind.CATEGORY),
        TARGET: coded(answers, Kind.CATEGORY),
    }
    task = task_of(Table(columns), Grower("gain-ratio", "multiway", min_leaf=2))
    found = grow_with("weka", task.tree, task.table, task.schema)
    assert found.outcome == "same"
    assert task.tree.n_leaves == 4


def test_a_rule_of_its_own_is_named() -> None:
    task = seeded_task(0, "gain-ratio", leaves=6, min_leaf=2)
    found = grow_with("weka", task.tree, task.table, task.schema)
    assert (found.outcome, found.exit_status) == ("different", 1)
    assert "J48's own rule" in found.detail
    assert found.node is not None


def test_other_impurities_are_refused() -> None:
    task = seeded_task(0, "gini", leaves=4)
    found = grow_with("weka", task.tree, task.table, task.schema)
    assert found.outcome == "inexpressible"
    assert "gain ratio alone" in found.detail
