"""Results in JSON: trees of other programs, figures by column, and what stays masked."""

from typing import Any

import numpy as np
import pytest

from privet.files import frame_of, table_of
from privet.parties import Codebook, Outcome, ProjectKey, decode_data, decode_table, mask
from privet.table import Table

KEY = ProjectKey("test", b"k" * 32)
AGES = [20, 30, 40, 52, 61]
BOUNDS = {"age": [16, 32, 48, 64]}  # 20 -> 1.25, 30 -> 1.875, 40 -> 2.5, 52 -> 3.25, 61 -> 3.8125


@pytest.fixture(scope="module")
def book() -> Codebook:
    cells = {"id": list(range(5)), "age": AGES, "sex": ["m", "f", "f", "m", "f"]}
    table = table_of(cells)
    sensitive = ["age", "sex"]
    return mask(
        table, key="id", sensitive=sensitive, project_key=KEY, bounds=BOUNDS, kept_order=True
    ).codebook


def read(data: Any, book: Codebook, **more: Any) -> Outcome[Any]:
    return decode_data(data, book, maskings=book.identities, **more)


@pytest.mark.parametrize(
    ("data", "decoded"),
    [
        (
            {"feature": ["H_age", "H_sex_sex_1"], "threshold": [2.1875, 0.5]},
            {"feature": ["age", "sex=f"], "threshold": [35.0, 0.5]},
        ),
        (
            {"feature_names": ["H_age", "x"], "feature": [0, -2, 1], "threshold": [2.1, -2, 2.1]},
            {"feature_names": ["age", "x"], "feature": [0, -2, 1], "threshold": [30, -2, 2.1]},
        ),
        (
            {"tree": {"feature": "H_age", "threshold": 2.875, "left": {"n": 2}, "right": None}},
            {"tree": {"feature": "age", "threshold": 46.0, "left": {"n": 2}, "right": None}},
        ),
        (
            {"nodeid": 0, "split": "H_age", "split_condition": 2.5, "yes": 1, "no": 2},
            {"nodeid": 0, "split": "age", "split_condition": 40, "yes": 1, "no": 2},
        ),
        (
            {"attribute": "H_age", "cut": 2.5, "operator": "<="},
            {"attribute": "age", "cut": 40, "operator": "<="},
        ),
        ({"H_age": [1.25, 3.25, None], "n": 3}, {"age": [20, 52, None], "n": 3}),
        ({"H_sex": {"sex_1": 12, "sex_2": 4}}, {"sex": {"f": 12, "m": 4}}),
        (
            {"H_age": {"count": 5, "mean": 2.5375, "std": 0.5, "min": 1.25, "max": 3.8125}},
            {"age": {"count": 5, "mean": 40.6, "std": 8.0, "min": 20, "max": 61}},
        ),
        (
            {"centres": {"H_age": {"0": 1.5, "1": 2.75}}},
            {"centres": {"age": {"0": 24.0, "1": 44.0}}},
        ),
        ({"feature_importances": {"H_age": 0.7}}, {"feature_importances": {"age": 0.7}}),
        ({"H_age": "<= 2.875000"}, {"age": "<= 40 [40, 52)"}),
        ([{"if": "H_sex=sex_1", "conf": 0.9}], [{"if": "sex=f", "conf": 0.9}]),
        ({"used": ["H_age", "H_sex"], "accuracy": 0.9}, {"used": ["age", "sex"], "accuracy": 0.9}),
    ],
)
def test_what_is_known_is_decoded(data: Any, decoded: Any, book: Codebook) -> None:
    told = read(data, book)
    assert told.undecoded == {}
    assert told.result == decoded


