"""Delimited text in and out: .csv, .csv.gz, .tsv, .txt.

Every cell is read as text and dictionary-encoded at once; `texts` then says what the distinct
texts mean. What is written is canonical: UTF-8, LF, quotes only where they are needed, numbers
in the shortest form that reads back to the same value.
"""

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.errors import InputError, either
from privet.files.encode import ColumnBuilder
from privet.files.fence import check_columns, check_rows, unreadable
from privet.files.frames import check_names
from privet.files.gzipped import is_gzip, text_bytes
from privet.files.portions import RowNames, portions
from privet.files.read_ahead import read_ahead
from privet.files.several import require_same_columns
from privet.files.to_arrow import compute as pc
from privet.schema import Kind
from privet.table import Table, stretch

_BLOCK = 1 << 23  # bytes parsed at once; no row may be longer
_HEAD = 1 << 20  # bytes in which the header must end
_ROWS_WRITTEN_AT_ONCE = 1 << 17
_DELIMITERS = ",;\t"
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class _Header:
    names: list[str]
    lines: int  # physical lines up to the end of the header
    delimiter: str


def read_csv(
    path: Path,
    kinds: Mapping[str, Kind],
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    exact: bool = False,
    most_rows: int | None = None,
    mixed: bool = False,
    more: Sequence[Path] = (),
) -> Table:
    """Read delimited text; only the named columns, if some are named.

    With `exact`, only empty cells are missing: so a release that Privet wrote is read. A file of
    more than `most_rows` rows is refused. `more` are further parts of the same table.
    """
    header = _header(path)
    check_names(header.names, f"The file {path.name}")
    chosen = None if columns is None else set(columns)
    wanted = [name for name in header.names if chosen is None or name in chosen]
    check_columns(len(wanted), path)
    builders = {
        name: ColumnBuilder(
            name,
            kinds.get(name),
            missing,
            from_text=True,
            exact=exact,
            decimal_comma=header.delimiter == ";",
            mixed=mixed,
        )
        for name in wanted
    }
    headers = {path: header} | {part: _header_of_part(part, path, header) for part in more}
    size, before, rows = max(sum(part.stat().st_size for part in headers), 1), 0, 0
    for part, own in headers.items():
        with closing(_batches(part, own, wanted)) as batches:  # given up half way, it ends here
            for batch, taken in batches:
                rows += len(batch)
                check_rows(rows, most_rows, path)
                for name, column in zip(wanted, batch.columns, strict=False):
                    builders[name].add(column)
                if progress:
                    progress(min((before + taken) / size, 1.0))
        before += part.stat().st_size
    return Table({name: builder.finish() for name, builder in builders.items()})


def _header_of_part(part: Path, first: Path, header: _Header) -> _Header:
    """The header of a further part, which must be like the first one."""
    own = _header(part)
    require_same_columns(first, header.names, part, own.names)
    if (own.delimiter == ";") != (header.delimiter == ";"):  # it says how decimals are written
        raise InputError(
            f"The files {first.name} and {part.name} have different delimiters.",
            "write the parts of a table in one way.",
        )
    return own


def _batches(
    path: Path, header: _Header, wanted: Sequence[str]
) -> Generator[tuple[Any, int], None, None]:
    """The rows of a file, some at a time, and how many of its bytes were taken."""
    last = header.names[-1]  # always fetched: an open quote shows in the last cell of a file
    fetched = wanted if last in wanted else [*wanted, last]
    last_cell = ""
    with read_ahead(path) as (stream, taken):
        try:
            for batch in _reader(stream, header, fetched):
                last_cell = batch.column(last)[-1].as_py() if len(batch) else last_cell
                yield batch, taken()
        except MemoryError:  # of Arrow, too
            raise
        except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
            raise _unreadable(path, str(error)) from None
    _refuse_open_quote(path, last_cell)


