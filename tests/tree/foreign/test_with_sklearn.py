"""scikit-learn grows the same tree, or breaks an exact tie otherwise."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import TARGET, coded
from privet.schema import Kind
from privet.table import Table
from privet.tree import Grower
from privet.tree.foreign import Task, grow_with
from privet.tree.foreign.numbers import apart_in_doubles, apart_in_singles, as_numbers
from tree.foreign.outside import needs, seeded_task, small_tasks, task_of

pytestmark = needs("sklearn")


@given(small_tasks(("gini", "entropy", "deviance")))
def test_small_tables_with_every_trap(task: Task) -> None:
    found = grow_with("sklearn", task.tree, task.table, task.schema)
    if found.outcome == "inexpressible":
        assert "floats" in found.detail
    else:
        assert found.outcome in ("same", "same, with help", "tie"), found.detail


@pytest.mark.parametrize("impurity", ["gini", "entropy", "deviance"])
@pytest.mark.parametrize("seed", range(6))
def test_tables_with_a_signal(impurity: str, seed: int) -> None:
    task = seeded_task(seed, impurity, leaves=8, min_leaf=5)
    found = grow_with("sklearn", task.tree, task.table, task.schema)
    assert found.outcome in ("same", "same, with help", "tie"), found.detail
    assert any("one split at a time" in remark for remark in found.remarks)


def numeric_table(rows: int, factor: float) -> Table:
    random = np.random.default_rng(5)
    values = random.integers(0, 50, rows) * factor + 1.0
    answers = ["yes" if v > np.median(values) else "no" for v in values]
    answers[0] = "yes" if answers[0] == "no" else "no"
    columns = {"x": coded(values.tolist(), Kind.DECIMAL), TARGET: coded(answers, Kind.CATEGORY)}
    return Table(columns)


@pytest.mark.parametrize(("factor", "by_rank"), [(0.5, False), (2.0**-30, True), (1e-320, True)])
def test_numbers_that_32_bits_confuse_are_given_by_rank(factor: float, by_rank: bool) -> None:
    task = task_of(numeric_table(80, factor if factor > 1e-300 else 2.0**-50), Grower(leaves=3))
    found = grow_with("sklearn", task.tree, task.table, task.schema)
    assert found.outcome in ("same", "same, with help", "tie")
    assert any("given by rank" in remark for remark in found.remarks) == by_rank


@pytest.mark.parametrize(
    ("grower", "said"),
    [
        (Grower("gain-ratio", leaves=4), "does not know the gain ratio"),
        (Grower("gini", "multiway", leaves=8), "a branch for each category"),
    ],
)
def test_what_cannot_be_expressed_is_said(grower: Grower, said: str) -> None:
    task = seeded_task(1, "gini")
    own = task_of(task.table, grower)
    found = grow_with("sklearn", own.tree, own.table, own.schema)
    assert (found.outcome, found.exit_status) == ("inexpressible", 2)
    assert said in found.detail


def test_a_wrong_model_is_different() -> None:
    task = seeded_task(2, "gini", leaves=5)
    assert task.tree.root.split is not None
    best = task.tree.root.split.attribute
    left = tuple(a for a in task.grower.attributes or () if a != best)
    poorer = task_of(task.table, Grower("gini", leaves=5, attributes=left)).tree
    claimed = replace(poorer, grower=replace(poorer.grower, attributes=task.grower.attributes))
    found = grow_with("sklearn", claimed, task.table, task.schema)
    assert (found.outcome, found.exit_status) == ("different", 1)


@given(st.lists(st.floats(-1e30, 1e30), min_size=2, max_size=9, unique=True), st.booleans())
def test_numbers_stay_in_order(values: list[float], missing: bool) -> None:
    cells: list[Any] = [v + 0.0 for v in values]
    domain = coded([*cells, None] if missing else cells, Kind.DECIMAL).domain
    for apart in (apart_in_doubles, apart_in_singles):
        numbers, is_value = as_numbers(domain, apart)
        assert len(numbers) == domain.size
        assert bool((np.diff(numbers) > 0).all())
        assert is_value == apart(numbers) or not is_value
        if is_value:
            assert np.array_equal(numbers[: len(domain.values)], domain.values)


def test_categories_are_the_same_with_help_only() -> None:
    task = seeded_task(1, "gini", leaves=5, min_leaf=5)
    found = grow_with("sklearn", task.tree, task.table, task.schema)
    assert found.outcome in ("same, with help", "tie")
    assert found.exit_status == 0
