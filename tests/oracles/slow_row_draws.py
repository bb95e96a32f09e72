"""Whole numbers drawn for rows one at a time, with numbers of Python: the slow twin of `below`."""

from collections.abc import Sequence

from privet.mechanism.row_bits import RowBits

WORD = 1 << 32


def below(totals: Sequence[int], bits: RowBits) -> list[int]:
    """A word of a row is cut into as many equal parts as its total; what is left over at the
    beginning of each part is no answer, and the next word is asked."""
    return [_one(total, bits.take([row])) for row, total in enumerate(totals)]


def _one(total: int, bits: RowBits) -> int:
    attempt = 0
    while True:
        number, rest = divmod(int(bits.words(attempt)[0]) * total, WORD)
        if total == 1 or rest >= WORD % total:
            return number
        attempt += 1
