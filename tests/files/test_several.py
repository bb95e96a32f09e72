"""A table in several files is the table that they make together."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import plain_tables
from privet.cli.main import main
from privet.datasets import hospital
from privet.engine import larger_than_memory
from privet.errors import InputError, UsageError
from privet.files import column_names, frame_of, read_table, table_of, write_table
from privet.files.disk import passing_folder
from privet.files.maskings import maskings_of
from privet.files.several import parts_of
from privet.table import Table


def same(one: Table, two: Table) -> bool:
    return one.names == two.names and all(
        one[name].domain == two[name].domain
        and one[name].codes.tolist() == two[name].codes.tolist()
        for name in one
    )


@given(data=st.data())
def test_parts_are_read_as_the_whole(data: st.DataObject) -> None:
    """Kinds are found over all parts: a column of numbers may have words in the last one only."""
    table = data.draw(plain_tables()).table()
    form = data.draw(st.sampled_from(["csv", "tsv", "parquet"]))
    cuts = sorted(data.draw(st.lists(st.integers(1, table.n_rows), max_size=3, unique=True)))
    with passing_folder("test") as folder:
        write_table(table, folder / f"whole.{form}")
        (folder / "parts").mkdir()
        frame = frame_of(table, "arrow")
        for number, (start, stop) in enumerate(zip([0, *cuts], [*cuts, table.n_rows], strict=True)):
            path = folder / "parts" / f"part-{number}.{form}"
            if form == "parquet":
                pq.write_table(frame.slice(start, stop - start), path)
            else:
                lines = (folder / f"whole.{form}").read_text(encoding="utf-8").split("\n")
                text = "\n".join([lines[0], *lines[start + 1 : stop + 1]]) + "\n"
                path.write_text(text, encoding="utf-8")
        pattern = folder / "parts" / f"part-*.{form}"
        whole = folder / f"whole.{form}"
        assert column_names(pattern) == column_names(whole)
        try:
            expected = read_table(whole)
        except InputError:  # every cell is missing, or numbers and words are mixed
            with pytest.raises(InputError):
                read_table(pattern)
            return
        assert same(read_table(pattern), expected)
        with larger_than_memory("300MB"):
            assert same(read_table(pattern), expected)


def test_a_name_with_marks_is_a_file_if_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "t[1].csv"
    path.write_text("a\n1\n")
    (tmp_path / "t1.csv").write_text("a\n2\n")
    assert parts_of(path) == [path]
    assert read_table(path)["a"].domain.values.tolist() == [1]


def test_columns_may_be_in_another_order(tmp_path: Path) -> None:
    (tmp_path / "p1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "p2.csv").write_text("b,a\ny,2\n")
    table = read_table(tmp_path / "p*.csv")
    assert table.names == ("a", "b")
    assert table["b"].domain.texts == ["x", "y"]
    for number, columns in enumerate([{"a": [1], "b": ["x"]}, {"b": ["y"], "a": [2]}]):
        pq.write_table(pa.table(columns), tmp_path / f"p{number}.parquet")
    assert same(read_table(tmp_path / "p*.parquet"), table)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({}, "No file matches"),
        ({"a.csv": "x\n1\n", "b.csv": "y\n1\n"}, "a.csv and b.csv have different columns"),
        ({"a.csv": "x;z\n1;2\n", "b.csv": "x,z\n1,2\n"}, "have different delimiters"),
        ({"a.csv": "x\n1\n", "b.csv": 'x,z\n1,"2\n'}, "different columns"),
        ({"a.csv": "x,z\n1,2\n", "b.csv": "x,z\n1\n"}, "b.csv is ragged"),
        ({"a.arff": "@relation r", "b.arff": "@relation r"}, "only CSV and Parquet"),
        ({"a.csv": "x\n1\n", "b.arff": "@relation r"}, "different formats"),
    ],
)
def test_what_does_not_belong_together(tmp_path: Path, parts: dict[str, str], message: str) -> None:
    for name, text in parts.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / "*")


def test_types_must_be_the_same(tmp_path: Path) -> None:
    for number, kind in enumerate([pa.int64(), pa.string()]):
        pq.write_table(pa.table({"x": pa.array([1]).cast(kind)}), tmp_path / f"{number}.parquet")
    with pytest.raises(InputError, match=r"Column 'x' has one type in 0\.parquet and another in"):
        read_table(tmp_path / "*.parquet")


def test_rows_of_all_parts_are_counted(tmp_path: Path) -> None:
    for number in range(2):
        write_table(table_of({"x": [1, 2]}), tmp_path / f"{number}.parquet")
        write_table(table_of({"x": [1, 2]}), tmp_path / f"{number}.csv")
    for form in ("csv", "parquet"):
        assert read_table(tmp_path / f"*.{form}", most_rows=4).n_rows == 4
        with pytest.raises(InputError, match=r"more than 3|3 rows"):
            read_table(tmp_path / f"*.{form}", most_rows=3)


def test_commands_take_patterns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(hospital(200), tmp_path / "whole.csv")
    lines = (tmp_path / "whole.csv").read_text(encoding="utf-8").splitlines()
    for number in range(2):
        text = "\n".join([lines[0], *lines[1 + number :: 2]]) + "\n"
        (tmp_path / f"part-{number}.csv").write_text(text, encoding="utf-8")
    pattern = str(tmp_path / "part-*.csv")
    assert maskings_of(pattern) == ()
    commands: dict[str, list[Any]] = {
        "check": ["--quasi", "sex,diagnosis", "--json"],
        "tree": ["--target", "readmitted", "--drop", "patient_id", "--json"],
    }
    for command, options in commands.items():
        said = []
        for table in (str(tmp_path / "whole.csv"), pattern):
            for engine in (["--engine", "memory"], ["--engine", "auto"], ["--engine", "duckdb"]):
                assert main([command, table, *options, *engine]) == 0
                said.append(capsys.readouterr().out)
        assert said == said[:1] * 6
    out = str(tmp_path / "part-1.csv")
    assert main(["tree", pattern, "--target", "readmitted", "--out", out, "--force"]) == 2
    assert "it is the input part-1.csv" in capsys.readouterr().err


def test_an_output_may_be_no_part(tmp_path: Path) -> None:
    from privet.files.places import refuse_inputs

    write_table(table_of({"x": [1]}), tmp_path / "a.csv")
    with pytest.raises(UsageError, match=r"the input a\.csv"):
        refuse_inputs(tmp_path / "a.csv", [tmp_path / "*.csv"])
