"""Tables of codes: encoding, texts, dates, and the verbs of a table."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.tables_by_hand import FLOATS, INT64
from privet.errors import InputError, UnknownColumn
from privet.schema import Kind
from privet.table import Coded, Domain, Table, code_type, iso_text, parse_iso, text_of


@given(st.lists(st.none() | st.integers(-5, 5)))
def test_encoding_by_hand(cells: list[int | None]) -> None:
    missing = np.array([cell is None for cell in cells], dtype=bool)
    values = np.array([cell or 0 for cell in cells], dtype=np.int64)
    column = Coded.of(values, Kind.INTEGER, missing)
    assert [column.domain.value(int(code)) for code in column.codes] == cells
    assert column.domain.size == len(set(cells))


@given(FLOATS)
def test_texts_of_decimals_read_back(value: float) -> None:
    assert float(text_of(value, Kind.DECIMAL)) == value


@given(INT64)
def test_texts_of_integers_read_back(value: int) -> None:
    assert int(text_of(value, Kind.INTEGER)) == value


@given(st.integers(-800_000, 3_000_000), st.sampled_from([0, 0.5]))
def test_dates_read_back(day: int, half: float) -> None:
    in_calendar = -719162 <= day <= 2932896
    value = day + half if in_calendar else day
    assert parse_iso(iso_text(value, Kind.DATE), Kind.DATE) == value


@given(st.datetimes(), st.sampled_from([0, 0.5]))
def test_datetimes_read_back(moment: dt.datetime, half: float) -> None:
    epoch = dt.datetime(1970, 1, 1)
    ticks = (moment - epoch) // dt.timedelta(microseconds=1)
    if abs(ticks) >= 2**52:  # half a microsecond needs the last bit of a float
        half = 0
    value = ticks + half if half else ticks
    text = iso_text(value, Kind.DATETIME)
    assert parse_iso(text, Kind.DATETIME) == value
    if not half:
        assert text == moment.isoformat()


@pytest.mark.parametrize(
    ("size", "kind"), [(1, np.uint8), (256, np.uint8), (257, np.uint16), (65537, np.uint32)]
)
def test_codes_are_small(size: int, kind: type) -> None:
    assert code_type(size) is kind


def test_verbs() -> None:
    domain = Domain(Kind.CATEGORY, np.array(["x", "y"], dtype=object), missing=True)
    table = Table({"a": Coded(domain, np.array([0, 1, 2], dtype=np.uint8))})
    assert domain.texts == ["x", "y", ""]
    assert len(table) == 3
    assert table.select(["a"]).names == ("a",)
    assert table.take(np.array([2, 0]))["a"].codes.tolist() == [2, 0]
    one = Domain(Kind.CATEGORY, np.array(["x or y"], dtype=object), missing=True)
    merged = table["a"].merged([0, 0, 1], one)
    assert table.replace({"a": merged})["a"].codes.tolist() == [0, 0, 1]
    with pytest.raises(UnknownColumn):
        table["b"]
    with pytest.raises(InputError):
        Table({"a": table["a"], "b": table.take(np.array([0]))["a"]})


cells = st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=1, max_size=8)


def coded_numbers(values: list[int | None]) -> Coded:
    filled = np.array([0 if v is None else v for v in values], dtype=np.int64)
    return Coded.of(filled, Kind.INTEGER, np.array([v is None for v in values]))


@given(st.lists(cells, min_size=1, max_size=3))
def test_a_union_holds_every_value_and_columns_go_into_it(many: list[list[int | None]]) -> None:
    columns = [coded_numbers(values) for values in many]
    first, *others = (column.domain for column in columns)
    both = first.union(*others)
    known = {v for values in many for v in values}
    assert both.values.tolist() == sorted(v for v in known if v is not None)
    assert both.missing == (None in known)
    for values, column in zip(many, columns, strict=True):
        inside = column.into(both)
        assert inside.domain == both
        assert [both.value(code) for code in inside.codes.tolist()] == values


@given(cells, cells)
def test_places_in_another_domain(one: list[int | None], two: list[int | None]) -> None:
    here, there = coded_numbers(one).domain, coded_numbers(two).domain
    found = [
        None if place < 0 else [there.value(place)] for place in here.places_in(there).tolist()
    ]
    values = [here.value(code) for code in range(here.size)]
    assert found == [[v] if v in two else None for v in values]


def test_places_of_categories() -> None:
    some = Domain(Kind.CATEGORY, np.array(["b", "d"], dtype=object))
    all_ = Domain(Kind.CATEGORY, np.array(["a", "b", "c"], dtype=object), missing=True)
    assert some.places_in(all_).tolist() == [1, -1]
    assert all_.places_in(some).tolist() == [-1, 0, -1, -1]
    assert some.union(all_).values.tolist() == ["a", "b", "c", "d"]
