"""Trees that scikit-learn grew predict the same as ours, number for number."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from privet import from_sklearn, table_of
from privet.errors import InputError, UsageError
from privet.tree.exchange.from_sklearn import last_double_rounded_below
from privet.tree.exchange.imported import ImportLoss
from privet.tree.exchange.model_file import from_data, to_text
from privet.tree.exchange.pmml_read import from_pmml
from privet.tree.exchange.pmml_write import to_pmml

pytestmark = pytest.mark.filterwarnings("ignore:Missing cells go right")


def table(X):
    return table_of({f"x{i}": X[:, i] for i in range(X.shape[1])})


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_decision_trees(load, criterion: str) -> None:
    X, y = load(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    fitted = DecisionTreeClassifier(criterion=criterion, random_state=1).fit(X, y)
    tree = from_sklearn(fitted)
    assert tree.predict(table(X)) == fitted.predict(X).tolist()
    assert tree.grower.impurity == criterion
    assert tree.n_leaves == fitted.get_n_leaves()
    assert sorted(n.weights for n in tree.nodes) == sorted(
        tuple(round(v) for v in share * n)
        for share, n in zip(fitted.tree_.value[:, 0], fitted.tree_.n_node_samples, strict=True)
    )


def test_regression_trees_keep_every_mean() -> None:
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    fitted = DecisionTreeRegressor(min_samples_leaf=3, random_state=1).fit(X, y * np.pi)
    tree = from_sklearn(fitted, target="progress")
    assert tree.predict(table(X)) == fitted.predict(X).tolist()
    assert tree.target == "progress"


def test_model_files_hold_them() -> None:
    X, y = load_diabetes(return_X_y=True)
    for fitted in (DecisionTreeRegressor(max_depth=4), DecisionTreeClassifier(max_depth=4)):
        tree = from_sklearn(fitted.fit(X, y > 100 if "Class" in str(fitted) else y))
        assert from_data(json.loads(to_text(tree))) == tree
        assert from_pmml(to_pmml(tree)) == tree


@example(2**32 - 1, -3.8411747100431877e-07)
@given(st.integers(0, 2**32 - 1), st.floats(width=64, allow_nan=False, allow_infinity=False))
def test_the_moved_threshold_is_where_rounding_to_32_bits_puts_it(bits: int, near: float) -> None:
    value = float(np.array(bits, dtype=np.uint32).view(np.float32))
    threshold = value if np.isfinite(value) else near
    if abs(threshold) > 1e38:
        return
    moved = last_double_rounded_below(threshold)
    # As doubles: NumPy would round the threshold, too, to compare it with 32 bits.
    assert float(np.float32(moved)) <= threshold
    with np.errstate(over="ignore"):
        assert float(np.float32(np.nextafter(moved, np.inf))) > threshold


def test_with_every_double_both_agree_next_to_each_threshold() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    fitted = DecisionTreeClassifier(random_state=1).fit(X, y)
    tree = from_sklearn(fitted, every_double=True)
    cuts = fitted.tree_.threshold[fitted.tree_.feature >= 0]
    moved = np.array([last_double_rounded_below(cut) for cut in cuts])
    values = np.concatenate([cuts, np.nextafter(cuts, np.inf), moved, np.nextafter(moved, np.inf)])
    grid = np.random.default_rng(0).choice(values, (4000, X.shape[1]))
    assert tree.predict(table(grid)) == fitted.predict(grid).tolist()


def test_what_is_no_plain_tree_is_refused() -> None:
    X, y = load_iris(return_X_y=True)
    for thing in (DecisionTreeClassifier(), RandomForestClassifier(3).fit(X, y), "a tree"):
        with pytest.raises(UsageError, match="no fitted decision tree"):
            from_sklearn(thing)
    weighted = DecisionTreeClassifier().fit(X, y, sample_weight=np.linspace(0.1, 1.7, len(y)))
    with pytest.raises(InputError, match="weights"):
        from_sklearn(weighted)
    fitted = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(UsageError, match="4 features"):
        from_sklearn(fitted, features=["a", "b"])
    with pytest.raises(UsageError, match="another name"):
        from_sklearn(fitted, features=["a", "b", "c", "y"])


def test_missing_cells_that_go_left_are_told() -> None:
    X = np.array([[1.0], [1.0], [np.nan], [5.0], [6.0]])
    fitted = DecisionTreeClassifier().fit(X, [0, 0, 0, 1, 1])
    with pytest.warns(ImportLoss, match="sends them left"):
        from_sklearn(fitted)
    right = DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert from_sklearn(right).predict(table(X)) == right.predict(X).tolist()
