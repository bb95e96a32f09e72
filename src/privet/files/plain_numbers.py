"""Columns of decimals that hardly repeat: sorted once, without a dictionary.

A dictionary with an entry for nearly each row costs more than it saves. So such columns are kept as
floats until the last piece is in, and then sorted, long ones by compiled loops; codes follow from
the order. What comes out is the same as by way of `encode`, which decides which columns go so.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as types

from privet.compiled import loaded
from privet.files import texts
from privet.files.on_disk import Pieces
from privet.schema import Kind
from privet.table import Coded, Domain, code_type

COMPILE_FROM = 1_500_000  # rows from which sorting by bits pays for loading the compiled loops
_LOOKED_AT = 1 << 12  # rows at the beginning by which a column is judged

Numbers = npt.NDArray[np.float64]


def is_decimal(array: pa.Array) -> bool:
    return bool(types.is_float64(array.type) or types.is_float32(array.type))


def hardly_repeats(array: pa.Array) -> bool:
    """Whether half of the first rows have a value of their own; short columns are not worth it."""
    if len(array) < _LOOKED_AT:
        return False
    return len(array.slice(0, _LOOKED_AT).unique()) > _LOOKED_AT // 2


def plain_numbers(array: pa.Array) -> Numbers:
    """Decimals as they are; null is NaN."""
    return np.asarray(array.cast(pa.float64()).to_numpy(zero_copy_only=False))


def coded_numbers(pieces: Pieces, name: str, missing: Sequence[str]) -> Coded:
    """The column of pieces, which are used up; NaN and the user's markers are missing."""
    if pieces.are_on_disk:
        return _coded_by_search(pieces, name, missing)
    held = list(pieces.taken())
    values = held.pop() if len(held) == 1 else np.concatenate(held)
    held.clear()
    values = _unmarked(_finite(values, name), missing)
    if loaded() or len(values) >= COMPILE_FROM:
        return _coded_by_bits(values)
    order = np.argsort(values)  # NaN comes last
    in_order = values[order]
    del values
    new, present = _first_of_each(in_order)
    # Adding 0.0 turns -0.0 into 0.0 and changes nothing else.
    domain = Domain(Kind.DECIMAL, in_order[:present][new[:present]] + 0.0, present < len(in_order))
    del in_order
    codes = np.empty(len(order), dtype=code_type(domain.size))
    number = np.cumsum(new, dtype=np.uint32)
    number -= 1
    codes[order] = number
    return Coded(domain, codes)


def _coded_by_bits(values: Numbers) -> Coded:
    """The same by compiled loops, which sort by bits."""
    from privet.compiled import sorting

    keys: npt.NDArray[np.uint64] = values.astype(np.float64).view(np.uint64)
    del values
    present = sorting.sortable(keys)
    rows = np.arange(len(keys), dtype=np.uint32)
    spare, spare_rows = np.empty_like(keys), np.empty_like(rows)
    if sorting.sort_with_rows(keys, rows, spare, spare_rows):
        keys, rows, spare, spare_rows = spare, spare_rows, keys, rows
    distinct = sorting.number_sorted(keys, rows, spare_rows)
    missing = present < len(keys)
    size = distinct - missing
    sorting.unsorted_bits(keys[:size])
    found = keys if size == len(keys) else keys[:size].copy()  # which lets the rest go
    domain = Domain(Kind.DECIMAL, found.view(np.float64), missing)
    return Coded(domain, spare_rows.astype(code_type(domain.size), copy=False))


def _coded_by_search(pieces: Pieces, name: str, missing: Sequence[str]) -> Coded:
    """The same for pieces on disk: memory holds the numbers once, and no order of rows."""
    length, done = pieces.length, 0
    values = np.empty(length)
    for piece in pieces:
        values[done : done + len(piece)] = _unmarked(_finite(piece, name), missing)
        done += len(piece)
    values.sort()
    new, present = _first_of_each(values)
    domain = Domain(Kind.DECIMAL, values[:present][new[:present]] + 0.0, present < length)
    del values, new
    dtype = code_type(domain.size)

    def code_of(piece: Numbers) -> npt.NDArray[np.unsignedinteger]:
        # NaN is found after all numbers, which is the code of missing.
        return np.searchsorted(domain.values, _unmarked(piece, missing)).astype(dtype)

    return Coded(domain, pieces.joined(map(code_of, pieces.taken()), dtype, length))


def _finite(values: Numbers, name: str) -> Numbers:
    if np.isinf(values).any():
        raise texts.infinite(name)
    return values


def _first_of_each(in_order: Numbers) -> tuple[npt.NDArray[np.bool_], int]:
    """Where a value is met for the first time, NaN being one value, and how many are no NaN."""
    present = int(np.searchsorted(in_order, np.nan))
    new = np.empty(len(in_order), dtype=bool)
    new[:1] = True
    np.not_equal(in_order[1:], in_order[:-1], out=new[1:])
    new[present + 1 :] = False  # NaN differs from itself
    return new, present


def _unmarked(values: Numbers, missing: Sequence[str]) -> Numbers:
    for marker in missing:
        try:
            marked = values == float(marker)
        except ValueError:
            continue
        if marked.any():
            values = np.where(marked, np.nan, values)
    return values
