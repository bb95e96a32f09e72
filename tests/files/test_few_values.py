"""Columns of few values are numbered without hashing: the same column as by a dictionary."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.column_by_hand import column_by_hand
from privet.files.encode import ColumnBuilder
from privet.files.few_values import few_values
from privet.schema import Kind
from privet.table import Coded

TYPES = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()]
integers = st.one_of(st.none(), st.integers(0, 9), st.sampled_from([-128, 127]))
far = st.one_of(integers, st.sampled_from([-(1 << 63), (1 << 63) - 1, 1 << 16, (1 << 16) - 129]))
texts = st.one_of(st.none(), st.sampled_from(["", "b", "a", "é", "𐀀", "\uffff", "?"]), st.text())


def built(pieces: list[pa.Array], kind: Kind | None = None, missing: tuple[str, ...] = ()) -> Coded:
    builder = ColumnBuilder("x", kind, missing)
    for piece in pieces:
        builder.add(piece)
    return builder.finish()


def same(one: Coded, two: Coded) -> None:
    assert one.domain == two.domain
    assert one.domain.values.dtype == two.domain.values.dtype
    assert one.codes.dtype == two.codes.dtype
    assert one.codes.tolist() == two.codes.tolist()


def both_ways(arrays: list[pa.Array], kind: Kind | None, missing: tuple[str, ...]) -> Coded:
    found = built(arrays, kind, missing)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privet.files.encode.few_values", lambda _: None)
        same(found, built(arrays, kind, missing))
    return found


@given(
    pieces=st.lists(st.lists(far, max_size=9), min_size=1, max_size=4),
    place=st.integers(0, 2),
    kind=st.sampled_from([None, Kind.INTEGER, Kind.DECIMAL, Kind.CATEGORY]),
    missing=st.sampled_from([(), ("9",), ("?", "0")]),
)
def test_integers(
    pieces: list[list[Any]], place: int, kind: Kind | None, missing: tuple[str, ...]
) -> None:
    arrays = [pa.array([0] * place + cells, pa.int64()).slice(place) for cells in pieces]
    found = both_ways(arrays, kind, missing)
    if kind in (None, Kind.INTEGER) and not missing and any(map(any_value, pieces)):
        same(found, column_by_hand([cell for cells in pieces for cell in cells], Kind.INTEGER))


def any_value(cells: list[Any]) -> bool:
    return any(cell is not None for cell in cells)


@given(st.lists(st.one_of(st.none(), st.integers(0, 127)), max_size=9), st.sampled_from(TYPES))
def test_integers_of_every_width(cells: list[Any], kind: pa.DataType) -> None:
    both_ways([pa.array(cells, kind), pa.array([3, None], kind)], None, ())


@given(
    pieces=st.lists(st.lists(texts, min_size=1, max_size=9), min_size=1, max_size=4),
    place=st.integers(0, 2),
    plain=st.booleans(),
    missing=st.sampled_from([(), ("?",), ("a", "b")]),
    wide=st.booleans(),
)
def test_texts(
    pieces: list[list[Any]], place: int, plain: bool, missing: tuple[str, ...], wide: bool
) -> None:
    kind = pa.large_string() if wide else pa.string()
    arrays = [pa.array([*"zy"[:place], *cells], kind).dictionary_encode() for cells in pieces]
    arrays = [array.slice(place) for array in arrays]  # now "z" may be a text that no row has
    if plain:
        arrays[-1] = arrays[-1].cast(kind)
    found = both_ways(arrays, Kind.CATEGORY, missing)
    if not missing and any(cell for cells in pieces for cell in cells):
        cells = [cell or None for cells in pieces for cell in cells]
        same(found, column_by_hand(cells, Kind.CATEGORY))


def test_what_goes_this_way() -> None:
    assert few_values(pa.array([1, None, 70_000])) is None
    assert few_values(pa.array([None, None], pa.int64())) is None
    assert few_values(pa.array([1.5])) is None
    assert few_values(pa.array([1], pa.uint64())) is None
    entries, codes = few_values(pa.array([65_536, None, 1])) or ([], np.array([]))
    assert (list(entries), codes.tolist()) == ([1, 65_536], [1, 2, 0])
    words = pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), pa.array(["c", "b", "a"]))
    entries, codes = few_values(words) or ([], np.array([]))
    assert (list(entries), codes.tolist()) == (["c", "a"], [1, 2, 0])
