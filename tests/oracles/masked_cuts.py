"""Whether decoded tests of numbers are true, by trying them on every record of the owner's table.

It shares nothing with the decoder: it finds tests by their plainest form in both texts, line by
line, and applies each to the rows, masked and in clear. A decoded test must choose the very rows
that the masked one chooses for every cut within the rounding of its digits; where these differ it
must say so, and the rows of one of the cuts that it names must be among them.
"""

import operator
import re
from fractions import Fraction

import numpy as np
import numpy.typing as npt

_NUMBER = r"-?\d+(?:\.\d+)?"
_SIGNS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_MASKED = re.compile(rf"H_(\w+?)\s*(<=|>=|<|>)\s*({_NUMBER})")
_CLEAR = re.compile(
    rf"(?<!H_)\b([a-z]+)\s*(<=|>=|<|>)\s*({_NUMBER})(?: (?:or|to) ({_NUMBER}))?( \[more decimals)?"
)

Column = npt.NDArray[np.float64]


def compared_tests(masked: str, decoded: str) -> list[tuple[re.Match[str], re.Match[str]]]:
    """Each test of a number in the masked text with its decoded counterpart; tests that are still
    masked and those of one-hot columns are left out."""
    pairs = []
    for before, after in zip(masked.splitlines(), decoded.splitlines(), strict=True):
        left = list(_CLEAR.finditer(after))
        for old in _MASKED.finditer(before):  # the first with this name and sign that is left
            for place, new in enumerate(left):
                if new[1] == old[1] and new[2] == old[2]:
                    pairs.append((old, left.pop(place)))
                    break
    return pairs


def is_true(
    old: re.Match[str],
    new: re.Match[str],
    masked: Column,
    clear: Column,
    decimals: int | None = None,
) -> bool:
    """Whether a decoded test is true of the rows, or says that it is uncertain and names the truth.

    `decimals` is how many digits the program is known to print, zeros at the end left out.
    """
    apply = _SIGNS[old[2]]
    shown = len(old[3].partition(".")[2])
    half = float(Fraction(1, 2 * 10 ** max(shown, decimals or 0)))
    cut = float(old[3])
    inside = np.unique(masked[np.abs(masked - cut) <= half * (1 + 1e-9)])
    told = [float(text) for text in (new[3], new[4]) if text]
    chosen = [apply(clear, value) for value in told]
    if new[5]:
        low, high = (apply(masked, cut + side * half * 1.0000001) for side in (-1, 1))
        return any(np.array_equal(rows, end) for rows in chosen for end in (low, high))
    if len(inside) == 0:
        return np.array_equal(chosen[0], apply(masked, cut))
    # A value within the rounding: certain only if the cut can be nothing but that value.
    return len(inside) == 1 and np.array_equal(chosen[0], apply(masked, inside[0]))
