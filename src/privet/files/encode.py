"""From arrays of Arrow to columns of codes.

A column arrives in pieces. Each piece is dictionary-encoded at once, so that only small codes are
kept (but decimals that hardly repeat are kept as they are: `plain_numbers`). When the last piece is
in, the distinct values are read, sorted and mapped. Nothing here costs more than one pass over the
rows; all else costs what the distinct values cost. `texts` says what texts mean; `frames`, `csv`
and `parquet` bring the pieces.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as types

from privet.errors import InputError
from privet.files import texts
from privet.files.few_values import Entries, as_arrow, few_values, kind_of, sorted_together
from privet.files.on_disk import Pieces
from privet.files.plain_numbers import (
    coded_numbers,
    hardly_repeats,
    is_decimal,
    plain_numbers,
)
from privet.files.texts import Flags, Meaning, meaning_of
from privet.files.to_arrow import arrow_flags, arrow_integers
from privet.files.to_arrow import compute as pc
from privet.schema import Kind
from privet.table import Coded, Codes, Domain, code_type

_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}


class ColumnBuilder:
    """Gathers the pieces of one column and gives the column.

    `kind` is the kind asked for, `missing` the user's markers of missing cells. With `from_text`
    the pieces are the raw texts of a file, whose kind is still to be found.
    """

    def __init__(
        self,
        name: str,
        kind: Kind | None = None,
        missing: Sequence[str] = (),
        *,
        from_text: bool = False,
        exact: bool = False,
        decimal_comma: bool = False,
        mixed: bool = False,
    ) -> None:
        self._name = name
        self._kind = kind
        self._missing = missing
        self._from_text = from_text
        self._exact = exact
        self._decimal_comma = decimal_comma
        self._mixed = mixed
        self._plain = Pieces()  # instead of the two below
        self._dictionaries: list[pa.Array | Entries] = []
        self._pieces = Pieces()  # codes of each piece into its own dictionary; null is last
        self._any_null = False

    def add(self, array: pa.Array) -> None:
        """Take in the next rows."""
        if not self._dictionaries and self._is_plain(array):
            self._plain.append(plain_numbers(array))
            return
        found = None if self._from_text else few_values(array)
        # The dictionaries of our own reader of text hold just what occurs.
        dictionary, codes = found or _dictionary_encoded(array, self._name, tidy=self._from_text)
        self._dictionaries.append(dictionary)
        self._pieces.append(codes)
        self._any_null |= bool(len(codes)) and int(codes.max()) == len(dictionary)

    def finish(self) -> Coded:
        """The whole column. The builder is empty afterwards."""
        if self._plain:
            return coded_numbers(self._plain, self._name, self._missing)
        domain, codes_of_entries = self._few() or self._many()
        dtype = code_type(domain.size)
        null = len(domain.values) if self._any_null else 0
        lookups = (np.append(own, null).astype(dtype) for own in codes_of_entries)
        length = self._pieces.length
        codes = (own[piece] for own, piece in zip(lookups, self._pieces.taken(), strict=True))
        whole = self._pieces.joined(codes, dtype, length)
        self._dictionaries.clear()
        return Coded(domain, whole)

    def _is_plain(self, array: pa.Array) -> bool:
        """Whether these are decimals that hardly repeat, or the pieces before were."""
        if self._from_text or self._kind not in (None, Kind.DECIMAL):
            return False
        return is_decimal(array) and (bool(self._plain) or hardly_repeats(array))

    def _few(self) -> tuple[Domain, list[npt.NDArray[np.int64]]] | None:
        """The domain and the codes of each piece's entries, if they are few and plain."""
        kind = kind_of(self._dictionaries)
        if kind is None or self._missing or self._kind not in (None, kind):
            return None
        values, codes, missing = sorted_together(self._dictionaries)
        return Domain(kind, values, missing or self._any_null), codes

    def _many(self) -> tuple[Domain, list[npt.NDArray[np.int64]]]:
        """The same of any entries."""
        dictionary, places = self._joined()
        meaning = self._read(dictionary)
        values, code_of_entry = _sorted_domain(meaning)
        missing = bool(meaning.missing.any()) or self._any_null
        return Domain(meaning.kind, values, missing), [code_of_entry[own] for own in places]

    def _joined(self) -> tuple[pa.Array, list[npt.NDArray[np.int64]]]:
        """One dictionary for all pieces, and for each piece where its entries stand in it."""
        if not self._dictionaries:
            self.add(pa.array([], pa.string()))
        each = [own if isinstance(own, pa.Array) else as_arrow(own) for own in self._dictionaries]
        joined = pa.concat_arrays(each).dictionary_encode()
        places = joined.indices.cast(pa.int64()).to_numpy(zero_copy_only=False)
        ends = np.cumsum([len(own) for own in self._dictionaries])
        return joined.dictionary, np.split(places, ends[:-1])

    def _read(self, dictionary: pa.Array) -> Meaning:
        if self._from_text:
            return meaning_of(
                dictionary,
                self._name,
                self._kind,
                self._missing,
                exact=self._exact,
                decimal_comma=self._decimal_comma,
                mixed=self._mixed,
            )
        meaning = _typed_meaning(dictionary, self._name)
        marked = meaning.missing | _marked(meaning, self._missing)
        return converted(Meaning(meaning.kind, meaning.values, marked), self._kind, self._name)


