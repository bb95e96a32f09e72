"""Blocks of the whole table are those of Mondrian over rows; values stay near their records."""

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_criteria import ordered_distance
from oracles.random_tables import TARGET, PlainTable, plain_tables
from oracles.slow_mondrian import slow_blocks
from privet.engine import MemoryEngine
from privet.engine.blocks import Blocks
from privet.engine.memory_blocks import MemoryBlocks
from privet.preserve.anonymise.blocks import blocks_of, filled
from privet.preserve.anonymise.settings import AnonymiseSettings
from privet.schema import Kind, Schema


def schema_of(plain: PlainTable, role: str) -> Schema:
    """Quasi-identifiers, and the last column in some role."""
    return plain.table().schema().with_roles(**{role: TARGET})


def rows_of(blocks: Blocks) -> list[list[int]]:
    assert isinstance(blocks, MemoryBlocks)
    ends = blocks.starts.tolist()
    return [sorted(blocks.rows[a:b].tolist()) for a, b in itertools.pairwise(ends)]


def common(plain: PlainTable, name: str, k: int) -> set[Any]:
    """What may be released of a column: numbers, and categories that k records have."""
    often = Counter(value for value in plain.cells[name] if value is not None)
    if name in plain.ordered:
        return set(often) | {None}
    return {value for value, n in often.items() if n >= k}


def by_the_book(plain: PlainTable, k: int, **more: Any) -> list[list[int]]:
    everybody = [list(range(plain.n_rows))]
    columns = [name for name in plain.attributes if common(plain, name, k)]
    return slow_blocks(plain.cells, plain.ordered, columns, TARGET, everybody, k, **more)


@given(plain_tables(most_rows=40), st.integers(1, 5), st.booleans())
def test_without_a_target_cuts_look_at_quasi_identifiers_alone(
    plain: PlainTable, k: int, choosy: bool
) -> None:
    schema = schema_of(plain, "other")
    first = plain.attributes[-1:] if choosy else []
    asked = AnonymiseSettings(k=k, keep=first)
    found = rows_of(blocks_of(MemoryEngine(plain.table()), schema, asked))
    assert found == by_the_book(plain, k, mixed=False, first=first)


@given(plain_tables(most_rows=40), st.integers(1, 4), st.booleans(), st.booleans())
def test_with_a_target_no_block_has_one_value_of_it_alone(
    plain: PlainTable, k: int, allowed: bool, by_gain: bool
) -> None:
    schema = schema_of(plain, "target")
    asked = AnonymiseSettings(
        k=k,
        method="infogain" if by_gain else "mondrian",
        one_class="allow" if allowed else None,
    )
    found = rows_of(blocks_of(MemoryEngine(plain.table()), schema, asked))
    rule: dict[str, Any] = {"mixed": not allowed, "by_gain": by_gain}
    assert found == by_the_book(plain, k, **rule)
    if not allowed:
        assert all(len({plain.cells[TARGET][row] for row in rows}) > 1 for rows in found)


@given(plain_tables(most_rows=30, regression=True), st.integers(1, 3))
def test_nor_one_number(plain: PlainTable, k: int) -> None:
    schema = schema_of(plain, "target")
    found = rows_of(blocks_of(MemoryEngine(plain.table()), schema, AnonymiseSettings(k=k)))
    assert found == by_the_book(plain, k, mixed=True)


@given(plain_tables(most_rows=40), st.integers(1, 3), st.sampled_from(["1.25", "1.5", "2"]))
def test_l_holds_on_both_sides_of_every_cut(plain: PlainTable, k: int, level: str) -> None:
    """Strong l, by rows: no sensitive value is more than one in l of a block."""
    schema = schema_of(plain, "sensitive")

    def slowly(rows: list[int]) -> bool:
        values = Counter(plain.cells[TARGET][row] for row in rows)
        return float(level) * max(values.values()) <= len(rows)

    asked = AnonymiseSettings(k=k, l=level)
    found = rows_of(blocks_of(MemoryEngine(plain.table()), schema, asked))
    expected = by_the_book(plain, k, mixed=False, admits=slowly)
    assert found == expected


