"""Comparing a tree with one grown elsewhere: other programs are played by our own grower."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, coded, plain_tables
from privet.engine import MemoryEngine
from privet.schema import Kind
from privet.table import Table
from privet.tree import Grower, Tree, grow
from privet.tree.foreign import Grown, Task, grow_with
from privet.tree.foreign.agreement import Agreement, Departure, agreement, our_node
from privet.tree.foreign.grown import cut, difference

IMPURITIES = ("gini", "entropy", "gain-ratio", "deviance")


def task_of(table: Table, grower: Grower, target: str = TARGET) -> Task:
    schema = table.schema().with_roles(target=target)
    return Task(table, schema, grow(MemoryEngine(table), schema, grower))


def grown_of(tree: Tree, table: Table) -> Grown:
    """A tree of ours, told as another program's."""
    return Task(table, table.schema(), tree).told()


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    impurity: Any = draw(st.sampled_from(IMPURITIES))
    plain: PlainTable = draw(plain_tables(regression=impurity == "deviance"))
    categories: Any = draw(st.sampled_from(["subset", "multiway"]))
    limits = {"leaves": draw(st.integers(1, 8)), "min_leaf": draw(st.integers(1, 3))}
    depth = draw(st.sampled_from([None, None, 2]))
    return task_of(plain.table(), Grower(impurity, categories, depth=depth, **limits))


def regrown(task: Task, **settings: Any) -> Tree:
    grower = replace(task.grower, **settings)
    return grow(MemoryEngine(task.table), task.schema, grower)


@given(tasks())
def test_a_tree_is_the_same_as_itself(task: Task) -> None:
    found = agreement(task, grown_of(task.tree, task.table), "twin")
    assert isinstance(found, Agreement)
    assert (found.outcome, found.exit_status) == ("same", 0)


@given(tasks(), st.randoms(use_true_random=False))
def test_breaking_ties_otherwise_is_never_a_difference(task: Task, random: Any) -> None:
    attributes = list(task.grower.attributes or ())
    random.shuffle(attributes)
    other = regrown(task, attributes=tuple(attributes))
    if other.n_leaves != task.tree.n_leaves:
        return  # a multiway split that fits no more ends the growth
    found = agreement(task, grown_of(other, task.table), "shuffled")
    assert isinstance(found, Agreement)
    assert found.outcome in ("same", "same, with help", "tie")
    if found.outcome == "tie":
        assert found.node is not None
        assert f"node {found.node}" in found.detail


@given(tasks())
def test_a_whole_tree_is_cut_to_ours(task: Task) -> None:
    whole = grown_of(regrown(task, leaves=None), task.table)
    taken = cut(whole, task)
    assert taken.n_leaves() == task.tree.n_leaves
    found = agreement(task, taken, "whole")
    assert isinstance(found, Agreement)
    assert found.outcome in ("same", "same, with help", "tie")


@given(tasks())
def test_a_tree_without_the_best_column_departs_unless_it_ties(task: Task) -> None:
    if task.tree.root.split is None or len(task.grower.attributes or ()) < 2:
        return
    best = task.tree.root.split.attribute
    left = tuple(a for a in task.grower.attributes or () if a != best)
    other = grown_of(regrown(task, attributes=left), task.table)
    if difference(task.gain(task.told()), task.nothing) <= 1e-12 * task.scale(other.rows):
        return  # less than floats can tell
    found = agreement(task, other, "poorer")
    if other.is_leaf:
        assert isinstance(found, Departure)
        return
    lost = difference(task.gain(task.told()), task.gain(other))
    if lost > 1e-12 * task.scale(other.rows):
        assert isinstance(found, Departure)
        assert our_node(task, found.node) == 0


def numbers(**columns: list[int]) -> Table:
    kinds = {name: Kind.CATEGORY if name == TARGET else Kind.INTEGER for name in columns}
    cells = {n: [str(c) for c in v] if n == TARGET else v for n, v in columns.items()}
    return Table({name: coded(cells[name], kinds[name]) for name in columns})


def test_a_tie_names_the_node_and_both_columns() -> None:
    table = numbers(a=[1, 1, 2, 2, 2, 2], b=[2, 2, 2, 1, 1, 2], y=[0, 0, 0, 1, 1, 1])
    table = table.replace({"b": coded([2, 2, 2, 2, 1, 1], Kind.INTEGER)})
    task = task_of(table, Grower(leaves=2))
    other = grown_of(regrown(task, attributes=("b", "a")), table)
    found = agreement(task, other, "other")
    assert isinstance(found, Agreement)
    assert found.outcome == "tie"
    assert found.detail == "node 0: 'a' and 'b' gain exactly the same"


def test_columns_that_divide_alike_are_told_apart_from_other_ties() -> None:
    table = numbers(a=[1, 1, 2, 2], b=[7, 7, 9, 9], y=[0, 0, 1, 1])
    task = task_of(table, Grower(leaves=2))
    other = grown_of(regrown(task, attributes=("b",)), table)
    found = agreement(task, other, "other")
    assert isinstance(found, Agreement)
    assert (found.outcome, found.node) == ("tie", 0)
    assert "divide its records alike" in found.detail


def test_a_difference_says_what_it_costs() -> None:
    table = numbers(a=[1, 1, 2, 2], b=[1, 2, 2, 2], y=[0, 0, 1, 1])
    task = task_of(table, Grower(leaves=2))
    other = grown_of(regrown(task, attributes=("b",)), table)
    found = agreement(task, other, "other")
    assert isinstance(found, Departure)
    assert found.detail == "'a' here, 'b' there, which gains less by 1.33"


def test_thresholds_that_differ_are_counted() -> None:
    table = numbers(a=[1, 1, 4, 4], y=[0, 0, 1, 1])
    task = task_of(table, Grower(leaves=2))
    other = grown_of(task.tree, table)
    other.threshold = 3.0
    found = agreement(task, other, "other")
    assert isinstance(found, Agreement)
    assert found.outcome == "same"
    assert found.remarks == ("thresholds that are other numbers between the same records: 1 of 1",)


def test_splitting_the_lesser_node_first_is_a_difference() -> None:
    table = numbers(a=[0] * 6 + [1] * 6, b=[0, 0, 0, 1, 1, 1] * 2, y=[0, 0, 1, 2, 2, 2] + [3] * 6)
    task = task_of(table, Grower(leaves=3))
    other = grown_of(regrown(task, leaves=2), table)
    small = other.children[0] if len(other.children[0].rows) == 6 else other.children[1]
    pure = next(child for child in other.children if child is not small)
    pure.attribute, pure.order = "b", 99
    pure.children = [Grown(pure.rows[:3]), Grown(pure.rows[3:])]
    assert isinstance(agreement(task, other, "other"), Departure)


def test_ourselves_and_a_single_leaf() -> None:
    table = numbers(a=[1, 1, 2, 2], y=[0, 0, 1, 1])
    task = task_of(table, Grower(leaves=2))
    assert grow_with("privet", task.tree, table, task.schema).outcome == "same"
    leaf = task.tree.prefix(1)
    assert grow_with("sklearn", leaf, table, task.schema).outcome == "same"
    wrong = replace(task.tree, nodes=task.tree.prefix(1).nodes)
    assert grow_with("privet", wrong, table, task.schema).outcome == "different"


@pytest.mark.parametrize(("outcome", "status"), [("same", 0), ("tie", 0), ("different", 1)])
def test_exit_statuses(outcome: Any, status: int) -> None:
    assert Agreement("x", outcome, "").exit_status == status
