"""Types of other libraries: what they become, and what is refused."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from oracles.tables_by_hand import cells_of
from privet.errors import InputError
from privet.files import frame_of, table_of
from privet.schema import Kind


def one(values: object, **options: object) -> tuple[Kind, list[object]]:
    table = table_of({"c": values}, **options)
    return table["c"].domain.kind, cells_of(table, "c")


@pytest.mark.parametrize(
    ("values", "kind", "cells"),
    [
        (pa.array([1, None], pa.uint8()), Kind.INTEGER, [1, None]),
        (pa.array([2**63 - 1], pa.uint64()), Kind.INTEGER, [2**63 - 1]),
        (pa.array([np.float16(0.5), None], pa.float16()), Kind.DECIMAL, [0.5, None]),
        (pa.array([0.1], pa.float32()), Kind.DECIMAL, [0.10000000149011612]),
        ([1.0, float("nan"), None], Kind.DECIMAL, [1.0, None, None]),
        ([Decimal("10"), Decimal("7")], Kind.INTEGER, [10, 7]),
        ([Decimal("0.1"), Decimal("7")], Kind.DECIMAL, [0.1, 7.0]),
        ([True, None, False], Kind.CATEGORY, ["true", None, "false"]),
        (["", "x", None], Kind.CATEGORY, [None, "x", None]),
        (["NA", " "], Kind.CATEGORY, ["NA", " "]),
        ([None, None], Kind.CATEGORY, [None, None]),
        ([dt.date(2020, 2, 29)], Kind.DATE, ["2020-02-29"]),
        (pa.array([86_400_000], pa.date64()), Kind.DATE, ["1970-01-02"]),
        (pa.array([86_400], pa.timestamp("s")), Kind.DATE, ["1970-01-02"]),
        (pa.array([86_400], pa.timestamp("s", "UTC")), Kind.DATETIME, ["1970-01-02T00:00:00"]),
        (pa.array([1_500], pa.timestamp("ms")), Kind.DATETIME, ["1970-01-01T00:00:01.500000"]),
        (pa.array([2_000], pa.timestamp("ns")), Kind.DATETIME, ["1970-01-01T00:00:00.000002"]),
        (np.array([3, 1], dtype=np.int16), Kind.INTEGER, [3, 1]),
        (np.array(["b", "a"]), Kind.CATEGORY, ["b", "a"]),
        (pa.array(["a", None]).dictionary_encode(), Kind.CATEGORY, ["a", None]),
        (pa.array([4, 2, 4]).dictionary_encode(), Kind.CATEGORY, ["4", "2", "4"]),
        (pd.Categorical([3, 1]), Kind.CATEGORY, ["3", "1"]),
        (pd.Series([3, None, 1], dtype="category"), Kind.CATEGORY, ["3", None, "1"]),
        (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), Kind.CATEGORY, ["b", "a"]),
        (pl.Series(["b", "a", "b"], dtype=pl.Categorical), Kind.CATEGORY, ["b", "a", "b"]),
        (pl.Series([None, None]), Kind.CATEGORY, [None, None]),
        (pa.array(["b", None], pa.string_view()), Kind.CATEGORY, ["b", None]),
        (pd.Series([1, None], dtype="Int64"), Kind.INTEGER, [1, None]),
        (pd.Series(["x", None], dtype="object"), Kind.CATEGORY, ["x", None]),
        (pd.to_datetime(pd.Series(["2020-01-02", None])), Kind.DATE, ["2020-01-02", None]),
    ],
)
def test_types_and_their_kinds(values: object, kind: Kind, cells: list[object]) -> None:
    assert one(values) == (kind, cells)


@pytest.mark.parametrize(
    "values",
    [
        [1, "a"],
        [True, 1],
        [object()],
        [[1], [2]],
        [{"a": 1}],
        [b"bytes"],
        [dt.time(1, 2)],
        [dt.timedelta(1)],
        [float("inf"), 1.0],
        [-np.inf],
        [2**63],
        pa.array([2**63], pa.uint64()),
        [Decimal(10) ** 30],
        pa.array([1], pa.timestamp("ns")),
        pa.array([2**62], pa.timestamp("s")),
        ["\ud800"],
        pd.Series(pd.period_range("2020", periods=2)),
        pd.cut(pd.Series([1, 2, 3]), 2),
    ],
)
def test_what_cannot_be_read_is_refused_by_the_name_of_its_column(values: object) -> None:
    with pytest.raises(InputError) as caught:
        table_of({"fine": [1] * len(values), "the column": values})
    assert "the column" in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_status == 3


@pytest.mark.parametrize(
    ("values", "kind", "cells"),
    [
        ([10, 9, None], "category", ["10", "9", None]),
        ([1, None], "decimal", [1.0, None]),
        ([1.0, None, 3.0], "integer", [1, None, 3]),
        (["7", "07", "?"], "integer", [7, 7, None]),
        (["7", "1e3", None], "decimal", [7.0, 1000.0, None]),
        (["2020-01-31", ""], "date", ["2020-01-31", None]),
        ([dt.date(2020, 1, 31)], "datetime", ["2020-01-31T00:00:00"]),
        ([dt.date(2020, 1, 31)], "category", ["2020-01-31"]),
        ([None, None], "integer", [None, None]),
        ([None], "date", [None]),
        (pd.Categorical([3, 1]), "integer", [3, 1]),
    ],
)
def test_kinds_given_by_the_user(values: object, kind: str, cells: list[object]) -> None:
    assert one(values, kinds={"c": kind}) == (Kind(kind), cells)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["x"], "integer"),
        (["x", "1"], "decimal"),
        ([1.5], "integer"),
        (["2020-02-30"], "date"),
        ([5], "date"),
        ([dt.datetime(2020, 1, 1, 5)], "date"),
        ([True], "integer"),
        ([1e300], "integer"),
    ],
)
def test_impossible_kinds_name_column_and_kind(values: object, kind: str) -> None:
    with pytest.raises(InputError, match=f"'c'.*{kind}"):
        one(values, kinds={"c": kind})


def test_markers_stand_for_missing_cells() -> None:
    assert one(["?", "x", "-"], missing=["?", "-"])[1] == [None, "x", None]
    assert one([-9, 4], missing=["-9"])[1] == [None, 4]
    assert one([-9.0, 4.5], missing=["-9", "?"])[1] == [None, 4.5]


def test_names() -> None:
    with pytest.raises(InputError, match="more than one column named 'a'"):
        table_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(InputError, match="more than one column named '1'"):
        table_of(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    assert table_of(pd.DataFrame([[1, 2]], columns=[0, ("a", 1)])).names == ("0", "('a', 1)")
    with pytest.raises(InputError, match="no columns"):
        table_of({})


def test_the_index_never_matters() -> None:
    plain = {"a": [3, 1, 2], "b": ["x", "y", "x"]}
    frame = pd.DataFrame(plain, index=[7, 7, 7])
    through_arrow = pa.Table.from_pandas(frame)
    assert table_of(through_arrow).names == ("a", "b")
    for given in (frame, frame.set_axis(["p", "q", "r"]), through_arrow):
        table = table_of(given)
        assert {name: cells_of(table, name) for name in table} == plain


@pytest.mark.parametrize("frame", [pl.LazyFrame({"a": [1]}), pd.Series([1]), 7, "x.csv", [1, 2]])
def test_other_things_are_no_frames(frame: object) -> None:
    with pytest.raises(InputError, match="not a table"):
        table_of(frame)


def test_pandas_frames_have_natural_types() -> None:
    frame = frame_of(
        table_of({"i": [1, 2], "n": [1, None], "d": [dt.date(2020, 1, 1), None], "x": [0.5, None]}),
        "pandas",
    )
    assert [str(kind).partition("[")[0] for kind in frame.dtypes] == [
        "int64",
        "Int64",
        "datetime64",
        "float64",
    ]
