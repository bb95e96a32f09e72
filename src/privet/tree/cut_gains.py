"""Information gains of all cuts of ordered values, from the counts that are not zero.

With many classes most counts of a value are zero, and moving a cut past a value changes the classes
of its own records only. So x log x is summed up while the cut moves on. To keep the sums exact in
any order, x log2 x is rounded to whole units once: a sum is then as near as its terms are.
`impurity` turns the sums into gains.
"""

import math
from functools import lru_cache

import numpy as np

from privet.arrays import Floats, Integers
from privet.exact import x_log_x

MOST = 1 << 22  # records of a node up to which logarithms are looked up
_LEAST_TABLE = 1 << 12
_SUM_BITS = 61


def cut_terms(weights: Integers, n_columns: int, parent: Integers) -> tuple[Floats, float]:
    """For a cut after each row: x log2 x summed over the classes of both sides, less the sum of
    the parent; and a bound of the error.

    `weights` are the records by class of the values of some columns, one column below the other.
    Each column has all records of the parent, so it ends where its running counts are the parent's.
    """
    n, classes = int(parent.sum()), weights.shape[1]
    table, bits = log_table(n)
    cells = np.flatnonzero(weights)
    row = cells // classes
    of_class = cells - row * classes
    class_by_class = np.argsort(of_class.astype(np.uint16), kind="stable")
    which = of_class[class_by_class]
    moved = weights.ravel()[cells[class_by_class]]
    whole = parent[which]
    # records of the class up to here in all columns so far; those of full columns are taken away
    running = np.cumsum(moved) - n_columns * (np.cumsum(parent) - parent)[which]
    left = (running - 1) % whole + 1
    change = table[left] - table[left - moved]
    change += table[whole - left] - table[whole - left + moved]
    in_order = np.empty_like(change)
    in_order[class_by_class] = change
    sums = np.append(0, np.cumsum(in_order))
    # a value without a record (estimated counts have such) leaves the sum as it was
    done = np.cumsum(np.bincount(row, minlength=len(weights)))
    terms = np.zeros(len(weights))  # behind the last row nothing is left, and the sum is 0
    terms[:-1] = sums[done[:-1]] * math.ldexp(1.0, -bits)
    return terms, 3 * classes * math.ldexp(n * math.log2(n + 2) + 1, -50)


def log_table(n: int) -> tuple[Integers, int]:
    """x log2 x of all x up to n, and further, in whole units of 2^-bits, and the number of bits."""
    return _table(max(_LEAST_TABLE, 1 << n.bit_length()))


@lru_cache(maxsize=4)
def _table(size: int) -> tuple[Integers, int]:
    """x log2 x of all x below `size` in whole units of 2^-bits, and the number of bits."""
    bits = _SUM_BITS - math.ceil(math.log2(size * math.log2(size)))
    return np.rint(np.ldexp(x_log_x(np.arange(size, dtype=np.float64)), bits)).astype(
        np.int64
    ), bits
