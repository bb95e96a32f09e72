"""Counts that no originals can give: a value that is seen too seldom, or too often, for its matrix.

Whatever the originals are, a draw shows a value with a chance between the least and the largest
cell of its row. Its count among n records lies between those of two binomial laws, but for chance;
Chernoff's bound says how small that chance is.
"""

import math

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.mechanism.matrices import GammaDiagonal, Matrix

FALSE_ALARM = 1e-12  # at most so likely for counts that were drawn as the matrix says


def cannot_be_drawn(matrix: Matrix, counts: npt.NDArray[np.int64]) -> bool:
    """Whether these counts of the matrix's values come from other draws than its own."""
    n = int(counts.sum())
    if n == 0:
        return False
    least, most = _chances(matrix)
    shares = counts / n
    nearest = np.clip(shares, least, most)
    surprise = n * (_relative(shares, nearest) + _relative(1 - shares, 1 - nearest))
    return bool(surprise.max() > math.log(2 * matrix.size / FALSE_ALARM))


def _chances(matrix: Matrix) -> tuple[Floats, Floats]:
    """For each value the least and the largest chance to be drawn, over all originals."""
    if isinstance(matrix, GammaDiagonal):
        least, most = matrix.move / matrix.total, matrix.keep / matrix.total
        return np.full(matrix.size, least), np.full(matrix.size, most)
    dense = matrix.dense()
    return dense.min(axis=1), dense.max(axis=1)


def _relative(seen: Floats, law: Floats) -> Floats:
    """seen * ln(seen / law), where nothing seen weighs nothing."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.divide(seen, law, out=np.ones_like(seen), where=seen > 0))
    return np.asarray(seen * logs)
