"""SPSS, Stata and SAS: labels become categories, user-defined missing values missing, and back."""

import datetime as dt
import tempfile
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.tables_by_hand import cells_of
from privet.errors import InputError, OutputError, UsageError
from privet.files import (
    FormatLoss,
    column_names,
    read_table,
    stat_packages,
    table_of,
    write_table,
)
from privet.schema import Kind
from privet.table import Table

pyreadstat = pytest.importorskip("pyreadstat")

# What these formats can hold: numbers up to 2^53, milliseconds, labels that end in no blank.
LABELS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=20)  # fmt: skip # noqa: E501
CELLS = {
    "n": st.integers(-(2**53), 2**53),
    "d": st.floats(allow_nan=False, allow_infinity=False, min_value=-1e307, max_value=1e307),
    "c": LABELS,
    "day": st.dates(dt.date(1600, 1, 1), dt.date(9000, 1, 1)),
    "t": st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)).map(
        lambda moment: moment.replace(microsecond=0)
    ),
}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n = draw(st.integers(1, 8))
    names = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, unique=True))
    cells = {
        name: [
            draw(CELLS[name]),
            *draw(st.lists(st.none() | CELLS[name], min_size=n - 1, max_size=n - 1)),
        ]
        for name in names
    }
    if "t" in cells:
        cells["t"][0] = cells["t"][0].replace(second=30)
    return table_of(cells)


def read_here(_: str, path: Path, columns=None, *, names_only: bool = False):
    """In this process, for a hundred others would take their time."""
    return stat_packages.cells(path, columns, names_only)


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta"])
@given(table=tables())
def test_tables_come_back_bit_for_bit(suffix: str, table: Table) -> None:
    here = patch.object(stat_packages, "read_apart", read_here)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), here:
        warnings.simplefilter("error")
        path = Path(folder) / f"t{suffix}"
        write_table(table, path)
        assert column_names(path) == list(table.names)
        again = read_table(path)
    for name in table:
        assert again[name].domain == table[name].domain
        assert (again[name].codes == table[name].codes).all()


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_labels_are_written_for_the_package(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(table_of({"town": ["b", "a", None], "n": [1, 2, 3]}), path)
    read = pyreadstat.read_sav if suffix == ".sav" else pyreadstat.read_dta
    frame, about = read(path)
    assert about.variable_value_labels == {"town": {1: "a", 2: "b"}}
    assert frame["town"].tolist()[:2] == [2, 1]
    assert np.isnan(frame["town"][2])


def test_rows_are_repeated_by_counts(tmp_path: Path) -> None:
    write_table(table_of({"a": [1, 2]}), tmp_path / "t.sav", np.array([3, 1]))
    assert cells_of(read_table(tmp_path / "t.sav"), "a") == [1, 1, 1, 2]


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_names_that_a_package_refuses_are_changed_and_told(suffix: str, tmp_path: Path) -> None:
    cells = {"marital status": [1], "marital-status": [2], "1st": [3], "with": [4], "x" * 80: [5]}
    path = tmp_path / f"t{suffix}"
    with pytest.warns(FormatLoss, match="'marital status'.*renamed"):
        write_table(table_of(cells), path)
    names = column_names(path)
    assert names[:4] == ["marital_status", "marital_status_2", "v1st", "with_"]
    assert len(set(names)) == 5
    assert [cells_of(read_table(path), name) for name in names] == [[1], [2], [3], [4], [5]]


@pytest.mark.parametrize(
    ("cells", "kinds", "reason"),
    [
        ([2**60 + 1, 0], "integer", "rounded"),
        (["2020-01-01T10:00:00.123456", "2020-01-01T10:00:01"], "datetime", "millisecond"),
        (["a ", "b"], "category", "blanks"),
        ([None, None], "decimal", "kind is lost"),
    ],
)
def test_losses_are_told(cells: list, kinds: str, reason: str, tmp_path: Path) -> None:
    table = table_of({"x": cells, "z": [1, 2]}, {"x": kinds})
    with pytest.warns(FormatLoss, match=f"'x'.*{reason}"):
        write_table(table, tmp_path / "t.dta")


def test_long_labels_are_written_as_texts(tmp_path: Path) -> None:
    table = table_of({"c": ["long" * 60, "b", None]})
    write_table(table, tmp_path / "t.sav")
    assert cells_of(read_table(tmp_path / "t.sav"), "c") == ["long" * 60, "b", None]


def test_what_stata_cannot_hold_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot hold"):
        write_table(table_of({"a": [1e308, 0.5]}), tmp_path / "t.dta")
    with pytest.raises(OutputError, match="no format to write"):
        write_table(table_of({"a": [1]}), tmp_path / "t.sas7bdat")
    assert list(tmp_path.iterdir()) == []


# -- files of others -------------------------------------------------------------------------------


def test_user_defined_missing_values_are_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"income": [1000.0, 9.0, 8.0, np.nan], "sex": [1.0, 2.0, 9.0, 1.0]})
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "t.sav"),
        missing_ranges={"income": [{"lo": 8, "hi": 9}], "sex": [9]},
        variable_value_labels={"sex": {1: "woman", 2: "man", 9: "no answer"}},
    )
    table = read_table(tmp_path / "t.sav")
    assert cells_of(table, "income") == [1000.0, None, None, None]
    assert cells_of(table, "sex") == ["woman", "man", None, "woman"]


def test_missing_letters_of_stata_are_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, "a", 3]})
    pyreadstat.write_dta(frame, str(tmp_path / "t.dta"), missing_user_values={"a": ["a"]})
    assert cells_of(read_table(tmp_path / "t.dta"), "a") == [1.0, None, 3.0]


def test_labels_of_some_values_leave_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [31.5, 99.0]})
    labels = {"age": {99: "or older"}}
    pyreadstat.write_sav(frame, str(tmp_path / "t.sav"), variable_value_labels=labels)
    with pytest.warns(FormatLoss, match="'age'.*only some values"):
        table = read_table(tmp_path / "t.sav")
    assert cells_of(table, "age") == [31.5, 99.0]


def test_values_that_share_a_label_stay_apart(tmp_path: Path) -> None:
    frame = pd.DataFrame({"c": [1.0, 2.0, 3.0]})
    labels = {"c": {1: "other", 2: "other", 3: "x"}}
    pyreadstat.write_sav(frame, str(tmp_path / "t.sav"), variable_value_labels=labels)
    assert cells_of(read_table(tmp_path / "t.sav"), "c") == ["other (1)", "other (2)", "x"]


def test_sas_transport_files_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"A": [1.0, np.nan], "B": ["x", ""], "C": [0.5, 1.0]})
    pyreadstat.write_xport(frame, str(tmp_path / "t.xpt"))
    table = read_table(tmp_path / "t.xpt")
    assert [table[name].domain.kind for name in table] == [
        Kind.INTEGER,
        Kind.CATEGORY,
        Kind.DECIMAL,
    ]
    assert [cells_of(table, name) for name in table] == [[1, None], ["x", None], [0.5, 1.0]]
    assert read_table(tmp_path / "t.xpt", columns=["B"]).names == ("B",)


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".sas7bdat", ".xpt", ".por"])
def test_damaged_files_are_refused(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"t{suffix}").write_bytes(b"nonsense, and more of it" * 50)
    with pytest.raises(InputError, match="cannot be read as a file of SPSS"):
        read_table(tmp_path / f"t{suffix}")


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "t.sav").write_bytes(b"$FL2")
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(UsageError, match=r"privet\[stat\]"):
        read_table(tmp_path / "t.sav")
