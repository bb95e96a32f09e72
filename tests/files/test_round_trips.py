"""What goes into a file or frame comes out again, cell for cell and bit for bit."""

import struct
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.tables_by_hand import FLOATS, cells_of, expected, plain_tables
from privet.files import (
    arrow_of,
    column_names,
    csv_bytes,
    frame_of,
    read_table,
    table_of,
    write_table,
)
from privet.files.frames import frame_kind
from privet.schema import Kind
from privet.table import Table

FORMATS = [".csv", ".csv.gz", ".tsv", ".txt", ".parquet", ".pq"]


def same(one: Table, other: Table) -> bool:
    return one.names == other.names and all(
        one[name].domain == other[name].domain
        and np.array_equal(one[name].codes, other[name].codes)
        for name in one.names
    )


@given(plain_tables())
def test_a_dict_of_lists_is_encoded_as_looked_up_by_hand(drawn) -> None:
    plain, kinds = drawn
    table = table_of(plain)
    for name, cells in plain.items():
        assert table[name].domain.kind is kinds[name]
        assert cells_of(table, name) == [expected(cell) for cell in cells]
        values = table[name].domain.values.tolist()
        assert values == sorted(set(values))
        assert table[name].domain.missing == (None in cells)


@pytest.mark.parametrize("suffix", FORMATS)
@given(drawn=plain_tables())
def test_files_come_back(suffix: str, drawn) -> None:
    plain, kinds = drawn
    table = table_of(plain)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{suffix}"
        write_table(table, path)
        assert same(read_table(path, kinds=kinds, exact=True), table)
        assert column_names(path) == list(table.names)
        assert list(Path(folder).iterdir()) == [path]


@given(plain_tables())
def test_frames_come_back_in_their_own_library(drawn) -> None:
    table = table_of(drawn[0])
    arrow = arrow_of(table)
    for frame in (arrow, pl.from_arrow(arrow), frame_of(table, "pandas"), drawn[0]):
        read = table_of(frame)
        assert same(read, table)
        again = frame_of(read, frame_kind(frame))
        assert type(again) is type(frame)
        assert same(table_of(again), table)
    assert same(table_of(arrow.combine_chunks().to_batches()[0]), table)


@given(plain_tables(), st.data())
def test_counts_repeat_rows(drawn, data) -> None:
    table = table_of(drawn[0])
    n = len(table)
    counts = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    rows = np.repeat(np.arange(n), counts)
    unfolded = table.take(rows)
    assert b"".join(csv_bytes(table, counts)) == b"".join(csv_bytes(unfolded))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        write_table(table, path, counts)
        assert pa.parquet.read_table(path).equals(arrow_of(unfolded))


@given(st.lists(FLOATS, min_size=1, max_size=30))
def test_decimals_keep_every_bit_without_being_told_their_kind(values: list[float]) -> None:
    table = table_of({"x": values, "y": ["word"] * len(values)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        write_table(table, path)
        back = cells_of(read_table(path), "x")
    assert [struct.pack("d", b) for b in back] == [struct.pack("d", v + 0.0) for v in values]


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    table = table_of({"a": [1, 2, None], "b": ["x", None, "y"]})
    for suffix in FORMATS:
        write_table(table, tmp_path / f"one{suffix}")
        write_table(table, tmp_path / f"two{suffix}")
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() == b"a,b\n1,x\n2,\n,y\n"
    assert b"".join(csv_bytes(table)) == (tmp_path / "one.csv").read_bytes()


def test_values_that_no_row_has_are_not_written(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"], categories=["x", "y", "secret"])})
    table = table_of(frame)
    assert table["a"].domain.values.tolist() == ["x", "y"]
    one_row = table.take(np.array([0]))
    assert one_row["a"].domain.values.tolist() == ["x", "y"]
    write_table(one_row, tmp_path / "t.parquet")
    read = pa.parquet.read_table(tmp_path / "t.parquet", read_dictionary=["a"])
    assert read.column("a").chunk(0).dictionary.to_pylist() == ["x"]
    assert b"".join(csv_bytes(one_row)) == b"a\nx\n"


@given(st.integers(1, 40), st.integers(1, 7), st.data())
def test_portions_are_the_repeated_rows(n: int, size: int, data) -> None:
    from privet.files.portions import portions

    counts = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)))
    written = []
    for rows, repeats in portions(n, counts, size):
        assert repeats.sum() <= size
        assert (repeats >= 0).all()
        written += np.repeat(np.arange(n)[rows], repeats).tolist()
    assert written == np.repeat(np.arange(n), counts).tolist()


def test_a_large_file_is_read_in_portions(tmp_path: Path) -> None:
    n = 300_000
    rng = np.random.default_rng(5)
    plain = {
        "label": rng.choice(["a", "b", "c,d"], n),
        "whole": rng.integers(0, 200_000, n),
        "real": rng.normal(size=n),
    }
    table = table_of(plain)
    assert cells_of(table.take(np.arange(50)), "real") == plain["real"][:50].tolist()
    for suffix in (".csv", ".parquet"):
        write_table(table, tmp_path / f"t{suffix}")
        shares: list[float] = []
        back = read_table(tmp_path / f"t{suffix}", progress=shares.append)
        assert same(back, table)
        assert shares == sorted(shares)
        assert 0 < shares[-1] <= 1.0
    assert table["label"].codes.dtype == np.uint8
    assert table["whole"].domain.kind is Kind.INTEGER
