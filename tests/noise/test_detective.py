"""DETECTIVE: chances by leaf and siblings, changes before and after, columns drawn together."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_detective import chances
from oracles.random_tables import PlainTable, plain_tables
from privet.datasets import crd, csd, schema_of
from privet.errors import UnknownColumn, UsageError
from privet.measure.similarity import similarities, similarity_matrix
from privet.noise.dependencies import Dependency, dependencies
from privet.noise.draws import is_changed
from privet.noise.parts.detective import Detective
from privet.schema import Kind, Schema
from privet.table import Coded, Table
from privet.tree.natural import NoiseTreeSettings
from privet.tree.relatives import relatives_of

FALSE_ALARM = 5.0


@pytest.fixture(scope="module")
def customers() -> tuple[Table, Schema]:
    table = csd()
    return table, table.schema().with_roles(target="status")


def test_the_worked_example(customers: tuple[Table, Schema]) -> None:
    """Four makes, four leaves; the leaf without siblings keeps its shares."""
    suspect = Detective(p=0.3, columns=("car_make",)).fit(*customers).suspects_["car_make"]
    by_majority = {
        leaf.weights: row for leaf, row in zip(suspect.tree.leaves, suspect.law.drawn, strict=True)
    }
    assert by_majority[(0, 20, 0, 40)].tolist() == pytest.approx(
        [0, 0.2333, 0.15, 0.6167], abs=1e-4
    )
    assert by_majority[(0, 0, 62, 0)].tolist() == pytest.approx([0, 0, 0.7, 0.3])
    assert by_majority[(0, 0, 0, 30)].tolist() == pytest.approx([0, 0, 0.15, 0.85])
    assert by_majority[(132, 5, 48, 62)] @ np.ones(4) == pytest.approx(1)
    assert suspect.law.changed == pytest.approx(0.514, abs=1e-3)
    weaker = Detective(p=0.1, columns=("car_make",)).fit(*customers).suspects_["car_make"]
    assert weaker.law.changed == pytest.approx(0.469, abs=1e-3)


def test_similarities_of_the_worked_example(customers: tuple[Table, Schema]) -> None:
    tree = Detective(columns=("car_make",)).fit(*customers).suspects_["car_make"].tree
    found = {(s.leaves, s.first, s.second): s.product for s in similarities(tree)}
    large = next(leaf.id for leaf in tree.leaves if sum(leaf.weights) == 247)
    assert found[(large,), "Ford", "Toyota"] == 8184
    assert found[(large,), "Ford", "Nissan"] == 6336
    assert found[(large,), "Nissan", "Toyota"] == 2976
    joined = {(s.first, s.second): s.product for s in similarities(tree, "siblings")}
    assert joined["Nissan", "Toyota"] == 4340
    matrix = similarity_matrix([leaf.weights for leaf in tree.leaves])
    assert matrix.sum() == pytest.approx(1)
    assert np.allclose(matrix, matrix.T)


@given(plain_tables(most_rows=40), st.integers(0, 10))
def test_chances_are_those_of_the_slow_way(plain: PlainTable, tenths: int) -> None:
    table, schema = plain.table(), plain.schema()
    trees = NoiseTreeSettings(min_leaf=1)
    noise = Detective(p=tenths / 10, together=(), trees=trees).fit(table, schema)
    for suspect in noise.suspects_.values():
        slow = chances(suspect.tree, Fraction(tenths, 10))
        labels = suspect.tree.classes or ()
        for leaf, row in zip(suspect.tree.leaves, suspect.law.drawn, strict=True):
            expected = [float(slow[leaf.id].get(label, 0)) for label in labels]
            assert row.tolist() == pytest.approx(expected, abs=1e-12)
            assert row.sum() == pytest.approx(1)


def test_observed_changes_are_the_expected_ones(customers: tuple[Table, Schema]) -> None:
    table, schema = customers
    runs = 60
    for settings in (
        Detective(p=0.3),
        Detective(p=0.3, participation=0.4),
        Detective(p=0.2, random_value=0.3),
        Detective(p=0.2, cousins=2, weights="records"),
        Detective(p=0.3, exact=True),
    ):
        noise = settings.fit(table, schema)
        observed = dict.fromkeys(noise.suspects_, 0)
        for seed in range(runs):
            released = noise.transform(table, seed)
            for name in observed:
                observed[name] += int(is_changed(table[name], released[name]).sum())
        for name, suspect in noise.suspects_.items():
            p = suspect.law.changed
            n = runs * table.n_rows
            assert abs(observed[name] / n - p) <= FALSE_ALARM * math.sqrt(p * (1 - p) / n)


def test_a_pure_leaf_without_siblings_stays() -> None:
    noise = Detective(p=0.5, participation=0.0).fit(
        csd(), csd().schema().with_roles(target="status")
    )
    released = noise.transform(csd(), 1)
    assert not any(is_changed(csd()[name], released[name]).any() for name in released)


def test_cousins_reach_further_than_siblings() -> None:
    table = crd()
    noise = Detective(columns=("city",)).fit(table, table.schema().with_roles(target="credit_risk"))
    tree = noise.suspects_["city"].tree
    siblings, cousins, all_leaves = (relatives_of(tree, h) for h in (0, 1, 99))
    for near, far, every in zip(siblings, cousins, all_leaves, strict=True):
        assert set(near.tolist()) <= set(far.tolist()) <= set(every.tolist())
        assert len(every) == tree.n_leaves - 1
    assert sum(map(len, siblings)) < sum(map(len, cousins))


def table_with_copies() -> Table:
    rng = np.random.default_rng(5)
    grade = rng.integers(0, 4, 400)
    none = np.zeros(400, dtype=bool)
    label = np.array(["d", "c", "b", "a"], dtype=object)[grade]
    half = np.where(grade < 2, "low", "high").astype(object)
    return Table(
        {
            "grade": Coded.of(grade, Kind.INTEGER, none),
            "label": Coded.of(label, Kind.CATEGORY, none),
            "half": Coded.of(half, Kind.CATEGORY, none),
            "x": Coded.of(rng.integers(0, 50, 400), Kind.INTEGER, none),
            "y": Coded.of(rng.choice(["n", "y"], 400).astype(object), Kind.CATEGORY, none),
        }
    )


def test_dependencies_are_found_and_drawn_together() -> None:
    table = table_with_copies()
    schema = table.schema().with_roles(target="y")
    found = dependencies(table, schema)
    assert Dependency("grade", "label", True) in found
    assert Dependency("grade", "half", False) in found
    assert not any(d.given in ("x", "half") for d in found)
    noise = Detective(p=0.2).fit(table, schema)
    assert noise.groups_ == (("grade", "label"),)
    assert any("'grade' determines 'half'" in warning for warning in noise.warnings_)
    released = noise.transform(table, 3)
    pairs = set(
        zip(released["grade"].codes.tolist(), released["label"].codes.tolist(), strict=True)
    )
    assert pairs == set(
        zip(table["grade"].codes.tolist(), table["label"].codes.tolist(), strict=True)
    )


def test_any_columns_can_be_drawn_together() -> None:
    table = table_with_copies()
    schema = table.schema().with_roles(target="y")
    noise = Detective(p=0.2, together=(("grade", "label", "half"),)).fit(table, schema)
    assert not noise.warnings_
    released = noise.transform(table, 4)
    names = ("grade", "label", "half")
    combined = [
        set(zip(*(t[n].codes.tolist() for n in names), strict=True)) for t in (table, released)
    ]
    assert combined[1] <= combined[0]


@pytest.mark.parametrize(
    ("noise", "error"),
    [
        (Detective(columns=("nothing",)), UnknownColumn),
        (Detective(columns=("x",)), UsageError),
        (Detective(together=(("label", "y"),)), UsageError),
        (Detective(together=(("label",),)), UsageError),
        (Detective(together=(("label", "half"), ("half", "x"))), UsageError),
    ],
)
def test_what_cannot_be_drawn_is_refused(noise: Detective, error: type[Exception]) -> None:
    table = table_with_copies()
    with pytest.raises(error):
        noise.fit(table, table.schema().with_roles(target="y"))


def test_rows_never_seen_before_are_drawn_as_well() -> None:
    table = table_with_copies()
    noise = Detective(p=0.2, together=()).fit(table, table.schema().with_roles(target="y"))
    strange = Coded.of(np.array(["zz"] * 400, dtype=object), Kind.CATEGORY, np.zeros(400, bool))
    released = noise.transform(table.replace({"label": strange}), 1)
    assert set(released["label"].domain.values.tolist()) >= {"a", "b"}
    assert "zz" not in np.array(released["label"].domain.texts)[np.unique(released["label"].codes)]


def test_of_a_random_column_the_tree_says_next_to_nothing() -> None:
    """By leaf, what nothing tells is guessed at most 1.5 times as well as blindly."""
    for seed in (2005, 7, 8):
        table = csd(399, seed)
        detective = Detective().fit(table, schema_of("csd", table))
        for name in ("parents_country", "favourite_city"):
            tree = detective.suspects_[name].tree
            assert tree.correct() <= 1.5 * max(tree.root.weights)
        told = detective.suspects_["car_make"].tree
        assert told.correct() >= 1.9 * max(told.root.weights)