def _refuse_open_quote(path: Path, last_cell: str) -> None:
    if "\n" in last_cell and not _tail(path).rstrip(b"\r\n").endswith(b'"'):
        raise InputError(
            f"The file {path.name} has a quote that is never closed.",
            "close it, or double it if it belongs to the text.",
        )


def _reader(stream: Any, header: _Header, fetched: Sequence[str]) -> Any:
    """A reader of batches, every cell as text, distinct texts numbered."""
    import pyarrow.csv as arrow_csv

    text = pa.dictionary(pa.int32(), pa.large_string())
    return arrow_csv.open_csv(
        stream,
        read_options=arrow_csv.ReadOptions(
            column_names=header.names,
            skip_rows=header.lines,
            block_size=_BLOCK,
            use_threads=False,  # only then does the reader know where a row is ragged
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=header.delimiter, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(header.names, text),
            include_columns=fetched,
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def csv_names(path: Path) -> list[str]:
    """The names of the columns, from the header alone."""
    return _header(path).names


def write_csv(
    table: Table,
    path: Path,
    counts: npt.NDArray[np.integer] | None = None,
    delimiter: str = ",",
    row_names: RowNames | None = None,
) -> None:
    """Write a table; with `counts`, row i is written counts[i] times."""
    portions_of_bytes = csv_bytes(table, counts, delimiter, row_names)
    with path.open("wb") as raw:
        if not _is_gzip_name(path):
            _pour(portions_of_bytes, raw)
            return
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            _pour(portions_of_bytes, packed)


def csv_bytes(
    table: Table,
    counts: npt.NDArray[np.integer] | None = None,
    delimiter: str = ",",
    row_names: RowNames | None = None,
) -> Iterator[bytes]:
    """The bytes of the file that `write_csv` writes, portion by portion."""
    header = [*([row_names.name] if row_names else []), *table.names]
    alone = len(header) == 1
    # Names that hold any delimiter are quoted, for readers guess the delimiter from the header.
    yield (delimiter.join(_cell(n, _DELIMITERS, alone) for n in header) + "\n").encode()
    cells = written_values(table, delimiter, alone)
    n_rows = row_names.n_rows if row_names else table.n_rows
    for rows, repeats in portions(n_rows, counts, _ROWS_WRITTEN_AT_ONCE):
        columns = [
            texts.take(pa.array(stretch(table[name].codes, rows.start, rows.stop)))
            for name, texts in zip(table.names, cells, strict=True)
        ]
        if row_names:
            named = row_names.texts(rows).cast(pa.large_string())
            columns.insert(0, named if columns else join_texts(named, "\n", ""))
        lines = join_texts(*columns, delimiter)
        if repeats is not None:
            lines = lines.take(pa.array(np.repeat(np.arange(len(repeats)), repeats)))
        yield joined_bytes(lines)


def written_values(table: Table, delimiter: str, alone: bool, end: str = "\n") -> list[pa.Array]:
    """The values of each column as they stand in the file, the last ones with the end of a line."""
    cells = []
    for name in table.names:
        ending = end if name == table.names[-1] else ""
        domain = table[name].domain
        texts = domain.texts
        if domain.kind is Kind.CATEGORY or domain.missing:  # numbers and dates need no quotes
            texts = [_cell(text, _DELIMITERS if alone else delimiter, alone) for text in texts]
        written = pa.array(texts, pa.large_string())
        cells.append(join_texts(written, ending, "") if ending else written)
    return cells


def join_texts(*parts: Any) -> pa.Array:
    """Texts joined row by row; the last part is the separator."""
    large = [pa.scalar(p, pa.large_string()) if isinstance(p, str) else p for p in parts]
    return pc.binary_join_element_wise(*large)


def joined_bytes(lines: pa.Array) -> bytes:
    """All texts of an array one after the other: that is how its value buffer holds them."""
    _, offsets, values = lines.buffers()
    places = np.frombuffer(offsets, dtype=np.int64)[lines.offset : lines.offset + len(lines) + 1]
    return bytes(memoryview(values)[int(places[0]) : int(places[-1])])


def _cell(text: str, delimiters: str, alone: bool) -> str:
    """A text as it stands in the file.

    An empty cell that is a whole line is quoted, for readers pass over empty lines.
    """
    if text == "":
        return '""' if alone else ""
    needs_quotes = (
        any(mark in text for mark in delimiters + '"\n\r')
        or text[0].isspace()
        or text[-1].isspace()
    )
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text


def _pour(portions_of_bytes: Iterator[bytes], file: IO[bytes] | gzip.GzipFile) -> None:
    for portion in portions_of_bytes:
        file.write(portion)


def _header(path: Path) -> _Header:
    """Column names and delimiter; refuses what is not text at all."""
    try:
        with text_bytes(path) as (file, _):
            head = file.read(_HEAD)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, str(error)) from None
    if not head.strip():
        raise InputError(
            f"The file {path.name} is empty.", "a table needs a header line and at least one row."
        )
    if head.startswith(_OTHER_ENCODINGS):
        raise _bad_encoding(path)
    if b"\0" in head:
        raise InputError(
            f"The file {path.name} is not a table: it holds binary data.",
            "give a CSV or Parquet file.",
        )
    head = head.removeprefix(b"\xef\xbb\xbf")
    whole_lines = head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1] or head
    try:
        text = whole_lines.decode("utf-8")
    except UnicodeDecodeError:
        raise _bad_encoding(path) from None
    delimiter = _sniffed(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = next(row for row in reader if row)
    except (csv.Error, StopIteration):
        raise InputError(
            f"The header of {path.name} cannot be read.",
            "the first line must hold the column names; check its quotes.",
        ) from None
    return _Header(names, reader.line_num, delimiter)


def _sniffed(text: str) -> str:
    """The delimiter that the header has most of, outside quotes; a comma if it has none."""
    header = re.match(r'(?:"[^"]*"|[^"\r\n])*', text.lstrip("\r\n"))
    bare = re.sub(r'"[^"]*"', "", header[0] if header else "")
    return max(_DELIMITERS, key=lambda mark: bare.count(mark))


def _tail(path: Path) -> bytes:
    """The last bytes of the text."""
    tail = b""
    with text_bytes(path) as (file, raw):
        if file is raw:
            file.seek(max(path.stat().st_size - 1024, 0))
        while chunk := file.read(_HEAD):
            tail = (tail + chunk)[-1024:]
    return tail


def _is_gzip_name(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _unreadable(path: Path, reason: str) -> InputError:
    """What went wrong, in our words: the reader's own may hold cells of the table."""
    ragged = re.search(r"Expected (\d+) columns, got (\d+)", reason)
    if ragged:
        place = re.search(r"Row #(\d+)", reason)
        where = f"row {place[1]}" if place else "a row"
        return InputError(
            f"The file {path.name} is ragged: the header has {ragged[1]} columns, "
            f"{where} has {ragged[2]}.",
            "check quotes and delimiters; cells that hold the delimiter must be quoted.",
        )
    if "UTF" in reason:
        return _bad_encoding(path)
    if "straddl" in reason:
        return InputError(
            f"The file {path.name} has a row of more than {_BLOCK >> 20} MB.",
            "look for a quote that is never closed.",
        )
    if is_gzip(path):
        return InputError(
            f"The file {path.name} is not a complete gzip file.",
            "copy or pack it again.",
        )
    return unreadable(path, "text")


def _bad_encoding(path: Path) -> InputError:
    return InputError(
        f"The file {path.name} is not UTF-8 text.",
        "save it as UTF-8 (in a spreadsheet: CSV UTF-8), or "
        + either(
            'read it with privet.read_table(path, encoding="latin-1").',
            "name its encoding: --encoding latin-1.",
        ),
    )
