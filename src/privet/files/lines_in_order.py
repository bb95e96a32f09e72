"""Lines of distinct rows with their counts, sorted as bytes without a line of them being compared.

Each cell of a line is followed by a comma. A cell that holds one is quoted, and a quoted cell ends
with the first quote that is not doubled: so no cell with its comma is the beginning of another with
its own. Lines are therefore ordered as the ranks of their cells are, and ranks cost what distinct
values cost. `csv` next door says how cells are written.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.arrays import Integers
from privet.files.csv import join_texts, joined_bytes, written_values
from privet.files.to_arrow import arrow_integers
from privet.files.to_arrow import compute as pc
from privet.table import Coded, Table

MOST_ROWS = 1 << 22  # whose order is held in memory
_ROWS_AT_ONCE = 1 << 17


def lines_in_order(table: Table, counts: npt.NDArray[np.int64]) -> Iterator[bytes] | None:
    """The lines of a table without equal rows, each with its count and some together; None if they
    are too many, or if two values of a column are written alike."""
    if table.n_rows > MOST_ROWS or not table.names:
        return None
    cells = written_values(table, ",", len(table.names) == 1, end="")
    ranked: dict[str, Coded] = {}
    for name, texts in zip(table.names, cells, strict=True):
        ranks = _ranks(texts)
        if ranks is None:
            return None
        ranked[name] = table[name].merged(ranks, table[name].domain)
    return _lines(table, cells, counts, Table(ranked).sorted_rows())


def _ranks(texts: pa.Array) -> Integers | None:
    """The place of each text, with a comma after it, among all; None if two are the same."""
    ended = join_texts(texts, ",", "").cast(pa.large_binary())
    order = pc.sort_indices(ended)
    in_order = ended.take(order)
    if len(texts) > 1 and pc.any(pc.equal(in_order[1:], in_order[:-1])).as_py():
        return None
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[order.to_numpy(zero_copy_only=False)] = np.arange(len(texts))
    return ranks


def _lines(
    table: Table, cells: list[pa.Array], counts: npt.NDArray[Any], order: npt.NDArray[np.intp]
) -> Iterator[bytes]:
    for start in range(0, len(order), _ROWS_AT_ONCE):
        rows = order[start : start + _ROWS_AT_ONCE]
        columns = [
            texts.take(arrow_integers(table[name].codes[rows]))
            for name, texts in zip(table.names, cells, strict=True)
        ]
        times = arrow_integers(counts[rows]).cast(pa.large_string())
        yield joined_bytes(join_texts(*columns, join_texts(times, "\n", ""), ","))
