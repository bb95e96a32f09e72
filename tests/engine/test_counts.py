"""Counts of every engine against counting rows one by one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.naive_counts import naive_count, naive_sums, naive_tally, rows_within, table_of
from privet.compiled import counting  # noqa: F401 - counting uses loops that are loaded already
from privet.engine import (
    AnyOf,
    Between,
    Condition,
    Engine,
    Path,
    Region,
    Response,
    SqlEngine,
    engine_of,
    grouping,
    memory,
    sql,
)
from privet.engine import regions as regions_of_table
from privet.engine.workplace import Workplace
from privet.schema import Kind
from privet.table import Coded, Domain, Table

EngineOn = Callable[[Table], Engine]

patient = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def tables(draw: st.DrawFn, most_columns: int = 5) -> Table:
    rows = draw(st.integers(1, 40))
    columns = {}
    for number in range(draw(st.integers(2, most_columns))):
        cells = st.one_of(st.none(), st.integers(0, draw(st.sampled_from([0, 1, 3, 1000]))))
        columns[f"c{number}"] = draw(st.lists(cells, min_size=rows, max_size=rows))
    return table_of(columns)


@st.composite
def conditions(draw: st.DrawFn, table: Table) -> tuple[Condition, Condition]:
    """A condition and its opposite: the two sides of a split."""
    name = draw(st.sampled_from(table.names))
    size = table[name].domain.size
    if draw(st.booleans()):
        cut = draw(st.integers(0, size - 1))
        return Between(name, 0, cut), Between(name, cut + 1, size - 1)
    left = draw(st.sets(st.integers(0, size - 1)))
    return AnyOf(name, frozenset(left)), AnyOf(name, frozenset(range(size)) - left)


@st.composite
def branches(draw: st.DrawFn, table: Table) -> tuple[Condition, ...]:
    """One condition for each value of a column, or for some of them."""
    name = draw(st.sampled_from(table.names))
    codes = range(table[name].domain.size)
    some = draw(st.lists(st.sampled_from(codes), min_size=1, unique=True)) if codes else []
    return tuple(AnyOf(name, frozenset({code})) for code in some)


def plain(counts: Any) -> list[tuple[tuple[int, ...], int]]:
    return [(tuple(key), n) for key, n in zip(counts.keys.tolist(), counts.n.tolist(), strict=True)]


def plain_tally(tally: Any) -> dict[int, list[int]]:
    return dict(zip(tally.codes.tolist(), tally.weights.tolist(), strict=True))


@patient
@given(data=st.data())
def test_counts_are_the_naive_counts(engine_on: EngineOn, data: st.DataObject) -> None:
    table = data.draw(tables())
    by = data.draw(st.lists(st.sampled_from(table.names), unique=True))
    region: Region = ()
    for _ in range(data.draw(st.integers(0, 3))):
        region = (*region, data.draw(conditions(table))[0])
    engine = engine_on(table)
    counts = engine.count(by, region)
    assert plain(counts) == naive_count(table, by, region)
    assert counts.records == len(rows_within(table, region))
    assert counts.n.dtype == counts.keys.dtype == np.int64
    assert counts.keys.shape == (len(counts.n), len(by))
    for columns in range(len(by) + 1):
        assert plain(counts.over(columns)) == naive_count(table, by[:columns], region)


@patient
@given(data=st.data())
def test_a_part_is_a_table_of_its_own(engine_on: EngineOn, data: st.DataObject) -> None:
    table = data.draw(tables())
    one, two = (data.draw(conditions(table))[0] for _ in range(2))
    part = engine_on(table).part((one,))
    assert part.n_rows() == len(rows_within(table, (one,)))
    assert plain(part.count(table.names, (two,))) == naive_count(table, table.names, (one, two))
    inner = part.part((two,)).recode({})
    assert plain(inner.count(table.names)) == naive_count(table, table.names, (one, two))


@patient
@given(data=st.data())
def test_rows_may_stand_for_several_records(workplace: Workplace, data: st.DataObject) -> None:
    table = data.draw(tables())
    n = table.n_rows
    counts = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    records = table.take(np.repeat(np.arange(n), counts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sql, "_ROWS_AT_ONCE", data.draw(st.sampled_from([1, 7, 1 << 20])))
        engine = SqlEngine.holding(table, workplace, counts)
    for found in (engine, engine_of(table, counts)):
        assert found.n_rows() == len(records)
        assert plain(found.count(table.names)) == naive_count(records, table.names)


@patient
@given(data=st.data())
def test_keys_that_overflow_are_numbered_anew(engine_on: EngineOn, data: st.DataObject) -> None:
    table = data.draw(tables(most_columns=9))
    key_most, dense_most = data.draw(st.sampled_from([(1 << 10, 1 << 26), (1 << 10, 1), (1, 1)]))
    by = data.draw(st.permutations(table.names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_KEY_MOST", key_most)
        patch.setattr(grouping, "_DENSE_MOST", dense_most)
        counts = engine_on(table).count(by)
    assert plain(counts) == naive_count(table, by)


def test_twelve_columns_of_as_many_values_as_rows(engine_on: EngineOn) -> None:
    random = np.random.default_rng(7)
    columns = {f"c{i}": random.permutation(2000).tolist() for i in range(11)}
    columns["twin"] = (random.permutation(2000) // 2).tolist()
    doubled = table_of({name: cells * 2 for name, cells in columns.items()})
    assert 2000**11 > 1 << 62
    counts = engine_on(doubled).count(doubled.names)
    assert plain(counts) == naive_count(doubled, doubled.names)
    assert set(counts.n.tolist()) == {2}


@patient
@given(data=st.data())
def test_tallies_are_the_naive_tallies(engine_on: EngineOn, data: st.DataObject) -> None:
    """Down a path of splits: children are counted after their parent, so one is a difference."""
    table = data.draw(tables())
    wide = data.draw(st.sampled_from([memory.WIDE, 8, 0]))
    small = data.draw(st.sampled_from([memory.SMALL, 0, 1000]))
    *columns, target = data.draw(st.permutations(table.names))
    units = data.draw(st.lists(st.integers(-(2**40), 2**40), min_size=60, max_size=60))
    steps = np.array(units[: table[target].domain.size], dtype=np.int64)
    response = Response(target, steps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "WIDE", wide)
        patch.setattr(memory, "SMALL", small)
        patch.setattr(regions_of_table, "KEPT_ROWS", data.draw(st.sampled_from([32, 0])))
        engine = engine_on(table)
        regions: list[Region] = [Path()] if data.draw(st.booleans()) else [()]
        beside: list[Region] = []
        for _ in range(3):
            by_class = engine.tally(columns, regions, target, beside)
            with_sums = engine.tally(columns, regions, response, beside)
            for region, classes, sums in zip(regions, by_class, with_sums, strict=True):
                assert list(classes) == list(sums) == columns
                for column in columns:
                    naive = naive_tally(table, column, region, target)
                    assert plain_tally(classes[column]) == naive
                    naive = naive_sums(table, column, region, target, steps)
                    assert plain_tally(sums[column]) == naive
            parent = data.draw(st.sampled_from(regions))
            children = [
                parent.then(condition) if isinstance(parent, Path) else (*parent, condition)
                for condition in data.draw(conditions(table) | branches(table))
            ]
            asked = data.draw(st.integers(1, len(children)))
            regions, beside = children[:asked], children[asked:]


def test_a_path_is_the_tuple_of_its_conditions() -> None:
    one, two = Between("a", 0, 1), AnyOf("b", frozenset({2}))
    path = Path().then(one).then(two)
    assert path == (one, two)
    assert hash(path) == hash((one, two))
    assert path.above == (one,)
    assert {(one, two): "known"}[path] == "known"


@patient
@given(data=st.data())
def test_a_child_may_be_asked_for_columns_its_parent_was_not(
    engine_on: EngineOn, data: st.DataObject
) -> None:
    table = data.draw(tables(most_columns=4))
    first, *others, target = table.names
    columns = [first, *others]
    left, right = data.draw(conditions(table))
    engine = engine_on(table)
    engine.tally([first], [()], target)
    answers = engine.tally(columns, [(left,), (right,)], target)
    for region, answer in zip([(left,), (right,)], answers, strict=True):
        for column in columns:
            assert plain_tally(answer[column]) == naive_tally(table, column, region, target)


@patient
@given(data=st.data())
def test_regions_asked_for_together_need_not_be_a_partition(
    engine_on: EngineOn, data: st.DataObject
) -> None:
    table = data.draw(tables(most_columns=4))
    *columns, target = table.names
    engine = engine_on(table)
    engine.tally(columns, [()], target)
    one, two = data.draw(conditions(table)), data.draw(conditions(table))
    regions: list[Region] = [(one[0],), (one[1], two[0])]
    for region, answer in zip(regions, engine.tally(columns, regions, target), strict=True):
        for column in columns:
            assert plain_tally(answer[column]) == naive_tally(table, column, region, target)


def test_two_grids_of_one_response_are_kept_apart(engine_on: EngineOn) -> None:
    table = table_of({"a": [0, 0, 1], "y": [0, 1, 1]})
    engine = engine_on(table)
    for step in (1, 10):
        units = np.array([0, step], dtype=np.int64)
        (answer,) = engine.tally(["a"], [()], Response("y", units))
        assert plain_tally(answer["a"]) == naive_sums(table, "a", (), "y", units)


def test_sums_may_leave_64_bits_on_the_way(engine_on: EngineOn) -> None:
    """Three large steps up and three down: whatever the order, what remains is exact."""
    table = table_of({"a": [0] * 7, "y": [0, 0, 0, 1, 1, 1, 2]})
    units = np.array([2**62, -(2**62), 5], dtype=np.int64)
    (answer,) = engine_on(table).tally(["a"], [()], Response("y", units))
    assert plain_tally(answer["a"]) == {0: [7, 5]}


def test_no_rows_and_no_columns(engine_on: EngineOn) -> None:
    empty = table_of({"a": [], "b": []})
    assert plain(engine_on(empty).count(["a", "b"])) == []
    assert plain(engine_on(empty).count([])) == []
    assert plain(engine_on(table_of({"a": [1, 1, None]})).count([])) == [((), 3)]


@patient
@given(data=st.data())
def test_row_order_does_not_matter(engine_on: EngineOn, data: st.DataObject) -> None:
    table = data.draw(tables())
    order = np.array(data.draw(st.permutations(range(table.n_rows))))
    there = plain(engine_on(table).count(table.names))
    assert plain(engine_on(table.take(order)).count(table.names)) == there


@patient
@given(data=st.data())
def test_portions_are_the_counts_and_cut_no_combination(
    engine_on: EngineOn, data: st.DataObject
) -> None:
    table = data.draw(tables())
    by = data.draw(st.permutations(table.names))
    whole = data.draw(st.integers(1, len(by)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sql, "PORTION", data.draw(st.sampled_from([1, 3, 1000])))
        portions = list(engine_on(table).portions(by, whole))
    assert [cell for portion in portions for cell in plain(portion)] == naive_count(table, by)
    beginnings = [{key[:whole] for key, _ in plain(portion)} for portion in portions]
    assert sum(map(len, beginnings)) == len(set().union(*beginnings))


@patient
@given(data=st.data())
def test_recoded_tables_are_recoded_row_by_row(engine_on: EngineOn, data: st.DataObject) -> None:
    """By one map or by one for each side of a split; and once more, since rows may be joined."""
    table = data.draw(tables())
    engine = engine_on(table)
    for _ in range(2):
        sides = data.draw(conditions(table)) if data.draw(st.booleans()) else None
        edits: dict[str, tuple[Any, Domain]] = {}
        columns = {}
        for name in data.draw(st.sets(st.sampled_from(table.names))):
            old, new_size = table[name], data.draw(st.sampled_from([1, 2, 300]))
            domain = Domain(Kind.INTEGER, np.arange(new_size))
            number = st.integers(0, new_size - 1)
            sizes = (1 if sides is None else 2), old.domain.size
            maps = np.array(
                [[data.draw(number) for _ in range(sizes[1])] for _ in range(sizes[0])]
            ).reshape(sizes)
            edits[name] = (maps[0] if sides is None else maps), domain
            side = np.ones(table.n_rows, dtype=np.int64)
            inside = rows_within(table, () if sides is None else (sides[0],))
            side[inside] = 0
            codes = np.array([maps[s, c] for s, c in zip(side, old.codes, strict=True)], np.uint16)
            columns[name] = Coded(domain, codes)
        regions = None if sides is None else [(condition,) for condition in sides]
        engine, table = engine.recode(edits, regions), table.replace(columns)
        assert engine.n_rows() == table.n_rows
        assert all(engine.domain(name) == table[name].domain for name in table)
        assert plain(engine.count(table.names)) == naive_count(table, table.names)
        *attributes, target = table.names
        (tallies,) = engine.tally(attributes, [()], target)
        for column in attributes:
            assert plain_tally(tallies[column]) == naive_tally(table, column, (), target)
        steps = np.arange(table[target].domain.size) * 2**40 - 2**41
        (sums,) = engine.tally(attributes, [()], Response(target, steps))
        for column in attributes:
            naive = naive_sums(table, column, (), target, steps.tolist())
            assert plain_tally(sums[column]) == naive
