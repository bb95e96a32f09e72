"""How like two tables are, against the textbook cell by cell."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles import naive_likeness as naive
from oracles.random_tables import coded
from privet.engine import MemoryEngine
from privet.engine.likeness import MOST_PAIRS, Likened
from privet.errors import UsageError
from privet.schema import Kind
from privet.table import Table

KINDS = {"a": Kind.INTEGER, "b": Kind.DECIMAL, "c": Kind.CATEGORY, "d": Kind.CATEGORY}
CELLS = {
    Kind.INTEGER: st.integers(-3, 9),
    Kind.DECIMAL: st.sampled_from([-1.5, 0.0, 0.25, 3.0, 1e9]),
    Kind.CATEGORY: st.sampled_from(["x", "y", "z"]),
}


@st.composite
def rows(draw: st.DrawFn) -> dict[str, list[Any]]:
    n = draw(st.integers(1, 25))
    cells = {name: st.one_of(st.none(), CELLS[kind]) for name, kind in KINDS.items()}
    return {name: draw(st.lists(c, min_size=n, max_size=n)) for name, c in cells.items()}


def engine(columns: dict[str, list[Any]]) -> MemoryEngine:
    return MemoryEngine(Table({name: coded(c, KINDS[name]) for name, c in columns.items()}))


@given(rows(), rows())
def test_as_the_textbook_has_it(one: dict[str, list[Any]], two: dict[str, list[Any]]) -> None:
    found = Likened(engine(one), ["a", "c"], ["b", "d"]).to(engine(two))
    assert found.marginals == pytest.approx(
        {"a": naive.kolmogorov(one["a"], two["a"]), "c": naive.total_variation(one["c"], two["c"])}
    )

    def parts(cells: dict[str, list[Any]], name: str) -> list[Any]:
        ordered = KINDS[name].is_ordered
        return naive.fifths(one[name], cells[name]) if ordered else cells[name]

    for pair in combinations(["a", "c", "b", "d"], 2):
        before, after = (
            naive.cramers_v(*(parts(cells, name) for name in pair)) for cells in (one, two)
        )
        assert found.associations[pair] == pytest.approx(abs(before - after), abs=1e-7)


@given(rows())
def test_a_table_is_like_itself(cells: dict[str, list[Any]]) -> None:
    found = Likened(engine(cells), list(cells)).to(engine(cells))
    assert (found.marginal_error, found.association_error) == (0, 0)


def test_of_a_wide_table_some_pairs_do() -> None:
    wide = {f"c{number}": [number % 7, 1, 2] for number in range(40)}
    found = privet.measure.likeness(wide, wide)
    assert MOST_PAIRS / 2 < len(found.associations) <= MOST_PAIRS
    assert len(found.marginals) == 40


def test_columns_must_be_in_both() -> None:
    with pytest.raises(UsageError, match="'b' is not in both"):
        privet.measure.likeness({"a": [1], "b": [1]}, {"a": [1]}, ["b"])
