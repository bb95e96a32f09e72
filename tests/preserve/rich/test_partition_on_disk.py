"""Blocks on disk are those in memory, wherever the line between small and large ones lies."""

from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, plain_tables
from privet.engine import Engine, MemoryEngine, SqlEngine, larger_than_memory, sql_blocks
from privet.engine.protocol import Between, Region, Response
from privet.engine.workplace import Workplace
from privet.files.frames import table_of
from privet.preserve.rich.partition import Rule, partition
from privet.table import Table

thorough = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def place() -> Iterator[Workplace]:
    with larger_than_memory("300MB") as place:
        yield place


def regions_of(table: Table, column: str) -> list[Region]:
    """The table divided by the first value of a column."""
    last = table[column].domain.size - 1
    parts = [(0, 0), (1, last)] if last else [(0, 0)]
    return [(Between(column, low, high),) for low, high in parts]


@thorough
@given(data=st.data())
def test_the_same_blocks(place: Workplace, data: st.DataObject) -> None:
    """The same numbers for the same records, weights and filled tables; rows alike joined or not,
    blocks cut in the database, in memory, or first here and then there."""
    plain: PlainTable = data.draw(plain_tables(most_rows=40, regression=data.draw(st.booleans())))
    table, columns = plain.table(), plain.attributes
    if data.draw(st.booleans()):
        table = table.take(np.tile(np.arange(table.n_rows), 5))
    regions = regions_of(table, data.draw(st.sampled_from(columns)))
    rule = Rule(
        data.draw(st.integers(1, 4)),
        [TARGET],
        mixed=data.draw(st.booleans()),
        by_gain=data.draw(st.booleans()),
    )
    response = Response(TARGET, np.arange(table[TARGET].domain.size) * 3 - 2)

    def found(engine: Engine) -> list[object]:
        blocks = partition(engine.blocks(regions), columns, rule)
        counts = blocks.count(table.names)
        given_ = {
            name: (np.arange(len(blocks)) % table[name].domain.size, table[name].domain)
            for name in columns[::2]
        }
        filled = blocks.fill(given_).count(table.names)
        answers = [counts.keys, counts.n, blocks.sizes, blocks.starts, filled.keys, filled.n]
        answers += [blocks.weights(target) for target in (TARGET, response)]
        return [answer.tolist() for answer in answers]

    there = found(MemoryEngine(table))
    small, batch = data.draw(st.sampled_from([(0, 7), (3, 1), (8, 20), (64_000, 1 << 20)]))
    with patch.multiple(sql_blocks, SMALL=small, BATCH=batch):
        assert found(SqlEngine.holding(table, place)) == there


def test_how_many_rows_come_back(place: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    """Each record is fetched once, with its small block; what is counted before is little."""
    rows = 120_000
    random = np.random.default_rng(7)
    cells = {f"c{n}": random.integers(0, 20 * (n + 1), rows).tolist() for n in range(3)}
    table = table_of(cells | {TARGET: random.integers(0, 2, rows).tolist()})
    engine = SqlEngine.holding(table, place)
    before = place.rows_fetched
    blocks = partition(engine.blocks([()]), list(cells), Rule(10, [TARGET]))
    fetched = place.rows_fetched - before
    with capsys.disabled():
        print(f"\n{rows:,} records cut into {len(blocks):,} blocks: {fetched:,} rows fetched")
    assert len(blocks) > 4000
    assert rows <= fetched < rows * 1.1 + len(blocks)
