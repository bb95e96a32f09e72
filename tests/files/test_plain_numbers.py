"""Decimals that hardly repeat are sorted, others numbered by a dictionary: the same column."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.column_by_hand import column_by_hand
from privet.errors import InputError
from privet.files import plain_numbers
from privet.files.disk import passing_folder
from privet.files.encode import ColumnBuilder
from privet.files.on_disk import codes_on_disk
from privet.schema import Kind
from privet.table import Coded

floats = st.one_of(
    st.none(),
    st.sampled_from([0.0, -0.0, 1.5, -9.0, 5e-324, 1.7e308]),
    st.floats(allow_infinity=False),
)


def built(pieces: list[pa.Array], kind: Kind | None, missing: tuple[str, ...]) -> Coded:
    builder = ColumnBuilder("x", kind, missing)
    for piece in pieces:
        builder.add(piece)
    return builder.finish()


@given(
    pieces=st.lists(st.lists(floats, max_size=12), min_size=1, max_size=4),
    kind=st.sampled_from([None, Kind.DECIMAL]),
    missing=st.sampled_from([(), ("-9",), ("?", "0", "nan")]),
    single=st.booleans(),
)
def test_both_ways_make_the_same_column(
    pieces: list[list[Any]], kind: Kind | None, missing: tuple[str, ...], single: bool
) -> None:
    arrays = [pa.array(cells, pa.float64()) for cells in pieces]
    if single:
        arrays = [array.cast(pa.float32(), safe=False) for array in arrays]
        arrays = [
            pa.array(np.clip(array.to_numpy(zero_copy_only=False), -3e38, 3e38), from_pandas=True)
            for array in arrays
        ]
    numbered = built(arrays, kind, missing)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_numbers, "_LOOKED_AT", 0)
        patch.setattr("privet.files.encode.hardly_repeats", lambda _: True)
        patch.setattr(plain_numbers, "loaded", lambda: False)
        in_order = built(arrays, kind, missing)
        patch.setattr(plain_numbers, "COMPILE_FROM", 0)
        by_bits = built(arrays, kind, missing)
        with passing_folder("test") as folder, codes_on_disk(folder):
            searched = built(arrays, kind, missing)
            on_disk = searched.codes.tolist()
    in_memory = ((way, way.codes.tolist()) for way in (in_order, by_bits))
    for found, codes in (*in_memory, (searched, on_disk)):
        assert found.domain == numbered.domain
        assert found.domain.values.dtype == numbered.domain.values.dtype
        signs = np.signbit(found.domain.values).tolist()
        assert signs == np.signbit(numbered.domain.values).tolist()
        assert found.codes.dtype == numbered.codes.dtype
        assert codes == numbered.codes.tolist()


def test_what_hardly_repeats_is_sorted_and_infinity_refused() -> None:
    rows = 2 * plain_numbers._LOOKED_AT
    assert plain_numbers.hardly_repeats(pa.array(np.arange(rows) / 7))
    assert not plain_numbers.hardly_repeats(pa.array(np.arange(rows) % 100 / 7))
    assert not plain_numbers.hardly_repeats(pa.array(np.arange(9.0)))
    with pytest.raises(InputError, match="'x' holds an infinite number"):
        built([pa.array([*(np.arange(rows) / 7), np.inf])], None, ())


@given(st.lists(st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1e22, 5e-324])), max_size=40))
def test_bits_are_sorted_as_numbers_are(cells: list[float]) -> None:
    values = np.array([cell for cell in cells if not np.isinf(cell)])
    found = plain_numbers._coded_by_bits(values)
    by_hand = column_by_hand([None if np.isnan(x) else x + 0.0 for x in values], Kind.DECIMAL)
    assert found.domain == by_hand.domain
    assert not np.signbit(found.domain.values[found.domain.values == 0]).any()
    assert found.codes.tolist() == by_hand.codes.tolist()
    assert found.codes.dtype == by_hand.codes.dtype


@given(st.lists(st.integers(0, 2**21), max_size=60), st.sampled_from([1.0, -3.5, 1e-300]))
def test_neighbours_that_only_their_last_bits_tell_apart_are_sorted(
    steps: list[int], start: float
) -> None:
    """From the first bits alone they would stay as they came; many of them take all bits."""
    values = (np.array([start]).view(np.int64) + np.array(steps, dtype=np.int64)).view(np.float64)
    found = plain_numbers._coded_by_bits(values)
    distinct, codes = np.unique(values, return_inverse=True)
    assert found.domain.values.tolist() == distinct.tolist()
    assert found.codes.tolist() == codes.tolist()
