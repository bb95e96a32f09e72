"""Counts of the memory engine against counting rows one by one, compiled and not."""

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
    MemoryEngine,
    Path,
    Region,
    Response,
    grouping,
    memory,
)
from privet.engine import regions as regions_of_table
from privet.table import Table

either = pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])
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


@either
@patient
@given(data=st.data())
def test_counts_are_the_naive_counts(compiled: bool, data: st.DataObject) -> None:
    table = data.draw(tables())
    by = data.draw(st.lists(st.sampled_from(table.names), unique=True))
    region: Region = ()
    for _ in range(data.draw(st.integers(0, 3))):
        region = (*region, data.draw(conditions(table))[0])
    engine = MemoryEngine(table, compiled)
    counts = engine.count(by, region)
    assert plain(counts) == naive_count(table, by, region)
    assert counts.records == len(rows_within(table, region))
    assert counts.n.dtype == counts.keys.dtype == np.int64
    assert counts.keys.shape == (len(counts.n), len(by))
    for columns in range(len(by) + 1):
        assert plain(counts.over(columns)) == naive_count(table, by[:columns], region)


@either
@patient
@given(data=st.data())
def test_keys_that_overflow_are_numbered_anew(compiled: bool, data: st.DataObject) -> None:
    table = data.draw(tables(most_columns=9))
    key_most, dense_most = data.draw(st.sampled_from([(1 << 10, 1 << 26), (1 << 10, 1), (1, 1)]))
    by = data.draw(st.permutations(table.names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_KEY_MOST", key_most)
        patch.setattr(grouping, "_DENSE_MOST", dense_most)
        counts = MemoryEngine(table, compiled).count(by)
    assert plain(counts) == naive_count(table, by)


@either
def test_twelve_columns_of_as_many_values_as_rows(compiled: bool) -> None:
    random = np.random.default_rng(7)
    columns = {f"c{i}": random.permutation(2000).tolist() for i in range(11)}
    columns["twin"] = (random.permutation(2000) // 2).tolist()
    doubled = table_of({name: cells * 2 for name, cells in columns.items()})
    assert 2000**11 > 1 << 62
    counts = MemoryEngine(doubled, compiled).count(doubled.names)
    assert plain(counts) == naive_count(doubled, doubled.names)
    assert set(counts.n.tolist()) == {2}


@either
@patient
@given(data=st.data())
def test_tallies_are_the_naive_tallies(compiled: bool, data: st.DataObject) -> None:
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
        engine = MemoryEngine(table, compiled)
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


@either
@patient
@given(data=st.data())
def test_a_child_may_be_asked_for_columns_its_parent_was_not(
    compiled: bool, data: st.DataObject
) -> None:
    table = data.draw(tables(most_columns=4))
    first, *others, target = table.names
    columns = [first, *others]
    left, right = data.draw(conditions(table))
    engine = MemoryEngine(table, compiled)
    engine.tally([first], [()], target)
    answers = engine.tally(columns, [(left,), (right,)], target)
    for region, answer in zip([(left,), (right,)], answers, strict=True):
        for column in columns:
            assert plain_tally(answer[column]) == naive_tally(table, column, region, target)


@either
@patient
@given(data=st.data())
def test_regions_asked_for_together_need_not_be_a_partition(
    compiled: bool, data: st.DataObject
) -> None:
    table = data.draw(tables(most_columns=4))
    *columns, target = table.names
    engine = MemoryEngine(table, compiled)
    engine.tally(columns, [()], target)
    one, two = data.draw(conditions(table)), data.draw(conditions(table))
    regions: list[Region] = [(one[0],), (one[1], two[0])]
    for region, answer in zip(regions, engine.tally(columns, regions, target), strict=True):
        for column in columns:
            assert plain_tally(answer[column]) == naive_tally(table, column, region, target)


@either
def test_two_grids_of_one_response_are_kept_apart(compiled: bool) -> None:
    table = table_of({"a": [0, 0, 1], "y": [0, 1, 1]})
    engine = MemoryEngine(table, compiled)
    for step in (1, 10):
        units = np.array([0, step], dtype=np.int64)
        (answer,) = engine.tally(["a"], [()], Response("y", units))
        assert plain_tally(answer["a"]) == naive_sums(table, "a", (), "y", units)


@either
def test_no_rows_and_no_columns(compiled: bool) -> None:
    empty = table_of({"a": [], "b": []})
    assert plain(MemoryEngine(empty, compiled).count(["a", "b"])) == []
    assert plain(MemoryEngine(empty, compiled).count([])) == []
    assert plain(MemoryEngine(table_of({"a": [1, 1, None]}), compiled).count([])) == [((), 3)]


@patient
@given(data=st.data())
def test_row_order_does_not_matter(data: st.DataObject) -> None:
    table = data.draw(tables())
    order = np.array(data.draw(st.permutations(range(table.n_rows))))
    there = plain(MemoryEngine(table).count(table.names))
    assert plain(MemoryEngine(table.take(order)).count(table.names)) == there
