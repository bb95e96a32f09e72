"""Tables whose codes lie on disk: the same columns as in memory, whatever is in the file."""

import datetime as dt
import decimal
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.engine import MemoryEngine, engine_of, larger_than_memory
from privet.errors import OutputError
from privet.files import csv, parquet, read_table
from privet.files.disk import passing_folder
from privet.files.on_disk import Pieces, codes_on_disk
from privet.table import Coded, Table, stretches

AWKWARD: dict[str, tuple[pa.DataType, list[Any]]] = {
    "nothing, NaN and zeros of both signs": (
        pa.float64(),
        [None, math.nan, 0.0, -0.0, 1.5, -1.5, 5e-324],
    ),
    "halves that a cast would round": (pa.float64(), [0.5, 1.5, 2.5, -0.5, -3.5, 2.0, None]),
    "integers beyond 2^53": (pa.int64(), [2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]),
    "negative integers": (pa.int8(), [-7, -1, 0, 1, 7, None]),
    "texts": (pa.string(), ["", " ", "é", "e\u0301", "Ω", "zebra", "Zebra", "😀", "1", None]),
    "decimals": (
        pa.decimal128(38, 2),
        [decimal.Decimal("0.10"), decimal.Decimal("-12345678901234567890.25"), None],
    ),
    "whole decimals": (pa.decimal128(20, 0), [decimal.Decimal(2**60), decimal.Decimal(-1), None]),
    "dates": (pa.date32(), [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(9999, 12, 31), None]),
    "moments": (
        pa.timestamp("us"),
        [dt.datetime(1969, 12, 31, 23, 59, 59, 999999), dt.datetime(2024, 2, 29), None],
    ),
    "truths": (pa.bool_(), [True, False, None]),
}


def same(one: Coded, two: Coded) -> bool:
    kinds = one.codes.dtype, two.codes.dtype
    values = one.domain.values, two.domain.values
    if (
        values[0].dtype.kind == "f"
        and np.signbit(values[0]).tolist() != np.signbit(values[1]).tolist()
    ):
        return False
    return (
        one.domain == two.domain and kinds[0] == kinds[1] and np.array_equal(one.codes, two.codes)
    )


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_ROWS_READ_AT_ONCE", 3)
    monkeypatch.setattr(csv, "_BLOCK", 64)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("name", AWKWARD)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(data=st.data())
def test_awkward_values_are_the_same_column(name: str, data: st.DataObject) -> None:
    """Read to disk as to memory, and counted there as in memory."""
    kind, values = AWKWARD[name]
    cells = data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=12))
    with passing_folder("test") as folder:
        path = folder / "awkward.parquet"
        rows = pa.array(range(len(cells)))
        pq.write_table(pa.table({"x": pa.array(cells, kind), "row": rows}), path)
        in_memory = read_table(path)
        with larger_than_memory("300MB"):
            on_disk = read_table(path)
            assert isinstance(on_disk["x"].codes, np.memmap)
            assert same(on_disk["x"], in_memory["x"])
            counted = engine_of(on_disk).count(["x"])
    there = MemoryEngine(in_memory).count(["x"])
    assert counted.keys.tolist() == there.keys.tolist()
    assert counted.n.tolist() == there.n.tolist()


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_texts_are_the_same_columns(tmp_path: Path, ending: str) -> None:
    lines = [
        f"{i % 7},{'é,x' if i % 3 else ''!r},{i / 8},2024-01-{i % 28 + 1:02d}" for i in range(90)
    ]
    text = "n,town,x,day\n" + "\n".join(line.replace("'", '"') for line in lines) + "\n"
    path = tmp_path / f"table.{ending}"
    if ending == "csv":
        path.write_text(text, encoding="utf-8")
    else:
        import gzip

        path.write_bytes(gzip.compress(text.encode()))
    in_memory = read_table(path)
    with larger_than_memory("300MB"):
        on_disk = read_table(path)
        assert on_disk.names == in_memory.names
        assert all(same(on_disk[name], in_memory[name]) for name in on_disk)


def test_stretches_are_the_codes_wherever_they_lie(tmp_path: Path) -> None:
    with codes_on_disk(tmp_path):
        pieces = Pieces()
        first = pieces.joined([np.arange(5, dtype=np.uint16)], np.uint16, 5)
        codes = pieces.joined([np.arange(7, dtype=np.uint16), np.arange(2)], np.uint16, 9)
    assert first.tolist() == list(range(5))
    expected = [*range(7), 0, 1]
    for some, whole in (
        (codes, expected),
        (codes[2:8], expected[2:8]),
        (np.array(expected), expected),
    ):
        found = list(stretches(some, 4))
        assert [code for stretch in found for code in stretch.tolist()] == whole
        assert all(len(stretch) <= 4 for stretch in found)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with codes_on_disk(tmp_path), Path("/dev/full").open("wb", buffering=0) as full:
        pieces = Pieces()
        monkeypatch.setattr(pieces._shelf, "pieces", full)
        with pytest.raises(OutputError, match="disk is full") as told:
            pieces.append(np.arange(3))
    assert "TMPDIR" in told.value.hint


@pytest.mark.parametrize("make", [lambda t: t, lambda t: t.select(["x"])], ids=["all", "some"])
def test_nothing_is_left_behind(tmp_path: Path, make: Callable[[Table], Table]) -> None:
    pq.write_table(pa.table({"x": [1, 2, 2], "y": ["a", "b", "b"]}), tmp_path / "t.parquet")
    with larger_than_memory("300MB") as place:
        engine = engine_of(make(read_table(tmp_path / "t.parquet")))
        assert engine.n_rows() == 3
        folder = place._folder
        assert {path.name for path in folder.iterdir()} >= {"columns", "pieces", "counting.db"}
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()
