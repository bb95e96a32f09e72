"""Numbers in JSON of which nobody says whose they are: no name beside them is decoded."""

from typing import Any

import pytest

from privet.files import table_of
from privet.parties import Codebook, Outcome, ProjectKey, decode_data, mask
from privet.parties.json_numbers import numbers_in

KEY = ProjectKey("test", b"k" * 32)
# Ages: 20 -> 1.25, 30 -> 1.875, 40 -> 2.5, 52 -> 3.25, 61 -> 3.8125; children: 0 -> 5 to 3 -> 8
BOUNDS = {"age": [16, 32, 48, 64], "kids": [-4, -3, -2, -1, 0, 1, 2, 3, 4]}


@pytest.fixture(scope="module")
def book() -> Codebook:
    cells = {"id": list(range(5)), "age": [20, 30, 40, 52, 61], "kids": [0, 1, 2, 3, 3]}
    table = table_of({**cells, "sex": ["m", "f", "f", "m", "f"]})
    sensitive = ["age", "kids", "sex"]
    return mask(
        table, key="id", sensitive=sensitive, project_key=KEY, bounds=BOUNDS, kept_order=True
    ).codebook


def read(data: Any, book: Codebook) -> Outcome[Any]:
    return decode_data(data, book, maskings=book.identities)


@pytest.mark.parametrize(
    "data",
    [
        {"used": "H_age", "class": 10**400, "left": 10**400},  # beyond any float
        [["H_age", "<=", "2.203125", "yes"]],
        {"variable": "H_age", "split": "< 2.203125", "n": 205},
        {"attribute": "H_age", "rule": "<= 2.203125"},
        {"columns": ["H_age", "y"], "data": [["3.5", "yes"]]},
        {"columns": ["H_age", "y"], "values": [[1.25, 9]]},
        {"columns": ["H_age", "y"], "values": [["1.25", "yes"]]},
        {"@field": "H_age", "@value": "3.5"},
        {"feature": "H_age", "condition": "<= 3.5"},
        {"attribute": "H_age", "range": "[3.5, 4.5)"},
        {"attribute": "H_age", "range": "3.5cm"},
        {"feature": "H_age", "bins": "1.5|2.5|3.5"},
        {"label": "H_age", "edges": [{"label": "<= 3.5"}]},
        {"name": "H_age", "children": [{"branch": "<3.5", "name": "yes"}]},
        {"name": "H_age", "branches": {"2": "yes", "3": "no"}},
        {"name": "H_age", "children": {"<= 2.5": "yes", "> 2.5": "no"}},
        {"title": "split on H_age", "at": 2.5},
        {"target": "H_age", "tree": {"feature": "x", "threshold": 1, "left": 3.25, "right": 1.25}},
        {"names": ["H_age", "x"], "target": "H_age", "class": "3.25"},
    ],
)
def test_a_number_in_a_text_keeps_the_mask_on_the_name_beside_it(data: Any, book: Codebook) -> None:
    told = read(data, book)
    assert told.result == data
    assert list(told.undecoded) == ["H_age"]


@pytest.mark.parametrize("data", [{"column": "H_kids", "value": "7, 8"}, {"H_kids|": "7-8"}])
def test_several_numbers_in_a_text_keep_it_as_well(data: Any, book: Codebook) -> None:
    told = read(data, book)
    assert told.result == data
    assert list(told.undecoded) == ["H_kids"]


@pytest.mark.parametrize(
    "beside",
    [
        {"made": "2026-05-01T10:30:00Z", "with": "1.3.2"},
        {"groups": ["cluster 1", "cluster 2"], "levels": ["x1", "low"]},
        {"accuracy": "91 %", "left": "3"},
        {"trees": {"0": "a", "1": "b"}},
        {"rules": ["H_age <= 2.5", "H_other <= 3.5"]},
    ],
)
def test_texts_without_a_mask_are_no_hindrance(beside: dict[str, Any], book: Codebook) -> None:
    told = read({"used": "H_age", **beside}, book)
    assert told.result["used"] == "age"
    assert told.undecoded == {}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("<=2.5", [2.5]),
        ("[3.5, 4.5)", [3.5, 4.5]),
        ("3.5-4.5", [3.5, 4.5]),
        ("7-8", [7, 8]),
        ("-1", [-1]),
        (".5 or 1e3", [0.5, 1000]),
        ("up to 3.", [3]),
        ("sex_1 x2 3rd v1.2.3", []),
    ],
)
def test_numbers_in_texts(text: str, numbers: list[float]) -> None:
    assert numbers_in(text) == numbers