@pytest.mark.parametrize(
    "data",
    [
        {"H_age": 0.43},
        {"target": "H_age", "feature": ["x"], "threshold": [2.0], "value": [[1.25], [2.5]]},
        {"response": "H_age", "tree": {"feature": "x", "threshold": 1, "left": {"value": 1.25}}},
        {"H_age": 1.43},  # a coefficient, perhaps: no value of the column
        {"coef": [0.2, 1.4], "columns": ["H_age", "x"]},
        {"columns": ["H_age", "x"], "centers": [[1.25, 2.0], [2.5, 3.0]]},
        {"name": "H_age", "coef": 1.25},
        {"H_age": {"var": 1.25}},
        {"H_age": {"mean": 2.5, "kurtosis": 1.25}},
        {"feature": ["H_age"], "threshold": [2.5, 3.5]},
        {"feature": "H_age", "threshold": 17.5},
        {"feature": [0], "threshold": [2.5], "used": ["H_age"]},
        {"feature": "H_age", "threshold": "high"},
        {"formula": "2 * H_age + 1"},
        {"n_splits": {"H_age": 1.25}},  # 1.25 is the mask of an age
        {"coefficients": {"H_age": 2.5}},
        {"means": {"vif": {"H_age": 2.5}}},
        {"H_age": {"1.25": 12, "2.5": 9}},  # how often, perhaps
        {"target": "H_age", "class_counts": {"1.25": 12, "2.5": 9}},
        {"target": "H_age", "class": "1.25"},
        ["H_age", 1.25],
    ],
)
def test_numbers_that_may_be_anything_keep_the_mask(data: Any, book: Codebook) -> None:
    told = read(data, book)
    assert told.result == data
    assert list(told.undecoded) == ["H_age"]


@pytest.mark.parametrize(
    ("field", "number"),
    [("depth", 1.25), ("max_depth", 1.25), ("counts", 2), ("support", 0.25), ("support", 12.5)],
)
def test_numbers_of_no_column_stay_as_they_are(field: str, number: float, book: Codebook) -> None:
    told = read({field: {"H_age": number}}, book)
    assert told.result == {field: {"age": number}}
    assert told.undecoded == {}


@pytest.mark.parametrize(
    "data",
    [
        {"feature": "sex_1", "threshold": 3.5},
        {"feature": ["sex_1", "H_sex_sex_1"], "threshold": [3.5, 0.5]},
        {"feature_names": ["sex_1", "H_sex"]},
        [{"H_sex": "sex_1", "town": "sex_1"}],
        {"town": {"sex_1": 12}},
        {"class": "sex_1"},  # of whom, nobody says
    ],
)
def test_what_looks_like_an_alias_elsewhere_is_not_decoded_but_said(
    data: Any, book: Codebook
) -> None:
    told = read(data, book)
    assert told.result == data
    assert list(told.undecoded) == ["H_sex"]


def test_classes_are_decoded_where_their_column_is_named(book: Codebook) -> None:
    data = {"target": "H_sex", "tree": {"class": "sex_1", "class_counts": {"sex_1": 3}}}
    told = read(data, book)
    assert told.result == {"target": "sex", "tree": {"class": "f", "class_counts": {"f": 3}}}
    assert told.undecoded == {}
    assert read(["sex_1", "sex_2", "sex_1"], book).result == ["f", "m", "f"]
    assert read(["sex_1", "town"], book).result == ["sex_1", "town"]


@pytest.mark.parametrize(
    "data",
    [
        {"feature_importances": {"H_age": 0.7, "age": 0.2}},
        {"feature_names": ["H_age", "age"], "feature": [0, 1], "threshold": [2.5, 2.5]},
        [{"feature": "H_age", "threshold": 2.5}, {"feature": "age", "threshold": 2.5}],
        {"rules": ["H_age <= 2.875000", "age <= 3"]},
        {"a": {"H_age": [1.25]}, "b": {"age": [3]}},
    ],
)
def test_two_columns_never_become_one(data: Any, book: Codebook) -> None:
    told = read(data, book)
    assert told.result == data
    assert "clear name" in told.undecoded["H_age"]


