"""Values handed down from a beginning of a tree still grow the whole tree."""

import random
from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.leaf_checks import engine_of, grows_the_same, released_cells, smallest_class
from oracles.random_tables import PlainTable, plain_tables
from preserve.by_leaf.test_leaf_conditions import GROWERS, grown, moderate
from preserve.by_leaf.test_leaf_recoding import global_keeps
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.cell_counts import count_cells
from privet.preserve.by_leaf.column import LeafColumn
from privet.preserve.by_leaf.handed_down import Heirs
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.by_leaf.refinement import refine
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.leaf_counts import LeafCounts, count_leaves
from privet.schema import Kind
from privet.tree import Grower, Tree


def asked_of(plain: PlainTable, tree: Tree) -> Any:
    leaf_counts = count_leaves(engine_of(plain), [tree])
    return leaf_counts, recode_globally(leaf_counts, plain.attributes)


def handed_down(
    before: LeafRecoding | None,
    leaf_counts: LeafCounts,
    base: Any,
    solver: Solver | None = None,
    least: int = 1,
) -> LeafRecoding | None:
    """The recoding of a tree after that of a beginning of it."""
    heirs = None if before is None else Heirs.of(before, leaf_counts, solver)
    return recode_by_leaf(leaf_counts, base, solver=solver, least=least, inherited=heirs)


@st.composite
def cases(draw: st.DrawFn) -> tuple[PlainTable, list[Tree]]:
    """A table with the beginnings of its tree, the smallest first."""
    regression = draw(st.integers(0, 3)) == 0
    plain = draw(plain_tables(regression=regression, most_rows=60).filter(moderate))
    tree = grown(plain, draw(GROWERS))
    return plain, [tree.prefix(size) for size in tree.sizes if size > 1]


@settings(max_examples=max(250, settings.default.max_examples))
@given(cases(), st.booleans(), st.integers(1, 3), st.integers(1, 4))
def test_every_size_grows_the_same_from_what_it_inherits(
    case: tuple[PlainTable, list[Tree]], use_solver: bool, step: int, least: int
) -> None:
    plain, beginnings = case
    before: LeafRecoding | None = None
    for tree in beginnings[::step]:
        solver = Solver() if use_solver else None
        found = handed_down(before, *asked_of(plain, tree), solver, least)
        if found is None:
            continue  # the next one inherits from the last that had values
        before = found
        if any(c.form == "global" for c in found.columns.values()) and not global_keeps(
            plain, found
        ):
            continue
        cells = released_cells(found, plain)
        assert grows_the_same(found.expected(), cells, plain.ordered)
        for name, column in found.columns.items():
            assert column.whole == (len(pieces(found, plain, [name])) == len(tree.leaves))
            assert min(pieces(found, plain, [name]).values()) >= least
        if found.whole:
            smallest = found.leaf_counts.smallest_group
            assert smallest_class(cells, plain.attributes) == smallest


def pieces(found: LeafRecoding, plain: PlainTable, columns: list[str]) -> Counter[Any]:
    """The records of each leaf by their new values."""
    (tree,) = found.leaf_counts.trees
    cells = released_cells(found, plain)
    leaves = tree.leaf_of_rows(plain.table()).tolist()
    return Counter(zip(leaves, *(cells[name] for name in columns), strict=True))


@settings(max_examples=max(100, settings.default.max_examples))
@given(cases())
def test_whole_columns_that_no_new_split_asks_keep_their_values(
    case: tuple[PlainTable, list[Tree]],
) -> None:
    plain, beginnings = case
    before: LeafRecoding | None = None
    for tree in beginnings:
        after = handed_down(before, *asked_of(plain, tree))
        assert after is not None
        if before is not None:
            old = {node.id for node in before.leaf_counts.trees[0].inner}
            new = {n.split.attribute for n in tree.inner if n.split and n.id not in old}
            cells = released_cells(before, plain), released_cells(after, plain)
            for name in before.columns.keys() - new:
                if before.columns[name].whole and before.columns[name].form != "global":
                    assert cells[0][name] == cells[1][name]
        before = after


