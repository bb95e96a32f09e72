"""Files of SPSS (.sav, .zsav) and Stata (.dta): writing, with value labels.

A category is a whole number from 1 on with its label, in sorted order, so that the packages show
the labels; labels too long for that are written as texts. Names that a package does not take are
changed, and the variable's label then holds the name as it was.
"""

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import MissingExtra, OutputError
from privet.files.losses import tell
from privet.files.stat_packages import pyreadstat_or_hint
from privet.schema import Kind
from privet.table import Coded, Table

WRITABLE = (".sav", ".zsav", ".dta")
_LONGEST_NAME = {".sav": 64, ".zsav": 64, ".dta": 32}
_LONGEST_LABEL = {".sav": 120, ".zsav": 120, ".dta": 32_000}  # bytes
_WHOLE_NUMBER = {".sav": "F20.0", ".zsav": "F20.0", ".dta": "%20.0f"}
_DECIMAL = {".sav": "F24.16", ".zsav": "F24.16", ".dta": "%24.16g"}
_RESERVED = {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
_RESERVED |= {"byte", "int", "long", "float", "double", "if", "in", "using", "strl", "_all"}
_EXACT = 2**53
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)


def write_statistics(
    table: Table, path: Path, suffix: str, counts: npt.NDArray[np.integer[Any]] | None = None
) -> None:
    """Write a table for SPSS or Stata; with `counts`, row i is written counts[i] times."""
    pyreadstat = pyreadstat_or_hint()
    try:
        import pandas
    except ImportError:
        raise MissingExtra("Writing files of SPSS and Stata needs", "pandas", "stat") from None
    rows = None if counts is None else np.repeat(np.arange(table.n_rows), counts)
    names = _accepted_names(table.names, _LONGEST_NAME[suffix])
    labels: dict[str, dict[int, str]] = {}
    formats: dict[str, str] = {}
    columns: dict[str, Any] = {}
    _tell_losses(table, suffix)
    for name, written in names.items():
        column = table[name] if rows is None else Coded(table[name].domain, table[name].codes[rows])
        values, texts, shown = _values(column, suffix)
        columns[written] = pandas.array(values, dtype="Int64") if shown == "whole" else values
        if texts:
            labels[written] = texts
        if shown:
            formats[written] = (_WHOLE_NUMBER if shown == "whole" else _DECIMAL)[suffix]
    changed = {written: name for name, written in names.items() if name != written}
    tell(
        list(changed.values()),
        "renamed to " + ", ".join(changed) + "; the variable label keeps the name",
    )
    frame = pandas.DataFrame(columns, columns=list(names.values()))
    described = {"column_labels": changed, "variable_value_labels": labels}
    try:
        if suffix == ".dta":
            pyreadstat.write_dta(frame, str(path), variable_format=formats, **described)
        else:
            pyreadstat.write_sav(
                frame, str(path), variable_format=formats, compress=suffix == ".zsav", **described
            )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        raise OutputError(
            f"The table holds something that a {suffix} file cannot hold.",
            "write CSV or Parquet instead.",
        ) from None


def _values(column: Coded, suffix: str) -> tuple[Any, dict[int, str], str]:
    """The cells of a column as the library takes them, its labels, and how numbers are shown."""
    domain, codes = column.domain, column.codes
    absent = codes == len(domain.values)
    if domain.kind is Kind.CATEGORY:
        texts = domain.texts[: len(domain.values)]
        if all(len(text.encode()) <= _LONGEST_LABEL[suffix] for text in texts):
            labels = {code + 1: text for code, text in enumerate(texts)}
            return _with_missing(codes.astype(np.int64) + 1, absent), labels, "whole"
        return _looked_up([*texts, ""], codes), {}, ""
    if domain.kind is Kind.INTEGER:
        lookup = np.append(domain.values.astype(np.int64), 0)
        if np.abs(domain.values.astype(np.float64)).max(initial=0) > _EXACT:
            numbers = lookup[codes].astype(np.float64)
            return np.where(absent, np.nan, numbers), {}, "decimal"
        return _with_missing(lookup[codes], absent), {}, "whole"
    if domain.kind is Kind.DECIMAL or not len(domain.values):
        return np.append(domain.values.astype(np.float64), np.nan)[codes], {}, "decimal"
    try:
        moments = [_moment(int(value), domain.kind) for value in domain.values]
    except OverflowError:
        raise OutputError(
            f"A date outside the years 1 to 9999 cannot be written to {suffix}.",
            "write CSV or Parquet instead.",
        ) from None
    return _looked_up([*moments, None], codes), {}, ""


def _moment(value: int, kind: Kind) -> date | datetime:
    if kind is Kind.DATE:
        return date(1970, 1, 1) + timedelta(days=value)
    return _EPOCH + timedelta(microseconds=value)


def _looked_up(values: list[Any], codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    lookup = np.empty(len(values), dtype=object)
    lookup[:] = values
    return np.asarray(lookup[codes])


def _with_missing(values: npt.NDArray[np.int64], absent: npt.NDArray[np.bool_]) -> list[int | None]:
    return [None if gone else v for v, gone in zip(values.tolist(), absent.tolist(), strict=True)]


def _accepted_names(names: tuple[str, ...], longest: int) -> dict[str, str]:
    """For each column a name that the package takes, unique whatever the case."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        plain = re.sub(r"\W", "_", name)
        plain = plain if re.match(r"[^\W\d_]", plain) else f"v{plain}"
        while len(plain.encode()) > longest - 4:
            plain = plain[:-1]
        written = plain + "_" if plain.lower() in _RESERVED else plain
        number = 1
        while written.lower() in used:
            number += 1
            written = f"{plain}_{number}"
        used.add(written.lower())
        found[name] = written
    return found


def _tell_losses(table: Table, suffix: str) -> None:
    def having(test: Any) -> list[str]:
        return [name for name in table if test(table[name].domain)]

    tell(
        having(lambda d: d.kind is Kind.DATETIME and (d.values % 1000 != 0).any()),
        "times finer than a millisecond are lost",
    )
    tell(
        having(
            lambda d: (
                d.kind is Kind.INTEGER
                and np.abs(d.values.astype(np.float64)).max(initial=0) > _EXACT
            )
        ),
        "integers beyond 2^53 are rounded, for the format has no others",
    )
    tell(
        having(lambda d: d.kind is Kind.CATEGORY and any(t != t.rstrip() for t in d.texts)),
        "blanks at the end of a label may be lost",
    )
    tell(
        having(lambda d: not len(d.values) and d.kind is not Kind.CATEGORY),
        "nothing but missing cells, so that the kind is lost",
    )
