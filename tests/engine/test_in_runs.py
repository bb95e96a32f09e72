"""Columns with a value of their own for nearly each row: cut inside the database, to the same tree.

The limits are lowered here, so that small tables are counted in runs, too.
"""

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, plain_tables
from privet.arrays import Integers
from privet.engine import MemoryEngine, SqlEngine
from privet.engine.protocol import AnyOf, Between, Region, Response, RunTally
from privet.engine.sql_units import fillings
from privet.engine.workplace import Workplace
from privet.files.frames import table_of
from privet.schema import Kind
from privet.table import Coded, Table
from privet.tree import Grower, grow, long_columns
from privet.tree.exchange.model_file import to_data
from privet.tree.guard import Guard
from privet.tree.guarded_runs import GuardedRuns

thorough = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
IMPURITIES = ["gini", "entropy", "gain-ratio", "c45"]


@st.composite
def long_tables(draw: st.DrawFn, regression: bool) -> PlainTable:
    """Many values in each column, some of them missing or there more than once, and a target that
    follows them here and there: gains that tie, rise slowly and jump."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.integers(10, 80))
    kinds: dict[str, Kind] = {"group": Kind.CATEGORY}
    cells: dict[str, list[Any]] = {"group": rng.choice(["a", "b", "c"], rows).tolist()}
    for number in range(draw(st.integers(1, 3))):
        name, times = f"x{number}", draw(st.sampled_from([1, 1, 2, 5]))
        kinds[name] = Kind.DECIMAL
        cells[name] = [int(place) // times / 7 for place in rng.permutation(rows)]
        if draw(st.booleans()):
            cells[name] = [None if rng.random() < 0.2 else cell for cell in cells[name]]
    if draw(st.booleans()):  # which ties everywhere
        kinds["twin"], cells["twin"] = kinds["x0"], list(cells["x0"])
    signal = np.array([-1.0 if cell is None else cell for cell in cells["x0"]])
    signal = np.abs(signal - draw(st.sampled_from([0.0, rows / 14, rows / 7])))
    noise = draw(st.sampled_from([0.0, 1.0, 5.0]))
    told = signal + noise * rng.normal(size=rows)
    if regression:
        kinds[TARGET] = Kind.DECIMAL
        cells[TARGET] = (np.round(told, draw(st.integers(0, 3))) + 0.0).tolist()
        cells[TARGET][:2] = [0.0, 1.0]
    else:
        kinds[TARGET] = Kind.CATEGORY
        classes = draw(st.integers(2, 4))
        places = np.searchsorted(np.quantile(told, np.arange(1, classes) / classes), told)
        cells[TARGET] = [f"y{place}" for place in places.tolist()]
        cells[TARGET][:2] = ["y0", "y1"]
    return PlainTable(kinds, cells)


@thorough
@given(data=st.data())
def test_the_same_tree(workplace: Workplace, data: st.DataObject) -> None:
    """Ties, missing cells, small leaves, guards, least gains, whatever is counted in runs."""
    regression = data.draw(st.booleans())
    tables = st.one_of(long_tables(regression), plain_tables(regression, most_columns=5))
    plain = data.draw(tables)
    impurity: Any = "deviance" if regression else data.draw(st.sampled_from(IMPURITIES))
    grower = Grower(
        impurity,
        data.draw(st.sampled_from(["subset", "multiway"])),
        leaves=data.draw(st.sampled_from([2, 5, None])),
        min_leaf=data.draw(st.sampled_from([1, 1, 3, plain.n_rows // 2 or 1])),
        min_gain=data.draw(st.sampled_from([0.0, 0.0, 0.01])),
        mdl=impurity == "c45" and data.draw(st.booleans()),
    )
    besides = frozenset(data.draw(st.sets(st.sampled_from(plain.attributes))))
    least = data.draw(st.sampled_from([2, 3, 5, 12, 64, 65]))
    guard = data.draw(st.sampled_from([None, Guard(least), Guard(least, besides)]))
    table, schema = plain.table(), plain.schema()
    there = grow(MemoryEngine(table), schema, grower, guard=guard)
    with (
        patch.object(long_columns, "LONG", data.draw(st.sampled_from([2, 3, 10]))),
        patch.object(long_columns, "RUNS", data.draw(st.sampled_from([1, 2, 5]))),
    ):
        found = grow(SqlEngine.holding(table, workplace), schema, grower, guard=guard)
    assert to_data(found) == to_data(there)


@thorough
@given(data=st.data())
def test_runs_have_the_records_of_their_codes(workplace: Workplace, data: st.DataObject) -> None:
    regression = data.draw(st.booleans())
    table = data.draw(long_tables(regression)).table()
    size = table["x0"].domain.size
    target = Response(TARGET, np.arange(table[TARGET].domain.size) * 3 - 5)
    counted: Any = target if regression else TARGET
    regions: list[Region] = [(), (AnyOf("group", frozenset([0])),), (Between("x0", 3, size),)]
    region = data.draw(st.sampled_from(regions))
    engine = SqlEngine.holding(table, workplace)
    (tallies,) = MemoryEngine(table).tally(["x0", "group"], [region], counted)
    (found,) = engine.tally(["x0", "group"], [region], counted, lengths={"x0": 4})
    assert found["group"].codes.tolist() == tallies["group"].codes.tolist()
    runs = found["x0"]
    assert isinstance(runs, RunTally)
    number = len(runs.codes)  # none, where the region is empty
    those = np.array(
        data.draw(st.lists(st.booleans(), min_size=number, max_size=number)), dtype=bool
    )
    if those.any():
        shorter = data.draw(st.sampled_from([1, 2]))
        runs = engine.finer("x0", region, counted, runs, those, shorter)
    assert (np.diff(runs.codes) > 0).all()
    every = tallies["x0"]
    for code, length, weights in zip(runs.codes, runs.lengths, runs.weights, strict=True):
        inside = (every.codes >= code) & (every.codes < code + length)
        assert inside.any()
        assert weights.tolist() == every.weights[inside].sum(axis=0).tolist()
    assert runs.weights.sum(axis=0).tolist() == every.weights.sum(axis=0).tolist()
    lengths = runs.lengths.tolist()
    assert lengths.count(4) == (~those).sum()


@thorough
@given(data=st.data())
def test_units_end_where_those_of_all_values_do(workplace: Workplace, data: st.DataObject) -> None:
    """Followed from run to run, also where some runs were cut; missing cells beside numbers."""
    table = data.draw(long_tables(regression=False)).table()
    domain, least = table["x0"].domain, data.draw(st.sampled_from([2, 3, 7, 64]))
    engine = SqlEngine.holding(table, workplace)
    region = data.draw(st.sampled_from([(), (AnyOf("group", frozenset([0, 1])),)]))
    (tallies,) = MemoryEngine(table).tally(["x0"], [region], TARGET)
    every, records = tallies["x0"].codes, tallies["x0"].weights.sum(axis=1)
    if not len(every):
        return
    units = Guard(least).units("x0", domain, every, records)
    units = np.arange(len(every)) if units is None else units
    (found,) = engine.tally(["x0"], [region], TARGET, lengths={"x0": 8})
    runs: Any = found["x0"]
    whole = fillings(engine, "x0", region, 8, least)
    runs = GuardedRuns.linked(runs, whole, int(records.sum()))
    _assert_units(runs, least, every, units)
    n = len(runs.codes)
    those = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    if those.any():
        only = 8, runs.codes[those] // 8
        finer = engine.finer("x0", region, TARGET, runs, those, 2)
        runs = runs.with_finer(finer, fillings(engine, "x0", region, 2, least, only))
        _assert_units(runs, least, every, units)


def _assert_units(runs: GuardedRuns, least: int, every: Integers, units: Integers) -> None:
    own = np.searchsorted(runs.codes, every, side="right") - 1  # the run of each value
    ends = np.flatnonzero(np.diff(own))
    assert np.array_equal(np.diff(runs.units(least)) > 0, units[ends] != units[ends + 1])
    cut = np.flatnonzero(np.diff(units))  # each belongs to the runs on both sides of it
    may = runs.may_be_cut(least)
    before_missing = runs.numbers[own[cut + 1]] == 0
    assert may[own[cut]][~before_missing].all()
    assert may[own[cut + 1]].all()


@pytest.mark.parametrize("guard", [None, Guard(10)])
@pytest.mark.parametrize("impurity", ["gini", "entropy", "gain-ratio", "deviance"])
def test_few_rows_come_back(workplace: Workplace, impurity: Any, guard: Guard | None) -> None:
    """Of a column with a value for each row a small part is fetched, and none of it elsewhere."""
    rows = 20_000
    rng = np.random.default_rng(3)
    numbers, others = rng.permutation(rows) / 7, rng.permutation(rows) / 3
    chance = np.where(numbers > 1000, 0.8, 0.3) - np.where(others > 3000, 0.2, 0.0)
    hit = rng.random(rows) < chance
    target = rng.normal(size=rows) + 4 * hit if impurity == "deviance" else np.where(hit, "a", "b")
    table = table_of({"x": numbers, "z": others, TARGET: target})
    schema = table.schema().with_roles(target=TARGET)
    grower = Grower(impurity, leaves=4, min_leaf=1000)
    engine = SqlEngine.holding(table, workplace)
    before = workplace.rows_fetched
    with patch.object(long_columns, "LONG", 1000), patch.object(long_columns, "RUNS", 128):
        tree = grow(engine, schema, grower, guard=guard)
    assert workplace.rows_fetched - before < rows / 2
    assert to_data(tree) == to_data(grow(MemoryEngine(table), schema, grower, guard=guard))
    before = workplace.rows_fetched
    grow(engine, schema, grower, guard=guard)
    assert workplace.rows_fetched - before > 4 * rows


def test_what_is_long_without_being_told(workplace: Workplace) -> None:
    rows = 100_000
    rng = np.random.default_rng(5)
    numbers = rng.permutation(rows)
    classes = np.where(rng.random(rows) < np.where(numbers < 40_000, 0.3, 0.6), "a", "b")
    coded = Coded.of(numbers.astype(np.int64), Kind.INTEGER, np.zeros(rows, dtype=bool))
    target = Coded.of(classes.astype(object), Kind.CATEGORY, np.zeros(rows, dtype=bool))
    table = Table({"x": coded, TARGET: target})
    schema = table.schema().with_roles(target=TARGET)
    engine = SqlEngine.holding(table, workplace)
    before = workplace.rows_fetched
    tree = grow(engine, schema, Grower(leaves=2))
    assert workplace.rows_fetched - before < rows / 3
    assert to_data(tree) == to_data(grow(MemoryEngine(table), schema, Grower(leaves=2)))
