"""Objects show themselves: a line in a log, a table or a picture in a notebook, never a cell."""

from pathlib import Path

import numpy as np
import pytest

import privet
from privet.datasets import hospital
from privet.shown import html_table

PEOPLE = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}


def test_every_object_has_one_line() -> None:
    tree = privet.grow(PEOPLE, target="buys")
    release = privet.publish(PEOPLE, target="buys", k=3, leaves=2)
    shown = {
        repr(tree): "<Tree of 2 leaves for buys, depth 1, gini>",
        repr(privet.check(PEOPLE, quasi="age", k=2)): "<Assessment of 6 records: k = 1, NO>",
        repr(privet.table_of(PEOPLE).schema()): "<Schema of 2 columns: 2 quasi>",
        repr(privet.explore(PEOPLE, target="buys", k=3)): (
            "<Exploration of 1 sizes: publish would take 2 leaves>"
        ),
    }
    for said, expected in shown.items():
        assert said == expected
    assert "\n" not in repr(release)
    assert str(tree).splitlines()[1].startswith("├── age ≤ 46: no")


def test_a_notebook_shows_figures_and_the_tree(tmp_path: Path) -> None:
    release = privet.publish(PEOPLE, target="buys", k=3, leaves=2)
    page = release._repr_html_()
    assert "<table>" in page
    assert "<svg" in page
    assert "k-anonymity" in page
    fingerprint = release.save(tmp_path / "release")
    outcome = privet.verify(tmp_path / "release", fingerprint)
    assert "same" in outcome._repr_html_()
    assert repr(outcome).endswith("checks: YES>")
    assert "<th>leaves</th>" in privet.explore(PEOPLE, target="buys")._repr_html_()


def test_names_are_escaped() -> None:
    assert "<b>" not in html_table([("<b>", "&")], "<i>")
    tree = privet.grow({"<b>": [1, 2], "y": ["<u>", "x"]}, target="y")
    assert "<u>" not in tree._repr_html_()


def test_trees_too_large_for_a_picture_are_lines() -> None:
    table = privet.table_of({"x": list(range(300)), "y": [str(i % 7 * i % 5) for i in range(300)]})
    tree = privet.grow(table, target="y", leaves=100)
    assert tree.n_leaves > 64
    assert tree._repr_html_().startswith("<pre>")


def test_estimators_say_what_scikit_learn_asks() -> None:
    pytest.importorskip("sklearn")
    table = hospital(300, seed=1)
    columns = ["sex", "bmi", "stay_days"]
    X = privet.frame_of(table.select(columns), "pandas")
    y = privet.frame_of(table.select(["readmitted"]), "pandas")["readmitted"]
    model = privet.TreeClassifier(leaves=6).fit(X, y)
    assert (model.get_n_leaves(), model.get_depth()) == (model.tree_.n_leaves, model.tree_.depth)
    reached = model.apply(X)
    assert {model.tree_.nodes[leaf].is_leaf for leaf in reached.tolist()} == {True}
    counts = np.bincount(reached)
    assert all(counts[leaf.id] == sum(leaf.weights) for leaf in model.tree_.leaves)
    shares = model.feature_importances_
    assert shares.shape == (3,)
    assert np.isclose(shares.sum(), 1)


def test_importances_are_those_of_scikit_learn() -> None:
    trees = pytest.importorskip("sklearn.tree")
    rng = np.random.default_rng(4)
    X = rng.integers(0, 9, (200, 3)).astype(float)
    for ours, theirs, y in (
        (privet.TreeClassifier(leaves=5), trees.DecisionTreeClassifier, X[:, 0] + X[:, 1] > 8),
        (privet.TreeRegressor(leaves=5), trees.DecisionTreeRegressor, X[:, 0] * 2 + X[:, 1]),
    ):
        model = ours.fit(X, y)
        other = theirs(max_leaf_nodes=5, random_state=0).fit(X, y)
        assert np.allclose(model.feature_importances_, other.feature_importances_)
