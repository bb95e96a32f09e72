"""Rows in portions: how a table with counts is written without unfolding it.

A release is a multiset of rows. It is kept as distinct rows and how often each occurs; `csv` and
`parquet` write it portion by portion.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers


@dataclass(frozen=True, eq=False, repr=False)
class RowNames:
    """A column before all others that no two rows share: texts that need no quotes, made some rows
    at a time."""

    name: str
    n_rows: int
    texts: Callable[[slice], Any]


def portions(
    n_rows: int, counts: npt.NDArray[np.integer] | None, size: int
) -> Iterator[tuple[slice, Integers | None]]:
    """Rows to write next, and how often each: about `size` written rows at a time.

    Without counts every row is written once, and the second part is None.
    """
    if counts is None:
        for start in range(0, n_rows, size):
            yield slice(start, min(start + size, n_rows)), None
        return
    ends = np.cumsum(np.asarray(counts, dtype=np.int64))
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, size):
        stop = min(start + size, total)
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, stop, side="left"))
        upto = np.minimum(ends[first : last + 1], stop)
        yield slice(first, last + 1), np.diff(upto, prepend=start)
