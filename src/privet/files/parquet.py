"""Parquet in and out, a column and a portion of rows at a time, so that memory stays low.

What is written is plain: no dictionary types, no metadata of frame libraries, the same bytes for
the same table; `parquet_told` next door asks whether a file says anything else. `frames` turns
codes into arrays; `encode` does the reverse.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.errors import InputError
from privet.files.digests import STORED, hexadecimal, unstored
from privet.files.encode import ColumnBuilder, check_type, declared_kind
from privet.files.fence import check_columns, check_rows, check_unpacked, fence
from privet.files.frames import array_of, arrow_schema, check_names, is_unnamed_index
from privet.files.maskings import metadata
from privet.files.portions import portions
from privet.files.several import require_same_columns
from privet.files.to_arrow import compute as pc
from privet.schema import Kind
from privet.table import Coded, Table, stretch

_ROWS_READ_AT_ONCE = 1 << 18
_ROWS_PER_GROUP = 1 << 18
_CELLS_ALWAYS_READ = 200_000_000  # some seconds, however few bytes they take
_ALWAYS_READ = 1 << 29  # bytes of a group of rows once unpacked
_MOST_RATIO = 100  # of either to the bytes of the file


def read_parquet(
    path: Path,
    kinds: Mapping[str, Kind],
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    most_rows: int | None = None,
    more: Sequence[Path] = (),
) -> Table:
    """Read a Parquet file; only the named columns, if some are named.

    A file of more than `most_rows` rows is refused. `more` are further parts of the same table.
    """
    import pyarrow.parquet as pq

    parts = (path, *more)
    with fence(path, "parquet"):
        schema = pq.read_schema(path)
        check_names(schema.names, f"The file {path.name}")
        wanted = [
            name
            for name in schema.names
            if not is_unnamed_index(name) and (columns is None or name in columns)
        ]
        check_columns(len(wanted), path)
        for name in wanted:
            if schema.field(name).type != STORED:
                check_type(schema.field(name).type, name)
        rows = sum(_rows_of_part(part, path, schema, wanted) for part in parts)
        check_rows(rows, most_rows, path)
        total, done = max(rows, 1) * max(len(wanted), 1), 0
        table: dict[str, Coded] = {}
        for name in wanted:
            kind = kinds.get(name, declared_kind(schema.field(name).type))
            builder = ColumnBuilder(name, kind, missing)
            for piece in _pieces(parts, name, schema.field(name).type):
                builder.add(piece)
                done += len(piece)
                if progress:
                    progress(done / total)
            table[name] = builder.finish()
        return Table(table)


def _rows_of_part(part: Path, first: Path, schema: pa.Schema, wanted: Sequence[str]) -> int:
    """How many rows a part of a table has; it must be like the first one, and no bomb."""
    import pyarrow.parquet as pq

    with fence(part, "parquet"), pq.ParquetFile(part) as file:
        refuse_bombs(file.metadata, part)
        own = file.schema_arrow
        require_same_columns(first, schema.names, part, own.names)
        for name in wanted:
            if own.field(name).type != schema.field(name).type:
                raise InputError(
                    f"Column '{name}' has one type in {first.name} and another in {part.name}.",
                    "write the parts of a table in one go, or convert them.",
                )
        return int(file.metadata.num_rows)


def _pieces(parts: Sequence[Path], name: str, kind: pa.DataType) -> Iterator[pa.Array]:
    """A column of several files, some rows at a time."""
    import pyarrow.parquet as pq

    texts = [name] if kind in (pa.string(), pa.large_string()) else []
    for part in parts:
        # One column gives threads nothing to share: they would only wait for one another.
        alone: dict[str, Any] = {"read_dictionary": texts, "pre_buffer": False}
        with fence(part, "parquet"), pq.ParquetFile(part, **alone) as file:
            for batch in file.iter_batches(_ROWS_READ_AT_ONCE, columns=[name], use_threads=False):
                # A dot in a name can bring in other columns: take this one alone.
                piece = batch.column(batch.schema.get_field_index(name))
                piece.validate(full=True)  # damaged pages bring codes and bytes that cannot be
                yield piece if kind != STORED else _shown(piece)


def _shown(digests: pa.Array) -> pa.Array:
    """Stored digests as everybody sees them."""
    present = digests.drop_null()
    texts = hexadecimal(unstored(present))
    if not digests.null_count:
        return texts
    return pc.replace_with_mask(pa.nulls(len(digests), pa.string()), digests.is_valid(), texts)


def parquet_names(path: Path) -> list[str]:
    """The names of the columns, without reading any of them."""
    import pyarrow.parquet as pq

    with fence(path, "parquet"):
        return [name for name in pq.read_schema(path).names if not is_unnamed_index(name)]


def refuse_bombs(about: Any, path: Path) -> None:
    """Refuse a file that claims very many cells, or very many bytes, in very few."""
    size = path.stat().st_size
    cells = about.num_rows * about.num_columns
    groups = [about.row_group(place) for place in range(about.num_row_groups)]
    unpacked = max((group.total_byte_size for group in groups), default=0)
    check_unpacked(cells, max(_CELLS_ALWAYS_READ, _MOST_RATIO * size), path)
    check_unpacked(unpacked, max(_ALWAYS_READ, _MOST_RATIO * size), path)


def write_parquet(
    table: Table,
    path: Path | BinaryIO,
    counts: npt.NDArray[np.integer] | None = None,
    maskings: Sequence[str] = (),
    fields: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Write a table; with `counts`, row i is written counts[i] times.

    `fields` says something of some columns, in their metadata; readers find it in Arrow's schema.
    """
    import pyarrow.parquet as pq

    schema = with_fields(arrow_schema(table), fields or {})
    with pq.ParquetWriter(path, schema, compression="zstd", store_schema=bool(fields)) as writer:
        for rows, repeats in portions(table.n_rows, counts, _ROWS_PER_GROUP):
            arrays = []
            for name in table.names:
                codes = stretch(table[name].codes, rows.start, rows.stop)
                codes = codes if repeats is None else np.repeat(codes, repeats)
                arrays.append(array_of(table[name].domain, codes))
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        if maskings:
            writer.add_key_value_metadata(metadata(maskings))


def with_fields(schema: pa.Schema, fields: Mapping[str, Mapping[str, str]]) -> pa.Schema:
    for name, about in fields.items():
        place = schema.get_field_index(name)
        schema = schema.set(place, schema.field(place).with_metadata(dict(about)))
    return schema


def parquet_rows(path: Path) -> tuple[int, int]:
    """How many rows a Parquet file says it has, and in how many groups, before any is read."""
    import pyarrow.parquet as pq

    with fence(path, "parquet"):
        about = pq.read_metadata(path)
        return int(about.num_rows), int(about.num_row_groups)


def groups_written(rows: int) -> int:
    """In how many groups `write_parquet` lays so many rows."""
    return -(-rows // _ROWS_PER_GROUP)
