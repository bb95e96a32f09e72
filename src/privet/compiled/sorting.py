"""Compiled sorting of decimals by their bits, eleven at a time, with the rows that they came from.

For columns with about as many values as rows, where comparing takes several times as long.
`privet.files.plain_numbers` has the same in plain NumPy.
"""

from typing import Any

import numpy as np

from privet.compiled.counting import _jit

_FIRST_BITS = 20  # the first 44 bits: sign, power and about ten digits
_SIGN = np.uint64(1 << 63)
_INFINITE = np.uint64(0x7FF << 52)
_LAST = np.uint64((1 << 64) - 1)
_ELEVEN = np.uint64(11)
_ONES = np.uint64(2047)


@_jit
def sortable(bits: Any) -> int:
    """Turn the bits of floats into whole numbers of the same order, in place; -0.0 becomes 0.0, and
    what is no number comes after all. Returns how many are numbers."""
    present = 0
    for i in range(len(bits)):
        own = bits[i]
        if (own & ~_SIGN) > _INFINITE:
            bits[i] = _LAST
            continue
        present += 1
        if own == _SIGN:
            own = np.uint64(0)
        bits[i] = ~own if own & _SIGN else own | _SIGN
    return present


@_jit
def sort_with_rows(keys: Any, rows: Any, spare: Any, spare_rows: Any) -> bool:
    """Sort keys and their rows, with room for as many again. Returns whether they stand in the
    spare room at last.

    The first bits tell nearly all keys apart, and what they leave is a few steps to one side. Where
    it is more than that, all bits are gone through.
    """
    if _by_digits(keys, rows, spare, spare_rows, _FIRST_BITS):
        if _settled(spare, spare_rows):
            return True
        return not _by_digits(spare, spare_rows, keys, rows, 0)
    return not _settled(keys, rows) and _by_digits(keys, rows, spare, spare_rows, 0)


@_jit
def _by_digits(keys: Any, rows: Any, spare: Any, spare_rows: Any, shift: int) -> bool:
    """Sort by the bits from `shift` on, eleven at a time from the last."""
    n, digits = len(keys), (64 - shift + 10) // 11
    counts = np.zeros((digits, 2048), dtype=np.int64)
    for i in range(n):
        left = keys[i] >> np.uint64(shift)
        for digit in range(digits):
            counts[digit, left & _ONES] += 1
            left >>= _ELEVEN
    swapped = False
    for digit in range(digits):
        places, before = counts[digit], 0
        if places.max() == n:  # all have the same digit here
            continue
        for value in range(2048):
            here = places[value]
            places[value] = before
            before += here
        behind = np.uint64(shift + 11 * digit)
        if swapped:
            _deal(spare, spare_rows, behind, places, keys, rows)
        else:
            _deal(keys, rows, behind, places, spare, spare_rows)
        swapped = not swapped
    return swapped


@_jit
def _settled(keys: Any, rows: Any) -> bool:
    """Move each key before those that are larger; gives up when that takes more steps than there
    are keys."""
    left = len(keys)
    for i in range(1, len(keys)):
        own, row, place = keys[i], rows[i], i
        while place > 0 and keys[place - 1] > own and left > 0:
            keys[place], rows[place] = keys[place - 1], rows[place - 1]
            place -= 1
            left -= 1
        keys[place], rows[place] = own, row
        if left == 0:
            return False
    return True


@_jit
def _deal(keys: Any, rows: Any, shift: Any, places: Any, out: Any, out_rows: Any) -> None:
    """Put each key and its row where its digit says."""
    for i in range(len(keys)):
        own = keys[i]
        digit = (own >> shift) & _ONES
        place = places[digit]
        places[digit] = place + 1
        out[place] = own
        out_rows[place] = rows[i]


@_jit
def number_sorted(keys: Any, rows: Any, codes: Any) -> int:
    """Number the distinct keys, which are sorted, along their order; codes[row] is the number of
    its key. The distinct keys are moved to the front. Returns how many there are."""
    distinct = 0
    for i in range(len(keys)):
        own = keys[i]
        if distinct == 0 or own != keys[distinct - 1]:
            keys[distinct] = own
            distinct += 1
        codes[rows[i]] = distinct - 1
    return distinct


@_jit
def unsorted_bits(keys: Any) -> None:
    """Turn what `sortable` made of numbers back into the bits of floats, in place."""
    for i in range(len(keys)):
        own = keys[i]
        keys[i] = own & ~_SIGN if own & _SIGN else ~own
