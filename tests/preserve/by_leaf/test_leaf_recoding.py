"""Leaf recoding: the same trees, K never below global recoding, and what it must reach."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.leaf_checks import engine_of, grows_the_same, released_cells, smallest_class, strong_l
from oracles.random_tables import PlainTable, plain_tables
from preserve.by_leaf.test_leaf_conditions import GROWERS, grown, moderate
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.cell_counts import count_cells
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.by_leaf.refinement import refine
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.leaf_counts import LeafCounts, count_leaves
from privet.preserve.recoding import ColumnRecoding, Treatment, apply, relabelled
from privet.schema import Kind
from privet.tree import Grower, Tree, grow
from privet.tree.compare import compare

COUNTEREXAMPLE = [  # records, A, B, y
    (2, 0, 1, 1),
    (1, 0, 5, 0),
    (4, 0, 9, 0),
    (6, 1, 1, 0),
    (5, 1, 5, 0),
    (1, 1, 9, 1),
]


def recoded(plain: PlainTable, trees: list[Tree], **options: Any) -> LeafRecoding:
    leaf_counts = count_leaves(engine_of(plain), trees)
    options = {"solver": Solver()} | options
    return recode_by_leaf(leaf_counts, recode_globally(leaf_counts, plain.attributes), **options)


def global_keeps(plain: PlainTable, recoding: LeafRecoding) -> bool:
    """Whether global recoding keeps the trees; without that there is nothing to fall back on."""
    released = apply(engine_of(plain), recoding.base)
    schema = plain.schema()
    for tree in recoding.leaf_counts.trees:
        expected = relabelled(tree, recoding.base, recoding.leaf_counts.domains)
        if not compare(expected, grow(released, schema, expected.grower)):
            return False
    return True


def global_cells(plain: PlainTable, base: dict[str, ColumnRecoding]) -> dict[str, list[Any]]:
    table = plain.table()
    return {n: base[n].new_of_old[table[n].codes].tolist() for n in plain.attributes}


@st.composite
def cases(draw: st.DrawFn) -> tuple[PlainTable, list[Tree]]:
    regression = draw(st.integers(0, 3)) == 0
    plain = draw(plain_tables(regression=regression, most_rows=40).filter(moderate))
    return plain, [grown(plain, draw(GROWERS)) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]


@settings(max_examples=max(150, settings.default.max_examples))
@given(cases(), st.booleans())
def test_same_trees_and_never_worse_than_global(
    case: tuple[PlainTable, list[Tree]], use_solver: bool
) -> None:
    plain, trees = case
    recoding = recoded(plain, trees, solver=Solver() if use_solver else None)
    if any(c.form == "global" for c in recoding.columns.values()) and not global_keeps(
        plain, recoding
    ):
        return
    cells = released_cells(recoding, plain)
    for number in range(len(trees)):
        assert grows_the_same(recoding.expected(number), cells, plain.ordered)
    before = global_cells(plain, dict(recoding.base))
    assert smallest_class(cells, plain.attributes) >= smallest_class(before, plain.attributes)
    secret = [row % 3 for row in range(plain.n_rows)]
    assert strong_l(cells, plain.attributes, secret) >= strong_l(before, plain.attributes, secret)
    if recoding.whole:
        leaves = zip(*(t.leaf_of_rows(plain.table()).tolist() for t in trees), strict=True)
        assert smallest_class(cells, plain.attributes) == min(Counter(leaves).values())


@settings(max_examples=60)
@given(cases(), st.integers(1, 5))
def test_refinement_keeps_trees_and_k(case: tuple[PlainTable, list[Tree]], k: int) -> None:
    plain, trees = case
    recoding = recoded(plain, trees)
    engine = engine_of(plain)
    refined = refine(recoding, count_cells(engine, recoding.leaf_counts, recoding.base), k)
    whole, finer = released_cells(recoding, plain), released_cells(refined, plain)
    smallest = smallest_class(whole, plain.attributes)
    assert smallest_class(finer, plain.attributes) >= min(k, smallest)
    for number in range(len(trees)):
        before = grows_the_same(recoding.expected(number), whole, plain.ordered)
        after = grows_the_same(refined.expected(number), finer, plain.ordered)
        assert after or not before


@settings(max_examples=30)
@given(cases())
def test_the_same_task_has_the_same_outcome(case: tuple[PlainTable, list[Tree]]) -> None:
    plain, trees = case
    one, two = recoded(plain, trees), recoded(plain, trees)
    for name, column in one.columns.items():
        assert np.array_equal(column.new, two.columns[name].new)
        assert column.domain == two.columns[name].domain


# -- examples ----------------------------------------------------------------------------------


def counterexample() -> tuple[PlainTable, Tree]:
    rows = [(a, b, str(y)) for n, a, b, y in COUNTEREXAMPLE for _ in range(n)]
    kinds = {"A": Kind.INTEGER, "B": Kind.INTEGER, "y": Kind.CATEGORY}
    plain = PlainTable(kinds, {n: [row[i] for row in rows] for i, n in enumerate("ABy")})
    return plain, grown(plain, Grower(leaves=4))


@pytest.mark.parametrize("use_solver", [True, False])
def test_whole_leaves_are_not_always_possible(use_solver: bool) -> None:
    plain, tree = counterexample()
    assert [(n.split.attribute, n.split.threshold) for n in tree.inner] == [
        ("A", 0.5),
        ("B", 3.0),
        ("B", 7.0),
    ]
    recoding = recoded(plain, [tree], solver=Solver() if use_solver else None)
    assert recoding.columns["A"].whole
    assert not recoding.columns["B"].whole
    assert grows_the_same(recoding.expected(), released_cells(recoding, plain), plain.ordered)


def test_pieces_that_are_too_small_end_the_attempt() -> None:
    plain, tree = counterexample()
    recoding = recoded(plain, [tree])
    released = recoding.apply(engine_of(plain)).count(["A", "B"])
    smallest = int(released.n.min())
    assert recoded(plain, [tree], least=smallest) is not None
    assert recoded(plain, [tree], least=smallest + 1) is None


def test_a_value_is_true_only_if_the_global_cell_is() -> None:
    plain, tree = counterexample()
    columns = recoded(plain, [tree]).columns
    assert columns["A"].treatment is Treatment.GENERALISED
    cells = {
        "A": [0, 0, 0, 1, 1, 1] * 3,
        "B": [1, 5, 9] * 6,
        "y": ["n", "n", "y", "n", "y", "y"] * 3,
    }
    plain = PlainTable(plain.kinds, cells)
    columns = recoded(plain, [grown(plain, Grower(leaves=3))]).columns
    assert any(column.treatment is Treatment.CODED for column in columns.values())


def test_values_can_be_kept_safe_for_single_precision() -> None:
    values = [round(0.1 * i, 1) for i in range(30)]
    cells = {
        "x": values * 2,
        "z": [i % 7 for i in range(60)],
        "y": ["n" if v < 1 or (v > 2 and i % 7 < 3) else "p" for i, v in enumerate(values * 2)],
    }
    plain = PlainTable({"x": Kind.DECIMAL, "z": Kind.INTEGER, "y": Kind.CATEGORY}, cells)
    recoding = recoded(plain, [grown(plain, Grower(leaves=4))], float32_safe=True)
    for column in recoding.columns.values():
        if column.form != "global":
            numbers = column.domain.values.astype(np.float64)
            assert (numbers.astype(np.float32) == numbers).all()


# -- public tables -----------------------------------------------------------------------------


def read(path: Any, drop: tuple[str, ...] = ()) -> Any:
    pandas = pytest.importorskip("pandas")
    from privet.table import Coded, Table

    frame = pandas.read_csv(path).drop(columns=list(drop))
    if "occupation" in frame:
        frame = frame[frame.occupation != "?"].iloc[1:]
    kinds = {"i": (Kind.INTEGER, np.int64), "f": (Kind.DECIMAL, np.float64)}
    columns = {}
    for name in frame:
        cells = frame[name]
        kind, dtype = kinds.get(cells.dtype.kind, (Kind.CATEGORY, object))
        columns[str(name)] = Coded.of(cells.to_numpy(dtype), kind, cells.isna().to_numpy())
    return Table(columns)


def outcome(engine: Any, schema: Any, trees: list[Tree]) -> tuple[int, LeafRecoding, bool]:
    """K of the release, its recoding, and whether every tree grows again."""
    leaf_counts: LeafCounts = count_leaves(engine, trees)
    recoding = recode_by_leaf(
        leaf_counts, recode_globally(leaf_counts, schema.quasi), solver=Solver()
    )
    released = recoding.apply(engine)
    same = all(
        bool(compare(expected, grow(released, schema, expected.grower)))
        for expected in map(recoding.expected, range(len(trees)))
    )
    return int(released.count(schema.quasi).n.min()), recoding, same


@pytest.fixture(scope="module")
def adult(shared_data: Any) -> Any:
    from privet.engine import MemoryEngine

    table = read(shared_data / "adult.csv.gz", ("fnlwgt", "education"))
    schema = table.schema().with_roles(target="income", sensitive=["occupation"])
    return MemoryEngine(table), schema


def test_adult_reaches_the_smallest_leaf(adult: Any) -> None:
    engine, schema = adult
    tree = grow(engine, schema, Grower(leaves=27))
    reached = {5: 305, 8: 305, 11: 305, 12: 87, 17: 87, 20: 54, 25: 54, 27: 54}
    for leaves, smallest in reached.items():
        k, _, same = outcome(engine, schema, [tree.prefix(leaves)])
        assert (leaves, k, same) == (leaves, smallest, True)


@pytest.mark.slow
def test_adult_with_leaves_of_fifty(adult: Any) -> None:
    engine, schema = adult
    k, _, same = outcome(engine, schema, [grow(engine, schema, Grower(leaves=64, min_leaf=50))])
    assert k >= 50
    assert same


def test_adult_two_trees_at_once(adult: Any) -> None:
    engine, schema = adult
    impurities: Any = ("gini", "entropy")
    trees = [grow(engine, schema, Grower(leaves=8, impurity=i)) for i in impurities]
    k, _, same = outcome(engine, schema, trees)
    assert (k, same) == (305, True)


@pytest.mark.parametrize(
    ("name", "target", "impurity"),
    [
        ("boston_housing", "medv", "deviance"),
        ("breast_cancer_wisconsin", "class", "gini"),
        ("german_credit", "class", "gini"),
        ("pima_diabetes", "outcome", "entropy"),
    ],
)
def test_public_tables(shared_data: Any, name: str, target: str, impurity: Any) -> None:
    from privet.engine import MemoryEngine

    table = read(shared_data / f"{name}.csv")
    engine, schema = MemoryEngine(table), table.schema().with_roles(target=target)
    tree = grow(engine, schema, Grower(leaves=20, min_leaf=5, impurity=impurity))
    for leaves in (4, 8, 16, 20):
        prefix = tree.prefix(leaves)
        k, _, same = outcome(engine, schema, [prefix])
        assert same
        assert leaves > 16 or k == min(prefix.records(leaf) for leaf in prefix.leaves)
