"""R's rpart grows the same tree, or breaks a tie otherwise. Each example starts R: few of them."""

import pytest
from hypothesis import given, settings

from privet.tree import Grower
from privet.tree.foreign import Task, grow_with
from tree.foreign.outside import needs, seeded_task, small_tasks, task_of

pytestmark = needs("rpart")


@settings(max_examples=12)
@given(small_tasks(("gini", "entropy", "deviance")))
def test_small_tables_with_every_trap(task: Task) -> None:
    found = grow_with("rpart", task.tree, task.table, task.schema)
    if found.outcome == "inexpressible":
        assert "floats" in found.detail
    else:
        assert found.outcome in ("same", "tie"), found.detail


@pytest.mark.parametrize("impurity", ["gini", "entropy", "deviance"])
@pytest.mark.parametrize("seed", range(2))
def test_tables_with_a_signal(impurity: str, seed: int) -> None:
    task = seeded_task(seed, impurity, leaves=8, min_leaf=5)
    found = grow_with("rpart", task.tree, task.table, task.schema)
    assert found.outcome in ("same", "tie"), found.detail
    assert any("no best-first growth" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("grower", "said"),
    [
        (Grower("gain-ratio", leaves=4), "does not know the gain ratio"),
        (Grower("gini", "multiway", leaves=8), "a branch for each category"),
    ],
)
def test_what_cannot_be_expressed_is_said(grower: Grower, said: str) -> None:
    own = task_of(seeded_task(1, "gini").table, grower)
    found = grow_with("rpart", own.tree, own.table, own.schema)
    assert (found.outcome, found.exit_status) == ("inexpressible", 2)
    assert said in found.detail
