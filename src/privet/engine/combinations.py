"""Combinations of codes counted in portions, for rows that are never all in memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.grouping import added_up, distinct_combinations, numbers_of_rows


class Combinations:
    """The combinations of some columns that occur, sorted, and how often each does."""

    def __init__(self, sizes: Sequence[int]) -> None:
        """`sizes` are those of the columns' domains."""
        self._sizes = tuple(sizes)
        self.keys: Integers = np.zeros((0, len(self._sizes)), dtype=np.int64)
        self.n: Integers = np.zeros(0, dtype=np.int64)

    def add(self, codes: Sequence[npt.NDArray[Any]]) -> None:
        """Count some rows more, given by the codes of each column."""
        keys, n = distinct_combinations(codes, self._sizes, len(codes[0]), compiled=True)
        if len(self.n):
            keys, n = np.vstack([self.keys, keys]), np.concatenate([self.n, n])
            numbers = numbers_of_rows(list(keys.T), self._sizes)
            n = added_up(numbers, n, int(numbers.max()) + 1)
            merged = np.empty((len(n), len(self._sizes)), dtype=np.int64)
            merged[numbers] = keys
            keys = merged
        self.keys, self.n = keys, n
