"""Files in which each row carries a digest: what parties send and a miner joins.

The digest stands in the first column, `privet_key`, as 64 hexadecimal digits, so that every
program can read it. Digests never become a column of codes: they are as many as there are rows,
and stay plain bytes, 32 a row. `parquet` and `csv` do the other columns.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from privet.arrays import Digests
from privet.documents import opened
from privet.errors import InputError, UsageError
from privet.files import column_names, read_table, write_into
from privet.files.digests import COMPILE_FROM
from privet.files.fence import fence
from privet.files.frames import array_of, arrow_schema
from privet.files.maskings import metadata
from privet.files.parquet import refuse_bombs
from privet.files.portions import portions
from privet.schema import Kind
from privet.table import Coded, Domain, Table

KEY = "privet_key"
_BYTES = 32
_ROWS_AT_ONCE = 1 << 18
_NO_BYTE = 256
# The two digits of each byte, as one number of 16 bits.
_DIGITS_OF_BYTE = np.frombuffer(bytes(range(256)).hex().encode(), dtype=np.uint16)


def write_keyed(path: Path, digests: Digests, table: Table, maskings: Sequence[str] = ()) -> None:
    """Write rows with their digests straight to a path, which `outputs` puts into place."""
    if KEY in table:
        raise UsageError(f"The table has a column named {KEY} already.", "rename or drop it.")
    if not path.name.lower().endswith((".parquet", ".pq")):
        write_into(_with_texts(digests, table), path)
        return
    import pyarrow.parquet as pq

    fields = [pa.field(KEY, pa.string()), *arrow_schema(table)]
    schema = pa.schema(fields)
    with pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        store_schema=False,
        use_dictionary=list(table.names),
        write_statistics=False,
    ) as writer:
        for rows, _ in portions(len(digests), None, _ROWS_AT_ONCE):
            arrays = [_hexadecimal(digests[rows])]
            arrays += [array_of(table[n].domain, table[n].codes[rows]) for n in table.names]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        if maskings:
            writer.add_key_value_metadata(metadata(maskings))


def read_keyed(path: Path) -> tuple[Digests, Table]:
    """The digests and the other columns of a file that `write_keyed` wrote."""
    names = column_names(path)
    if KEY not in names:
        raise InputError(
            f"{path.name} has no column {KEY}, so it is no masked file.",
            "give files that `privet mask` wrote.",
        )
    digests = _read_digests(path)
    others = [name for name in names if name != KEY]
    return digests, read_table(path, columns=others) if others else Table({})


def read_keys(path: Path, name: str) -> pa.ChunkedArray | None:
    """The keys of a Parquet file as they are, integers or texts; None if they are anything else.

    Keys are as many as there are rows: a column of codes would be a long way round.
    """
    if not _is_parquet(path):
        return None
    import pyarrow.parquet as pq

    try:
        kind = pq.read_schema(path).field(name).type
        if not (pa.types.is_integer(kind) or kind in (pa.string(), pa.large_string())):
            return None
        with pq.ParquetFile(path) as file:
            refuse_bombs(file.metadata, path)
            batches = []
            for batch in file.iter_batches(4 * _ROWS_AT_ONCE, columns=[name]):
                batch.validate(full=True)
                batches.append(batch.column(0))
    except (pa.ArrowException, OSError, EOFError, LookupError):
        return None  # whoever reads the other columns says what is wrong
    return pa.chunked_array(batches, kind)


def _is_parquet(path: Path) -> bool:
    with opened(path) as file:
        return file.read(4) == b"PAR1"


def _read_digests(path: Path) -> Digests:
    if not _is_parquet(path):
        column = read_table(path, columns=[KEY], kinds={KEY: Kind.CATEGORY})[KEY]
        texts = pa.array(column.domain.values, pa.string())
        if column.domain.missing:
            raise _no_digests(path)
        return _bytes_of(texts, path)[column.codes]
    import pyarrow.parquet as pq

    with fence(path, "parquet"):
        with pq.ParquetFile(path) as file:
            refuse_bombs(file.metadata, path)
            digests = np.empty((file.metadata.num_rows, _BYTES), dtype=np.uint8)
            done = 0
            for batch in file.iter_batches(_ROWS_AT_ONCE, columns=[KEY]):
                batch.validate(full=True)
                digests[done : done + batch.num_rows] = _bytes_of(batch.column(0), path)
                done += batch.num_rows
        if done < len(digests):
            raise _no_digests(path)
        return digests


def _hexadecimal(digests: Digests) -> pa.Array:
    n = len(digests)
    if n > COMPILE_FROM:
        from privet.compiled.sha256 import hexadecimal_all

        texts = hexadecimal_all(digests, _DIGITS_OF_BYTE)
    else:
        texts = _DIGITS_OF_BYTE[digests]
    offsets = np.arange(n + 1, dtype=np.int32) * (2 * _BYTES)
    return pa.StringArray.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(texts))


def _bytes_of(texts: pa.Array, path: Path) -> Digests:
    """Hexadecimal texts as bytes; anything else is refused."""
    if not pa.types.is_string(texts.type) or texts.null_count:
        raise _no_digests(path)
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    if len(texts) == 0 or not bool((np.diff(ends) == 2 * _BYTES).all()):
        raise _no_digests(path)
    digits = np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]]
    byte_of_digits = np.full(1 << 16, _NO_BYTE, dtype=np.uint16)
    byte_of_digits[_DIGITS_OF_BYTE] = np.arange(256)
    values = byte_of_digits[np.ascontiguousarray(digits).view(np.uint16)]
    if int(values.max()) == _NO_BYTE:
        raise _no_digests(path)
    return np.asarray(values.astype(np.uint8).reshape(len(texts), _BYTES))


def _with_texts(digests: Digests, table: Table) -> Table:
    """The table with its digests as a column of texts, for files of text."""
    texts = np.array([row.hex() for row in map(bytes, digests)], dtype=object)
    key = Coded.of(texts, Kind.CATEGORY, np.zeros(len(texts), dtype=bool))
    domain = Domain(Kind.CATEGORY, key.domain.values)
    return Table({KEY: Coded(domain, key.codes), **{name: table[name] for name in table}})


def _no_digests(path: Path) -> InputError:
    return InputError(
        f"The column {KEY} of {path.name} does not hold digests.",
        "give the file just as `privet mask` wrote it.",
    )
