"""Estimated values dealt out to records in the order of what is seen, for every way of rebuilding.

`rebuild` deals in a whole table or in each class, `by_node` at every node of a growing tree.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from privet.mechanism.matrices import Matrix
from privet.mechanism.substitution import Substitution
from privet.substitution.estimate import Method, estimate, whole_counts
from privet.table import Coded, Codes, Table


def dealt(
    seen: Codes, matrix: Matrix, order: npt.NDArray[np.int64], method: Method = "simplex"
) -> Codes:
    """Estimated values given to records sorted by what is seen; `order` decides among the like."""
    counts = np.bincount(seen, minlength=matrix.size)
    values = whole_counts(estimate(counts, matrix, method), len(seen))
    rebuilt = np.empty_like(seen)
    rebuilt[np.lexsort((order, seen))] = np.repeat(np.arange(matrix.size, dtype=seen.dtype), values)
    return rebuilt


def rows_by_class(table: Table, target: str) -> list[npt.NDArray[np.int64]]:
    """The rows of each class that occurs."""
    codes = table[target].codes
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=table[target].domain.size))
    return [rows for rows in np.split(order, ends[:-1]) if len(rows)]


def with_codes(table: Table, mechanism: Substitution, codes: Mapping[str, Codes]) -> Table:
    """The table with some blocks exchanged, given by their codes; bins are shown by one value."""
    columns = {}
    for block in mechanism.blocks:
        if block.name in codes:
            parts = block.parts(codes[block.name])
            for domain in block.domains:
                columns[domain.column] = Coded(domain.shown, parts[domain.column])
    return table.replace(columns)