# -- classes ---------------------------------------------------------------------------------------

NODE = {"feature": "H_age", "threshold": 2.875}


def test_numbered_classes_are_no_feature_s(book: Codebook) -> None:
    data = {"feature_names": ["H_age"], "tree": {"feature": 0, "threshold": 2.875}}
    told = read({**data, "classes": [0, 1]}, book)
    assert told.result["feature_names"] == ["age"]
    assert told.undecoded == {}
    assert told.remarks == ()
    codes = {"target": "H_sex", "classes": [0, 1]}
    assert read(codes, book).result == codes  # in which order, only the aliases say


@pytest.mark.parametrize(
    "leaves",
    [
        {"left": {"class": 6}, "right": {"class": 8}},
        {"left": {"class": "6"}, "right": {"prediction": 7.0}},
        {"classes": [5, 6, 7, 8]},
        {"class_counts": {"5": 12, "6": 9}},
        {"columns": ["H_age", "H_kids"], "class": 6},
    ],
)
def test_classes_that_may_be_masks_of_a_column_without_a_name_are_said(
    leaves: dict[str, Any], book: Codebook
) -> None:
    told = read({**NODE, **leaves}, book)
    assert told.result["feature"] == "age"
    assert told.undecoded == {"H_kids": "classes without a name may be its masks"}


def test_predictions_beside_the_values_of_a_column_may_be_its_own(book: Codebook) -> None:
    data = [{"H_kids": 7, "prediction": 8}]
    told = read(data, book)
    assert told.result == data
    assert list(told.undecoded) == ["H_kids"]


def test_means_that_may_be_masked_are_remarked_upon(book: Codebook) -> None:
    told = read({**NODE, "left": {"prediction": 6.25}}, book)
    assert told.undecoded == {}
    assert told.remarks == ("what is predicted may be masked means of: kids",)
    assert read({**NODE, "left": {"prediction": 0.25}}, book).remarks == ()


def test_a_column_that_the_tree_tests_is_not_its_response(book: Codebook) -> None:
    told = read({"feature": "H_kids", "threshold": 6.5, "left": {"class": 6}}, book)
    assert told.result["feature"] == "kids"
    assert told.undecoded == {}


@pytest.mark.parametrize(
    "data",
    [
        {"records": [{"H_age": 1.25}]},
        {"samples": [{"H_age": 1.25, "y": "no"}]},
        {"H_age": {"samples": [1.25, 2.5]}},
        {"H_age": {"support": [1.0, 3.5]}},
        {"size": {"H_age": 1.25}},
        {"count": {"mean": {"H_age": 2.0}}},
        {"level": [{"H_age": 1.25}]},
        {"H_age": {"counts": [10**400]}},  # beyond any float
    ],
)
def test_cells_in_a_field_of_counts_keep_the_mask(data: Any, book: Codebook) -> None:
    outcome = read(data, book)
    assert outcome.result == data
    assert "H_age" in outcome.undecoded


@pytest.mark.parametrize(
    "data",
    [
        {"H_age": {"importance": 0.25, "std": 0.5}},
        {"H_age": {"mean": 2.0, "gain": 2.0}},
        {"feature_importances": {"std": {"H_age": 0.5}}},
        {"feature_importances": {"H_age": {"mean": 2.0}}},
    ],
)
def test_the_mean_of_an_importance_is_none_of_the_column(data: Any, book: Codebook) -> None:
    outcome = read(data, book)
    assert outcome.result == data
    assert "H_age" in outcome.undecoded


@pytest.mark.parametrize(
    ("data", "decoded"),
    [
        ({"records": {"H_age": 5}}, {"records": {"age": 5}}),
        ({"H_age": {"counts": [2, 3], "max": 3.8125}}, {"age": {"counts": [2, 3], "max": 61}}),
        ({"gain": [{"H_age": 2.0}, {"H_age": 4.5}]}, {"gain": [{"age": 2.0}, {"age": 4.5}]}),
    ],
)
def test_counts_and_importances_stay_as_they_are(data: Any, decoded: Any, book: Codebook) -> None:
    outcome = read(data, book)
    assert (outcome.result, outcome.undecoded) == (decoded, {})
