"""The article's algorithm, word by word, on tables made by hand: its tree changes, ours does not.

The slow grower grows every tree here, from the original rows, from the literally sanitised ones (in
exact fractions) and from those that Privet recodes.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.literal_tpp import Asked, Cells, asked_by_slow_tree, asked_by_tree, sanitise
from oracles.slow_grower import SlowGrowth, SlowNode, SlowSettings
from privet.pipeline import publish
from privet.preserve.publisher import prepared
from privet.preserve.settings import Settings
from privet.table import Table
from properties.publishing import published, thresholds

ATTRIBUTES = ["A", "B"]


def grown(cells: Cells, leaves: int) -> list[SlowNode]:
    return SlowGrowth(cells, {"A", "B"}, ATTRIBUTES, "y", SlowSettings(leaves=leaves)).grow()


def literally(cells: Cells, nodes: list[SlowNode]) -> Cells:
    return sanitise(cells, {"A", "B"}, ATTRIBUTES, asked_by_slow_tree(nodes, cells))


def cuts(nodes: list[SlowNode]) -> list[tuple[Any, Any]]:
    return sorted((node.split[1], node.split[2]) for node in nodes if node.split is not None)


def recoded_by_us(cells: Cells, leaves: int) -> Cells:
    """The rows as Privet recodes them, in their own order."""
    from privet.files.frames import table_of
    from privet.pipeline import schema_for

    table = table_of(cells)
    schema = schema_for(table, None, {"target": "y"})
    attempts = prepared(table, schema, Settings(leaves=leaves, recoding="global", impurity="gini"))
    return rows_of(attempts.at(leaves).recoded.table())  # type: ignore[attr-defined]


def rows_of(table: Table) -> Cells:
    return {n: [table[n].domain.value(c) for c in table[n].codes.tolist()] for n in table}


SHARED_ABOVE = {
    "A": [1, 6, 6, 7, 9, 0, 7, 9],
    "B": [0, 0, 0, 0, 0, 1, 1, 1],
    "y": [0, 0, 1, 0, 0, 0, 1, 1],
}
SHARED_BELOW = SHARED_ABOVE | {"A": [9 - value for value in SHARED_ABOVE["A"]]}
EQUAL_AT_THE_MIDDLE = {"A": [3, 3, 2, 8, 5], "B": [0, 1, 0, 1, 1], "y": [0, 1, 1, 0, 1]}


@pytest.mark.parametrize(
    ("cells", "leaves"),
    [(SHARED_ABOVE, 4), (SHARED_BELOW, 4), (EQUAL_AT_THE_MIDDLE, 4)],
    ids=["two nodes share v2", "two nodes share v1", "equal values at the middle cut"],
)
def test_the_literal_algorithm_changes_the_tree(cells: Cells, leaves: int, tmp_path: Path) -> None:
    before = grown(cells, leaves)
    assert grown(literally(cells, before), leaves) != before
    assert grown(recoded_by_us(cells, leaves), leaves) == before
    assert sorted(thresholds(published(cells, tmp_path / "r", leaves=leaves))) == cuts(before)
