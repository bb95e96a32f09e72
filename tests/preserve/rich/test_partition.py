"""Blocks are those that Mondrian over rows and fractions makes, whatever the order of rows."""

import itertools
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, plain_tables
from oracles.slow_mondrian import slow_blocks
from privet.criteria.groups import Groups
from privet.engine import MemoryEngine
from privet.engine.memory_blocks import MemoryBlocks
from privet.engine.protocol import AnyOf, Region
from privet.preserve.rich import counts, known_blocks
from privet.preserve.rich.known_blocks import KnownBlocks
from privet.preserve.rich.partition import Condition, Rule, partition
from privet.schema import Kind


def rows_of(blocks: MemoryBlocks) -> list[list[int]]:
    ends = blocks.starts.tolist()
    return [sorted(blocks.rows[a:b].tolist()) for a, b in itertools.pairwise(ends)]


def groups_of(plain: PlainTable) -> tuple[MemoryBlocks, list[list[int]]]:
    """The table divided by its first column's first value: two groups, or one."""
    table = plain.table()
    column = table[plain.attributes[0]]
    size = column.domain.size
    name = plain.attributes[0]
    parts = [frozenset({0}), frozenset(range(1, size))] if size > 1 else [frozenset({0})]
    regions = [(AnyOf(name, part),) for part in parts]
    codes = column.codes.tolist()
    rows = [[row for row, code in enumerate(codes) if code in part] for part in parts]
    return MemoryEngine(table).blocks(regions), rows


@given(plain_tables(most_rows=40), st.integers(1, 4), st.booleans(), st.booleans())
def test_same_blocks_as_over_rows(plain: PlainTable, k: int, mixed: bool, choosy: bool) -> None:
    start, rows = groups_of(plain)
    first = frozenset(plain.attributes[-1:]) if choosy else frozenset[str]()
    found = partition(start, plain.attributes, Rule(k, [TARGET], mixed, first=first))
    assert rows_of(found) == slow_blocks(
        plain.cells,
        plain.ordered,
        plain.attributes,
        TARGET,
        rows,
        k,
        mixed,
        first=sorted(first),
    )


@given(plain_tables(most_rows=30, regression=True), st.integers(1, 3))
def test_a_block_is_not_constant_in_a_numeric_response(plain: PlainTable, k: int) -> None:
    start, rows = groups_of(plain)
    found = partition(start, plain.attributes, Rule(k, [TARGET]))
    assert rows_of(found) == slow_blocks(
        plain.cells, plain.ordered, plain.attributes, TARGET, rows, k, mixed=True
    )


@given(
    plain_tables(most_rows=40),
    st.integers(1, 3),
    st.integers(2, 3),
    st.booleans(),
    st.sampled_from([1, 9, 1 << 22]),
)
def test_conditions_hold_on_both_sides_of_every_cut(
    plain: PlainTable, k: int, most: int, by_gain: bool, at_once: int
) -> None:
    """No value of a column may be all but one in `most` of a block; however few counts are looked
    at together."""
    sensitive = plain.attributes[-1]
    columns = plain.attributes[:-1] or plain.attributes

    def keeps(groups: Groups) -> Any:
        return most * groups.tops <= groups.sizes * (most - 1)

    def slowly(rows: list[int]) -> bool:
        values = [plain.cells[sensitive][row] for row in rows]
        return all(most * values.count(v) <= len(rows) * (most - 1) for v in values)

    start, rows = groups_of(plain)
    conditions = (Condition(sensitive, keeps),)
    rule = Rule(k, [TARGET], mixed=False, conditions=conditions, by_gain=by_gain)
    with patch.object(counts, "_AT_ONCE", at_once):
        found = partition(start, columns, rule)
    more: dict[str, Any] = {"mixed": False, "admits": slowly, "by_gain": by_gain}
    assert rows_of(found) == slow_blocks(
        plain.cells, plain.ordered, columns, TARGET, rows, k, **more
    )


@given(plain_tables(most_rows=40), st.integers(1, 4), st.booleans())
def test_cuts_by_information_gain(plain: PlainTable, k: int, mixed: bool) -> None:
    start, rows = groups_of(plain)
    found = partition(start, plain.attributes, Rule(k, [TARGET], mixed, by_gain=True))
    assert rows_of(found) == slow_blocks(
        plain.cells, plain.ordered, plain.attributes, TARGET, rows, k, mixed, by_gain=True
    )


@given(plain_tables(most_rows=40), st.integers(1, 3), st.sampled_from([0, 1, 32]))
def test_blocks_of_regions_seen_before_are_the_same(plain: PlainTable, k: int, kept: int) -> None:
    """As for trees of one leaf more: some regions are new, the others come again in any place;
    also where so few rows are kept that all are found anew."""
    engine, name = MemoryEngine(plain.table()), plain.attributes[0]
    values = range(engine.domain(name).size)
    rule = Rule(k, [TARGET])
    known = KnownBlocks(engine, plain.attributes, rule)
    with patch.object(known_blocks, "KEPT_ROWS", kept):
        for cut in [*values[1:], *reversed(values[1:])]:
            parts = (values[:cut], values[cut:])
            regions: list[Region] = [(AnyOf(name, frozenset(part)),) for part in parts]
            whole = engine.blocks(regions)
            found = known.of(regions, whole)
            afresh = partition(whole, plain.attributes, rule)
            assert isinstance(found, MemoryBlocks)
            assert found.rows.tolist() == afresh.rows.tolist()
            assert found.starts.tolist() == afresh.starts.tolist()


@given(plain_tables(most_rows=30), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(plain: PlainTable, random: Any) -> None:
    order = list(range(plain.n_rows))
    random.shuffle(order)
    before = partition(groups_of(plain)[0], plain.attributes, Rule(2, [TARGET]))
    after = partition(groups_of(plain.shuffled(order))[0], plain.attributes, Rule(2, [TARGET]))
    assert rows_of(before) == [sorted(order[row] for row in block) for block in rows_of(after)]


def test_weights_and_fill_speak_of_blocks() -> None:
    plain = PlainTable(
        {"c0": Kind.INTEGER, TARGET: Kind.CATEGORY},
        {"c0": [1, 2, 3, 4, 5, 6], TARGET: list("ababab")},
    )
    blocks = partition(MemoryEngine(plain.table()).blocks([()]), ["c0"], Rule(2, [TARGET]))
    assert blocks.sizes.tolist() == [3, 3]
    assert blocks.weights(TARGET).tolist() == [[2, 1], [1, 2]]
    filled = blocks.fill({"c0": (np.array([1, 4]), plain.table()["c0"].domain)}).table()
    assert filled["c0"].codes.tolist() == [1, 1, 1, 4, 4, 4]
