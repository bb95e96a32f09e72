"""Columns of few values, numbered by NumPy and Python alone.

Whole numbers that lie close together are numbered by their places in a table of flags, and texts
that a file holds as a dictionary are numbered already. Neither needs hashing, nor the functions of
Arrow, which take longer to load than a million such cells to be read. `encode` decides which
columns go this way; what comes out is the same.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as types

from privet.arrays import Booleans, Integers
from privet.files.to_arrow import arrow_integers
from privet.schema import Kind
from privet.table import Codes, code_type

_CLOSE = 1 << 16  # least and greatest whole number are less than this apart
_FEW = 1 << 12  # texts of a dictionary

Entries = list[str] | npt.NDArray[np.integer[Any]]  # distinct values of a piece


def few_values(array: pa.Array) -> tuple[Entries, Codes] | None:
    """The distinct values of a piece and its codes, if they are few; null has the code after the
    last value."""
    if array.null_count == len(array):
        return None
    if isinstance(array, pa.DictionaryArray):
        return _few_texts(array)
    if types.is_integer(array.type) and array.type != pa.uint64():
        return _close_integers(*_cells(array))
    return None


def _close_integers(
    values: npt.NDArray[Any], absent: Booleans | None
) -> tuple[Entries, Codes] | None:
    present = values if absent is None else values[~absent]
    least, greatest = int(present.min()), int(present.max())
    if greatest - least >= _CLOSE:
        return None
    places = np.subtract(values, least, dtype=np.int64).astype(np.uint16)
    found, codes = _numbered(places, absent, greatest - least + 1)
    return (found + least).astype(values.dtype), codes


def _few_texts(array: pa.DictionaryArray) -> tuple[Entries, Codes] | None:
    """Of a dictionary that may list texts that no row has."""
    dictionary = array.dictionary
    is_text = types.is_string(dictionary.type) or types.is_large_string(dictionary.type)
    if not is_text or len(dictionary) > _FEW or dictionary.null_count:
        return None
    found, codes = _numbered(*_cells(array.indices), len(dictionary))
    texts = dictionary.to_pylist()
    return [texts[place] for place in found.tolist()], codes


def _cells(array: pa.Array) -> tuple[npt.NDArray[Any], Booleans | None]:
    """Whole numbers as they lie in memory, and which of them are null: those may be anything."""
    bits, held = array.buffers()
    here = slice(array.offset, array.offset + len(array))
    values = np.frombuffer(held, array.type.to_pandas_dtype())[here]
    if not array.null_count:
        return values, None
    return values, np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[here] == 0


def _numbered(
    places: npt.NDArray[Any], absent: Booleans | None, size: int
) -> tuple[Integers, Codes]:
    """Which places occur, in order, and for each cell the number of its own among them."""
    if absent is not None:
        places = np.where(absent, places.dtype.type(0), places)
    occurs = np.zeros(size, dtype=bool)
    occurs[places if absent is None else places[~absent]] = True
    found = np.flatnonzero(occurs)
    codes = (np.cumsum(occurs) - 1).astype(code_type(len(found) + 1))[places]
    if absent is not None:
        codes[absent] = len(found)
    return found, codes


def as_arrow(entries: Entries) -> pa.Array:
    """Entries as `encode` holds those of other columns."""
    if isinstance(entries, list):
        return pa.array(entries, pa.large_string())
    return arrow_integers(entries)


def kind_of(pieces: Sequence[Entries | pa.Array]) -> Kind | None:
    """The kind of a column all of whose pieces have few values; None if there are others."""
    if pieces and all(isinstance(entries, list) for entries in pieces):
        return Kind.CATEGORY
    if pieces and all(isinstance(entries, np.ndarray) for entries in pieces):
        return Kind.INTEGER
    return None


def sorted_together(
    pieces: Sequence[Entries],
) -> tuple[npt.NDArray[Any], list[npt.NDArray[np.int64]], bool]:
    """The sorted values of all pieces, for each piece the codes of its entries, and whether there
    is a missing one: an empty text, which comes after all values."""
    ends = np.cumsum([len(entries) for entries in pieces])[:-1]
    if not isinstance(pieces[0], list):
        numbers = np.concatenate(pieces).astype(np.int64)
        distinct, codes = np.unique(numbers, return_inverse=True)
        return distinct, np.split(codes, ends), False
    texts = [text for entries in pieces for text in entries]
    labels = sorted(set(texts) - {""})
    code_of = {label: code for code, label in enumerate(labels)}
    values = np.empty(len(labels), dtype=object)
    values[:] = labels
    found = np.array([code_of.get(text, len(labels)) for text in texts])
    return values, np.split(found, ends), "" in texts
