"""Frames of other libraries in and out: pandas, polars, Arrow, and plain dicts of lists.

No library is imported to look at a frame: whoever hands in a frame has imported its library
already. `encode` makes columns of codes; here they also become arrays of Arrow again, which
`parquet` writes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.errors import InputError, MissingExtra, UnknownColumn
from privet.files.encode import ColumnBuilder, check_type, declared_kind, encoded
from privet.schema import Kind
from privet.table import Coded, Domain, Table

_ROWS_PER_CHUNK = 1 << 20
_ARROW_TYPE = {
    Kind.INTEGER: pa.int64(),
    Kind.DECIMAL: pa.float64(),
    Kind.DATE: pa.date32(),
    Kind.DATETIME: pa.timestamp("us"),
    Kind.CATEGORY: pa.string(),
}


def table_of(
    frame: Any,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Table:
    """A table from a pandas, polars or Arrow frame, or from a dict of sequences.

    `kinds` says how columns are to be read where that differs from their type; `missing` names
    texts (or numbers) that stand for missing cells, `columns` takes some columns only.

    >>> table = privet.table_of({"age": [30, 60, None], "postcode": [1067, 1099, 1067]},
    ...     kinds={"postcode": "category"})
    >>> table["age"].domain.missing, table["postcode"].domain.kind.value
    (True, 'category')
    """
    if isinstance(frame, Table):
        return frame
    wanted = {name: Kind(kind) for name, kind in (kinds or {}).items()}
    coded: dict[str, Coded] = {}
    names = frame_names(frame)
    for name in columns or ():
        if name not in names:
            raise UnknownColumn(name, names)
    for name, values in _columns_of(frame):
        if columns is None or name in columns:
            array = _array_of(values, name)
            kind = wanted.get(name, declared_kind(array.type))
            coded[name] = encoded(array, ColumnBuilder(name, kind, missing))
    return Table(coded)


def frame_names(frame: Any) -> list[str]:
    """The names of the columns of a frame, in order."""
    if isinstance(frame, Table):
        return list(frame.names)
    names = [name for name, _ in _columns_of(frame)]
    check_names(names, "The frame")
    return names


def frame_kind(frame: Any) -> str:
    """Which kind of frame this is: the only thing that is kept of a caller's frame."""
    library = _library(frame)
    if library in ("pandas", "polars"):
        return library
    if isinstance(frame, pa.RecordBatch):
        return "batch"
    return "lists" if isinstance(frame, Mapping) else "arrow"


def frame_of(table: Table, kind: str = "arrow") -> Any:
    """The table as a frame of a kind that `frame_kind` names.

    >>> table = privet.table_of({"age": [30, 60]})
    >>> privet.frame_of(table, "pandas")["age"].tolist()
    [30, 60]
    """
    if kind == "pandas":
        return _pandas_of(table)
    arrow = arrow_of(table)
    if kind == "polars":
        try:
            import polars
        except ImportError:
            raise MissingExtra("A frame of polars needs", "polars", "polars") from None
        return polars.from_arrow(arrow)
    if kind == "batch":
        return arrow.combine_chunks().to_batches()[0] if len(table) else arrow
    if kind == "lists":
        return {name: arrow.column(name).to_pylist() for name in table.names}
    return arrow


def as_given(table: Table, given: Any) -> Any:
    """The table as what the caller gave: a Table for a Table, else a frame of the same kind."""
    return table if isinstance(given, Table) else frame_of(table, frame_kind(given))


def arrow_of(table: Table) -> pa.Table:
    """The table as an Arrow table of plain columns; missing is null."""
    chunks = range(0, max(table.n_rows, 1), _ROWS_PER_CHUNK)
    columns = {
        name: pa.chunked_array(
            [
                array_of(table[name].domain, table[name].codes[start : start + _ROWS_PER_CHUNK])
                for start in chunks
            ],
            _ARROW_TYPE[table[name].domain.kind],
        )
        for name in table.names
    }
    return pa.table(columns, schema=arrow_schema(table))


def arrow_schema(table: Table) -> pa.Schema:
    return pa.schema([(name, _ARROW_TYPE[table[name].domain.kind]) for name in table.names])


def array_of(domain: Domain, codes: npt.NDArray[Any]) -> pa.Array:
    """Some cells of a column as a plain array.

    Plain, because a dictionary would carry along values that no row has any more.
    """
    kind = _ARROW_TYPE[domain.kind]
    if domain.kind is Kind.DATE:
        values = pa.array(domain.values.astype(np.int32)).cast(kind)
    elif domain.kind is Kind.DATETIME:
        values = pa.array(domain.values.astype(np.int64)).cast(kind)
    else:
        values = pa.array(domain.values, kind)
    if domain.missing:
        values = pa.concat_arrays([values, pa.nulls(1, kind)])
    return values.take(pa.array(codes))


def check_names(names: Sequence[str], what: str) -> None:
    """Refuse tables without columns and names that occur twice."""
    if not names:
        raise InputError(f"{what} has no columns.", "a table needs at least one named column.")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(
                f"{what} has more than one column named '{name}'.",
                "give every column a name of its own.",
            )
        seen.add(name)


def is_unnamed_index(name: str) -> bool:
    """Whether a column is only the row labels that pandas puts into Arrow tables and Parquet."""
    return name.startswith("__index_level_") and name.endswith("__")


def _library(frame: Any) -> str:
    return type(frame).__module__.partition(".")[0]


def _columns_of(frame: Any) -> Iterator[tuple[str, Any]]:
    library = _library(frame)
    if isinstance(frame, pa.Table | pa.RecordBatch):
        for name, column in zip(frame.schema.names, frame.columns, strict=True):
            if not is_unnamed_index(name):
                yield name, column
    elif library == "pandas" and hasattr(frame, "iloc") and hasattr(frame, "columns"):
        for place, label in enumerate(frame.columns):
            yield str(label), frame.iloc[:, place]
    elif library == "polars" and hasattr(frame, "get_columns"):
        for series in frame.get_columns():
            yield series.name, series
    elif isinstance(frame, Mapping):
        for label, values in frame.items():
            yield str(label), values
    else:
        raise InputError(
            f"A {type(frame).__name__} is not a table that Privet can read.",
            "give a pandas or polars DataFrame, an Arrow table, or a dict of lists"
            + (" (collect a LazyFrame first)." if library == "polars" else "."),
        )


def _array_of(values: Any, name: str) -> pa.Array | pa.ChunkedArray:
    """The values of one column as Arrow holds them."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    try:
        if _library(values) == "polars":
            array = values.to_arrow()
        else:
            array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # Arrow's own message would show the value at which it stumbled.
        raise InputError(
            f"Column '{name}' mixes values of different types, or holds objects that are neither "
            "numbers, texts nor dates.",
            "make all its values one type, for instance text.",
        ) from None
    check_type(array.type, name)
    return array


def _pandas_of(table: Table) -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingExtra("A frame of pandas needs", "pandas", "pandas") from None
    columns = {}
    for name, array in zip(table.names, arrow_of(table).columns, strict=True):
        if pa.types.is_integer(array.type) and table[name].domain.missing:
            columns[name] = array.to_pandas(types_mapper=lambda _: pandas.Int64Dtype())
        else:
            columns[name] = array.to_pandas(date_as_object=False)
    return pandas.DataFrame(columns, columns=list(table.names), copy=False)
