"""Delimited text: which kind a column gets, what is missing, and odd but readable files."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.tables_by_hand import cells_of
from privet.errors import InputError, InvalidParameter
from privet.files import read_table
from privet.files.texts import MISSING_TEXTS
from privet.schema import Kind


def read(folder: Path, cells: list[str], **options: object) -> tuple[Kind, list[object]]:
    path = folder / "t.csv"
    path.write_text("row,c\n" + "".join(f"r{i},{cell}\n" for i, cell in enumerate(cells)))
    table = read_table(path, **options)
    return table["c"].domain.kind, cells_of(table, "c")


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "-2", "+3", "0", "-0"], Kind.INTEGER, [1, -2, 3, 0, 0]),
        ([" 1", "2 "], Kind.INTEGER, [1, 2]),
        (["9223372036854775807"], Kind.INTEGER, [2**63 - 1]),
        (["9223372036854775809", "9223372036854775810"], Kind.CATEGORY, None),
        (["18446744073709551616", "1"], Kind.DECIMAL, [2.0**64, 1.0]),
        (["1", "2.5", ".5", "5.", "1e3", "-0.0"], Kind.DECIMAL, [1.0, 2.5, 0.5, 5.0, 1000.0, 0.0]),
        (["1.0", "1.00", "2"], Kind.DECIMAL, [1.0, 1.0, 2.0]),
        (["0.1", "4.9e-324", "1.7976931348623157e308"], Kind.DECIMAL, None),
        (["02139", "10001"], Kind.CATEGORY, ["02139", "10001"]),
        (["0", "1", "00"], Kind.CATEGORY, ["0", "1", "00"]),
        (["02139", "10001", "abroad"], Kind.CATEGORY, ["02139", "10001", "abroad"]),
        (["1", "?", "2", " ?"], Kind.INTEGER, [1, None, 2, None]),
        (["a", "?", "-"], Kind.CATEGORY, ["a", "?", "-"]),
        (["2020-02-29", "1999-12-31", ""], Kind.DATE, ["2020-02-29", "1999-12-31", None]),
        (["2020-02-30", "1999-12-31"], Kind.CATEGORY, ["2020-02-30", "1999-12-31"]),
        (["2020-01-02 00:00:00"], Kind.DATE, ["2020-01-02"]),
        (["2020-01-02T03:04"], Kind.DATETIME, ["2020-01-02T03:04:00"]),
        (["2020-01-02T03:04:05.5000000"], Kind.DATETIME, ["2020-01-02T03:04:05.500000"]),
        (["2020-01-02 03:04:05+02:00"], Kind.DATETIME, ["2020-01-02T01:04:05"]),
        (["inf", "word"], Kind.CATEGORY, ["inf", "word"]),
        (["x", " x"], Kind.CATEGORY, ["x", " x"]),
        (["true", "false"], Kind.CATEGORY, ["true", "false"]),
    ],
)
def test_kinds_found(tmp_path: Path, cells: list[str], kind: Kind, values: list | None) -> None:
    got_kind, got = read(tmp_path, cells)
    assert got_kind is kind
    if values is None:
        values = cells if kind is Kind.CATEGORY else [float(cell) for cell in cells]
    assert got == values


@pytest.mark.parametrize("cells", [["1", "?", "-"], ["1", "?", ""]])
def test_two_marks_are_not_put_together_unasked(tmp_path: Path, cells: list[str]) -> None:
    with pytest.raises(InputError, match="'c'"):
        read(tmp_path, cells)
    _, got = read(tmp_path, cells, missing=["?", "-"])
    assert got == [1, None, None]


@pytest.mark.parametrize("marker", MISSING_TEXTS)
@pytest.mark.parametrize("cell", ["word", "7", "0.5", "2020-01-01"])
def test_texts_that_mean_missing_in_every_column(tmp_path: Path, marker: str, cell: str) -> None:
    assert read(tmp_path, [cell, marker])[1][1] is None
    assert read(tmp_path, [cell, f" {marker}"])[1][1] is None


def test_markers_and_kinds_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'c' mixes") as caught:
        read(tmp_path, ["1", "unknown"])
    assert "unknown" not in str(caught.value)
    assert all(
        way in caught.value.hint for way in ("schema", 'kinds={"c": "category"}', "missing=")
    )
    assert read(tmp_path, ["1", "unknown"], missing=["unknown"]) == (Kind.INTEGER, [1, None])
    as_text = read(tmp_path, ["1", "unknown"], kinds={"c": "category"})
    assert as_text == (Kind.CATEGORY, ["1", "unknown"])
    assert read(tmp_path, ["1", "2"], kinds={"c": "decimal"}) == (Kind.DECIMAL, [1.0, 2.0])
    assert read(tmp_path, ["01", "2.0"], kinds={"c": "integer"}) == (Kind.INTEGER, [1, 2])
    assert read(tmp_path, ["NA", "b"], kinds={"c": "category"}, exact=True)[1] == ["NA", "b"]


@pytest.mark.parametrize("cells", [["1", "inf"], ["1", "-Infinity"], ["1e999"], ["1", "-1e400"]])
def test_infinities_are_refused(tmp_path: Path, cells: list[str]) -> None:
    with pytest.raises(InputError, match="'c' holds an infinite number"):
        read(tmp_path, cells)


def test_times_too_fine_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="finer than a microsecond"):
        read(tmp_path, ["2020-01-01T00:00:00.0000001"])


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,x\n,y\n",
        b"a,b\r\n1,x\r\n,y\r\n",
        b"a,b\n1,x\n,y",
        b"\xef\xbb\xbfa,b\n1,x\n,y\n",
        b'\n\n"a","b"\n"1","x"\n\n"",y\n',
        b"a;b\n1;x\n;y\n",
        b"a\tb\n1\tx\n\ty\n",
        gzip.compress(b"a,b\n1,x\n,y\n", mtime=0),
        gzip.compress(b"a,b\n1,x\n", mtime=0) + gzip.compress(b",y\n", mtime=0),
    ],
)
def test_odd_but_readable(tmp_path: Path, content: bytes) -> None:
    for name in ("t.csv", "t.txt"):
        (tmp_path / name).write_bytes(content)
        table = read_table(tmp_path / name)
        assert {n: cells_of(table, n) for n in table} == {"a": [1, None], "b": ["x", "y"]}


def test_decimal_commas_between_semicolons(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b\n1,5;1,2,3\n-2;x\n")
    table = read_table(tmp_path / "t.csv")
    assert cells_of(table, "a") == [1.5, -2.0]
    assert cells_of(table, "b") == ["1,2,3", "x"]


@given(st.lists(st.integers(-(10**25), 10**25), min_size=1, max_size=20))
def test_different_whole_numbers_never_fall_together(tmp_path_factory, numbers: list[int]) -> None:
    _, cells = read(tmp_path_factory.mktemp("t"), list(map(str, numbers)))
    assert len(set(cells)) == len(set(numbers))


def test_only_some_columns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("bad,a\nx,1\n2,2\n")
    table = read_table(tmp_path / "t.csv", columns=["a"])
    assert table.names == ("a",)


def test_public_tables(shared_data: Path) -> None:
    adult = read_table(shared_data / "adult.csv.gz", missing=["?"])
    assert len(adult) == 32561
    sizes = {name: len(adult[name].domain.values) for name in adult}
    assert (sizes["workclass"], sizes["native_country"], sizes["income"]) == (8, 41, 2)
    assert (adult["occupation"].codes == adult["occupation"].domain.missing_code).sum() == 1843
    cancer = read_table(shared_data / "breast_cancer_wisconsin.csv")
    assert cancer["bare_nuclei"].domain.kind is Kind.INTEGER
    assert cancer["bare_nuclei"].domain.missing
    boston = read_table(shared_data / "boston_housing.csv")
    assert boston["medv"].domain.kind is Kind.DECIMAL


def test_all_cells_missing_is_noticed_even_when_few_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n,\n,\n")
    with pytest.raises(InputError, match="Every cell"):
        read_table(path, columns=["a"])
    path.write_text("a,b\n,1\n,2\n")
    assert cells_of(read_table(path, columns=["a"]), "a") == [None, None]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8", "cp037"])
@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_other_encodings_say_the_same(name: str, encoding: str, tmp_path: Path) -> None:
    text = "town,age\nGöteborg,30\nÅre,\n".encode(encoding)
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    table = read_table(path, encoding=encoding, kinds={"age": Kind.DECIMAL})
    assert [str(value) for value in table["town"].domain.texts] == ["Göteborg", "Åre"]
    assert table["age"].domain.kind is Kind.DECIMAL
    assert table["age"].domain.missing
    some = read_table(path, encoding=encoding, columns=["age"], most_rows=2)
    assert some.names == ("age",)
    with pytest.raises(InputError, match=r"people\.csv has more than 1 rows"):
        read_table(path, encoding=encoding, most_rows=1)


def test_a_wrong_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes("town\nGöteborg\n".encode("latin-1"))
    with pytest.raises(InputError, match=r'people.csv is not UTF-8 text.\n.*encoding="latin-1"'):
        read_table(path)
    with pytest.raises(InputError, match="is not in the encoding utf-8"):
        read_table(path, encoding="utf-8")
    with pytest.raises(InvalidParameter, match="the name of an encoding"):
        read_table(path, encoding="rot13")
