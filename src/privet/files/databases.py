"""A table of a DuckDB database: `clinic.duckdb:patients`, or `clinic.duckdb` if it has one table.

The database is opened for reading only, and reaches neither other files nor the network. Columns
come as Arrow arrays, so that `encode` reads them as it reads those of Parquet.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privet.errors import InputError, MissingExtra, PrivetError
from privet.files.encode import ColumnBuilder, check_type, declared_kind
from privet.files.fence import check_columns, check_rows, unreadable
from privet.files.frames import check_names
from privet.files.several import database_in
from privet.schema import Kind
from privet.table import Table

_ROWS_READ_AT_ONCE = 1 << 18


def database_names(path: Path) -> list[str]:
    """The names of the columns, without reading any of them."""
    with _opened(path) as (connection, table):
        return list(_columns(connection, table))


def read_database(
    path: Path,
    kinds: Mapping[str, Kind],
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    most_rows: int | None = None,
) -> Table:
    """Read a table of a database; only the named columns, if some are named."""
    with _opened(path) as (connection, table):
        known = _columns(connection, table)
        check_names(known, f"The table {table}")
        wanted = [name for name in known if columns is None or name in columns]
        check_columns(len(wanted), path)
        ((rows,),) = connection.execute(f"SELECT COUNT(*) FROM {_quoted(table)}").fetchall()
        check_rows(rows, most_rows, path)
        chosen = ", ".join(map(_quoted, wanted))
        relation = connection.sql(f"SELECT {chosen} FROM {_quoted(table)}")
        reader = _batches(relation)
        builders = {}
        for field in reader.schema:
            check_type(field.type, field.name)
            kind = kinds.get(field.name, declared_kind(field.type))
            builders[field.name] = ColumnBuilder(field.name, kind, missing)
        done = 0
        for batch in reader:
            for name, column in zip(wanted, batch.columns, strict=True):
                builders[name].add(column)
            done += batch.num_rows
            if progress:
                progress(min(done / max(rows, 1), 1.0))
        return Table({name: builders[name].finish() for name in wanted})


def _batches(relation: Any) -> Any:
    """A reader of batches, under the name that it has in this version of DuckDB."""
    for name in ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch"):
        if hasattr(relation, name):
            return getattr(relation, name)(_ROWS_READ_AT_ONCE)
    raise MissingExtra("Reading a database needs", "a newer DuckDB", "duckdb")


def _columns(connection: Any, table: str) -> list[str]:
    found = connection.execute(f"DESCRIBE {_quoted(table)}").fetchall()
    return [str(row[0]) for row in found]


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, str]]:
    """A database that is open for reading, and the name of the table in it."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("A database needs", "DuckDB", "duckdb") from None
    found = database_in(path)
    assert found is not None
    file, table = found
    if not file.is_file():
        raise InputError(f"There is no database {file.name}.", "check the path.")
    try:
        with duckdb.connect(str(file), read_only=True) as connection:
            for setting in ("enable_external_access", "python_enable_replacements"):
                connection.execute(f"SET {setting} = false")
            connection.execute("SET lock_configuration = true")
            yield connection, _one_of(connection, file, table)
    except PrivetError:
        raise
    except duckdb.Error:
        raise unreadable(file, "database") from None


def _one_of(connection: Any, file: Path, table: str | None) -> str:
    """The table that is meant; tables are named in a hint, cells never."""
    known = [
        str(row[0])
        for row in connection.execute(
            "SELECT table_name FROM duckdb_tables() UNION ALL "
            "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1"
        ).fetchall()
    ]
    if table in known:
        return str(table)
    if table is None and len(known) == 1:
        return known[0]
    listed = ", ".join(f"{file.name}:{name}" for name in known[:12])
    if table is None and known:
        raise InputError(f"The database {file.name} has several tables.", f"name one: {listed}.")
    raise InputError(
        f"The database {file.name} has no such table.",
        f"it has: {listed}." if known else "it has no tables at all.",
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
