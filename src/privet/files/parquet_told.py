"""What a Parquet file tells besides its cells: whether that is anything but what Privet writes.

A Parquet file can carry more than its columns: metadata of the file and of its fields, columns
that frame libraries take for row labels, and statistics that readers believe without a look at the
cells. Files of our own version of the writer are made again and compared byte by byte. Those of
another version are asked for everything that a reader is told.
"""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.documents import read_bytes
from privet.files.fence import fence
from privet.files.frames import arrow_schema
from privet.files.parquet import with_fields, write_parquet
from privet.files.to_arrow import compute as pc
from privet.table import Table

Fields = Mapping[str, Mapping[str, str]]

_OUR_WRITER = f"parquet-cpp-arrow version {pa.cpp_version}"
_ARROW_SCHEMA = b"ARROW:schema"
_FIELD_ID = b"PARQUET:field_id"  # a number that the reader itself adds


def tells_nothing_else(
    path: Path, table: Table, counts: npt.NDArray[np.integer], fields: Fields
) -> bool:
    """Whether a file tells its rows, what `fields` says of them, and nothing else.

    `table` and `counts` are the rows that were read from it, in their order.
    """
    import pyarrow.parquet as pq

    with fence(path, "parquet"), pq.ParquetFile(path) as file:
        if file.metadata.created_by == _OUR_WRITER:
            again = io.BytesIO()
            write_parquet(table, again, counts, fields=fields)
            most = path.stat().st_size
            return read_bytes(path, "data", most_bytes=most) == again.getvalue()
        expected = with_fields(arrow_schema(table), fields)
        return (
            set(file.metadata.metadata or {}) <= {_ARROW_SCHEMA}
            and not file.schema_arrow.metadata
            and _plain(file.schema_arrow) == _plain(expected)
            and all(_is_true(file, group) for group in range(file.num_row_groups))
        )


def _plain(schema: pa.Schema) -> list[tuple[Any, ...]]:
    """The fields of a schema with all that is said of them."""
    return [
        (
            field.name,
            field.type,
            field.nullable,
            {k: v for k, v in (field.metadata or {}).items() if k != _FIELD_ID},
        )
        for field in schema
    ]


def _is_true(file: Any, group: int) -> bool:
    """Whether the statistics of a group of rows are those of its cells."""
    cells = file.read_row_group(group)
    about = file.metadata.row_group(group)
    for place in range(about.num_columns):
        told, column = about.column(place).statistics, cells.column(place)
        if told is None:
            continue
        if told.has_null_count and told.null_count != column.null_count:
            return False
        if told.has_min_max:
            found = pc.min_max(column).as_py()
            if (told.min, told.max) != (found["min"], found["max"]):
                return False
    return True
