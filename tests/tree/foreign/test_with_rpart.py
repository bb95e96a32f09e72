"""R's rpart grows the same tree, or breaks a tie otherwise. Each example starts R: few of them."""

import numpy as np
import pytest
from hypothesis import example, given, settings

from oracles.random_tables import TARGET, coded
from privet.schema import Kind
from privet.table import Table
from privet.tree import Grower
from privet.tree.foreign import Grown, Task, grow_with, rpart
from privet.tree.foreign.agreement import Departure
from tree.foreign.outside import needs, seeded_task, small_tasks, task_of

pytestmark = needs("rpart")

OWN_ORDER = "rpart has its own order of categories with the same mean"


def categories_of_one_mean(letters: list[str | None], answers: str, min_leaf: int) -> Task:
    cells = {"letter": coded(letters, Kind.CATEGORY), TARGET: coded(list(answers), Kind.CATEGORY)}
    return task_of(Table(cells), Grower("gini", leaves=4, min_leaf=min_leaf))


# 'b' and missing are one class each, and only a cut between them leaves two records on each side.
EQUAL_MEANS = categories_of_one_mean(["a", "b", None, None], "xyyy", min_leaf=2)


@settings(max_examples=12)
@example(EQUAL_MEANS)
@given(small_tasks(("gini", "entropy", "deviance")))
def test_small_tables_with_every_trap(task: Task) -> None:
    found = grow_with("rpart", task.tree, task.table, task.schema)
    if found.outcome == "inexpressible":
        assert "floats" in found.detail or OWN_ORDER in found.detail
    else:
        assert found.outcome in ("same", "tie"), found.detail


def test_an_order_of_its_own_is_named_only_where_it_decides() -> None:
    found = grow_with("rpart", EQUAL_MEANS.tree, EQUAL_MEANS.table, EQUAL_MEANS.schema)
    assert (found.outcome, found.node) == ("inexpressible", 0)
    assert OWN_ORDER in found.detail
    smaller = categories_of_one_mean(["a", "b", None, None], "xyyy", min_leaf=1)
    assert grow_with("rpart", smaller.tree, smaller.table, smaller.schema).outcome == "same"
    leaf = Departure(Grown(np.arange(4)), "it is a leaf there")
    assert rpart.explain(smaller, leaf, "rpart", ()).outcome == "different"
    assert rpart.explain(EQUAL_MEANS, leaf, "rpart", ()).outcome == "inexpressible"


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
