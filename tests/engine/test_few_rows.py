"""Relations of few rows are fetched once; short answers of large ones are not asked for twice."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.naive_counts import naive_count, naive_sums, naive_tally
from oracles.random_tables import TARGET, plain_tables
from privet.engine import Between, MemoryEngine, Region, Response, SqlEngine, small_regions
from privet.engine.few_rows import FewRows
from privet.engine.workplace import Workplace
from privet.table import Table

patient = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@contextmanager
def few(rows: int) -> Iterator[None]:
    usual, small_regions.FEW = small_regions.FEW, rows
    yield
    small_regions.FEW = usual


@st.composite
def counted(draw: st.DrawFn) -> tuple[Table, "np.ndarray[tuple[int], np.dtype[np.int64]]"]:
    """A table and how many records each of its rows stands for."""
    table = draw(plain_tables(most_columns=4)).table()
    numbers = st.lists(st.integers(1, 5), min_size=table.n_rows, max_size=table.n_rows)
    return table, np.array(draw(numbers), dtype=np.int64)


def some_region(data: st.DataObject, table: Table) -> Region:
    region: Region = ()
    for _ in range(data.draw(st.integers(0, 2))):
        name = data.draw(st.sampled_from(table.names))
        ends = st.integers(0, table[name].domain.size - 1)
        region = (*region, Between(name, *sorted((data.draw(ends), data.draw(ends)))))
    return region


@given(data=st.data())
def test_rows_with_numbers_count_as_their_records_do(data: st.DataObject) -> None:
    table, n = data.draw(counted())
    rows = FewRows(table, n)
    records = table.take(np.repeat(np.arange(table.n_rows), n))
    region = some_region(data, table)
    by = data.draw(st.lists(st.sampled_from(table.names), unique=True))
    found = rows.count(by, region)
    listed = zip(map(tuple, found.keys.tolist()), found.n.tolist(), strict=True)
    assert list(listed) == naive_count(records, by, region)
    assert rows.whole().n_rows == len(n) + int((n - 1).sum())
    columns = [name for name in table.names if name != TARGET]
    units = np.arange(table[TARGET].domain.size, dtype=np.int64) * 2**40 - 2**41
    (classes,) = rows.tally(columns, [region], TARGET)
    (sums,) = rows.tally(columns, [region], Response(TARGET, units))
    for name in columns:
        for tally, naive in (
            (classes[name], naive_tally(records, name, region, TARGET)),
            (sums[name], naive_sums(records, name, region, TARGET, units)),
        ):
            assert dict(zip(tally.codes.tolist(), tally.weights.tolist(), strict=True)) == naive


@patient
@given(data=st.data())
def test_few_rows_are_fetched_once(workplace: Workplace, data: st.DataObject) -> None:
    """Whatever is asked, each answer is that of memory, and the database hears one question."""
    table, n = data.draw(counted())
    there = MemoryEngine(table.take(np.repeat(np.arange(table.n_rows), n)))
    engine = SqlEngine.holding(table, workplace, n)
    regions = [(Between(table.names[0], 0, 0),)]
    with few(table.n_rows):
        asked = workplace._questions
        for by in (table.names, table.names[:1], ()):
            (portion,) = engine.portions(by, len(by))
            for found in (engine.count(by), portion):
                assert np.array_equal(found.keys, there.count(by).keys)
                assert np.array_equal(found.n, there.count(by).n)
        (found,), (known,) = (e.tally(table.names, regions, TARGET) for e in (engine, there))
        for name in table.names:
            assert np.array_equal(found[name].codes, known[name].codes)
            assert np.array_equal(found[name].weights, known[name].weights)
        inside = there.count([TARGET], regions[0])
        spread = engine.spread(TARGET, regions)[0]
        assert np.array_equal(np.flatnonzero(spread), inside.keys[:, 0])
        assert np.array_equal(spread[inside.keys[:, 0]], inside.n)
        assert workplace._questions == asked + 1


@patient
@given(data=st.data())
def test_short_answers_are_not_asked_for_twice(workplace: Workplace, data: st.DataObject) -> None:
    table = data.draw(plain_tables(most_columns=3)).table()
    engine, there = SqlEngine.holding(table, workplace), MemoryEngine(table)
    columns = [name for name in table.names if name != TARGET]
    first = engine.tally(columns, [()], TARGET)
    asked = workplace._questions
    again = engine.tally(columns, [()], TARGET)
    assert list(again[0]) == columns == list(first[0])
    again[0].clear()  # what somebody does with an answer is nobody else's
    assert list(engine.tally(columns, [()], TARGET)[0]) == columns
    for name in columns:
        found, known = engine.count([name]), there.count([name])
        assert np.array_equal(found.keys, known.keys)
        assert np.array_equal(found.n, known.n)
        with pytest.raises(ValueError, match="read-only"):
            found.n[:] = 0
    assert workplace._questions == asked
    engine.count(table.names)
    engine.count(table.names)
    assert workplace._questions == asked + 1