def encoded(array: pa.ChunkedArray | pa.Array, builder: ColumnBuilder) -> Coded:
    """A column that is in memory already."""
    for chunk in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
        builder.add(chunk)
    return builder.finish()


def declared_kind(kind: pa.DataType) -> Kind | None:
    """The kind that a type declares whatever its values are: a dictionary (a `category` of pandas,
    a Categorical or Enum of polars) is a column of categories, also if its labels are numbers."""
    return Kind.CATEGORY if isinstance(kind, pa.DictionaryType) else None


def check_type(kind: pa.DataType, name: str) -> None:
    """Refuse columns that are no single values, before any of them is read."""
    if isinstance(kind, pa.DictionaryType):
        kind = kind.value_type
    readable = (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_boolean(kind)
        or _is_text(kind)
        or types.is_date(kind)
        or types.is_timestamp(kind)
        or types.is_null(kind)
    )
    if not readable:
        raise InputError(
            f"Column '{name}' is of type {_short(kind)}, which Privet cannot order.",
            "turn it into numbers, dates or text, or leave the column out.",
        )


def converted(meaning: Meaning, kind: Kind | None, name: str) -> Meaning:
    """The same entries read as another kind, through their texts."""
    if kind is None or kind is meaning.kind:
        return meaning
    if meaning.missing.all():
        empty = pa.nulls(len(meaning.missing), pa.large_string()).fill_null("")
        return meaning_of(empty, name, kind, exact=True)
    if meaning.kind is Kind.INTEGER and kind is Kind.DECIMAL:
        return Meaning(kind, meaning.values.astype(np.float64), meaning.missing)
    entries = meaning.values
    if meaning.kind is not Kind.CATEGORY:
        domain = Domain(meaning.kind, meaning.values[~meaning.missing])
        spelled = np.full(len(meaning.missing), "", dtype=object)
        spelled[~meaning.missing] = domain.texts
        entries = pa.array(spelled, pa.large_string())
    else:
        entries = pc.if_else(arrow_flags(meaning.missing), "", entries).cast(pa.large_string())
    return meaning_of(entries, name, kind, exact=kind is Kind.CATEGORY)