def test_a_column_that_is_called_as_a_field_is_decoded() -> None:
    cells = {"id": [1, 2, 3], "count": [1, 2, 3]}
    book = mask(table_of(cells), key="id", sensitive="count", project_key=KEY, seed=1).codebook
    number = book.columns["count"].masked[0]  # type: ignore[union-attr]
    told = read({"count": 3, "values": {"H_count": number}}, book)
    assert told.result == {"count": 3, "values": {"count": 1}}
    both = {"count": 3, "H_count": number}
    assert read(both, book).result == both


def test_codes_of_categories_keep_the_mask(book: Codebook) -> None:
    for data in ({"feature": "H_sex", "threshold": 0.5}, {"H_sex": 1}, {"H_sex": "sex_9"}):
        told = read(data, book)
        assert told.result == data
        assert list(told.undecoded) == ["H_sex"]


def test_one_undecodable_place_masks_the_column_everywhere(book: Codebook) -> None:
    data = {"rule": "H_age <= 2.875000 and H_sex=sex_1", "weights": {"H_age": {"beta": 1.25}}}
    told = read(data, book)
    assert told.result["rule"] == "H_age <= 2.875000 and sex=f"
    assert "H_age" in told.result["weights"]


def test_means_are_decoded_only_where_they_are_said_to_be_means(book: Codebook) -> None:
    assert read({"H_age": [2.75]}, book).undecoded
    assert read({"H_age": [2.75]}, book, numbers="means").result == {"age": [44.0]}
    cells = {"id": list(range(5)), "age": AGES}
    unequal = mask(
        table_of(cells), key="id", sensitive=["age"], project_key=KEY, bounds={"age": [16, 20, 64]}
    ).codebook
    assert read({"H_age": [2.0]}, unequal).result == {"age": [20]}
    assert read({"H_age": [2.75]}, unequal, numbers="means").undecoded
    told = decode_table(
        table_of({"H_age": [2.75, 2.0]}), unequal, maskings=unequal.identities, numbers="means"
    )
    assert list(told.undecoded) == ["H_age"]
    assert told.result.names == ("H_age",)


def test_a_tree_of_scikit_learn_as_json_divides_the_rows_alike() -> None:
    tree = pytest.importorskip("sklearn.tree")
    rng = np.random.default_rng(3)
    n = 400
    cells = {"id": list(range(n)), "age": rng.integers(17, 91, n).tolist()}
    cells["dose"] = np.round(rng.gamma(2, 3, n), 2).tolist()
    y = (np.array(cells["age"]) > 50) ^ (rng.random(n) < 0.3)
    table: Table = table_of({**cells, "y": ["no" if v else "yes" for v in y]})
    masked = mask(table, key="id", sensitive=["age", "dose"], project_key=KEY, seed=3)
    hidden = frame_of(masked.table, "lists")
    x = np.column_stack([hidden["H_age"], hidden["H_dose"]])
    fitted = tree.DecisionTreeClassifier(random_state=0).fit(x, hidden["y"]).tree_
    names = ["H_age", "H_dose"]
    data = {
        "feature_names": names,
        "feature": fitted.feature.tolist(),
        "threshold": fitted.threshold.tolist(),
        "children_left": fitted.children_left.tolist(),
        "children_right": fitted.children_right.tolist(),
        "value": fitted.value.tolist(),
    }
    told = read(data, masked.codebook)
    assert told.undecoded == {}
    clear = frame_of(
        decode_table(masked.table, masked.codebook, maskings=masked.maskings).result, {}
    )
    for feature, old, new in zip(
        data["feature"], data["threshold"], told.result["threshold"], strict=True
    ):
        if feature < 0:
            assert new == old
            continue
        before = x[:, feature].astype(np.float32) <= old
        after = np.array(clear[told.result["feature_names"][feature]]) <= new
        assert before.tolist() == after.tolist()
