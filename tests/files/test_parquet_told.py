"""A Parquet file tells its rows and what was written of them; whatever else it tells is noticed."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.files import table_of
from privet.files.parquet import write_parquet
from privet.files.parquet_told import tells_nothing_else

TABLE = table_of(
    {
        "age": [20, 31, 123456789],
        "town": ["Aix", None, "Cork"],
        "size": [1.5, None, 2.25],
        "born": ["2001-02-03", "1999-12-31", None],
    },
    kinds={},
)
COUNTS = np.array([2, 1, 3])
FIELDS = {"age": {"privet.role": "quasi"}, "town": {"privet.role": "other"}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_parquet(TABLE, tmp_path / "t.parquet", COUNTS, fields=FIELDS)
    return tmp_path / "t.parquet"


def is_plain(path: Path) -> bool:
    return tells_nothing_else(path, TABLE, COUNTS, FIELDS)


def by_another_version(path: Path) -> Path:
    """As if another version of the writer had written the file."""
    ours = f"version {pa.cpp_version}".encode()
    content = path.read_bytes()
    assert content.count(ours) == 1
    path.write_bytes(content.replace(ours, b"version " + b"0" * (len(ours) - 8)))
    return path


def rewritten(path: Path, change: Callable[[pa.Table], pa.Table]) -> Path:
    pq.write_table(change(pq.read_table(path)), path, compression="zstd")
    return path


def test_what_privet_writes_tells_nothing_else(path: Path) -> None:
    assert is_plain(path)
    assert is_plain(by_another_version(path))
    assert not tells_nothing_else(path, TABLE, COUNTS, {"age": {"privet.role": "other"}})


OTHERS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "metadata": lambda t: t.replace_schema_metadata({"note": "x"}),
    "row labels": lambda t: t.append_column("__index_level_0__", pa.array(range(t.num_rows))),
    "a field": lambda t: t.cast(
        t.schema.set(0, t.schema.field(0).with_metadata({"privet.role": "quasi", "note": "x"}))
    ),
    "a type": lambda t: t.set_column(1, "town", t.column(1).dictionary_encode()),
    "another name": lambda t: t.rename_columns(["age", "city", "size", "born"]),
}


@pytest.mark.parametrize("what", OTHERS)
@pytest.mark.parametrize("ours", [True, False])
def test_whatever_else_a_file_tells(what: str, ours: bool, path: Path) -> None:
    rewritten(path, OTHERS[what])
    assert not is_plain(path if ours else by_another_version(path))


def test_false_statistics_are_noticed(path: Path) -> None:
    """Readers skip rows by them and never look at the cells."""
    by_another_version(path)
    content = path.read_bytes()
    footer = len(content) - 8 - struct.unpack("<I", content[-8:-4])[0]
    true, false = struct.pack("<q", 123456789), struct.pack("<q", 40)
    assert true in content[footer:]
    path.write_bytes(content[:footer] + content[footer:].replace(true, false))
    assert pq.read_table(path).column("age").to_pylist()[-1] == 123456789
    assert not is_plain(path)


def test_the_same_rows_in_other_groups_are_not_what_our_version_writes(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table, path, compression="zstd", row_group_size=2)
    assert not is_plain(path)
    assert is_plain(by_another_version(path))
