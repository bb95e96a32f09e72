"""Files in which each row carries a digest: what parties send and a miner joins.

The digest stands in the first column, `privet_key`: in Parquet as 32 bytes a row, which nothing
compresses and every program can join on; in files of text as 64 hexadecimal digits. Parquet files
of former versions hold the digits, and are read as well. Digests never become a column of codes:
they are as many as there are rows. `parquet` and `csv` do the other columns.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.arrays import Digests
from privet.documents import opened
from privet.errors import InputError, UsageError
from privet.files import column_names, read_table, write_into
from privet.files.csv import write_csv
from privet.files.digests import (
    DIGITS_OF_BYTE,
    SIZE,
    STORED,
    hexadecimal,
    stored,
    unstored,
)
from privet.files.fence import fence, unreadable
from privet.files.formats import delimiter_of, format_of_name
from privet.files.frames import array_of, arrow_schema
from privet.files.maskings import metadata
from privet.files.on_disk import Pieces
from privet.files.parquet import parquet_rows, refuse_bombs
from privet.files.portions import RowNames, portions
from privet.files.several import database_in, parts_of
from privet.schema import Kind
from privet.table import Coded, Domain, Table, stretch, stretches

KEY = "privet_key"
_ROWS_AT_ONCE = 1 << 18
_NO_BYTE = 256


def write_keyed(path: Path, digests: Digests, table: Table, maskings: Sequence[str] = ()) -> None:
    """Write rows with their digests straight to a path, which `outputs` puts into place."""
    if KEY in table:
        raise UsageError(f"The table has a column named {KEY} already.", "rename or drop it.")
    form = format_of_name(path.name)
    if form == "text":
        row_names = RowNames(KEY, len(digests), lambda rows: hexadecimal(_some(digests, rows)))
        write_csv(table, path, None, delimiter_of(path), row_names)
        return
    if form != "parquet":
        refuse_without_batches(path)
        write_into(_with_texts(digests, table), path)
        return
    import pyarrow.parquet as pq

    fields = [pa.field(KEY, STORED), *arrow_schema(table)]
    schema = pa.schema(fields)
    with pq.ParquetWriter(
        path,
        schema,
        compression={KEY: "none", **dict.fromkeys(table.names, "zstd")},
        store_schema=False,
        use_dictionary=list(table.names),
        write_statistics=False,
    ) as writer:
        for rows, _ in portions(len(digests), None, _ROWS_AT_ONCE):
            arrays = [stored(_some(digests, rows))]
            arrays += [array_of(table[n].domain, _some(table[n].codes, rows)) for n in table.names]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        if maskings:
            writer.add_key_value_metadata(metadata(maskings))


def refuse_without_batches(path: Path) -> None:
    """Refuse, while tables are on disk, a format whose digests are written from memory."""
    if Pieces().are_on_disk and format_of_name(path.name) not in ("text", "parquet"):
        raise UsageError(
            f"{path.name} is of a format that is written whole, and the table is on disk.",
            "name a file that ends in .parquet or .csv, or take the table in memory.",
        )


def _some(whole: npt.NDArray[Any], rows: slice) -> npt.NDArray[Any]:
    return stretch(whole, rows.start, rows.stop)


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


@dataclass(frozen=True, eq=False, repr=False)
class KeysOfFiles:
    """Keys that lie in Parquet files; `chunks` reads them, some rows at a time."""

    files: tuple[Path, ...]
    name: str
    type: pa.DataType
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    @property
    def chunks(self) -> Iterator[pa.Array]:
        cells = (some for path in self.files for some in _cells(path, self.name))
        return _as_many(cells, self.n_rows, self.files[0])


def read_keys(path: Path, name: str) -> KeysOfFiles | None:
    """The keys of Parquet files as they are, integers or texts; None if they are anything else.

    Keys are as many as there are rows: a column of codes would be a long way round.
    """
    if database_in(path) is not None or not all(map(_is_parquet, files := parts_of(path))):
        return None
    import pyarrow.parquet as pq

    try:
        kinds, n_rows = set(), 0
        for part in files:
            with pq.ParquetFile(part) as file:
                refuse_bombs(file.metadata, part)
                kinds.add(file.schema_arrow.field(name).type)
                n_rows += file.metadata.num_rows
    except (pa.ArrowException, OSError, EOFError, LookupError):
        return None  # whoever reads the other columns says what is wrong
    kind = kinds.pop()
    if kinds or not (pa.types.is_integer(kind) or kind in (pa.string(), pa.large_string())):
        return None
    return KeysOfFiles(tuple(files), name, kind, n_rows)


def _is_parquet(path: Path) -> bool:
    with opened(path) as file:
        return file.read(4) == b"PAR1"


def _read_digests(path: Path) -> Digests:
    if not _is_parquet(path):
        column = read_table(path, columns=[KEY], kinds={KEY: Kind.CATEGORY})[KEY]
        texts = pa.array(column.domain.values, pa.string())
        if column.domain.missing:
            raise _no_digests(path)
        of_code = _bytes_of(texts, path)
        rows = (of_code[codes] for codes in stretches(column.codes))
        return Pieces().joined(rows, np.uint8, len(column.codes), SIZE)
    n_rows, _ = parquet_rows(path)
    digests = (_bytes_of(some, path) for some in _as_many(_cells(path, KEY), n_rows, path))
    return Pieces().joined(digests, np.uint8, n_rows, SIZE)


def _cells(path: Path, name: str) -> Iterator[pa.Array]:
    """A column of a Parquet file as it is, some rows at a time."""
    import pyarrow.parquet as pq

    with fence(path, "parquet"), pq.ParquetFile(path) as file:
        refuse_bombs(file.metadata, path)
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=[name]):
            cells = batch.column(batch.schema.get_field_index(name))
            cells.validate(full=True)
            yield cells


def _as_many(pieces: Iterable[pa.Array], n_rows: int, path: Path) -> Iterator[pa.Array]:
    """Cells that must be as many as a file says."""
    done = 0
    for piece in pieces:
        done += len(piece)
        if done > n_rows:
            break
        yield piece
    if done != n_rows:
        raise unreadable(path, "parquet")


def _bytes_of(texts: pa.Array, path: Path) -> Digests:
    """Stored digests or hexadecimal texts as bytes; anything else is refused."""
    if texts.type == STORED and not texts.null_count:
        return unstored(texts)
    if not pa.types.is_string(texts.type) or texts.null_count:
        raise _no_digests(path)
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    if len(texts) == 0 or not bool((np.diff(ends) == 2 * SIZE).all()):
        raise _no_digests(path)
    digits = np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]]
    byte_of_digits = np.full(1 << 16, _NO_BYTE, dtype=np.uint16)
    byte_of_digits[DIGITS_OF_BYTE] = np.arange(256)
    values = byte_of_digits[np.ascontiguousarray(digits).view(np.uint16)]
    if int(values.max()) == _NO_BYTE:
        raise _no_digests(path)
    return np.asarray(values.astype(np.uint8).reshape(len(texts), SIZE))


def _with_texts(digests: Digests, table: Table) -> Table:
    """The table with its digests as a column of texts, for files of text."""
    texts = np.array(hexadecimal(digests).to_pylist(), dtype=object)
    key = Coded.of(texts, Kind.CATEGORY, np.zeros(len(texts), dtype=bool))
    domain = Domain(Kind.CATEGORY, key.domain.values)
    return Table({KEY: Coded(domain, key.codes), **{name: table[name] for name in table}})


def _no_digests(path: Path) -> InputError:
    return InputError(
        f"The column {KEY} of {path.name} does not hold digests.",
        "give the file just as `privet mask` wrote it.",
    )
