"""The grower against its slow twin: same nodes, thresholds, categories, weights, creation order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, plain_tables
from oracles.slow_grower import SlowGrowth, SlowNode, SlowSettings, in_order
from oracles.slow_words import bits, plain
from privet.engine import MemoryEngine, Tally, memory
from privet.files.frames import table_of
from privet.schema import Kind
from privet.tree import Grower, Subset, Threshold, Tree, cuts_in_order, grow
from privet.tree.guard import Guard
from privet.tree.impurity import RULES
from privet.tree.leading import Leaders

CLASSES = ["gini", "entropy", "gain-ratio"]
patient = settings(
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)
every_impurity = pytest.mark.parametrize("impurity", [*CLASSES, "deviance"])
every_mode = pytest.mark.parametrize("categories", ["subset", "multiway"])


def twin(table: PlainTable, tree: Tree, grower: Grower, **more: Any) -> list[SlowNode]:
    slow = SlowSettings(
        impurity=grower.impurity,
        categories=grower.categories,
        leaves=grower.leaves,
        depth=grower.depth,
        min_leaf=grower.min_leaf,
        min_gain=grower.min_gain,
        step=tree.step or 1.0,
    )
    growth = SlowGrowth(table.cells, table.ordered, table.attributes, TARGET, slow, **more)
    return growth.grow()


@st.composite
def stopping(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "leaves": draw(st.sampled_from([None, None, 1, 2, 3, 5, 8])),
        "depth": draw(st.sampled_from([None, None, None, 0, 1, 2])),
        "min_leaf": draw(st.sampled_from([1, 1, 1, 2, 3])),
        "min_gain": draw(st.sampled_from([0.0, 0.0, 0.0, 1 / 64, 0.125, 0.25])),
    }


@every_mode
@every_impurity
@patient
@given(data=st.data())
def test_the_grower_grows_the_tree_of_its_twin(
    impurity: Any, categories: Any, data: st.DataObject
) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance"))
    grower = Grower(impurity, categories, **data.draw(stopping()))
    tree = grow(MemoryEngine(table.table(), compiled=False), table.schema(), grower)
    slow = twin(table, tree, grower)
    assert plain(tree) == slow
    assert bits(plain(tree)) == bits(slow)


@every_impurity
@settings(patient, max_examples=25)
@given(data=st.data())
def test_compiled_and_wide_counting_change_nothing(impurity: Any, data: st.DataObject) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance"))
    grower = Grower(impurity)
    tree = grow(MemoryEngine(table.table(), compiled=False), table.schema(), grower)
    assert grow(MemoryEngine(table.table(), compiled=True), table.schema(), grower) == tree
    for wide in (0, 6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(memory, "WIDE", wide)
            for compiled in (False, True):
                engine = MemoryEngine(table.table(), compiled)
                assert grow(engine, table.schema(), grower) == tree


@every_mode
@patient
@given(data=st.data())
def test_attributes_far_behind_are_not_missed(categories: Any, data: st.DataObject) -> None:
    """One compiled loop leaves attributes out before their candidates are listed."""
    from privet.compiled import counting  # noqa: F401

    table = data.draw(plain_tables(regression=False))
    grower = Grower("gini", categories, **data.draw(stopping()))
    tree = grow(MemoryEngine(table.table(), compiled=True), table.schema(), grower)
    assert bits(plain(tree)) == bits(twin(table, tree, grower))


@patient
@given(data=st.data())
def test_categories_may_have_an_order_of_their_own(data: st.DataObject) -> None:
    """Also where compiled loops leave attributes out, which know the order of the mean alone."""
    from privet.compiled import counting, loaded  # noqa: F401

    assert loaded()
    table = data.draw(plain_tables(regression=False))
    orders = {
        name: data.draw(st.permutations(in_order(table.cells[name])))
        for name in table.attributes
        if name not in table.ordered
    }
    told = {name: tuple(order) for name, order in orders.items()}
    grower = Grower("gini", "subset", category_orders=told, **data.draw(stopping()))
    tree = grow(MemoryEngine(table.table()), table.schema(), grower)
    assert bits(plain(tree)) == bits(twin(table, tree, grower, orders=orders))


def test_most_attributes_are_left_out() -> None:
    from privet.compiled import counting  # noqa: F401

    draw = np.random.default_rng(7)
    cells = draw.integers(0, 9, size=(400, 6))
    codes = {f"x{i}": cells[:, i] for i in range(5)}
    table = table_of({**codes, "y": np.where(cells[:, 2] > 4, "a", "b"), "t": list("pq") * 200})
    schema = table.schema().with_roles(target="y")
    domains = {name: table[name].domain for name in table if name != "y"}
    (tallies,) = MemoryEngine(table).tally(tuple(domains), [()], "y")
    whole = tuple(tallies["x0"].weights.sum(axis=0).tolist())
    leaders = Leaders(domains, RULES["gini"], by_mean=True, stored=())
    assert leaders.of(tallies, whole, 1) == ["x2"]
    assert len(leaders.of(tallies, whole, 300)) == len(domains)  # no cut leaves so many on a side
    # counts that are estimated need not add up, and are left to others
    odd = {**tallies, "x0": Tally(tallies["x0"].codes, tallies["x0"].weights + 1)}
    assert leaders.of(odd, whole, 1) == ["x0", "x2"]
    assert grow(MemoryEngine(table), schema, Grower(leaves=2)).root.split is not None


@every_mode
@patient
@given(data=st.data())
def test_cuts_scored_in_order_change_nothing(categories: Any, data: st.DataObject) -> None:
    """Large columns are scored by a compiled loop, also where a guard forbids some cuts."""
    from privet.compiled import cuts, loaded

    assert loaded()
    table = data.draw(plain_tables(regression=False))
    grower = Grower("gini", categories, **data.draw(stopping()))
    guard = data.draw(st.sampled_from([None, Guard(2), Guard(4)]))
    engine = MemoryEngine(table.table())
    tree = grow(engine, table.schema(), grower, guard=guard)
    passes = 0

    def counted(*arguments: Any) -> Any:
        nonlocal passes
        passes += 1
        return highest_gini(*arguments)

    highest_gini = cuts.highest_gini
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts_in_order, "FROM", 0)
        patch.setattr(cuts, "highest_gini", counted)
        assert grow(engine, table.schema(), grower, guard=guard) == tree
    assert passes or not any(isinstance(node.split, Threshold) for node in tree.nodes)


@settings(patient, max_examples=30)
@given(data=st.data())
def test_many_categories_and_classes_are_cut_in_the_stored_order(data: st.DataObject) -> None:
    rows = data.draw(st.integers(13, 40))
    labels = [*(f"v{i}" for i in range(13)), None]
    cells = [*labels[:13], *data.draw(st.lists(st.sampled_from(labels), min_size=rows - 13,
                                               max_size=rows - 13))]  # fmt: skip
    answers = st.sampled_from(["p", "q", "r"])
    target = ["p", "q", "r", *data.draw(st.lists(answers, min_size=rows - 3, max_size=rows - 3))]
    table = PlainTable({"c": Kind.CATEGORY, TARGET: Kind.CATEGORY}, {"c": cells, TARGET: target})
    grower = Grower(data.draw(st.sampled_from(CLASSES)), leaves=4)  # type: ignore[arg-type]
    tree = grow(MemoryEngine(table.table()), table.schema(), grower)
    assert plain(tree) == twin(table, tree, grower)
    assert set(tree.grower.category_orders) == {"c"}
    assert grow(MemoryEngine(table.table()), table.schema(), tree.grower) == tree


def test_a_stored_order_may_name_categories_that_are_gone() -> None:
    """Publishing merges categories; the order in the model still names the old ones."""
    labels = [f"v{i:02d}" for i in range(20)]
    cells = {"c": labels * 3, TARGET: (["p", "q", "r", "p"] * 15)[:60]}
    kinds = {"c": Kind.CATEGORY, TARGET: Kind.CATEGORY}
    tree = grow(*_engine_and_schema(PlainTable(kinds, cells)), Grower(leaves=4))
    fewer = PlainTable(kinds, {**cells, "c": ["v18", "new", "v03", "v19"] * 15})
    again = grow(*_engine_and_schema(fewer), tree.grower)
    order = [v for v in (*tree.grower.category_orders["c"], "new") if v in fewer.cells["c"]]
    split = again.root.split
    assert isinstance(split, Subset)
    assert set(split.left) == set(order[: len(split.left)])


def _engine_and_schema(table: PlainTable) -> tuple[MemoryEngine, Any]:
    return MemoryEngine(table.table()), table.schema()


@every_impurity
@patient
@given(data=st.data())
def test_row_order_does_not_matter(impurity: Any, data: st.DataObject) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance"))
    order = data.draw(st.permutations(range(table.n_rows)))
    trees = [
        grow(MemoryEngine(t.table()), t.schema(), Grower(impurity))
        for t in (table, table.shuffled(order))
    ]
    assert trees[0] == trees[1]


@every_impurity
@settings(patient, max_examples=30)
@given(data=st.data())
def test_names_of_columns_do_not_matter(impurity: Any, data: st.DataObject) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance"))
    names = dict(zip(table.attributes, data.draw(st.permutations(table.attributes)), strict=True))
    tree = grow(MemoryEngine(table.table()), table.schema(), Grower(impurity))
    other = table.renamed(names)
    renamed = plain(grow(MemoryEngine(other.table()), other.schema(), Grower(impurity)))
    expected = [
        n if n.split is None else SlowNode(
            n.id, n.parent, n.depth, n.weights,
            (n.split[0], names[n.split[1]], *n.split[2:]), n.children,
        )
        for n in plain(tree)
    ]  # fmt: skip
    assert renamed == expected


@every_mode
@every_impurity
@patient
@given(data=st.data())
def test_a_smaller_tree_is_the_beginning_of_a_larger_one(
    impurity: Any, categories: Any, data: st.DataObject
) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance"))
    engine = MemoryEngine(table.table())
    full = grow(engine, table.schema(), Grower(impurity, categories))
    assert full.sizes[-1] == full.n_leaves
    for leaves in range(1, full.n_leaves + 2):
        small = grow(engine, table.schema(), Grower(impurity, categories, leaves=leaves))
        assert small == full.prefix(leaves)
        assert full.leaves_of_prefix(leaves) == [leaf.id for leaf in small.leaves]


@every_impurity
@patient
@given(data=st.data())
def test_the_grower_of_a_tree_grows_it_again(impurity: Any, data: st.DataObject) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance"))
    tree = grow(MemoryEngine(table.table()), table.schema(), Grower(impurity, min_leaf=2))
    assert grow(MemoryEngine(table.table()), table.schema(), tree.grower) == tree


@every_impurity
@patient
@given(data=st.data())
def test_records_reach_the_node_that_counted_them(impurity: Any, data: st.DataObject) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance")).table()
    schema = table.schema().with_roles(target=TARGET)
    tree = grow(MemoryEngine(table), schema, Grower(impurity))
    at = tree.leaf_of_rows(table)
    assert {leaf.id: int((at == leaf.id).sum()) for leaf in tree.leaves} == {
        leaf.id: tree.records(leaf) for leaf in tree.leaves
    }
    if tree.classes is not None:
        truth = [table[TARGET].domain.value(int(c)) for c in table[TARGET].codes]
        right = sum(a == b for a, b in zip(tree.predict(table), truth, strict=True))
        assert right == tree.correct()


class TwoValues:
    """Every child must hold two different values of each of some columns."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = columns

    def __call__(self, column: str, children: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        assert column in self.columns
        return np.asarray(((children > 0).sum(axis=2) >= 2).all(axis=1))


@every_mode
@every_impurity
@patient
@given(data=st.data())
def test_only_admissible_splits_are_made(
    impurity: Any, categories: Any, data: st.DataObject
) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance"))
    columns = data.draw(st.lists(st.sampled_from(list(table.cells)), min_size=1, max_size=2))

    def two_values(parts: list[list[int]]) -> bool:
        return all(len({table.cells[c][r] for r in p}) >= 2 for c in columns for p in parts)

    grower = Grower(impurity, categories)
    engine = MemoryEngine(table.table())
    tree = grow(engine, table.schema(), grower, TwoValues(columns))
    assert plain(tree) == twin(table, tree, grower, admissible=two_values)


@patient
@given(data=st.data())
def test_one_engine_serves_several_growths(data: st.DataObject) -> None:
    table = data.draw(plain_tables(regression=True))
    engine = MemoryEngine(table.table())
    growers = [Grower("deviance", response_step=s) for s in (None, 4.0, 0.5)]
    growers += [Grower(i) for i in CLASSES]  # type: ignore[arg-type]
    small = all(abs(y) < 2**40 for y in table.cells[TARGET])
    for grower in growers if small else growers[3:]:
        fresh = MemoryEngine(table.table())
        assert grow(engine, table.schema(), grower) == grow(fresh, table.schema(), grower)


@every_mode
@settings(patient, max_examples=40)
@given(data=st.data())
def test_a_class_for_each_record_grows_the_tree_of_the_twin(
    categories: Any, data: st.DataObject
) -> None:
    """Every cut keeps every class whole then, so that all of them tie."""
    table = data.draw(plain_tables(regression=False))
    assume(table.n_rows > 2)
    twice = data.draw(st.sampled_from([0, 0, 1]))
    labels = [f"p{max(row, twice):03d}" for row in range(table.n_rows)]
    named = PlainTable(
        {**table.kinds, TARGET: Kind.CATEGORY},
        {**table.cells, TARGET: data.draw(st.permutations(labels))},
    )
    grower = Grower("gain-ratio", categories, min_leaf=data.draw(st.sampled_from([1, 2])))
    tree = grow(MemoryEngine(named.table(), compiled=False), named.schema(), grower)
    assert bits(plain(tree)) == bits(twin(named, tree, grower))
