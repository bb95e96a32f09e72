"""Random small tables with what growers stumble over: ties, missing cells, constant and duplicate
columns, floats of all sizes, integers beyond 2^53, dates."""

import struct
from dataclasses import dataclass
from math import nextafter
from typing import Any

import numpy as np
from hypothesis import strategies as st

from privet.schema import Kind, Schema
from privet.table import Coded, Table

TARGET = "y"
LABELS = ["a", "b", "c", "d", "e", "é", "B", "~"]


@dataclass(frozen=True)
class PlainTable:
    """Kinds and cells of columns; None is missing. The last column is the target."""

    kinds: dict[str, Kind]
    cells: dict[str, list[Any]]

    @property
    def n_rows(self) -> int:
        return len(self.cells[TARGET])

    @property
    def attributes(self) -> list[str]:
        return [name for name in self.cells if name != TARGET]

    @property
    def ordered(self) -> set[str]:
        return {name for name, kind in self.kinds.items() if kind.is_ordered}

    def table(self) -> Table:
        return Table({name: coded(self.cells[name], kind) for name, kind in self.kinds.items()})

    def schema(self) -> Schema:
        return self.table().schema().with_roles(target=TARGET)

    def shuffled(self, order: list[int]) -> "PlainTable":
        return PlainTable(
            self.kinds, {name: [cells[i] for i in order] for name, cells in self.cells.items()}
        )

    def renamed(self, names: dict[str, str]) -> "PlainTable":
        return PlainTable(
            {names.get(n, n): kind for n, kind in self.kinds.items()},
            {names.get(n, n): cells for n, cells in self.cells.items()},
        )


def coded(cells: list[Any], kind: Kind) -> Coded:
    missing = np.array([cell is None for cell in cells], dtype=bool)
    blank: Any = "" if kind is Kind.CATEGORY else 0
    filled = [blank if cell is None else cell for cell in cells]
    types = {Kind.CATEGORY: object, Kind.DECIMAL: np.float64}
    return Coded.of(np.array(filled, dtype=types.get(kind, np.int64)), kind, missing)


def _float_of_bits(bits: int) -> float:
    value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return 0.0 if value != value or abs(value) == float("inf") else value + 0.0


# Floats of every magnitude, evenly over bit patterns, and the awkward ones by name.
any_float = st.one_of(
    st.integers(0, 2**64 - 1).map(_float_of_bits),
    st.sampled_from([0.0, 5e-324, -5e-324, 1e-323, -1e-323, 2.2250738585072014e-308, 1e308]),
    st.sampled_from([-1e308, 1.7976931348623157e308, -1.7976931348623157e308, 1.0, 0.1, 0.3]),
)


@st.composite
def neighbours(draw: st.DrawFn) -> list[float]:
    """A float and those next to it."""
    value = draw(any_float)
    up = nextafter(value, float("inf"))
    down = nextafter(value, float("-inf"))
    finite = [v for v in (value, up, down) if abs(v) < float("inf")]
    return [v + 0.0 for v in finite]


@st.composite
def pools(draw: st.DrawFn, kind: Kind) -> list[Any]:
    """A few values to draw the cells of one column from: the fewer, the more ties."""
    if kind is Kind.CATEGORY:
        return draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=6, unique=True))
    if kind is Kind.DECIMAL:
        wild = draw(st.lists(any_float, min_size=1, max_size=4))
        return wild + draw(st.one_of(st.just([]), neighbours()))
    if kind is Kind.DATE:
        return draw(st.lists(st.integers(-30000, 30000), min_size=1, max_size=6))
    small = st.lists(st.integers(-3, 3), min_size=1, max_size=6)
    base = draw(st.sampled_from([2**53, -(2**53), 2**62, 2**63 - 5, -(2**63) + 4]))
    return draw(st.one_of(small, small, small.map(lambda steps: [base + s for s in steps])))


@st.composite
def columns(draw: st.DrawFn, kind: Kind, rows: int, missing: bool = True) -> list[Any]:
    values = st.sampled_from(draw(pools(kind)))
    if missing and draw(st.booleans()):
        values = st.one_of(values, values, values, st.none())
    return draw(st.lists(values, min_size=rows, max_size=rows))


@st.composite
def plain_tables(
    draw: st.DrawFn, regression: bool = False, most_rows: int = 24, most_columns: int = 4
) -> PlainTable:
    rows = draw(st.integers(2, most_rows))
    attribute_kinds = [Kind.INTEGER, Kind.DECIMAL, Kind.CATEGORY, Kind.CATEGORY, Kind.DATE]
    kinds: dict[str, Kind] = {}
    cells: dict[str, list[Any]] = {}
    for number in range(draw(st.integers(1, most_columns))):
        name = f"c{number}"
        if cells and draw(st.integers(0, 5)) == 0:
            twin = draw(st.sampled_from(sorted(cells)))
            kinds[name], cells[name] = kinds[twin], cells[twin]
        else:
            kinds[name] = draw(st.sampled_from(attribute_kinds))
            cells[name] = draw(columns(kinds[name], rows))
    if regression:
        kinds[TARGET] = draw(st.sampled_from([Kind.INTEGER, Kind.DECIMAL]))
        cells[TARGET] = draw(columns(kinds[TARGET], rows, missing=False))
    else:
        kinds[TARGET] = Kind.CATEGORY
        labels = draw(st.sampled_from([["no", "yes"], ["no", "yes"], ["p", "q", "r", None]]))
        cells[TARGET] = draw(st.lists(st.sampled_from(labels), min_size=rows, max_size=rows))
    if len(set(cells[TARGET])) < 2:  # a target of one value is refused: make it two
        cells[TARGET] = [_another(cells[TARGET][0], kinds[TARGET]), *cells[TARGET][1:]]
    return PlainTable(kinds, cells)


def _another(value: Any, kind: Kind) -> Any:
    if kind is Kind.CATEGORY:
        return {"no": "yes", "yes": "no", "p": "q"}.get(value, "p")
    return (0 if value else 1) if kind is Kind.INTEGER else (0.0 if value else 1.5)
