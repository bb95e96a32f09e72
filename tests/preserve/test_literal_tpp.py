"""The article's algorithm, word by word, on tables made by hand: its tree changes, ours does not.

The slow grower grows every tree here, from the original rows, from the literally sanitised ones (in
exact fractions) and from those that Privet recodes.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles.literal_tpp import Asked, Cells, asked_by_slow_tree, asked_by_tree, sanitise
from oracles.slow_grower import SlowGrowth, SlowNode, SlowSettings
from privet.engine import MemoryEngine
from privet.files.frames import table_of
from privet.preserve.drafts import Drafts
from privet.preserve.settings import PublishSettings
from privet.roles import Roles, schema_for
from properties.publishing import published, thresholds

ATTRIBUTES = ["A", "B"]


def grown(cells: Cells, leaves: int, impurity: Any = "gini") -> list[SlowNode]:
    settings = SlowSettings(leaves=leaves, impurity=impurity)
    return SlowGrowth(cells, set(ATTRIBUTES), ATTRIBUTES, "y", settings).grow()


def literally(cells: Cells, nodes: list[SlowNode]) -> Cells:
    return sanitise(cells, set(ATTRIBUTES), ATTRIBUTES, asked_by_slow_tree(nodes, cells))


def drafts_of(cells: Cells, leaves: int, impurity: Any = "gini") -> Drafts:
    table = table_of({name: cells[name] for name in (*ATTRIBUTES, "y")})
    settings = PublishSettings(leaves=leaves, recoding="global", impurity=impurity)
    return Drafts(table, schema_for(table, None, Roles(target="y")), settings)


def recoded_by_us(cells: Cells, leaves: int, impurity: Any = "gini") -> Cells:
    """The rows as Privet recodes them, in their own order."""
    draft = drafts_of(cells, leaves, impurity).by_one_map(leaves)
    assert isinstance(draft.recoded, MemoryEngine)
    table = draft.recoded.table()
    recoded = {n: [table[n].domain.value(c) for c in table[n].codes.tolist()] for n in ATTRIBUTES}
    return {**recoded, "y": cells["y"]}


def cuts(nodes: list[SlowNode]) -> list[tuple[Any, Any]]:
    return sorted((node.split[1], node.split[2]) for node in nodes if node.split is not None)


def smallest_group(cells: Cells) -> int:
    return min(Counter(zip(*(cells[name] for name in ATTRIBUTES), strict=True)).values())


SHARED_ABOVE = {
    "A": [1, 6, 6, 7, 9, 0, 7, 9],
    "B": [0, 0, 0, 0, 0, 1, 1, 1],
    "y": [0, 0, 1, 0, 0, 0, 1, 1],
}
SHARED_BELOW = SHARED_ABOVE | {"A": [9 - value for value in SHARED_ABOVE["A"]]}
# 3 is v2 of one node and v1 of the next, so neither may move; a third node shares 6 and moves it.
BELOW_AND_ABOVE = {
    "A": [3, 3, 6, 7, 0, 1, 3, 3, 4, 5, 6, 8],
    "B": [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2],
    "y": [0, 0, 1, 1, 10, 10, 11, 11, 30, 30, 31, 31],
}
EQUAL_AT_THE_MIDDLE = {"A": [3, 3, 2, 8, 5], "B": [0, 1, 0, 1, 1], "y": [0, 1, 1, 0, 1]}


@pytest.mark.parametrize(
    ("cells", "leaves", "impurity"),
    [
        pytest.param(SHARED_ABOVE, 4, "gini", id="two nodes share v2"),
        pytest.param(SHARED_BELOW, 4, "gini", id="two nodes share v1"),
        pytest.param(BELOW_AND_ABOVE, 6, "deviance", id="v1 of one node and v2 of another"),
        pytest.param(EQUAL_AT_THE_MIDDLE, 4, "gini", id="equal values at the middle cut"),
    ],
)
def test_the_literal_algorithm_changes_the_tree(
    cells: Cells, leaves: int, impurity: str, tmp_path: Path
) -> None:
    before = grown(cells, leaves, impurity)
    assert len(cuts(before)) == leaves - 1
    assert cuts(grown(literally(cells, before), leaves, impurity)) != cuts(before)
    assert grown(recoded_by_us(cells, leaves, impurity), leaves, impurity) == before
    columns = {name: cells[name] for name in (*ATTRIBUTES, "y")}
    release = published(columns, tmp_path / "r", leaves=leaves, impurity=impurity)
    assert sorted(thresholds(release)) == cuts(before)


def test_the_literal_algorithm_forgets_values_inside_a_gap() -> None:
    """4 and 6 lie between 2 and 9 of a node that they are not in: left alone they identify."""
    cells = {
        "A": [2, 9, 9, 4, 1, 6, 9, 0],
        "B": [0, 1, 0, 1, 0, 1, 0, 1],
        "y": [0, 10, 2, 10, 0, 10, 2, 10],
    }
    before = grown(cells, 3, "deviance")
    literal, ours = literally(cells, before), recoded_by_us(cells, 3, "deviance")
    assert grown(literal, 3, "deviance") == grown(ours, 3, "deviance") == before
    assert {4, 6} <= set(literal["A"])
    assert (smallest_group(literal), smallest_group(ours)) == (1, 2)


def test_both_readings_of_a_tree_ask_the_same_nodes() -> None:
    drafts = drafts_of(BELOW_AND_ABOVE, 6, "deviance")
    slow = asked_by_slow_tree(grown(BELOW_AND_ABOVE, 6, "deviance"), BELOW_AND_ABOVE)
    assert asked_by_tree(drafts.trees[0], drafts.table) == slow


def test_categories_of_the_same_branches_fall_together() -> None:
    nodes = [Asked("C", [0, 1, 2], [3, 4]), Asked("C", [0], [1, 2])]
    sanitised = sanitise({"C": list("abcde")}, set(), ["C"], nodes)
    assert sanitised["C"] == ["a", "b | c", "b | c", "d | e", "d | e"]


columns_of_eight = st.lists(st.integers(0, 9), min_size=8, max_size=8)


@given(columns_of_eight, columns_of_eight, st.lists(st.booleans(), min_size=8, max_size=8))
def test_one_node_alone_is_kept_by_both(a: list[int], b: list[int], y: list[bool]) -> None:
    """Without a second node there is nothing to share, overwrite or cut in the middle."""
    cells: Cells = {"A": a, "B": b, "y": [int(answer) for answer in y]}
    before = grown(cells, 2)
    assume(len(before) > 1)
    literal, ours = literally(cells, before), recoded_by_us(cells, 2)
    assert grown(literal, 2) == grown(ours, 2) == before
    assert smallest_group(literal) == smallest_group(ours)
