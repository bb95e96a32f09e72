"""No cut inside a run gains more than is said of the run."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.tree.impurity import RULES
from privet.tree.long_columns import highest_inside

CLASSES = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 6), min_size=n, max_size=n).filter(any), min_size=2)
)
RESPONSES = st.lists(
    st.lists(st.one_of(st.integers(-9, 9), st.integers(-(10**9), 10**9)), min_size=1, max_size=4),
    min_size=2,
)


def exceeds(score: Any, bound: float) -> bool:
    """Whether an exact score is above a bound by more than its own rounding."""
    if hasattr(score, "info"):
        number = float(score.gain.value(30)[0]) / float(score.info.value(30)[0])
    elif hasattr(score, "value"):
        number = float(score.value(30)[0])
    else:
        number = float(score)
    return number * (1 - 1e-15) > bound


def check(values: Any, rule: Any, data: st.DataObject, responses: Any = None) -> None:
    """Every cut of the values, scored exactly, against the bounds of the runs it lies in."""
    weights = np.array(values, dtype=np.int64)
    edges = sorted(data.draw(st.sets(st.integers(1, len(weights) - 1))))
    starts = [0, *edges]
    runs, whole = np.add.reduceat(weights, starts), weights.sum(axis=0)
    min_leaf = data.draw(st.sampled_from([1, 1, 2, 5]))
    bounds = highest_inside(runs, whole, rule, min_leaf, responses)
    n = int(rule.records(whole[None, :])[0])
    for cut in range(1, len(weights)):
        sides = weights[:cut].sum(axis=0), weights[cut:].sum(axis=0)
        left = int(rule.records(sides[0][None, :])[0])
        if min(left, n - left) < min_leaf:
            continue
        score = rule.exact([tuple(side.tolist()) for side in sides], tuple(whole.tolist()))
        inside = int(np.searchsorted(starts, cut, side="right")) - 1
        touched = {inside, inside - 1} if cut in starts else {inside}
        assert not any(exceeds(score, bounds[run]) for run in touched)


@pytest.mark.parametrize("impurity", ["gini", "entropy", "gain-ratio"])
@given(values=CLASSES, data=st.data())
def test_by_class(impurity: str, values: list[list[int]], data: st.DataObject) -> None:
    check(values, RULES[impurity], data)


@given(values=RESPONSES, data=st.data())
def test_by_sums_of_a_response(values: list[list[int]], data: st.DataObject) -> None:
    weights = [[len(records), sum(records)] for records in values]
    every = np.array([response for records in values for response in records], dtype=np.int64)
    check(weights, RULES["deviance"], data, every)


def test_one_run_of_two_classes_is_bounded_by_what_parts_them() -> None:
    """The bound is reached by a cut that a run may have, and none lies where no leaf may be."""
    rule, whole = RULES["gini"], np.array([3, 5])
    (bound,) = highest_inside(whole[None, :], whole, rule, 1)
    assert bound == pytest.approx(float(rule.exact([(3, 0), (0, 5)], (3, 5))))
    runs = np.array([[1, 1], [1, 2], [1, 2]])
    assert highest_inside(runs, whole, rule, 4).tolist()[0] == -np.inf
    assert np.isfinite(highest_inside(runs, whole, rule, 4)[1])
