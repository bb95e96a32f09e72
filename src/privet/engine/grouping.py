"""Distinct combinations of codes with their counts: the ground of every equivalence class.

Codes of several columns are digits of one mixed-radix number, so that records are grouped by
hashing (or plain counting) of single integers and never by sorting rows column by column.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.compiled import loaded

_DENSE_MOST = 1 << 26  # cells of a plain counting table
_COMPILE_FROM = 4_000_000  # rows from which hashing is worth loading the compiled loops
_KEY_MOST = 1 << 62  # what a key may grow to before its values are numbered anew


def distinct_combinations(
    codes: Sequence[npt.NDArray[Any]], sizes: Sequence[int], length: int, compiled: bool
) -> tuple[Integers, Integers]:
    """The combinations that occur, sorted, one row each, and how often each occurs.

    `codes` are columns of one `length`, `sizes` the sizes of their domains. With no column at all
    there is one combination, the empty one (none if there are no rows).
    """
    if length == 0 or not codes:
        here = int(length > 0)
        return np.zeros((here, len(codes)), np.int64), np.full(here, length, np.int64)
    compiled = compiled and (loaded() or length >= _COMPILE_FROM)
    parts: list[tuple[Integers, list[int]]] = []  # distinct values of each numbered-anew prefix
    key = np.zeros(length, dtype=np.uint64 if compiled else np.int64)
    reach, digits = 1, list[int]()
    for column, size in zip(codes, sizes, strict=True):
        if reach * size > _KEY_MOST:
            distinct, key = _numbered(key, compiled)
            parts.append((distinct, digits))
            reach, digits = len(distinct), []
        if size > 1:
            _append_digit(key, column, size, compiled)
        reach *= size
        digits.append(size)
    distinct, n = _counted(key, reach, compiled)
    keys = _unmixed(distinct, digits)
    rest = distinct // max(1, int(np.prod(digits, dtype=object)))
    for values, earlier in reversed(parts):
        keys = np.hstack([_unmixed(values[rest], earlier), keys])
        rest = values[rest] // max(1, int(np.prod(earlier, dtype=object)))
    order = np.lexsort(keys.T[::-1]) if parts else slice(None)
    return keys[order], n[order]


def numbers_of_rows(codes: Sequence[npt.NDArray[Any]], sizes: Sequence[int]) -> Integers:
    """For each row the number of its combination, in the order of `distinct_combinations`.

    There must be a column; numbers are made anew with each, so that they stay small.
    """
    numbers = np.zeros(len(codes[0]), dtype=np.int64)
    for column, size in zip(codes, sizes, strict=True):
        numbers *= size
        numbers += column
        seen = int(numbers.max(initial=0)) + 1
        if seen <= min(_DENSE_MOST, max(1 << 16, 16 * len(numbers))):
            occurs = np.bincount(numbers, minlength=seen) > 0
            numbers = (np.cumsum(occurs) - 1)[numbers]
        else:
            numbers = np.unique(numbers, return_inverse=True)[1]
    return numbers


def added_up(numbers: Integers, counts: Integers, size: int) -> Integers:
    """How many records have each number, where a row stands for some of them."""
    found = np.zeros(size, dtype=np.int64)
    np.add.at(found, numbers, counts)
    return found


def _append_digit(key: npt.NDArray[Any], column: npt.NDArray[Any], size: int, fast: bool) -> None:
    if fast:
        from privet.compiled import counting as kernels

        kernels.mix(key, column, np.uint64(size))
    else:
        key *= size
        key += column.astype(np.int64, copy=False)


def _counted(key: npt.NDArray[Any], reach: int, compiled: bool) -> tuple[Integers, Integers]:
    """Distinct keys in ascending order, and how often each occurs."""
    if reach <= min(_DENSE_MOST, max(1 << 16, 16 * len(key))):
        if compiled:
            from privet.compiled import counting as kernels

            dense: npt.NDArray[Any] = np.zeros(reach, dtype=np.uint32)
            kernels.count_dense(key, dense)
        else:
            dense = np.bincount(key, minlength=reach)
        distinct = np.flatnonzero(dense)
        return distinct.astype(np.int64), dense[distinct].astype(np.int64)
    if not compiled:
        distinct, n = np.unique(key, return_counts=True)
        return distinct, n.astype(np.int64)
    distinct, ids = _numbered(key, compiled)
    n = np.bincount(ids.astype(np.int64), minlength=len(distinct))
    order = np.argsort(distinct)
    return distinct[order], n[order].astype(np.int64)


def _numbered(key: npt.NDArray[Any], compiled: bool) -> tuple[Integers, npt.NDArray[Any]]:
    """Distinct keys (in any order) and, for each row, the number of its key among them."""
    if compiled:
        from privet.compiled import counting as kernels

        numbers = np.empty(len(key), dtype=np.uint64)
        return kernels.group(key, numbers).astype(np.int64), numbers
    distinct, ids = np.unique(key, return_inverse=True)
    return distinct, ids.astype(np.int64)


def _unmixed(keys: Integers, sizes: Sequence[int]) -> Integers:
    """The digits of mixed-radix numbers, one column each; what is left over is dropped. Each column
    lies together in memory, as it is written here and read by all."""
    digits = np.empty((len(sizes), len(keys)), dtype=np.int64).T
    left: npt.NDArray[Any] = keys
    if int(keys.max(initial=0)) < 1 << 32 and max(sizes, default=0) < 1 << 32:
        left = keys.astype(np.uint32)  # divides several times as fast
    for place in range(len(sizes) - 1, -1, -1):
        without = left // left.dtype.type(sizes[place])
        digits[:, place] = left - without * left.dtype.type(sizes[place])
        left = without
    return digits
