"""Tables of DuckDB databases: the same columns as from Parquet, and what is refused."""

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from files.test_on_disk import AWKWARD, same
from privet.cli.main import main
from privet.datasets import hospital
from privet.engine import larger_than_memory
from privet.errors import InputError
from privet.files import column_names, read_table, write_table
from privet.schema import Kind


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A database with a table, another with a strange name, and a view of a file."""
    write_table(hospital(150), tmp_path / "patients.parquet")
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        source = tmp_path / "patients.parquet"
        connection.execute(f"CREATE TABLE patients AS SELECT * FROM read_parquet('{source}')")
        connection.execute('CREATE TABLE "a ""b"" c" AS SELECT 1 AS x, NULL AS "y ""z"""')
        connection.execute(f"CREATE VIEW elsewhere AS SELECT * FROM read_parquet('{source}')")
    return path


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_values_are_the_same_column(tmp_path: Path, name: str) -> None:
    kind, values = AWKWARD[name]
    frame = pa.table({"x": pa.array(values, kind), "row": pa.array(range(len(values)))})
    pq.write_table(frame, tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    expected = read_table(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.duckdb")
    assert found.names == expected.names
    assert same(found["x"], expected["x"])
    with larger_than_memory("300MB"):
        assert same(read_table(tmp_path / "t.duckdb:t")["x"], expected["x"])


def test_types_that_duckdb_alone_has(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TYPE size AS ENUM ('s', 'm', 'unused')")
        connection.execute(
            "CREATE TABLE t AS SELECT 12::HUGEINT AS huge, 'm'::size AS size, 7::UTINYINT AS tiny"
        )
    table = read_table(tmp_path / "t.duckdb")
    kinds = [table[name].domain.kind for name in ("huge", "size", "tiny")]
    assert kinds[1:] == [Kind.CATEGORY, Kind.INTEGER]
    assert table["size"].domain.texts == ["m"]
    assert float(table["huge"].domain.values[0]) == 12


def test_some_columns_of_a_table(clinic: Path) -> None:
    named = f"{clinic}:patients"
    assert column_names(named) == list(hospital(1).names)
    assert read_table(named, columns=["sex"]).names == ("sex",)
    table = read_table(f'{clinic}:a "b" c')
    assert table.names == ("x", 'y "z"')


def test_commands_read_databases(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = ["--target", "readmitted", "--drop", "patient_id", "--json"]
    said = []
    for table in (clinic.with_name("patients.parquet"), f"{clinic}:patients"):
        for engine in ("memory", "duckdb", "auto"):
            assert main(["tree", str(table), *tree, "--engine", engine]) == 0
            said.append(capsys.readouterr().out)
    assert said == said[:1] * 6


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clinic.duckdb", "has several tables"),
        ("clinic.duckdb:nobody", "has no such table"),
        ("clinic.duckdb:elsewhere", "cannot be read as a DuckDB database"),
        ("absent.duckdb:patients", "no database absent.duckdb"),
        ("text.duckdb", "cannot be read as a DuckDB database"),
    ],
)
def test_what_is_refused(clinic: Path, name: str, message: str) -> None:
    clinic.with_name("text.duckdb").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=message):
        read_table(clinic.with_name(name))


def test_a_column_of_lists_is_refused(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT [1, 2] AS x")
    with pytest.raises(InputError, match="Column 'x' is of type"):
        read_table(tmp_path / "t.duckdb")
    with duckdb.connect(str(tmp_path / "u.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT i AS x FROM range(9) r(i)")
    with pytest.raises(InputError, match=r"9 rows|more than 5"):
        read_table(tmp_path / "u.duckdb", most_rows=5)
    assert np.array_equal(read_table(tmp_path / "u.duckdb", most_rows=9)["x"].codes, range(9))
