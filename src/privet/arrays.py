"""The types of arrays that the whole house speaks of, sums of rows of weights, distinct codes.

`table.Codes` are the codes of a column.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
Digests = npt.NDArray[np.uint8]  # one row of 32 bytes each

_SHORT = 8


def row_sums(weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sums along the last axis, which is mostly short: NumPy is slow there."""
    if not 0 < weights.shape[-1] <= _SHORT:
        return np.asarray(weights.sum(axis=-1))
    total = weights[..., 0].astype(np.int64 if weights.dtype.kind in "iu" else weights.dtype)
    for column in range(1, weights.shape[-1]):
        total += weights[..., column]
    return total


def distinct(codes: Integers) -> Integers:
    """The codes that occur, ascending. Of few, as here, NumPy's `unique` takes longer to begin than
    to end, and has masked arrays loaded with its first call."""
    ascending = np.sort(codes)
    is_first = np.ones(len(codes), dtype=bool)
    is_first[1:] = ascending[1:] != ascending[:-1]
    return ascending[is_first]
