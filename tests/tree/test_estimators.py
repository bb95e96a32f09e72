"""The estimators: scikit-learn's own checks, frames with categories, and the grower beneath."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from privet import Grower, MemoryEngine, TreeClassifier, TreeRegressor, grow, table_of
from privet.errors import InputError, PrivetError, UsageError

RNG = np.random.default_rng(7)
N = 300
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N),
        "town": pd.Categorical(RNG.choice(["a", "b", "c", "d"], N)),
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, N), "D"),
        "weight": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(70, 9, N)),
    }
)
Y = np.where((FRAME.age > 40) & FRAME.town.isin(["a", "c"]), "ill", "well")


@pytest.mark.parametrize(
    "estimator",
    [
        TreeClassifier(),
        TreeClassifier(impurity="gain-ratio", categories="multiway", leaves=9),
        TreeRegressor(),
    ],
    ids=["classifier", "gain ratio", "regressor"],
)
def test_every_check_of_scikit_learn_passes(estimator) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    found = {r["check_name"]: r["status"] for r in results}
    assert len(found) > 40
    # The array API is checked only where the environment asks for it.
    assert set(found.values()) - {"passed"} <= {"skipped"}
    assert {name for name, status in found.items() if status == "skipped"} <= {
        "check_array_api_input"
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames_of_all_libraries_give_the_tree_of_the_grower(kind: str) -> None:
    frame = {"pandas": FRAME, "polars": pl.from_pandas(FRAME)}.get(kind)
    frame = pl.from_pandas(FRAME).to_arrow() if frame is None else frame
    fitted = TreeClassifier(leaves=7).fit(frame, Y)
    table = table_of(FRAME.assign(y=Y))
    schema = table.schema().with_roles(target="y")
    assert fitted.tree_ == grow(MemoryEngine(table), schema, Grower(leaves=7))
    assert fitted.predict(frame).tolist() == fitted.tree_.predict(table)
    assert list(fitted.feature_names_in_) == list(FRAME.columns)


def test_probabilities_are_shares_of_the_leaf() -> None:
    fitted = TreeClassifier(leaves=3).fit(FRAME, Y)
    shares = fitted.predict_proba(FRAME)
    for row, leaf in zip(shares, fitted.tree_.leaf_of_rows(table_of(FRAME)), strict=True):
        weights = fitted.tree_.nodes[leaf].weights
        assert row.tolist() == [w / sum(weights) for w in weights]
    assert (fitted.classes_[shares.argmax(axis=1)] == fitted.predict(FRAME)).all()


def test_unseen_categories_go_to_the_larger_child_and_missing_right() -> None:
    frame = pd.DataFrame({"c": ["a"] * 6 + ["b"] * 3})
    fitted = TreeClassifier().fit(frame, [0] * 6 + [1] * 3)
    assert fitted.predict(pd.DataFrame({"c": ["new", "a", "b", None]})).tolist() == [0, 0, 1, 0]
    numbers = TreeClassifier().fit(np.array([[1.0], [2.0]]), [0, 1])
    assert numbers.predict(np.array([[np.nan], [0.0]])).tolist() == [1, 0]


def test_integers_stay_exact_and_regression_predicts_means() -> None:
    X = np.array([[2**53], [2**53 + 1], [0]])
    fitted = TreeRegressor().fit(X, [1, 2, 4])
    assert fitted.predict(X).tolist() == [1.0, 2.0, 4.0]
    assert TreeRegressor(leaves=1).fit(X, [1, 2, 4]).predict(X).tolist() == [7 / 3] * 3


def test_pipelines_searches_and_clones() -> None:
    X = FRAME[["age", "weight"]].to_numpy()
    assert make_pipeline(StandardScaler(), TreeClassifier(leaves=4)).fit(X, Y).score(X, Y) > 0.6
    search = GridSearchCV(TreeClassifier(), {"leaves": [1, 6]}).fit(FRAME, Y)
    assert search.best_params_ == {"leaves": 6}
    assert cross_val_score(TreeRegressor(leaves=8), FRAME, FRAME.age).min() > 0.5
    assert clone(TreeClassifier(depth=3)).get_params()["depth"] == 3


def test_one_value_of_the_target_gives_one_leaf() -> None:
    assert TreeClassifier().fit([[1], [2]], ["x", "x"]).predict([[9]]).tolist() == ["x"]
    assert TreeRegressor().fit([[1], [2]], [0.1, 0.1]).predict([[9]]).tolist() == [0.1]


@pytest.mark.parametrize("error", [PrivetError, TypeError])
def test_weights_are_refused_with_a_hint(error: type[Exception]) -> None:
    with pytest.raises(error, match="Hint: repeat rows"):
        TreeClassifier().fit([[1], [2]], [0, 1], sample_weight=[1, 2])
    TreeClassifier().fit([[1], [2]], [0, 1], sample_weight=None)


def test_wrong_settings_and_wrong_kinds_are_refused() -> None:
    with pytest.raises(UsageError, match="TreeRegressor"):
        TreeClassifier(impurity="deviance").fit([[1], [2]], [0, 1])
    with pytest.raises(UsageError, match="TreeClassifier"):
        TreeRegressor(impurity="gini").fit([[1], [2]], [0, 1])
    with pytest.raises(PrivetError, match="leaves must be"):
        TreeClassifier(leaves=0).fit([[1], [2]], [0, 1])
    fitted = TreeClassifier(leaves=2).fit(FRAME, Y)
    with pytest.raises(InputError, match="'age' is of kind category"):
        fitted.predict(FRAME.assign(age="forty"))
