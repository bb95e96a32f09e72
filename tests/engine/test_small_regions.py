"""Small regions are fetched and counted in memory: the same tree, and far fewer questions."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.random_tables import TARGET, plain_tables
from privet.engine import MemoryEngine, SqlEngine, small_regions
from privet.engine.workplace import Workplace
from privet.files.frames import table_of
from privet.tree import Grower, grow
from privet.tree.exchange.model_file import to_data

ROWS = 4000


@contextmanager
def few(records: int) -> Iterator[None]:
    usual, small_regions.FEW = small_regions.FEW, records
    yield
    small_regions.FEW = usual


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_same_tree_whatever_counts_as_small(workplace: Workplace, data: st.DataObject) -> None:
    regression = data.draw(st.booleans())
    plain = data.draw(plain_tables(regression=regression, most_columns=4))
    table, schema = plain.table(), plain.schema()
    leaves = data.draw(st.sampled_from([2, 5, None]))
    grower = Grower("deviance" if regression else "gini", leaves=leaves)
    there = grow(MemoryEngine(table), schema, grower)
    with few(data.draw(st.integers(0, table.n_rows + 1))):
        found = grow(SqlEngine.holding(table, workplace), schema, grower)
    assert to_data(found) == to_data(there)


@pytest.mark.parametrize("held", [1, 16])
def test_a_deep_tree_asks_few_questions(
    workplace: Workplace, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where hardly any region is held, so that one may be fetched again."""
    monkeypatch.setattr(small_regions, "_HELD", held)
    table = table_of(
        {
            "a": [row * 7 % 1009 for row in range(ROWS)],
            "b": [row * 31 % 53 for row in range(ROWS)],
            TARGET: ["yes" if (row * row) % 11 < 4 else "no" for row in range(ROWS)],
        }
    )
    schema, grower = table.schema().with_roles(target=TARGET), Grower(leaves=80)
    there = grow(MemoryEngine(table), schema, grower)
    asked, rows = [], []
    for records in (-1, 500, ROWS):
        questions, fetched = workplace._questions, workplace.rows_fetched
        with few(records):
            found = grow(SqlEngine.holding(table, workplace), schema, grower)
        assert to_data(found) == to_data(there)
        asked.append(workplace._questions - questions)
        rows.append(workplace.rows_fetched - fetched)
    if held > 1:
        assert asked[0] > 2 * asked[1] > 4 * asked[2]
        assert rows[2] <= ROWS + 2  # each record once