@settings(max_examples=max(100, settings.default.max_examples))
@given(cases(), st.integers(1, 5))
def test_detail_that_is_handed_down_keeps_tree_and_k(
    case: tuple[PlainTable, list[Tree]], k: int
) -> None:
    plain, beginnings = case
    engine = engine_of(plain)
    before: LeafRecoding | None = None
    finer: LeafRecoding | None = None
    for tree in beginnings:
        before = handed_down(before, *asked_of(plain, tree))
        assert before is not None
        cells = count_cells(engine, before.leaf_counts, before.base)
        detail = None if finer is None else Heirs.of(finer, before.leaf_counts).detail_for(before)
        finer = refine(before, cells, k, detail=detail)
        whole, released = released_cells(before, plain), released_cells(finer, plain)
        assert smallest_class(released, plain.attributes) >= min(
            k, smallest_class(whole, plain.attributes)
        )
        kept = grows_the_same(before.expected(), whole, plain.ordered)
        assert grows_the_same(finer.expected(), released, plain.ordered) or not kept


def test_detail_is_handed_down_in_leaves_that_are_not_divided() -> None:
    random_ = random.Random(4)
    ages, heights = ([random_.randrange(40) for _ in range(600)] for _ in range(2))
    people = zip(ages, heights, strict=True)
    told = ["yes" if a < 10 or (a < 30 and h < 12) else "no" for a, h in people]
    plain = PlainTable(
        {"age": Kind.INTEGER, "height": Kind.INTEGER, "y": Kind.CATEGORY},
        {"age": ages, "height": heights, "y": told},
    )
    tree = grown(plain, Grower(leaves=4))
    beginnings = [tree.prefix(size) for size in tree.sizes if size > 1]
    finer: LeafRecoding | None = None
    handed = 0
    for beginning in beginnings:
        leaf_counts, base = asked_of(plain, beginning)
        now = recode_by_leaf(leaf_counts, base, solver=Solver())
        assert now is not None
        if finer is not None:
            detail = Heirs.of(finer, leaf_counts).detail_for(now)
            (parent,) = [n for n, times in Counter(parents(finer, now)).items() if times > 1]
            assert detail.open.tolist() == [group == parent for group in parents(finer, now)]
            for name, column in detail.columns.items():
                old, plainly = finer.columns[name], now.columns[name]
                for group, was in enumerate(parents(finer, now)):
                    source, row = (plainly, group) if detail.open[group] else (old, was)
                    assert texts(column, group) == texts(source, row)
                    handed += not detail.open[group]
        finer = refine(now, count_cells(engine_of(plain), leaf_counts, base), 5)
    assert handed > 0


def parents(smaller: LeafRecoding, larger: LeafRecoding) -> list[int]:
    """For each leaf of the larger tree the one of the smaller tree with its records."""
    above = {node.id: node.parent for node in larger.leaf_counts.trees[0].nodes}
    groups = {leaf: group for group, (leaf,) in enumerate(smaller.leaf_counts.leaves)}
    found = []
    for (leaf,) in larger.leaf_counts.leaves:
        at: int | None = leaf
        while at not in groups:
            assert at is not None
            at = above[at]
        found.append(groups[at])
    return found


def texts(column: LeafColumn, group: int) -> list[Any]:
    """The values of the cells of a group."""
    return [column.domain.value(code) for code in column.of_cell[group].tolist()]


def test_a_part_that_must_move_is_mirrored_at_the_threshold() -> None:
    ages = [*range(20, 40), *range(50, 70), *range(80, 100)]
    told = ["no"] * 20 + ["yes"] * 20 + ["no"] * 20
    plain = PlainTable({"age": Kind.INTEGER, "y": Kind.CATEGORY}, {"age": ages, "y": told})
    tree = grown(plain, Grower(leaves=3))
    first = handed_down(None, *asked_of(plain, tree.prefix(2)))
    assert first is not None
    second = handed_down(first, *asked_of(plain, tree))
    assert second is not None
    values = [np.unique(released_cells(r, plain)["age"]) for r in (first, second)]
    assert [len(v) for v in values] == [2, 3]
    assert len(set(values[0]) & set(values[1])) == 2  # one part of the divided leaf moved
    assert grows_the_same(second.expected(), released_cells(second, plain), plain.ordered)
    assert second.columns["age"].found_by == "handed down"
