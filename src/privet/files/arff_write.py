"""ARFF, the files of WEKA: writing; `arff` reads them and states the rules.

Categories become nominal attributes with their values in sorted order. Quotes follow WEKA's own
rules, so that WEKA reads every label as it is.
"""

import gzip
import re
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from privet.files.losses import tell
from privet.files.portions import portions
from privet.schema import Kind
from privet.table import Domain, Table

_ROWS_AT_ONCE = 1 << 16
_NEEDS_QUOTES = re.compile(r"[\s'\"\\%{},\x00-\x1f]")


def write_arff(
    table: Table, path: Path, counts: npt.NDArray[np.integer[Any]] | None = None
) -> None:
    """Write a table; with `counts`, row i is written counts[i] times."""
    too_fine = [name for name in table if _is_finer_than_milliseconds(table[name].domain)]
    tell(too_fine, "ARFF knows no time finer than a millisecond; what is finer is cut off")
    with path.open("wb") as raw:
        if not path.name.lower().endswith(".gz"):
            _write(table, raw, counts)
            return
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            _write(table, packed, counts)


def _write(
    table: Table, file: IO[bytes] | gzip.GzipFile, counts: npt.NDArray[np.integer[Any]] | None
) -> None:
    columns = [_written(table[name].domain) for name in table]
    header = ["@relation table", ""]
    for name, (declared, _) in zip(table.names, columns, strict=True):
        header.append(f"@attribute {_quoted(name)} {declared}")
    file.write(("\n".join([*header, "", "@data"]) + "\n").encode())
    cells = [np.array([*texts, ""], dtype=object) for _, texts in columns]
    for rows, repeats in portions(table.n_rows, counts, _ROWS_AT_ONCE):
        parts = [own[table[name].codes[rows]] for name, own in zip(table.names, cells, strict=True)]
        lines = np.array([",".join(row) + "\n" for row in zip(*parts, strict=True)], object)
        repeated = lines if repeats is None else np.repeat(lines, repeats)
        file.write("".join(repeated.tolist()).encode())


def _written(domain: Domain) -> tuple[str, list[str]]:
    """The type of a column, and the text of each code; missing is the question mark."""
    texts = domain.texts[: len(domain.values)]
    match domain.kind:
        case Kind.CATEGORY:
            texts = [_quoted(text) for text in texts]
            declared = "{" + ",".join(texts) + "}" if texts else "string"
        case Kind.INTEGER:
            declared = "integer"
        case Kind.DECIMAL:
            declared = "real"
        case Kind.DATE:
            declared, texts = 'date "yyyy-MM-dd"', list(texts)
        case Kind.DATETIME:
            fine = bool((domain.values % 1_000_000 != 0).any())
            declared = "date \"yyyy-MM-dd'T'HH:mm:ss" + ('.SSS"' if fine else '"')
            texts = [(text + ".000")[:23] if fine else text[:19] for text in texts]
    return declared, [*texts, "?"] if domain.missing else texts


def _is_finer_than_milliseconds(domain: Domain) -> bool:
    return domain.kind is Kind.DATETIME and bool((domain.values % 1000 != 0).any())


def _quoted(text: str) -> str:
    if text not in ("", "?") and not _NEEDS_QUOTES.search(text):
        return text
    for plain, escaped in (("\\", "\\\\"), ("'", "\\'"), ('"', '\\"'), ("%", "\\%")):
        text = text.replace(plain, escaped)
    for plain, escaped in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\x1e", "\\u001E")):
        text = text.replace(plain, escaped)
    return f"'{text}'"
