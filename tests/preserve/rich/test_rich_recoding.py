"""Rich recoding: the same trees, blocks of at least k, and values that stay near their records."""

import itertools
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import privet
from oracles.leaf_checks import engine_of, grows_the_same, smallest_class
from oracles.random_tables import TARGET, PlainTable, plain_tables
from preserve.by_leaf.test_leaf_conditions import GROWERS, grown, moderate
from privet.datasets import hospital
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.leaf_counts import count_leaves
from privet.preserve.recoding import Treatment
from privet.preserve.rich.known_blocks import KnownBlocks
from privet.preserve.rich.partition import Rule
from privet.preserve.rich.recode import RichRecoder, RichRecoding
from privet.table import Domain, Table
from privet.tree import Tree


@st.composite
def cases(draw: st.DrawFn) -> tuple[PlainTable, list[Tree]]:
    regression = draw(st.integers(0, 3)) == 0
    plain = draw(plain_tables(regression=regression, most_rows=60).filter(moderate))
    return plain, [grown(plain, draw(GROWERS)) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]


def richly(plain: PlainTable, trees: list[Tree], k: int, mixed: bool) -> RichRecoding | None:
    engine = engine_of(plain)
    leaf_counts = count_leaves(engine, trees)
    base = recode_globally(leaf_counts, plain.attributes)
    known = KnownBlocks(engine, plain.attributes, Rule(k, [TARGET], mixed))
    return RichRecoder(known, leaf_counts, base, False, Solver()).recode()


def plain_cells(table: Table) -> dict[str, list[Any]]:
    cells = {}
    for name in table:
        values = plain_values(table[name].domain)
        cells[name] = [values[code] for code in table[name].codes.tolist()]
    return cells


def plain_values(domain: Domain) -> list[Any]:
    """The values of a domain by their codes; dates are days, None is missing."""
    return [*(v if isinstance(v, str) else v.item() for v in domain.values), None]


@settings(max_examples=max(150, settings.default.max_examples), deadline=None)
@given(cases(), st.integers(1, 4), st.booleans())
def test_the_same_trees_grow_and_blocks_have_k(
    case: tuple[PlainTable, list[Tree]], k: int, mixed: bool
) -> None:
    plain, trees = case
    recoding = richly(plain, trees, k, mixed)
    assume(recoding is not None)  # a leaf, or a piece that some column needs, has fewer than k
    assert recoding is not None
    released = plain_cells(recoding.apply(engine_of(plain)).table())
    for number in range(len(trees)):
        expected = recoding.expected(number)
        assert grows_the_same(expected, released, plain.ordered)
        assert [n.weights for n in expected.nodes] == [n.weights for n in trees[number].nodes]
    assert smallest_class(released, plain.attributes) >= k
    _assert_near(recoding, plain, released)
    _assert_joined_are_gone(recoding, plain, released)


def _assert_near(recoding: RichRecoding, plain: PlainTable, released: dict[str, list[Any]]) -> None:
    """Values of aggregated columns lie in the range of their block, unless it says otherwise."""
    starts, rows = recoding.blocks.starts.tolist(), recoding.blocks.rows.tolist()
    for name, column in recoding.columns.items():
        if column.treatment is not Treatment.AGGREGATED or not column.near:
            continue
        for first, last in itertools.pairwise(starts):
            mine = [plain.cells[name][row] for row in rows[first:last]]
            value = released[name][rows[first]]
            if value is None or name not in plain.ordered:
                assert value in mine
            else:
                numbers = [cell for cell in mine if cell is not None]
                assert min(numbers) <= value <= max(numbers)


def _assert_joined_are_gone(
    recoding: RichRecoding, plain: PlainTable, released: dict[str, list[Any]]
) -> None:
    """Of values that became one only the one that stayed occurs, and none between them."""
    for name, column in recoding.columns.items():
        for codes in column.joined:
            stays, *gone = [plain_values(column.domain)[code] for code in codes]
            assert not set(gone) & set(released[name])
            if name in plain.ordered:
                between = [
                    v
                    for v in released[name]
                    if v is not None and min(stays, *gone) <= v <= max(stays, *gone)
                ]
                assert set(between) <= {stays}


def test_values_of_other_leaves_between_two_that_are_joined_go_with_them() -> None:
    table = hospital(2000)
    roles = {"target": "readmitted", "identifier": "patient_id", "sensitive": "diagnosis"}
    release = privet.publish(table, **roles, k=20, l=2, leaves=6)  # type: ignore[arg-type]
    (joined,) = release.manifest.recoding["columns"]["birth_date"]["joined"]
    domain = release.rows.table["birth_date"].domain
    born = [str(domain.value(code)) for code in range(domain.size)]
    assert [b for b in born if joined["low"] <= b <= joined["high"]] == [joined["value"]]


@settings(max_examples=60, deadline=None)
@given(cases())
def test_blocks_lie_in_one_leaf_of_every_tree(case: tuple[PlainTable, list[Tree]]) -> None:
    plain, trees = case
    recoding = richly(plain, trees, 2, mixed=True)
    assume(recoding is not None)
    assert recoding is not None
    table = plain.table()
    for tree in trees:
        leaf = tree.leaf_of_rows(table)[recoding.blocks.rows]
        starts = recoding.blocks.starts
        assert (np.repeat(leaf[starts[:-1]], recoding.blocks.sizes) == leaf).all()
