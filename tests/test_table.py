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
