"""Neighbours that keep a threshold, and what the solver finds hopeless, against every trial."""

from itertools import combinations, product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles.leaf_checks import engine_of
from oracles.random_tables import PlainTable, plain_tables
from preserve.by_leaf.test_leaf_conditions import grown, moderate
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.new_values import more_values, neighbours_keeping
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.by_leaf.solver_model import cp_model
from privet.preserve.leaf_counts import count_leaves
from privet.tree import Grower
from privet.tree.candidates import midpoint, midpoints

_MOST_TRIALS = 3000

NUMBERS = st.one_of(
    st.lists(st.integers(-(2**62), 2**62), min_size=1, unique=True).map(np.array),
    st.lists(st.integers(-9, 9), min_size=1, unique=True).map(np.array),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1).map(np.array),
    st.floats(0.5, 2).map(lambda x: np.array([np.nextafter(x, 0), x, np.nextafter(x, 9)])),
)


@given(NUMBERS)
def test_many_midpoints_are_those_of_single_pairs(values: np.ndarray) -> None:
    values = np.unique(values)
    low, high = np.triu_indices(len(values), 1)
    expected = [midpoint(a, b) for a, b in combinations(values.tolist(), 2)]
    assert midpoints(values[low], values[high]).tolist() == expected


@given(st.one_of(plain_tables(), plain_tables(regression=True)).filter(moderate), st.integers(2, 6))
def test_neighbours_keep_a_threshold_if_their_mean_is_there(plain: PlainTable, leaves: int) -> None:
    for task in _tasks(plain, leaves):
        domain = more_values(task)
        values = domain.values.tolist()
        for seen in task.own:
            keeps = neighbours_keeping(task, seen, domain)
            pairs = combinations(range(len(values)), 2)
            expected = {p for p in pairs if midpoint(*(values[i] for i in p)) == seen.threshold}
            assert {tuple(pair) for pair in np.argwhere(keeps).tolist()} == expected


@given(st.one_of(plain_tables(), plain_tables(regression=True)).filter(moderate), st.integers(2, 7))
def test_what_is_hopeless_has_no_recoding(plain: PlainTable, leaves: int) -> None:
    cp_model()
    for task in _tasks(plain, leaves):
        atoms, domain = task.whole_groups(), more_values(task)
        options = [np.flatnonzero(row).tolist() for row in task.allowed(atoms, domain)]
        if not Solver().finds_hopeless(task, atoms, domain):
            continue
        if np.prod([len(some) for some in options], dtype=np.float64) > _MOST_TRIALS:
            continue
        for codes in product(*options):
            assert task.form(atoms, domain, np.array(codes, dtype=np.int64)) is None


def _tasks(plain: PlainTable, leaves: int) -> list[ColumnTask]:
    """The numbers that a tree of the table asks for."""
    leaf_counts = count_leaves(engine_of(plain), [grown(plain, Grower(leaves=leaves))])
    base = recode_globally(leaf_counts, plain.attributes)
    tasks = [ColumnTask(leaf_counts, name, base[name]) for name in leaf_counts.columns]
    return [task for task in tasks if task.ordered]


@given(
    st.one_of(plain_tables(), plain_tables(regression=True)).filter(moderate),
    st.integers(2, 7),
    st.sampled_from(["strict", "index"]),
)
def test_a_draft_that_began_with_hope_ends_as_any_other(
    plain: PlainTable, leaves: int, form: Any
) -> None:
    cp_model()
    for task in _tasks(plain, leaves):
        atoms, domain = task.whole_groups(), more_values(task)
        begun, anew = Solver(), Solver()
        if task.ordered and begun.finds_hopeless(task, atoms, domain):
            continue
        found = [
            [(by, values.values.tolist(), codes.tolist()) for by, values, codes in drafts]
            for drafts in (
                solver.solutions(task, atoms, domain, form, complete=False)
                for solver in (begun, anew)
            )
        ]
        assert found[0] == found[1]
        assert begun.rounds_in_vain == anew.rounds_in_vain
