"""Guarded growth against its slow twin, and what a guard promises of every split."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, plain_tables
from oracles.slow_grower import SlowGrowth, SlowSettings
from oracles.slow_words import bits, plain
from privet import table_of
from privet.engine import MemoryEngine
from privet.errors import InvalidParameter
from privet.schema import Kind
from privet.table import Domain
from privet.tree import Grower, Multiway, Subset, Tree, grow
from privet.tree.boundaries import count_boundaries
from privet.tree.guard import Guard

IMPURITIES = ["gini", "entropy", "gain-ratio", "deviance"]
every_impurity = pytest.mark.parametrize("impurity", IMPURITIES)
every_mode = pytest.mark.parametrize("categories", ["subset", "multiway"])


def slowly(table: PlainTable, grower: Grower, guard: Guard, step: float) -> list[Any]:
    slow = SlowSettings(
        impurity=grower.impurity,
        categories=grower.categories,
        leaves=grower.leaves,
        min_leaf=grower.min_leaf,
        step=step,
        guard=guard.least,
        unguarded=frozenset(guard.besides),
    )
    return SlowGrowth(table.cells, table.ordered, table.attributes, TARGET, slow).grow()


@every_mode
@every_impurity
@given(data=st.data())
def test_guarded_growth_equals_its_slow_twin(
    impurity: Any, categories: Any, data: st.DataObject
) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance", most_rows=30))
    grower = Grower(
        impurity=impurity,
        categories=categories,
        leaves=data.draw(st.sampled_from([None, 2, 4, 8])),
        min_leaf=data.draw(st.sampled_from([1, 1, 2, 4])),
    )
    besides = data.draw(st.sets(st.sampled_from(table.attributes)))
    guard = Guard(data.draw(st.integers(2, 6)), frozenset(besides))
    tree = grow(MemoryEngine(table.table()), table.schema(), grower, guard=guard)
    slow = slowly(table, grower, guard, tree.step or 1.0)
    assert plain(tree) == slow
    assert bits(plain(tree)) == bits(slow)


@given(data=st.data())
def test_three_classes_and_a_stored_order_of_many_categories(data: st.DataObject) -> None:
    n = data.draw(st.integers(20, 40))
    letters = [chr(ord("a") + i) for i in range(15)]
    column = data.draw(st.lists(st.sampled_from(letters), min_size=n, max_size=n))
    answer = data.draw(st.lists(st.sampled_from("pqr"), min_size=n, max_size=n))
    column[:13], answer[:3] = letters[:13], list("pqr")
    kinds = {"c": Kind.CATEGORY, TARGET: Kind.CATEGORY}
    table = PlainTable(kinds, {"c": column, TARGET: answer})
    grower, guard = Grower(leaves=5), Guard(data.draw(st.integers(2, 5)))
    tree = grow(MemoryEngine(table.table()), table.schema(), grower, guard=guard)
    assert tree.grower.category_orders
    assert plain(tree) == slowly(table, grower, guard, 1.0)
    # the order is published: it does not change if people of one unit exchange their targets
    coded = table.table()["c"]
    codes, records = np.unique(coded.codes, return_counts=True)
    units = guard.units("c", coded.domain, codes.astype(np.int64), records)
    if units is not None:
        of_row = units[coded.codes]
        one = data.draw(st.sampled_from(np.flatnonzero(of_row == of_row[0]).tolist()))
        answer[0], answer[one] = answer[one], answer[0]
        other = PlainTable(kinds, {"c": column, TARGET: answer})
        again = grow(MemoryEngine(other.table()), other.schema(), grower, guard=guard)
        assert again.grower.category_orders == tree.grower.category_orders


@every_mode
@every_impurity
@given(data=st.data())
def test_a_guard_of_one_is_growth_without_guard(
    impurity: Any, categories: Any, data: st.DataObject
) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance"))
    engine, schema = MemoryEngine(table.table()), table.schema()
    grower = Grower(impurity=impurity, categories=categories, leaves=6)
    without = grow(engine, schema, grower)
    assert grow(engine, schema, grower, guard=Guard(1)) == without
    every = Guard(9, frozenset(table.attributes))
    assert grow(engine, schema, grower, guard=every) == without


@given(
    records=st.lists(st.integers(1, 6), min_size=2, max_size=25),
    least=st.integers(2, 8),
    missing=st.booleans(),
)
def test_blocks_are_large_unbroken_and_as_short_as_they_can_be(
    records: list[int], least: int, missing: bool
) -> None:
    values = len(records) - missing
    domain = Domain(Kind.INTEGER, np.arange(values), missing)
    found = Guard(least).units("a", domain, np.arange(len(records)), np.array(records))
    units = list(range(len(records))) if found is None else found.tolist()
    assert units[0] == 0
    assert all(b - a in (0, 1) for a, b in pairwise(units))
    blocks = [[r for r, u in zip(records, units, strict=True) if u == k] for k in set(units)]
    assert all(sum(block) >= least for block in blocks) or len(blocks) == 1
    for block in blocks[: -2 if missing else -1]:
        assert sum(block[:-1]) < least
    if missing:
        apart = units.count(units[-1]) == 1
        assert apart == (min(records[-1], sum(records[:-1])) >= least)


@given(records=st.lists(st.integers(1, 12), min_size=2, max_size=12), least=st.integers(2, 8))
def test_small_categories_go_together(records: list[int], least: int) -> None:
    labels = np.array([chr(ord("a") + i) for i in range(len(records))], dtype=object)
    domain = Domain(Kind.CATEGORY, labels)
    found = Guard(least).units("a", domain, np.arange(len(records)), np.array(records))
    units = list(range(len(records))) if found is None else found.tolist()
    assert list(dict.fromkeys(units)) == list(range(len(set(units))))
    size = {u: sum(r for r, v in zip(records, units, strict=True) if v == u) for u in units}
    assert all(s >= least for s in size.values()) or len(size) == 1
    joined = [r for r, u in zip(records, units, strict=True) if units.count(u) > 1]
    assert sum(r >= least for r in joined) <= 1  # the next smallest at most


@given(data=st.data())
def test_every_branch_of_a_guarded_split_holds_the_guard(data: st.DataObject) -> None:
    impurity = data.draw(st.sampled_from(IMPURITIES))
    mode = data.draw(st.sampled_from(["subset", "multiway"]))
    table = data.draw(plain_tables(regression=impurity == "deviance", most_rows=30))
    least = data.draw(st.integers(2, 5))
    grower = Grower(impurity=impurity, categories=mode)  # type: ignore[arg-type]
    tree = grow(MemoryEngine(table.table()), table.schema(), grower, guard=Guard(least))
    for node in tree.inner:
        assert min(tree.records(tree.nodes[c]) for c in node.children) >= least


@every_mode
@every_impurity
@given(data=st.data())
def test_no_rival_of_a_guarded_split_differs_from_it_by_few_records(
    impurity: Any, categories: Any, data: st.DataObject
) -> None:
    """So the rule, which moves one record over, tells nobody: there is no such split."""
    table = data.draw(plain_tables(regression=impurity == "deviance", most_rows=30))
    least = data.draw(st.integers(2, 5))
    free = data.draw(st.sets(st.sampled_from(table.attributes), max_size=1))
    guard = Guard(least, frozenset(free))
    grower = Grower(impurity=impurity, categories=categories, leaves=6)
    engine = MemoryEngine(table.table())
    tree = grow(engine, table.schema(), grower, guard=guard)
    told = count_boundaries(engine, tree, guard=guard)
    assert {place.attribute for place in told.places} <= free
    slow = SlowSettings(
        impurity=impurity,
        categories=categories,
        step=tree.step or 1.0,
        guard=least,
        unguarded=frozenset(free),
    )
    growth = SlowGrowth(table.cells, table.ordered, table.attributes, TARGET, slow)
    rows_at = rows_of_nodes(tree, table)
    for node in tree.inner:
        assert node.split is not None
        if node.split.attribute in free or isinstance(node.split, Multiway):
            continue
        rows = rows_at[node.id]
        sides = [set(rows_at[child]) for child in node.children]
        rivals = [set(left) for _, _, (left, _) in growth.splits(node.split.attribute, rows)]
        assert sides[0] in rivals
        for left in rivals:
            if left not in sides:
                assert min(len(left ^ side) for side in sides) >= least


def rows_of_nodes(tree: Tree, table: PlainTable) -> dict[int, list[int]]:
    rows: dict[int, list[int]] = {node.id: [] for node in tree.nodes}
    for row, leaf in enumerate(tree.leaf_of_rows(table.table()).tolist()):
        at: int | None = leaf
        while at is not None:
            rows[at].append(row)
            at = tree.nodes[at].parent
    return rows


@every_mode
@every_impurity
@given(data=st.data())
def test_people_of_one_unit_may_exchange_their_targets(
    impurity: Any, categories: Any, data: st.DataObject
) -> None:
    """The candidates of the column and their gains stay: the split tells of the unit alone."""
    table = data.draw(plain_tables(regression=impurity == "deviance", most_rows=20))
    slow = SlowSettings(
        impurity=impurity, categories=categories, guard=data.draw(st.integers(2, 5))
    )
    attribute = data.draw(st.sampled_from(table.attributes))
    rows = list(range(table.n_rows))

    def candidates(answers: list[Any]) -> list[Any]:
        cells = {**table.cells, TARGET: answers}
        growth = SlowGrowth(cells, table.ordered, table.attributes, TARGET, slow)
        found = [
            (parts, growth.gain(rows, parts)) for _, _, parts in growth.splits(attribute, rows)
        ]
        return sorted(found, key=lambda one: one[0])

    codes = table.table()[attribute].codes.astype(np.int64)
    present, place, records = np.unique(codes, return_inverse=True, return_counts=True)
    units = Guard(slow.guard).units(attribute, table.table()[attribute].domain, present, records)
    of_row = (np.arange(len(present)) if units is None else units)[place]
    one = data.draw(st.sampled_from(rows))
    other = data.draw(st.sampled_from(np.flatnonzero(of_row == of_row[one]).tolist()))
    answers = list(table.cells[TARGET])
    answers[one], answers[other] = answers[other], answers[one]
    assert candidates(answers) == candidates(table.cells[TARGET])


def test_categories_of_few_people_are_not_told_apart() -> None:
    cells = {"c": [*"aaaabbbbxz"], TARGET: [*"nnnnyyyyny"]}
    table = PlainTable({"c": Kind.CATEGORY, TARGET: Kind.CATEGORY}, cells)
    engine, schema = MemoryEngine(table.table()), table.schema()
    free = grow(engine, schema, Grower(leaves=2)).root.split
    assert isinstance(free, Subset)
    assert set(free.left) == {"a", "x"}
    # x and z have two records together: fewer than three, so they go with the next smallest, a
    guarded = grow(engine, schema, Grower(leaves=2), guard=Guard(3)).root.split
    assert isinstance(guarded, Subset)
    assert set(guarded.left) == {"a", "x", "z"}
    split = grow(engine, schema, Grower(categories="multiway")).root.split
    assert isinstance(split, Multiway)
    assert not grow(engine, schema, Grower(categories="multiway"), guard=Guard(2)).inner


def test_a_published_order_of_categories_tells_nothing_of_one_person() -> None:
    """Three classes and fourteen categories; one person alone has z, and not the largest class."""
    column = [*"abcdefghijklm"] * 6 + ["z", "y", "y"]
    answer = ["p" if c < "h" else "qr"[n % 2] for n, c in enumerate(column)]
    assert answer[-3] != "p"

    def order(target: str, guard: int) -> list[str | None]:
        cells = {"c": column, TARGET: [*answer[:-3], target, *answer[-2:]]}
        table = PlainTable({"c": Kind.CATEGORY, TARGET: Kind.CATEGORY}, cells)
        tree = grow(
            MemoryEngine(table.table()), table.schema(), Grower(leaves=2), guard=Guard(guard)
        )
        return list(tree.grower.category_orders["c"])

    assert order("p", 1).index("z") > order("q", 1).index("z") + 5  # told
    for target in "pq":
        guarded = order(target, 3)
        assert abs(guarded.index("z") - guarded.index("y")) == 1  # with the others of its unit


def test_a_guard_below_one_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="guard must be at least 1"):
        Guard(0)


def units_by_sets(present: list[set[int]], ordered: bool, missing: bool, least: int) -> list[int]:
    """Units of people by looking at sets; each value has its people."""
    everybody = set().union(*present)
    least = min(least, len(everybody) + 1)
    if ordered:
        numbers = present[:-1] if missing else present
        units, unit, here = [], 0, set[int]()
        for people in numbers:
            units.append(unit)
            here |= people
            if len(here) >= least:
                unit, here = unit + 1, set()
        last = max(unit - 1, 0)
        units = [min(u, last) for u in units]
        if missing:
            apart = len(present[-1]) >= least <= len(set().union(*numbers))
            units.append(last + apart)
        return units
    small = [len(people) < least for people in present]
    joined = set().union(*(p for p, s in zip(present, small, strict=True) if s))
    if any(small) and len(joined) < least and not all(small):
        fewest = min(len(p) for p, s in zip(present, small, strict=True) if not s)
        place = next(i for i, p in enumerate(present) if not small[i] and len(p) == fewest)
        small[place] = True
    units, unit, of_small = [], 0, None
    for is_small in small:
        if is_small and of_small is not None:
            units.append(of_small)
            continue
        of_small = unit if is_small else of_small
        units.append(unit)
        unit += 1
    return units


@given(
    st.lists(st.sets(st.integers(0, 6), min_size=1), min_size=1, max_size=8),
    st.integers(2, 5),
    st.booleans(),
    st.booleans(),
)
def test_units_of_people_are_those_of_sets(
    present: list[set[int]], least: int, ordered: bool, missing: bool
) -> None:
    values: Any = np.arange(len(present) - missing)
    if not ordered:
        values = np.array([f"v{i}" for i in range(len(present) - missing)], dtype=object)
    domain = Domain(Kind.INTEGER if ordered else Kind.CATEGORY, values, missing)
    matrix = np.array([[person in people for person in range(7)] for people in present])
    codes = np.arange(len(present))
    found = Guard(least, person="pid").units_of_people(domain, codes, matrix)
    expected = units_by_sets(present, ordered, missing, least)
    assert (list(range(len(present))) if found is None else found.tolist()) == expected
    for unit in set(expected):
        people = set().union(*(p for p, u in zip(present, expected, strict=True) if u == unit))
        assert len(people) >= min(least, len(set().union(*present)))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(2, 6), st.booleans())
def test_people_with_one_record_each_are_records(
    records: list[int], least: int, ordered: bool
) -> None:
    values: Any = np.arange(len(records))
    if not ordered:
        values = np.array([f"v{i}" for i in range(len(records))], dtype=object)
    domain = Domain(Kind.INTEGER if ordered else Kind.CATEGORY, values)
    owner = np.repeat(np.arange(len(records)), records)
    matrix = owner[None, :] == np.arange(len(records))[:, None]
    guard, codes = Guard(least), np.arange(len(records))
    by_people = guard.units_of_people(domain, codes, matrix)
    by_records = guard.units("a", domain, codes, np.array(records))
    assert (by_people is None) == (by_records is None)
    assert by_people is None or by_people.tolist() == by_records.tolist()


def test_a_split_depends_on_so_many_people() -> None:
    """One person with many records at the edge: records would let the split stand there."""
    ages = [20] * 9 + [30, 31, 32, 33, 60, 61, 62, 63]
    owners = ["a"] * 9 + list("bcdefghi")
    buys = ["yes"] * 9 + ["no"] * 8
    table = table_of({"age": ages, "pid": owners, "buys": buys})
    schema = table.select(["age", "buys"]).schema().with_roles(target="buys")
    by_records = grow(MemoryEngine(table), schema, Grower(leaves=2), guard=Guard(3))
    by_people = grow(MemoryEngine(table), schema, Grower(leaves=2), guard=Guard(3, person="pid"))
    assert by_records.root.split.threshold == 25.0
    assert by_people.root.split.threshold > 31.0
