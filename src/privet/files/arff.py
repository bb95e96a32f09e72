"""ARFF, the files of WEKA: reading; `arff_write` is the way out.

Categories are written as nominal attributes, their values in sorted order; integers as `integer`,
decimals as `real`, dates and datetimes as `date` with their pattern, missing as `?`. What comes in
may also be `numeric` or `string`. Quotes and backslashes follow WEKA's own rules. Nominal values
that no record has are not kept, for a domain holds what occurs.
"""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from privet.errors import InputError
from privet.files.encode import ColumnBuilder
from privet.files.fence import check_columns, check_rows, fence
from privet.files.frames import check_names
from privet.files.gzipped import text_bytes
from privet.schema import Kind
from privet.table import Coded, Table

_ROWS_AT_ONCE = 1 << 16
_TOKEN = re.compile(
    r"""'([^'\\]*+(?:\\.[^'\\]*+)*+)'|"([^"\\]*+(?:\\.[^"\\]*+)*+)"|"""
    r"""([^\s,'"{}%][^\s,'"{}]*)|(%.*)|([{}'"%])""",
    re.DOTALL,
)
_PLAIN_ROW = re.compile(r"[^\s'\"{}%]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_UNESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ATTRIBUTE = re.compile(
    r"@attribute\s+(?:'([^'\\]*+(?:\\.[^'\\]*+)*+)'|\"([^\"\\]*+(?:\\.[^\"\\]*+)*+)\""
    r"|([^\s{'\"][^\s{]*+))\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_JAVA_DATES = {"yyyy": "%Y", "yy": "%y", "MMM": "%b", "MM": "%m", "dd": "%d", "HH": "%H"}
_JAVA_DATES |= {"mm": "%M", "ss": "%S", "SSS": "%f"}
_DEFAULT_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_LONGEST_LINE = 1 << 24
_ALWAYS_UNPACKED = 1 << 25  # bytes; reading line by line takes its time
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class _Attribute:
    """A column as the header declares it, and the cells that were read so far."""

    name: str
    type: str  # numeric, real, integer, nominal, string or date
    values: frozenset[str] = frozenset()
    pattern: str = ""
    pieces: list[Any] = field(default_factory=list)


def read_arff(
    path: Path,
    kinds: Mapping[str, Kind],
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    most_rows: int | None = None,
) -> Table:
    """Read an ARFF file; only the named columns, if some are named.

    A file of more than `most_rows` rows is refused.
    """
    size = max(path.stat().st_size, 1)
    read = 0
    with fence(path, "arff"), text_bytes(path, _ALWAYS_UNPACKED) as (inside, raw):
        try:
            file = _lines(inside, path)
            attributes = _header(file, path)
            wanted = [
                (place, attribute)
                for place, attribute in enumerate(attributes)
                if columns is None or attribute.name in columns
            ]
            check_columns(len(wanted), path)
            for rows in _batches(_rows(file, path, len(attributes))):
                read += len(rows)
                check_rows(read, most_rows, path)
                for place, attribute in wanted:
                    _take_in(attribute, [row[place] for row in rows], path)
                if progress:
                    progress(min(raw.tell() / size, 1.0))
        except UnicodeDecodeError:
            raise InputError(
                f"The file {path.name} is not UTF-8 text.", "save it in the encoding UTF-8."
            ) from None
        return Table({a.name: _column(a, kinds.get(a.name), missing) for _, a in wanted})


def arff_names(path: Path) -> list[str]:
    """The names of the columns, from the header alone."""
    with fence(path, "arff"), text_bytes(path, _ALWAYS_UNPACKED) as (inside, _):
        return [attribute.name for attribute in _header(_lines(inside, path), path)]


# -- reading ---------------------------------------------------------------------------------------


def _lines(inside: IO[bytes], path: Path) -> Iterator[str]:
    """The lines of a file; none is longer than a real one could be."""
    file = io.TextIOWrapper(inside, encoding="utf-8-sig")
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise InputError(
                f"The file {path.name} has a line of more than {_LONGEST_LINE >> 20} MB.",
                "check that it is an ARFF file.",
            )
        yield line


def _header(file: Iterator[str], path: Path) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for line in file:
        text = line.strip()
        word = text[:10].lower()
        if word.startswith("@data"):
            check_names([a.name for a in attributes], f"The file {path.name}")
            return attributes
        if word == "@attribute":
            attributes.append(_attribute(text, path))
        elif text and not text.startswith("%") and not word.startswith("@relation"):
            break
    raise InputError(
        f"The header of {path.name} is not that of an ARFF file.",
        "it needs @relation, an @attribute line for each column, and @data.",
    )


def _attribute(line: str, path: Path) -> _Attribute:
    found = _ATTRIBUTE.fullmatch(line)
    if not found:
        raise InputError(
            f"An @attribute line of {path.name} cannot be read.", "it needs a name and a type."
        )
    name = _unescaped(found[1] or found[2] or "") if found[3] is None else found[3]
    declared = found[4].strip()
    if declared.startswith("{"):
        values, _ = _cells(declared[1:].rpartition("}")[0])
        return _Attribute(name, "nominal", frozenset(v for v in values if v is not None))
    word, _, rest = declared.partition(" ")
    word = word.lower()
    if word in ("numeric", "real", "integer", "string"):
        return _Attribute(name, word)
    if word == "date":
        patterns, _ = _cells(rest)
        return _Attribute(name, word, pattern=_python_pattern(patterns, name))
    known = "the type relational," if word == "relational" else "an ARFF type"
    raise InputError(
        f"Column '{name}' has {known} that Privet does not read.",
        "numeric, real, integer, string, date and lists of values in braces are read.",
    )


def _rows(file: Iterator[str], path: Path, width: int) -> Iterator[list[str | None]]:
    number = 0
    for line in file:
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        number += 1
        if text.startswith("{"):
            raise InputError(
                f"The file {path.name} is a sparse ARFF file.",
                "save it dense: WEKA's filter SparseToNonSparse does that.",
            )
        if _PLAIN_ROW.fullmatch(text):
            row: list[str | None] = [None if c == "?" else c for c in text.split(",")]
            well = "" not in row
        else:
            row, well = _cells(text)
        if len(row) != width or not well:
            raise InputError(
                f"Row {number} of {path.name} does not fit the header of {width} columns.",
                "check its quotes and commas; a missing cell is ?, and weights are not read.",
            )
        yield row


def _cells(text: str) -> tuple[list[str | None], bool]:
    """The cells of a line, and whether it is well formed; missing is None."""
    cells: list[str | None] = []
    for token in _TOKEN.finditer(text):
        single, double, word, comment, stray = token.groups()
        if stray is not None:
            return cells, False
        if comment is not None:
            break
        if word is not None:
            cells.append(None if word == "?" else word)
        else:
            cells.append(_unescaped(single if single is not None else double))
    return cells, True


def _batches(rows: Iterator[list[str | None]]) -> Iterator[list[list[str | None]]]:
    batch: list[list[str | None]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _ROWS_AT_ONCE:
            yield batch
            batch = []
    yield batch


def _take_in(attribute: _Attribute, cells: list[str | None], path: Path) -> None:
    piece = pa.array(cells, pa.large_string()).dictionary_encode()
    if attribute.type == "nominal" and not attribute.values.issuperset(
        piece.dictionary.to_pylist()
    ):
        raise InputError(
            f"Column '{attribute.name}' of {path.name} holds a value that its list does not name.",
            "add it to the values of its @attribute line.",
        )
    attribute.pieces.append(piece)


def _column(attribute: _Attribute, kind: Kind | None, missing: Sequence[str]) -> Coded:
    if attribute.type in ("nominal", "string"):
        builder = ColumnBuilder(attribute.name, kind, missing)
    elif attribute.type == "date":
        has_time = any(mark in attribute.pattern for mark in ("%H", "%M", "%S"))
        own = Kind.DATETIME if has_time else Kind.DATE
        builder = ColumnBuilder(attribute.name, kind or own, missing)
        attribute.pieces = [_moments(attribute, piece, own) for piece in attribute.pieces]
    else:
        texts = {text for piece in attribute.pieces for text in piece.dictionary.to_pylist()}
        whole = attribute.type != "real" and all(map(_is_integer, texts))
        found = Kind.INTEGER if whole and (texts or attribute.type == "integer") else Kind.DECIMAL
        builder = ColumnBuilder(
            attribute.name, kind or found, missing, from_text=True, exact=not missing
        )
    for piece in attribute.pieces:
        builder.add(piece)
    return builder.finish()


def _is_integer(text: str) -> bool:
    if not _WHOLE.fullmatch(text):
        return False
    digits = text.lstrip("+-").lstrip("0") or "0"  # Python reads no more than 4,300 at once
    return len(digits) < 20 and int(digits) < 2**63 + (text[0] == "-")


def _moments(attribute: _Attribute, piece: Any, kind: Kind) -> Any:
    try:
        found = [_moment(text, attribute.pattern) for text in piece.dictionary.to_pylist()]
    except ValueError:
        raise InputError(
            f"Column '{attribute.name}' holds a date that does not follow its pattern.",
            "correct the cell, or the pattern of its @attribute line.",
        ) from None
    plain = [(moment - _EPOCH) // timedelta(microseconds=1) for moment in found]
    if kind is Kind.DATE:
        values = pa.array([ticks // 86_400_000_000 for ticks in plain], pa.int32())
        return pa.DictionaryArray.from_arrays(piece.indices, values.cast(pa.date32()))
    values = pa.array(plain, pa.int64()).cast(pa.timestamp("us"))
    return pa.DictionaryArray.from_arrays(piece.indices, values)


def _moment(text: str, pattern: str) -> datetime:
    return datetime.strptime(text, pattern).replace(tzinfo=UTC)


def _python_pattern(given: list[str | None], name: str) -> str:
    """A pattern of Java's SimpleDateFormat as one of Python's."""
    java = (given[0] if given else None) or _DEFAULT_DATE
    found = ""
    for match in re.finditer(r"'([^']*)'|(([A-Za-z])\3*)|([^A-Za-z'])", java):
        literal, letters, _, other = match.groups()
        if letters is not None and letters not in _JAVA_DATES:
            raise InputError(
                f"Column '{name}' has a pattern of dates that Privet does not read.",
                "years, months, days, hours, minutes, seconds and milliseconds are read.",
            )
        plain = (literal or "'") if letters is None and other is None else other or ""
        found += _JAVA_DATES[letters] if letters else plain.replace("%", "%%")
    parts = re.findall("%[A-Za-z]", found.replace("%%", ""))
    if len(set(parts)) < len(parts) or {"%Y", "%y"} <= set(parts) or {"%b", "%m"} <= set(parts):
        raise InputError(
            f"Column '{name}' has a pattern of dates that names one part twice.",
            "name the year, the month, the day and so on once each.",
        )
    return found


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        mark = match[1]
        return chr(int(mark[1:], 16)) if len(mark) == 5 else _UNESCAPED.get(mark, mark)

    found = _ESCAPE.sub(plain, text)
    if not _HALF_CHARACTER.search(found):
        return found
    try:  # two halves that belong together are one character
        return found.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise InputError(
            "The ARFF file holds half a character (\\uD800 to \\uDFFF).",
            "write the whole character, or both of its halves.",
        ) from None
