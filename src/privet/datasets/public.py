"""Public tables, read from a file that the reader has: shaped as papers on noise use them."""

from pathlib import Path

import numpy as np

from privet.errors import UnknownColumn
from privet.files import read_table
from privet.schema import Kind
from privet.table import Coded, Table

TOP, BOTTOM = "top 20%", "bottom 80%"


def wisconsin(path: str | Path, records: int | None = None) -> Table:
    """Wisconsin Breast Cancer: the complete records, or the first ones of them; target `class`."""
    table = read_table(path, missing=["?"])
    complete = np.ones(table.n_rows, dtype=bool)
    for name in table:
        if table[name].domain.missing:
            complete &= table[name].codes != table[name].domain.missing_code
    rows = np.flatnonzero(complete)[:records]
    return _compact(table.take(rows))


def boston(path: str | Path, records: int | None = None, price: str = "medv") -> Table:
    """Boston housing with the class `price_class`: whether the median price is among the top 20 %
    of the records taken (all, or the first ones)."""
    table = read_table(path)
    if price not in table:
        raise UnknownColumn(price, table.names)
    table = table.take(np.arange(table.n_rows)[:records])
    column = table[price]
    prices = column.domain.values.astype(np.float64)[column.codes]
    labels = np.where(prices > np.quantile(prices, 0.8), TOP, BOTTOM).astype(object)
    coded = {name: table[name] for name in table if name != price}
    coded["price_class"] = Coded.of(labels, Kind.CATEGORY, np.zeros(len(labels), dtype=bool))
    return _compact(Table(coded))


def _compact(table: Table) -> Table:
    """The table with domains that hold only what occurs."""
    columns = {}
    for name in table:
        column = table[name]
        missing = column.codes == (-1 if not column.domain.missing else len(column.domain.values))
        filled = column.domain.values[np.where(missing, 0, column.codes)]
        columns[name] = Coded.of(filled, column.domain.kind, np.asarray(missing))
    return Table(columns)
