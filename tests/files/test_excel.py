"""Excel workbooks: the first sheet, read by the rules of CSV files."""

import datetime as dt
import sys
from pathlib import Path

import pytest

from oracles.tables_by_hand import cells_of
from privet.errors import InputError, OutputError, UsageError
from privet.files import column_names, read_table, table_of, write_table
from privet.schema import Kind

openpyxl = pytest.importorskip("openpyxl")


def workbook(path: Path, *rows: list) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("more").append(["not", "read"])
    book.save(path)
    return path


def test_kinds_and_cells(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "t.xlsx",
        [],
        ["n", "d", "c", "day", "t", "yes"],
        [1, 0.1, "a", dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5), True],
        [],
        [2, 3, "#N/A", None, dt.datetime(2020, 1, 2), False],
        [None, 1e300, " b ", dt.date(1999, 12, 31), None, None],
    )
    table = read_table(path)
    assert column_names(path) == ["n", "d", "c", "day", "t", "yes"]
    assert [table[name].domain.kind for name in table] == [
        Kind.INTEGER,
        Kind.DECIMAL,
        Kind.CATEGORY,
        Kind.DATE,
        Kind.DATETIME,
        Kind.CATEGORY,
    ]
    assert cells_of(table, "n") == [1, 2, None]
    assert cells_of(table, "d") == [0.1, 3.0, 1e300]
    assert cells_of(table, "c") == ["a", None, " b "]
    assert cells_of(table, "day") == ["2020-01-02", None, "1999-12-31"]
    assert cells_of(table, "t") == ["2020-01-02T03:04:05", "2020-01-02T00:00:00", None]
    assert cells_of(table, "yes") == ["true", "false", None]
    assert read_table(path, columns=["c"], kinds={"c": "category"}).names == ("c",)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([["a", None, "b"], [1, 2, 3]], "no name"),
        ([["a", "a"], [1, 2]], "more than one"),
        ([["a"], [1, 2]], "outside"),
        ([["a"]], "no rows"),
        ([[]], "no columns"),
        ([["a"], [1], ["word"]], "mixes numbers and words"),
    ],
)
def test_what_is_no_table_is_refused(rows: list, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        read_table(workbook(tmp_path / "t.xlsx", *rows))


def test_damaged_files_and_writing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(InputError, match="cannot be read as an Excel"):
        read_table(tmp_path / "t.xlsx")
    with pytest.raises(OutputError, match="no format to write"):
        write_table(table_of({"a": [1]}), tmp_path / "out.xlsm")


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch) -> None:
    path = workbook(tmp_path / "t.xlsx", ["a"], [1])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(UsageError, match=r"privet\[excel\]"):
        read_table(path)
