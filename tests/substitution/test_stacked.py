"""The model behind stacked draws: laws, bonds, draws, and the tree that is grown from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.datasets import agrawal, agrawal_schema
from privet.files import as_table
from privet.mechanism.matrices import TransitionMatrix
from privet.mechanism.substitution import Block, Substitution
from privet.substitution import RandomSubstitution, grow_from_perturbed
from privet.substitution.choose import best_way
from privet.substitution.estimate import onto_simplex
from privet.substitution.evidence import Evidence, evidence_for
from privet.substitution.laws import CAUTION, Classes, Waves, laws_by_class, stays
from privet.substitution.likelihood import worth
from privet.substitution.pairs import _chi_square, _Pair, find_bonds
from privet.substitution.regions import PerturbedRows
from privet.substitution.stacked import (
    draws_for,
    grow_from_best_stack,
    grow_from_stack,
    stack,
    stacks_for,
)
from privet.substitution.ways import settings_for_perturbed
from privet.table import Table
from privet.tree import Grower
from privet.tree.accuracy import accuracy_on


def perturbed(
    table: Table, columns: list[str] | None = None, bins: int = 20, target: str = "group"
) -> tuple[Table, Substitution]:
    schema = table.schema().with_roles(target=target)
    perturber = RandomSubstitution(columns, 9, bins, domain_from_data=True).fit(table, schema)
    return perturber.transform(table, seed=1, keep_order=True), perturber.mechanism_


def crossed(n: int, seed: int = 1) -> Table:
    """Neither column says anything of the class by itself; both together decide it."""
    rng = np.random.default_rng(seed)
    one, two = rng.integers(0, 100, n), rng.integers(0, 100, n)
    group = np.where((one < 50) == (two < 50), "same", "other")
    return as_table({"one": one, "two": two, "idle": rng.integers(0, 100, n), "group": group})


@pytest.mark.parametrize("kind", ["ordered", "categories"])
@given(size=st.integers(2, 60))
def test_waves_are_orthonormal_and_each_lies_in_one_band(kind: str, size: int) -> None:
    values = [f"v{i:02}" for i in range(size)] if kind == "categories" else list(range(size))
    table = as_table({"x": values * 2, "group": ["a", "b"] * size})
    schema = table.schema().with_roles(target="group")
    perturber = RandomSubstitution(["x"], 9, size, domain_from_data=True).fit(table, schema)
    block = perturber.mechanism_.block_of("x")
    waves = Waves.of(block, block.encode(table))
    assert np.allclose(waves.basis @ waves.basis.T, np.eye(block.matrix.size))
    rows = np.concatenate(waves.bands)
    assert sorted(rows.tolist()) == list(range(block.matrix.size))
    assert waves.ordered == (kind == "ordered")


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=8), st.floats(0.01, 10), st.floats(1, 20))
def test_the_more_a_band_holds_beyond_noise_the_more_of_it_stays(
    apart: list[float], noise: float, larger: float
) -> None:
    band, expected = np.array(apart), np.full(len(apart), noise)
    share = stays(band, expected)
    assert 0 <= share < 1
    assert stays(band * larger, expected) >= share
    if (band**2).sum() <= CAUTION * expected.sum():
        assert share == 0


def test_a_column_that_says_nothing_of_the_classes_has_one_law() -> None:
    table = crossed(2_000)
    seen, mechanism = perturbed(table)
    classes = Classes(np.eye(2)[seen["group"].codes])
    block = mechanism.block_of("idle")
    first, second = laws_by_class(block, block.encode(seen), classes)
    raw = [
        onto_simplex(block.matrix.solve(np.bincount(codes, minlength=20).astype(float)), 1.0)
        for codes in (block.encode(seen)[seen["group"].codes == c] for c in (0, 1))
    ]
    assert np.abs(first - second).sum() < 0.1 < np.abs(raw[0] - raw[1]).sum()


@pytest.mark.parametrize("clear", [True, False])
def test_a_column_that_decides_keeps_its_laws(clear: bool) -> None:
    """Nearer to the truth than the inverted counts, whether the class stands in clear or not."""
    table = agrawal(1, 3_000, 7)
    seen, mechanism = perturbed(table, None if clear else ["age", "salary", "group"])
    block = mechanism.block_of("age")
    target = table["group"].codes
    true = [np.bincount(block.encode(table)[target == c], minlength=20) for c in (0, 1)]
    true = [counts / counts.sum() for counts in true]
    weights = PerturbedRows(seen, mechanism).class_weights("group")
    laws = laws_by_class(block, block.encode(seen), Classes(weights))
    codes = block.encode(seen)
    off, raw_off = 0.0, 0.0
    for own, law, truth in zip(weights.T, laws, true, strict=True):
        assert law.min() >= 0
        assert law.sum() == pytest.approx(1)
        raw = block.matrix.solve(np.bincount(codes, own, 20)) / own.sum()
        off += float(np.abs(law - truth).sum())
        raw_off += float(np.abs(raw - truth).sum())
    assert off < 0.75 * raw_off


def test_the_bar_of_the_test_is_that_of_a_chi_square() -> None:
    rng = np.random.default_rng(0)
    for freedom in (1, 9, 40, 200):
        drawn = rng.chisquare(freedom, 200_000)
        for chance in (0.5, 0.1, 0.01):
            passed = float((drawn > _chi_square(freedom, chance)).mean())
            assert passed == pytest.approx(chance, rel=0.15, abs=0.0005)


def slow_beyond(block: Block, other: Block, table: Table, rows: np.ndarray) -> np.ndarray:
    """The joint law through dense inverses less the product of its margins, cell by cell."""
    joint = np.zeros((block.matrix.size, other.matrix.size))
    for one, two in zip(block.encode(table)[rows], other.encode(table)[rows], strict=True):
        joint[one, two] += 1 / len(rows)
    inverses = [np.linalg.inv(b.matrix.dense()) for b in (block, other)]
    law = inverses[0] @ joint @ inverses[1].T
    return law - np.outer(law.sum(axis=1), law.sum(axis=0))


def test_what_two_columns_have_beyond_their_products() -> None:
    table = crossed(300)
    seen, mechanism = perturbed(table, bins=6)
    blocks = [mechanism.block_of(name) for name in ("one", "two")]
    codes = [block.encode(seen) for block in blocks]
    pair = _Pair(*(Waves.of(b, c) for b, c in zip(blocks, codes, strict=True)), chance=0.1)
    found = pair._beyond_products(*codes, Classes(np.eye(2)[seen["group"].codes]))
    for number, own in enumerate(found):
        rows = np.flatnonzero(seen["group"].codes == number)
        assert np.allclose(pair._values(own), slow_beyond(*blocks, seen, rows))


def test_the_bond_that_decides_is_found_and_no_other() -> None:
    seen, mechanism = perturbed(crossed(4_000))
    codes = [block.encode(seen) for block in mechanism.blocks]
    classes = Classes(np.eye(2)[seen["group"].codes])
    laws = [laws_by_class(b, c, classes) for b, c in zip(mechanism.blocks, codes, strict=True)]
    (bond,) = find_bonds(mechanism.blocks, codes, laws, classes)
    assert {mechanism.blocks[place].name for place in (bond.first, bond.second)} == {"one", "two"}
    same = seen["group"].domain.values.tolist().index("same")
    assert bond.factors[same, 1, 1] > 1.2 > 0.8 > bond.factors[same, 1, 18]
    assert bond.factors[1 - same, 1, 1] < 0.8 < 1.2 < bond.factors[1 - same, 1, 18]


def test_what_single_columns_cannot_say_is_learned() -> None:
    seen, mechanism = perturbed(crossed(4_000))
    schema = crossed(10).schema().with_roles(target="group")
    fresh = crossed(4_000, 9)
    found = grow_from_perturbed(seen, mechanism, schema, None, "stacked").tree
    assert accuracy_on(found, fresh) > 0.8
    alone = grow_from_perturbed(seen, mechanism, schema, None, "by-class").tree
    assert accuracy_on(alone, fresh) < 0.7


def test_a_stack_has_every_record_several_times_with_its_class() -> None:
    table = crossed(500)
    seen, mechanism = perturbed(table)
    stacked = stack(seen, mechanism, "group", 3)
    assert stacked.n_rows == draws_for(500) * 500 == 16_000
    assert stacked.names == seen.names
    assert np.array_equal(stacked["group"].codes, np.tile(seen["group"].codes, 32))
    again = stack(seen, mechanism, "group", 3)
    assert all(np.array_equal(stacked[n].codes, again[n].codes) for n in seen.names)


@given(
    n=st.integers(30, 200),
    seed=st.integers(0, 50),
    clear=st.booleans(),
    classes=st.integers(2, 5),
)
def test_the_tree_counts_records_and_not_draws(
    n: int, seed: int, clear: bool, classes: int
) -> None:
    rng = np.random.default_rng(seed)
    group = [f"g{i % classes}" for i in range(n)]
    table = as_table({"x": rng.integers(0, 9, n), "y": rng.integers(0, 9, n), "group": group})
    seen, mechanism = perturbed(table, None if clear else ["x", "y", "group"], bins=4)
    schema = seen.schema().with_roles(target="group")
    stacked = stack(seen, mechanism, "group", seed)
    tree = grow_from_stack(stacked, n, schema, Grower("entropy", leaves=9, min_leaf=1))
    assert tree.records(tree.root) == n
    if clear:
        assert tree.root.weights == tuple(np.bincount(seen["group"].codes, minlength=classes))
    for node in tree.inner:
        below = np.sum([tree.nodes[c].weights for c in node.children], axis=0)
        assert tuple(below) == node.weights
    assert all(tree.records(leaf) > 0 for leaf in tree.leaves)


def test_a_perturbed_class_is_drawn_as_well() -> None:
    table = agrawal(1, 6_000, 4)
    seen, mechanism = perturbed(table, ["age", "salary", "group"])
    tree = grow_from_perturbed(seen, mechanism, agrawal_schema(table), None, "stacked").tree
    assert accuracy_on(tree, agrawal(1, 4_000, 77)) > 0.85
    stacked = stack(seen, mechanism, "group", 1)
    true = np.bincount(table["group"].codes) / 6_000
    drawn = np.bincount(stacked["group"].codes) / stacked.n_rows
    assert (
        np.abs(drawn - true).max() < np.abs(np.bincount(seen["group"].codes) / 6_000 - true).max()
    )


def test_classes_drawn_with_another_column_have_the_other_model() -> None:
    table = crossed(400)
    schema = table.schema().with_roles(target="group")
    perturber = RandomSubstitution(["one", "two"], 9, 4, [("idle", "group")], domain_from_data=True)
    seen = perturber.fit(table, schema).transform(table, seed=1)
    assert stack(seen, perturber.mechanism_, "group", 1).n_rows == 400
    tree = grow_from_perturbed(seen, perturber.mechanism_, schema, None, "stacked").tree
    assert tree.records(tree.root) == 400


def test_any_matrix_will_do() -> None:
    table = crossed(3_000)
    schema = table.schema().with_roles(target="group")
    own = TransitionMatrix.of(np.full((4, 4), 0.1) + 0.6 * np.eye(4)).dense()
    perturber = RandomSubstitution(
        ["one", "two"], 9, 4, matrices={"one": own}, domain_from_data=True
    )
    seen = perturber.fit(table, schema).transform(table, seed=1)
    tree = grow_from_perturbed(seen, perturber.mechanism_, schema, None, "stacked").tree
    assert accuracy_on(tree, crossed(2_000, 9)) > 0.85  # from 0.871 on, mostly 0.96, for 24 seeds


def test_noise_alone_grows_a_much_smaller_tree() -> None:
    rng = np.random.default_rng(4)
    names = [f"c{i}" for i in range(6)]
    columns = {name: rng.integers(0, 50, 600) for name in names}
    table = as_table({**columns, "group": rng.choice(["a", "b"], 600, p=[0.7, 0.3])})
    seen, mechanism = perturbed(table)
    schema = table.schema().with_roles(target="group")
    sizes = {
        way: grow_from_perturbed(seen, mechanism, schema, None, way).tree.n_leaves  # type: ignore[arg-type]
        for way in ("stacked", "by-class")
    }
    assert 2 * sizes["stacked"] <= sizes["by-class"]


def test_few_records_are_drawn_more_often() -> None:
    assert [draws_for(n) for n in (1, 1_000, 5_000, 100_000, 500_000, 10**7)] == [
        32,
        32,
        20,
        8,
        4,
        1,
    ]


def test_of_several_stacks_the_tree_that_explains_the_seen_classes_best_is_taken() -> None:
    seen, mechanism = perturbed(agrawal(3, 1_000, 5))
    schema = agrawal_schema(seen)
    grower, rows = settings_for_perturbed(1_000, way="stacked"), PerturbedRows(seen, mechanism)
    tree, originals = grow_from_best_stack(seen, mechanism, schema, grower, 1)
    assert tree == grow_from_stack(originals, 1_000, schema, grower)
    first = grow_from_stack(stack(seen, mechanism, "group", 1), 1_000, schema, grower)
    assert worth(tree, rows, 1) > worth(first, rows, 1)  # the first of eight is seldom the best
    assert tree == grow_from_best_stack(seen, mechanism, schema, grower, 1)[0]


def test_of_many_records_one_stack_is_enough() -> None:
    assert [stacks_for(n) for n in (1, 1_000, 10_000, 30_000, 100_000)] == [8, 8, 8, 4, 1]


def test_halves_judge_each_other() -> None:
    table = agrawal(1, 1_500, 3)
    seen, mechanism = perturbed(table)
    schema = table.schema().with_roles(target="group")
    growers = {way: settings_for_perturbed(1_500, way=way) for way in ("stacked", "perturbed")}
    found = evidence_for(seen, mechanism, schema, growers, 0, lambda _: None)
    assert len(found["stacked"].steady) == 2 * 5
    assert found["stacked"].steady.mean() > found["perturbed"].steady.mean()
    assert found["stacked"].standard_error > 0


def test_the_favourite_stays_unless_it_is_clearly_behind() -> None:
    def said(steady: list[float], unbiased: float = 0.8, error: float = 0.1) -> Evidence:
        return Evidence(np.array(steady), unbiased, error)

    even = said([0.80, 0.82, 0.78, 0.80])
    shaky = said([0.95, 0.70, 0.96, 0.72])
    better = said([0.86, 0.87, 0.85, 0.86])
    assert best_way({"stacked": even, "by-class": shaky}, 100_000) == "stacked"
    assert best_way({"stacked": even, "by-class": better}, 100_000) == "by-class"
    assert best_way({"stacked": even, "by-class": better}, 500) == "stacked"
    wrong = said([0.99, 0.99, 0.99, 0.99], 0.5, 0.01)
    sure = said([0.80, 0.82, 0.78, 0.80], 0.88, 0.05)
    assert best_way({"stacked": wrong, "by-class": sure}, 100_000) == "by-class"