def _dictionary_encoded(array: pa.Array, name: str, *, tidy: bool) -> tuple[pa.Array, Codes]:
    """Distinct values of a piece, and its codes; null has the code after the last value."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    check_type(array.type, name)
    tidy = tidy or not isinstance(array, pa.DictionaryArray)
    if not isinstance(array, pa.DictionaryArray):
        if types.is_null(array.type):
            array = array.cast(pa.string())
        elif types.is_float16(array.type):  # which older versions of pyarrow cannot encode
            array = array.cast(pa.float32())
        array = array.dictionary_encode()
    dictionary = array.dictionary
    indices = array.indices if tidy else array.indices.cast(pa.int64())
    codes = indices.fill_null(len(dictionary)).to_numpy(zero_copy_only=False)
    if not tidy:
        # A dictionary made elsewhere may list labels that no row has, or null, or one label twice.
        used = np.zeros(len(dictionary) + 1, dtype=bool)
        used[codes] = True
        used[-1] = False
        used[:-1] &= ~dictionary.is_null().to_numpy(zero_copy_only=False)
        new = np.where(used, np.cumsum(used) - 1, used.sum())
        dictionary, codes = dictionary.filter(arrow_flags(used[:-1])), new[codes]
    if _is_text(dictionary.type):
        dictionary = dictionary.cast(pa.large_string())
    return dictionary, codes.astype(code_type(len(dictionary) + 1))


def _typed_meaning(entries: pa.Array, name: str) -> Meaning:
    """What distinct typed values are."""
    kind = entries.type
    nobody = np.zeros(len(entries), dtype=bool)
    if _is_text(kind):
        return Meaning(Kind.CATEGORY, entries, _equal(entries, ""))
    if types.is_boolean(kind):
        labels = pc.if_else(entries, "true", "false").cast(pa.large_string())
        return Meaning(Kind.CATEGORY, labels, nobody)
    if types.is_integer(kind) or (types.is_decimal(kind) and kind.scale <= 0):
        return Meaning(Kind.INTEGER, _integers(entries, name), nobody)
    if types.is_floating(kind) or types.is_decimal(kind):
        # Decimals go through their text, because only that way is correctly rounded.
        source = entries.cast(pa.string()) if types.is_decimal(kind) else entries
        values = source.cast(pa.float64()).to_numpy(zero_copy_only=False)
        if np.isinf(values).any():
            raise texts.infinite(name)
        return Meaning(Kind.DECIMAL, values, np.isnan(values))
    if types.is_date(kind):
        days = entries.cast(pa.date32()).cast(pa.int32()).to_numpy(zero_copy_only=False)
        return Meaning(Kind.DATE, days.astype(np.int64), nobody)
    ticks = entries.cast(pa.int64()).to_numpy(zero_copy_only=False)
    if kind.unit == "ns":
        if (ticks % 1000).any():
            raise texts.too_fine(name)
        ticks = ticks // 1000
    else:
        factor = _MICROSECONDS[kind.unit]
        limit = np.iinfo(np.int64).max // factor
        ticks = np.clip(ticks, -limit, limit) * factor
    return texts.moments(texts.within_calendar(ticks, name), nobody, kind.tz)


def _integers(entries: pa.Array, name: str) -> npt.NDArray[np.int64]:
    try:
        if types.is_decimal(entries.type):
            entries = entries.cast(pa.decimal256(76, 0))
        values: npt.NDArray[np.int64] = entries.cast(pa.int64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        raise InputError(
            f"Column '{name}' holds integers beyond 64 bits.",
            "read such numbers as text: as an identifier or category they stay exact.",
        ) from None
    return values


def _marked(meaning: Meaning, markers: Sequence[str]) -> Flags:
    """Entries that one of the user's markers stands for."""
    flags = np.zeros(len(meaning.missing), dtype=bool)
    for marker in markers:
        if meaning.kind is Kind.CATEGORY:
            flags |= _equal(meaning.values, marker)
        elif meaning.kind in (Kind.INTEGER, Kind.DECIMAL):
            try:
                flags |= meaning.values == float(marker)
            except ValueError:
                continue
    return flags


def _sorted_domain(meaning: Meaning) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.int64]]:
    """Sorted distinct values, and the code of every entry; missing entries come after them."""
    present = ~meaning.missing
    code_of_entry = np.empty(len(present), dtype=np.int64)
    if meaning.kind is Kind.CATEGORY:
        distinct = meaning.values.filter(arrow_flags(present)).dictionary_encode()
        order = pc.sort_indices(distinct.dictionary).to_numpy(zero_copy_only=False)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        labels = distinct.dictionary.take(arrow_integers(order)).to_pylist()
        values = np.empty(len(labels), dtype=object)
        values[:] = labels
        inverse = rank[distinct.indices.to_numpy(zero_copy_only=False)]
    else:
        # Adding 0.0 turns -0.0 into 0.0 and changes nothing else.
        zero = 0.0 if meaning.kind is Kind.DECIMAL else 0
        values, inverse = np.unique(meaning.values[present] + zero, return_inverse=True)
    code_of_entry[present] = inverse
    code_of_entry[~present] = len(values)
    return values, code_of_entry


def _equal(entries: pa.Array, text: str) -> Flags:
    return np.array(pc.equal(entries, text).to_numpy(zero_copy_only=False), dtype=bool)


def _is_text(kind: pa.DataType) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _short(kind: pa.DataType) -> str:
    """The name of a type without its details, which may hold names of fields."""
    return str(kind).partition("<")[0].partition("[")[0]
