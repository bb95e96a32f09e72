"""A trade-off that is shown while it is made ends as one that is made in silence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.datasets import hospital
from privet.preserve.exploration import Exploration
from privet.preserve.explore import spread_out

ASKED = {"target": "readmitted", "identifier": "patient_id", "sensitive": "diagnosis"}


@given(st.lists(st.integers(2, 400), unique=True, max_size=60).map(sorted))
def test_every_size_comes_once_and_the_ends_first(sizes: list[int]) -> None:
    order = spread_out(sizes)
    assert sorted(order) == sizes
    assert order[:2] == list(dict.fromkeys([*sizes[:1], *sizes[-1:]]))


@pytest.mark.parametrize("levels", [{"k": 3}, {"k": 8, "l": 2}, {"k": 250}])
def test_what_is_shown_in_between_is_part_of_the_end(levels: dict[str, int]) -> None:
    table = hospital(400, seed=5)
    steps: list[Exploration] = []
    shown = privet.explore(table, **ASKED, **levels, seen=steps.append)
    assert shown == privet.explore(table, **ASKED, **levels)
    assert [len(step.lines) for step in steps] == list(range(1, len(shown.lines) + 1))
    for step in steps:
        assert set(step.lines) <= set(shown.lines)
        assert [line.leaves for line in step.lines] == sorted(line.leaves for line in step.lines)
        assert (step.chosen, step.refusal) == (shown.chosen, shown.refusal)
    if shown.chosen is not None:
        assert steps[0].lines[0].leaves == shown.chosen


def test_publishing_tells_its_progress() -> None:
    told: list[tuple[int, int, int]] = []
    privet.publish(hospital(300, seed=5), **ASKED, k=3, progress=lambda *step: told.append(step))
    assert told
    assert all(done <= sizes for done, sizes, _ in told)