@given(
    plain_tables(most_rows=30, regression=True),
    st.integers(1, 3),
    st.sampled_from(["0.05", "0.2", "0.4"]),
)
def test_t_holds_on_both_sides_of_every_cut(plain: PlainTable, k: int, level: str) -> None:
    """The distance of numbers, by rows and in fractions."""
    everybody = Counter(plain.cells[TARGET])

    def slowly(rows: list[int]) -> bool:
        mine = Counter(plain.cells[TARGET][row] for row in rows)
        return ordered_distance(mine, everybody, sorted(everybody)) <= Fraction(level)

    asked = AnonymiseSettings(k=k, t=level)
    schema = schema_of(plain, "sensitive")
    found = rows_of(blocks_of(MemoryEngine(plain.table()), schema, asked))
    assert found == by_the_book(plain, k, mixed=False, admits=slowly)


@given(plain_tables(most_rows=40), st.integers(1, 5))
def test_values_stay_near_the_records_of_their_block(plain: PlainTable, k: int) -> None:
    schema, table = schema_of(plain, "other"), plain.table()
    blocks = blocks_of(MemoryEngine(table), schema, AnonymiseSettings(k=k))
    released = filled(blocks, schema, k).table()
    for name in plain.attributes:
        domain = released[name].domain
        values = [v if isinstance(v, str) else v.item() for v in domain.values]
        cells = [([*values, None])[code] for code in released[name].codes.tolist()]
        usual = common(plain, name, k)
        for rows in rows_of(blocks):
            mine = [plain.cells[name][row] for row in rows]
            value = cells[rows[0]]
            assert {cells[row] for row in rows} == {value}
            if name in plain.ordered and value is not None:
                assert value in plain.cells[name]  # whole numbers, and decimals of the column
                assert min(v for v in mine if v is not None) <= value
                assert value <= max(v for v in mine if v is not None)
            elif value is None:
                assert None in mine or not usual
            else:
                assert value in usual
                assert value in mine or not usual & set(mine)
    assert np.array_equal(released[TARGET].codes, table[TARGET].codes)


def test_a_label_of_fewer_than_k_records_is_never_named() -> None:
    """A column of names: whoever is named by one value would be pointed at."""
    people = 12
    plain = PlainTable(
        {"name": Kind.CATEGORY, "town": Kind.CATEGORY, TARGET: Kind.CATEGORY},
        {
            "name": [f"Person {i}" for i in range(people)],
            "town": ["Aix"] * 6 + ["Bonn"] * 6,
            TARGET: list("ab") * 6,
        },
    )
    schema = schema_of(plain, "other")
    blocks = blocks_of(MemoryEngine(plain.table()), schema, AnonymiseSettings(k=3))
    assert len(blocks) > 1
    released = filled(blocks, schema, 3).table()
    assert released["name"].domain.size == 1
    assert released["name"].domain.missing
    assert released["town"].domain.values.tolist() == ["Aix", "Bonn"]


def test_a_record_of_a_rare_category_has_another_one_and_none_is_missing() -> None:
    towns = ["Aix"] * 7 + ["Bonn"] * 6 + ["Cork"]
    plain = PlainTable(
        {"town": Kind.CATEGORY, TARGET: Kind.CATEGORY}, {"town": towns, TARGET: list("ab") * 7}
    )
    schema = schema_of(plain, "other")
    blocks = blocks_of(MemoryEngine(plain.table()), schema, AnonymiseSettings(k=2))
    assert rows_of(blocks) == [list(range(7)), list(range(7, 14))]
    released = filled(blocks, schema, 2).table()["town"]
    assert released.domain.values.tolist() == ["Aix", "Bonn"]
    assert not released.domain.missing
