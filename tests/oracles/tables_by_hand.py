"""Random columns with the plain Python values they must come back as."""

import datetime as dt

from hypothesis import strategies as st

from privet.schema import Kind
from privet.table import Table

INT64 = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
LABELS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
AWKWARD = st.sampled_from(
    ["a,b", 'say "x"', "two\nlines", "cr\r", " lead", "trail ", "NA", "é", "7"]
)
DATES = st.dates()
MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59))

VALUES = {
    Kind.INTEGER: INT64 | st.integers(0, 3),
    Kind.DECIMAL: FLOATS | st.sampled_from([0.0, -0.0, 0.1, 5e-324, 1.7976931348623157e308]),
    Kind.CATEGORY: LABELS | AWKWARD,
    Kind.DATE: DATES,
    Kind.DATETIME: MOMENTS,
}


@st.composite
def columns(draw: st.DrawFn, kind: Kind, n: int) -> list[object]:
    cell = st.none() | VALUES[kind]
    return draw(st.lists(cell, min_size=n, max_size=n))


@st.composite
def plain_tables(draw: st.DrawFn) -> tuple[dict[str, list[object]], dict[str, Kind]]:
    """A dict of lists and the kind of each column; some cell of each column is present."""
    n = draw(st.integers(1, 12))
    kinds = draw(st.lists(st.sampled_from(list(Kind)), min_size=1, max_size=4))
    names = draw(st.lists(LABELS | AWKWARD, min_size=len(kinds), max_size=len(kinds), unique=True))
    table = {}
    for name, kind in zip(names, kinds, strict=True):
        cells = draw(columns(kind, n))
        if all(cell is None for cell in cells):
            cells[0] = draw(VALUES[kind])
        if kind is Kind.DATETIME and all(
            cell is None or cell.time() == dt.time(0) for cell in cells
        ):
            cells[0] = dt.datetime(2000, 1, 1, 12, 30)
        table[name] = cells
    return table, dict(zip(names, kinds, strict=True))


def cells_of(table: Table, name: str) -> list[object]:
    """The cells of a column as plain values, looked up one by one."""
    column = table[name]
    return [column.domain.value(int(code)) for code in column.codes]


def expected(cell: object) -> object:
    """What a cell is inside: -0.0 is 0.0, dates and datetimes are ISO texts."""
    if isinstance(cell, float):
        return cell + 0.0
    if isinstance(cell, dt.date):  # datetimes are dates as well
        return cell.isoformat()
    return cell
