"""Tables of codes.

A column is `codes` (the smallest unsigned integers) and a `domain` (its sorted distinct values).
Missing is a value: where a column has missing cells, they carry the last code of the domain.
Everything that decides works on codes and counts; files and frames of other libraries enter and
leave through `privet.files`.

Inside, dates are days and datetimes microseconds since 1970; only their texts are ISO dates.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from mmap import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.errors import InputError, UnknownColumn
from privet.schema import Column, Kind, Schema

Codes = npt.NDArray[np.unsignedinteger[Any]]
Value = int | float | str | None  # a value as model files and JSON hold it

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
STRETCH = 1 << 20  # rows that are looked at together, where codes may be on disk
_FIRST_DAY, _LAST_DAY = -719162, 2932896  # years 1 to 9999, the range of ISO dates


@dataclass(frozen=True, eq=False)
class Domain:
    """The sorted distinct values of a column; missing, where it occurs, is the last one."""

    kind: Kind
    values: npt.NDArray[Any]  # int64, float64 or object (str), sorted, distinct, without missing
    missing: bool = False

    @property
    def size(self) -> int:
        """How many values there are, missing counted as one."""
        return len(self.values) + self.missing

    @property
    def missing_code(self) -> int | None:
        return len(self.values) if self.missing else None

    @cached_property
    def texts(self) -> list[str]:
        """Each value as it is written to a text file, in order of codes; missing is empty."""
        texts = [text_of(v, self.kind) for v in self.values.tolist()]
        return [*texts, ""] if self.missing else texts

    def value(self, code: int) -> Value:
        """The value of a code as model files hold it: number, label, ISO text, or None."""
        if code == self.missing_code:
            return None
        item = self.values[code]
        if self.kind is Kind.CATEGORY:
            return str(item)
        if self.kind is Kind.INTEGER:
            return int(item)
        return float(item) if self.kind is Kind.DECIMAL else text_of(int(item), self.kind)

    def union(self, *others: "Domain") -> "Domain":
        """The values of several domains of one kind."""
        values = np.unique(np.concatenate([d.values for d in (self, *others)]))
        return Domain(self.kind, values, any(d.missing for d in (self, *others)))

    def places_in(self, other: "Domain") -> Integers:
        """The code in another domain of each code of this one, -1 for values that it lacks."""
        places = np.searchsorted(other.values, self.values)
        here = np.flatnonzero(places < len(other.values))
        found = np.full(self.size, -1, dtype=np.int64)
        here = here[other.values[places[here]] == self.values[here]]
        found[here] = places[here]
        if self.missing and other.missing:
            found[-1] = len(other.values)
        return found

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Domain)
            and self.kind is other.kind
            and self.missing == other.missing
            and np.array_equal(self.values, other.values)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:  # cells are not shown by accident, in a log or a notebook
        return f"Domain({self.kind}, {self.size} values)"


@dataclass(frozen=True, eq=False)
class Coded:
    """A column: one code for each row, and the domain the codes point into."""

    domain: Domain
    codes: Codes

    @classmethod
    def of(cls, values: npt.NDArray[Any], kind: Kind, missing: npt.NDArray[np.bool_]) -> "Coded":
        """Encode plain values; rows where `missing` is true become the missing value."""
        distinct, inverse = np.unique(values[~missing], return_inverse=True)
        codes = np.full(len(values), len(distinct), dtype=code_type(len(distinct) + 1))
        codes[~missing] = inverse
        domain = Domain(kind, distinct, bool(missing.any()))
        return cls(domain, codes.astype(code_type(domain.size), copy=False))

    def __repr__(self) -> str:
        return f"Coded({len(self.codes)} rows, {self.domain!r})"

    def merged(self, new_of_old: Sequence[int] | npt.NDArray[Any], domain: Domain) -> "Coded":
        """The column recoded: every code replaced through a map into another domain."""
        lookup = np.asarray(new_of_old).astype(code_type(domain.size))
        return Coded(domain, lookup[self.codes])

    def into(self, domain: Domain) -> "Coded":
        """The same values as codes of a domain that holds them all."""
        return self if self.domain == domain else self.merged(self.domain.places_in(domain), domain)

    def counts(self) -> Integers:
        """How many rows have each code."""
        counts = np.zeros(self.domain.size, dtype=np.int64)
        for codes in stretches(self.codes):
            counts += np.bincount(codes, minlength=self.domain.size)
        return counts

    def compact(self) -> "Coded":
        """The same column with a domain of the values that rows really have."""
        seen = np.zeros(self.domain.size, dtype=bool)
        for codes in stretches(self.codes):
            seen[codes] = True
        if seen.all():
            return self
        present = len(self.domain.values)
        values = self.domain.values[seen[:present]]
        domain = Domain(self.domain.kind, values, bool(self.domain.missing and seen[-1]))
        return self.merged(np.cumsum(seen) - 1, domain)


class Table:
    """An immutable table: named columns of codes, all of one length.

    >>> table = privet.table_of({"age": [30, 60, 30]})
    >>> table["age"].codes.tolist(), table["age"].domain.values.tolist()
    ([0, 1, 0], [30, 60])
    """

    def __init__(self, columns: Mapping[str, Coded]) -> None:
        lengths = {len(c.codes) for c in columns.values()}
        if len(lengths) > 1:
            raise InputError(
                "The columns of a table must have one length.",
                "if it came from a file, the file may be damaged: export it again.",
            )
        self._columns = dict(columns)
        self.n_rows = lengths.pop() if lengths else 0

    def __getitem__(self, name: str) -> Coded:
        try:
            return self._columns[name]
        except KeyError:
            raise UnknownColumn(name, self._columns) from None

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._columns)

    @property
    def nbytes(self) -> int:
        """Bytes held by the codes."""
        return sum(c.codes.nbytes for c in self._columns.values())

    def schema(self) -> Schema:
        """The kinds found in the table, every role still `quasi`."""
        return Schema(tuple(Column(n, c.domain.kind) for n, c in self._columns.items()))

    def select(self, names: Iterable[str]) -> "Table":
        return Table({name: self[name] for name in names})

    def replace(self, columns: Mapping[str, Coded]) -> "Table":
        """The same table with some columns exchanged, their places kept."""
        return Table({name: columns.get(name, c) for name, c in self._columns.items()})

    def sorted_rows(self) -> npt.NDArray[np.intp]:
        """Row numbers by their codes, the first column first: what they lead to is the same
        whatever order the rows come in. Several columns make one number where they fit."""
        keys = [np.zeros(self.n_rows, dtype=np.uint64)]
        reach = 1
        for column in self._columns.values():
            size = column.domain.size
            if reach * size > 1 << 64:
                keys.append(np.zeros(self.n_rows, dtype=np.uint64))
                reach = 1
            keys[-1] *= np.uint64(size)
            keys[-1] += column.codes
            reach *= size
        return np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])

    def take(self, rows: npt.NDArray[Any]) -> "Table":
        """Some rows, by number; domains stay as they are, so that codes stay comparable."""
        return Table({n: Coded(c.domain, c.codes[rows]) for n, c in self._columns.items()})


def stretches(codes: npt.NDArray[Any], rows: int | None = None) -> Iterator[npt.NDArray[Any]]:
    """Codes, or rows of several numbers each, some rows at a time."""
    rows = rows or STRETCH
    for start in range(0, len(codes), rows):
        yield stretch(codes, start, min(start + rows, len(codes)))


def stretch(codes: npt.NDArray[Any], start: int, stop: int) -> npt.NDArray[Any]:
    """Some rows one after the other. Those on disk are read from their file and not mapped into
    memory, so that it holds no more than them."""
    if not (isinstance(codes, np.memmap) and isinstance(codes.base, mmap)):  # no whole column
        return codes[start:stop]
    shape = (stop - start, *codes.shape[1:])
    place = codes.offset + start * codes.strides[0]
    some = np.fromfile(codes.filename, codes.dtype, math.prod(shape), offset=place)
    return some.reshape(shape)


def stretches_of(table: Table) -> Iterator[Table]:
    """A table some rows at a time, wherever its codes lie; domains stay as they are."""
    for start in range(0, table.n_rows, STRETCH):
        yield rows_between(table, start, min(start + STRETCH, table.n_rows))


def rows_between(table: Table, start: int, stop: int) -> Table:
    """Some rows of a table one after the other, in memory; domains stay as they are."""
    columns = ((name, table[name]) for name in table)
    return Table({n: Coded(c.domain, stretch(c.codes, start, stop)) for n, c in columns})


def code_type(size: int) -> type[np.unsignedinteger[Any]]:
    """The smallest unsigned integer type that can number `size` values."""
    if size <= 1 << 8:
        return np.uint8
    return np.uint16 if size <= 1 << 16 else np.uint32


def text_of(value: Any, kind: Kind) -> str:
    """A value as text files hold it: the shortest text that reads back to the same value."""
    if kind is Kind.CATEGORY:
        return str(value)
    if kind is Kind.DECIMAL:
        return repr(float(value))
    if kind is Kind.INTEGER:
        return str(int(value))
    return iso_text(value, kind)


def iso_text(value: float, kind: Kind) -> str:
    """Days or microseconds as ISO text; half days (thresholds) show their time of day."""
    if kind is Kind.DATE:
        days = int(value // 1)
        if not _FIRST_DAY <= days <= _LAST_DAY:
            return f"day{days:+d}"
        day = date(1970, 1, 1) + timedelta(days=days)
        return day.isoformat() + ("T12:00:00" if value % 1 else "")
    moment = _EPOCH.replace(tzinfo=None) + timedelta(microseconds=int(value // 1))
    text = moment.isoformat()
    if value % 1:
        text += ".0000005" if not moment.microsecond else "5"
    return text


def parse_iso(text: str, kind: Kind) -> float:
    """The inverse of `iso_text`."""
    if kind is Kind.DATE:
        if text.startswith("day"):
            return int(text[3:])
        day, _, time = text.partition("T")
        return (date.fromisoformat(day) - date(1970, 1, 1)).days + (0.5 if time else 0)
    half: float = 0  # whole microseconds stay integers, exact in any year
    if "." in text and len(text.rpartition(".")[2]) == 7:
        text, half = text[:-1], 0.5
    moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
    ticks = (moment - _EPOCH) // timedelta(microseconds=1)
    return ticks + half if half else ticks  # adding 0.0 would round large integers
