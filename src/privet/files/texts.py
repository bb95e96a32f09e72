"""Texts as values: which kind a column of texts has, and what each distinct text means.

Everything here works on the distinct texts of one column, never on its rows. `encode` brings the
result back to the rows; `csv` and `frames` are the callers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.errors import InputError, param, read_as_category
from privet.files.to_arrow import arrow_flags
from privet.files.to_arrow import compute as pc
from privet.schema import Kind
from privet.table import parse_iso

Flags = npt.NDArray[np.bool_]

MISSING_TEXTS = ("", "NaN", "nan", "NA", "<NA>", "N/A", "n/a", "NaT", "null", "NULL")

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WHOLE = r"^[+-]?[0-9]+$"
_LEADING_ZERO = r"^[+-]?0[0-9]+$"
_INFINITE = r"(?i)^[+-]?inf(inity)?$"
_PUNCTUATION = r"^[\pP\pS]+$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_DATETIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"
_LOCAL = _DATETIME + "$"
_ZONED = _DATETIME + r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)$"
_TOO_FINE = r"\.[0-9]{6}[0-9]*[1-9]"

_LONGEST_WHOLE = 400  # digits; the largest float has 309
_DAY = 86_400_000_000  # microseconds
_FIRST_MOMENT, _LAST_MOMENT = -719162 * _DAY, 2932897 * _DAY - 1  # years 1 to 9999


@dataclass(frozen=True)
class Meaning:
    """What the distinct entries of a column are: a kind, a value for each, and who is missing.

    `values` is int64 or float64, or for categories a text array of Arrow; entries that are missing
    have a value that nobody looks at.
    """

    kind: Kind
    values: Any
    missing: Flags


def meaning_of(
    texts: pa.Array,
    column: str,
    kind: Kind | None = None,
    missing: Sequence[str] = (),
    *,
    exact: bool = False,
    decimal_comma: bool = False,
    mixed: bool = False,
) -> Meaning:
    """Read the distinct texts of a column; without a kind, find the one that fits them all.

    With `exact`, only the empty text is missing: so Privet's own files are read. With `mixed`,
    numbers among words are categories, where they are refused otherwise.
    """
    trimmed = texts if exact else pc.utf8_trim_whitespace(texts)
    absent = _missing_among(texts, trimmed, missing, exact)
    if kind is Kind.CATEGORY:
        return Meaning(kind, texts, absent)

    if decimal_comma:
        trimmed = _with_points(trimmed)
    number = _matches(trimmed, _NUMBER) & ~absent
    if kind is None and not number.any():
        return _moments_or_labels(texts, trimmed, absent, column)
    if kind in (Kind.DATE, Kind.DATETIME):
        return Meaning(kind, _given_moments(trimmed, absent, column, kind), absent)

    if kind is None and (number & _matches(trimmed, _LEADING_ZERO)).any():
        return Meaning(Kind.CATEGORY, texts, absent)
    named = absent.copy()
    if not exact:
        absent |= _evident_marker(trimmed, absent, number)
    rest = ~absent & ~number
    if rest.any():
        words = trimmed.filter(arrow_flags(rest))
        if mixed and kind is None and not _matches(words, _INFINITE).all():
            return Meaning(Kind.CATEGORY, texts, named)
        _refuse_words(words, column, kind)
    return _numbers(texts, trimmed, absent, column, kind)


def _missing_among(texts: pa.Array, trimmed: pa.Array, marks: Sequence[str], exact: bool) -> Flags:
    if exact:
        return _flags(pc.equal(texts, ""))
    known = [*MISSING_TEXTS, *(mark.strip() for mark in marks)]
    return _flags(pc.is_in(trimmed, value_set=pa.array(known, texts.type)))


def _with_points(texts: pa.Array) -> pa.Array:
    """Numbers with a decimal comma written with a point."""
    commas = _flags(pc.match_substring_regex(texts, r"^[+-]?[0-9]*,[0-9]+$"))
    pointed = pc.replace_substring(texts, ",", ".", max_replacements=1)
    return pc.if_else(arrow_flags(commas), pointed, texts)


def _evident_marker(trimmed: pa.Array, absent: Flags, number: Flags) -> Flags:
    """Among numbers, one text of mere punctuation ("?") marks missing cells, if nothing else does.

    Two different marks are not put together without being asked: that would make records look
    alike that the file tells apart.
    """
    marks = _matches(trimmed, _PUNCTUATION) & ~number & ~absent
    if absent.any() or len(trimmed.filter(arrow_flags(marks)).unique()) > 1:
        return np.zeros(len(marks), dtype=bool)
    return marks


def _numbers(
    texts: pa.Array, trimmed: pa.Array, absent: Flags, column: str, kind: Kind | None
) -> Meaning:
    """A column in which everything that is not missing is a number."""
    present = trimmed.filter(arrow_flags(~absent))
    whole = bool(_matches(present, _WHOLE).all())
    if whole and kind is not Kind.DECIMAL:
        try:
            integers = pc.replace_substring_regex(present, r"^\+", "").cast(pa.int64())
            return Meaning(Kind.INTEGER, _spread(integers, absent, 0), absent)
        except pa.ArrowInvalid:
            # Too long for 64 bits. As decimals, different numbers could fall together.
            if kind is None and not all(map(_is_exact_float, present.to_pylist())):
                return Meaning(Kind.CATEGORY, texts, absent)
    values = present.cast(pa.float64()).to_numpy(zero_copy_only=False)
    if np.isinf(values).any():
        raise infinite(column)
    if kind is Kind.INTEGER:
        integers = integers_of(values, column)
        return Meaning(Kind.INTEGER, _spread(integers, absent, 0), absent)
    return Meaning(Kind.DECIMAL, _spread(values, absent, 0.0), absent)


def _is_exact_float(text: str) -> bool:
    """Whether a whole number is just what its float is."""
    rounded = float(text)
    return math.isfinite(rounded) and len(text) < _LONGEST_WHOLE and int(text) == int(rounded)


def _moments_or_labels(texts: pa.Array, trimmed: pa.Array, absent: Flags, column: str) -> Meaning:
    """A column without any number: dates, datetimes, or categories."""
    present = trimmed.filter(arrow_flags(~absent))
    labels = Meaning(Kind.CATEGORY, texts, absent)
    if len(present) == 0:
        return labels
    try:
        if _matches(present, _DATE).all():
            days = present.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
            if pc.min(days).as_py() * _DAY < _FIRST_MOMENT:
                return labels
            return Meaning(Kind.DATE, _spread(days, absent, 0), absent)
        for pattern, zone in ((_LOCAL, None), (_ZONED, "UTC")):
            if _matches(present, pattern).all():
                return moments(_spread(_ticks(present, zone, column), absent, 0), absent, zone)
    except pa.ArrowInvalid:  # the shape of a date, but there is no such day
        return labels
    return labels


def moments(ticks: npt.NDArray[np.int64], absent: Flags, zone: str | None) -> Meaning:
    """Microseconds as datetimes; as dates, when all are midnights and no zone is known."""
    if zone is None and not (ticks[~absent] % _DAY).any():
        return Meaning(Kind.DATE, ticks // _DAY, absent)
    return Meaning(Kind.DATETIME, ticks, absent)


def _ticks(present: pa.Array, zone: str | None, column: str) -> npt.NDArray[np.int64]:
    if _matches(present, _TOO_FINE).any():
        raise too_fine(column)
    plain = pc.replace_substring_regex(present, r"(\.[0-9]{6})0+", r"\1")
    ticks = plain.cast(pa.timestamp("us", zone)).cast(pa.int64())
    return within_calendar(ticks.to_numpy(zero_copy_only=False), column)


def _given_moments(
    trimmed: pa.Array, absent: Flags, column: str, kind: Kind
) -> npt.NDArray[np.int64]:
    """Dates or datetimes because the schema says so; also days outside the calendar's years."""
    present = trimmed.filter(arrow_flags(~absent))
    outside = _matches(present, r"^day[+-][0-9]+$")
    try:
        if kind is Kind.DATE and outside.any():
            days = [int(parse_iso(text, kind)) for text in present.to_pylist()]
            return _spread(np.array(days, dtype=np.int64), absent, 0)
        zone = "UTC" if len(present) and _matches(present, _ZONED).all() else None
        ticks = _ticks(present, zone, column)
    except (pa.ArrowInvalid, ValueError):
        raise wrong_kind(column, kind) from None
    if kind is Kind.DATETIME:
        return _spread(ticks, absent, 0)
    if (ticks % _DAY).any():
        raise wrong_kind(column, kind)
    return _spread(ticks // _DAY, absent, 0)


def integers_of(values: npt.NDArray[np.float64], column: str) -> npt.NDArray[np.int64]:
    """Whole floats as integers."""
    if (values % 1 != 0).any() or (np.abs(values) >= 2.0**63).any():
        raise wrong_kind(column, Kind.INTEGER)
    return values.astype(np.int64)


def within_calendar(ticks: npt.NDArray[np.int64], column: str) -> npt.NDArray[np.int64]:
    if len(ticks) and (ticks.min() < _FIRST_MOMENT or ticks.max() > _LAST_MOMENT):
        raise InputError(
            f"Column '{column}' holds a datetime outside the years 1 to 9999.",
            "correct those cells, or make them missing.",
        )
    return ticks


def _refuse_words(words: pa.Array, column: str, kind: Kind | None) -> None:
    if _matches(words, _INFINITE).all():
        raise infinite(column)
    if kind is not None:
        raise wrong_kind(column, kind)
    raise InputError(
        f"Column '{column}' mixes numbers and words.",
        f"give its kind in a schema file, or read it as categories with "
        f"{read_as_category(column)}, "
        f"or name the word that stands for a missing cell with {param('missing', 'MARKER')}.",
    )


def infinite(column: str) -> InputError:
    return InputError(
        f"Column '{column}' holds an infinite number.",
        "replace infinities by missing cells or by a largest value.",
    )


def too_fine(column: str) -> InputError:
    return InputError(
        f"Column '{column}' holds datetimes finer than a microsecond.",
        "round them to microseconds first.",
    )


def wrong_kind(column: str, kind: Kind) -> InputError:
    return InputError(
        f"Column '{column}' cannot be read as {kind}: some of its values are of another kind.",
        "correct its kind in the schema, or name markers of missing cells with "
        f"{param('missing', 'MARKER')}.",
    )


def _matches(texts: pa.Array, pattern: str) -> Flags:
    return _flags(pc.match_substring_regex(texts, pattern))


def _flags(array: pa.Array) -> Flags:
    return np.array(array.to_numpy(zero_copy_only=False), dtype=bool)


def _spread(present: Any, absent: Flags, filler: float) -> npt.NDArray[Any]:
    """Values of the entries that are present, put back among those that are missing."""
    values = np.asarray(present)
    whole = np.full(len(absent), filler, dtype=values.dtype)
    whole[~absent] = values
    return whole
