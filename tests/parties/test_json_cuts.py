"""Cuts in JSON: what stands beside them, whose they are, and how they are compared."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privet.files import table_of
from privet.parties import Codebook, Outcome, ProjectKey, decode_data, decode_table, mask
from privet.parties.number_mask import NumberMask

KEY = ProjectKey("test", b"k" * 32)
BOUNDS = {"age": [16, 32, 48, 64]}  # 20 -> 1.25, 30 -> 1.875, 40 -> 2.5, 52 -> 3.25, 61 -> 3.8125
CELLS = {
    "id": list(range(5)),
    "age": [20, 30, 40, 52, 61],
    "drug": ["a", "a", "a", "b", "a"],
}


@pytest.fixture(scope="module")
def book() -> Codebook:
    return mask(
        table_of(CELLS),
        key="id",
        sensitive=["age", "drug"],
        project_key=KEY,
        bounds=BOUNDS,
        homophones={"drug": 4},
        kept_order=True,
    ).codebook


def read(data: Any, book: Codebook) -> Outcome[Any]:
    return decode_data(data, book, maskings=book.identities)


def keeps_its_mask(data: Any, book: Codebook, name: str = "H_age") -> bool:
    outcome = read(data, book)
    return bool(outcome.result == data and name in outcome.undecoded)


@pytest.mark.parametrize(
    "beside",
    [
        {"cut": 2.1875},
        {"median": 2.5},
        {"mean": 2.5},
        {"range": [1.25, 3.8125]},
        {"lower": "1.25"},
        {"bins": [[1.25, 2.5], [2.5, 3.25]]},
        {"of_the_column": {"median": 2.5}},
    ],
)
def test_a_number_beside_a_cut_may_be_the_column_s_as_well(beside: Any, book: Codebook) -> None:
    assert keeps_its_mask({"feature": "H_age", "threshold": 2.1875, **beside}, book)
    parallel = {"feature": ["H_age", "x"], "threshold": [2.1875, 7.0], **beside}
    assert keeps_its_mask(parallel, book)


@pytest.mark.parametrize(
    "beside",
    [
        {"gain": 3.5, "cover": 12.5},
        {"split_gain": 0.25, "internal_count": 7, "internal_weight": 1.5, "split_index": 0},
        {"weight": 2.5, "impurity": 0.5},
        {"yes": 1, "no": 2, "children": [{"nodeid": 1, "x": 2.5}]},
        {"rule": "H_age <= 2.1875"},
        {"left_child": {"leaf_value": 0.5}, "right_child": {"output": 2.5}},
        {"below": {"feature": "x", "threshold": 2.5, "median": 2.5}},
    ],
)
def test_what_belongs_to_no_column_is_no_hindrance(beside: Any, book: Codebook) -> None:
    outcome = read({"feature": "H_age", "threshold": 2.1875, **beside}, book)
    assert outcome.undecoded == {}
    assert (outcome.result["feature"], outcome.result["threshold"]) == ("age", 35.0)


@pytest.mark.parametrize("feature", ["1", "f1", 1.0, True, 7])
def test_a_cut_of_nobody_knows_whom_keeps_the_mask(feature: Any, book: Codebook) -> None:
    data = {"feature_names": ["x", "H_age"], "feature": feature, "threshold": 2.5}
    assert keeps_its_mask(data, book)


def test_lists_of_names_that_differ_tell_nothing_of_indices(book: Codebook) -> None:
    names = {"feature_names": ["x", "H_age"], "columns": ["id", "x", "H_age"]}
    assert keeps_its_mask({**names, "feature": 1, "threshold": 2.5}, book)
    by_name = {**names, "feature": "H_age", "threshold": 2.5}
    assert read(by_name, book).result["threshold"] == 40


def test_a_cut_with_two_columns_is_of_nobody_knows_which(book: Codebook) -> None:
    assert keeps_its_mask({"attribute": "x", "name": "H_age", "cut": 2.1875}, book)
    names = {"feature_names": ["x", "H_age"], "name": "H_age", "threshold": 2.1875}
    assert keeps_its_mask({**names, "feature": 0}, book)
    assert read({**names, "feature": 1}, book).result["threshold"] == 35.0
    by_name = {"name": "root", "split": "H_age", "split_condition": 2.1875}
    assert read(by_name, book).result == {**by_name, "split": "age", "split_condition": 35.0}


@pytest.mark.parametrize(
    ("sign", "masked", "decoded"),
    [
        ({"operator": "<="}, 2.125, 30),
        ({"operator": ">"}, 2.125, 30),
        ({"operator": "<"}, 2.125, 40),
        ({"comparison": "<"}, 2.125, 40),
        ({"left": "<", "right": ">="}, 2.125, 40),
        ({"operator": "lessThan"}, 2.125, 40),
        ({"operator": ["<=", "<="]}, 2.125, 30),
        ({"decision_type": "=="}, 2.5, 40),
        ({"decision_type": "=="}, 2.1875, None),
        ({"comparison": "lt"}, 2.125, 40),
        ({"comparison": "less"}, 2.5, None),
        ({"split_type": "!="}, 2.5, 40),
        ({"split_type": "!="}, 2.1875, None),
        ({"relation": "≠"}, 2.1875, None),
        ({"sign": "less"}, 2.5, None),
        ({"decision_type": "in"}, 2.5, None),
        ({"left": "<", "right": ">"}, 2.5, None),
    ],
)
def test_how_a_cut_is_compared_says_how_it_is_decoded(
    sign: dict[str, Any], masked: float, decoded: float | None, book: Codebook
) -> None:
    data = {"feature": "H_age", "threshold": masked, **sign}
    if decoded is None:
        assert keeps_its_mask(data, book)
    else:
        assert read(data, book).result == {"feature": "age", "threshold": decoded, **sign}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"H_age <= 2.1875": 5, "H_age <= 2.19": 6}, "H_age"),
        ({"H_drug": {"drug_1": 1, "drug_2": 2, "drug_4": 3}}, "H_drug"),
        ({"target": "H_drug", "counts": {"drug_1": 1, "drug_2": 2}}, "H_drug"),
    ],
)
def test_fields_that_would_become_one_keep_the_mask(data: Any, name: str, book: Codebook) -> None:
    assert keeps_its_mask(data, book, name)


@pytest.mark.parametrize(
    "number", ["nan", "-inf", pytest.param(10**400, id="huge"), 1e308, -3, 0.5, 1000.0]
)
@pytest.mark.parametrize("field", ["mean", "std", "min", "threshold"])
def test_numbers_that_the_column_cannot_give_keep_the_mask(
    field: str, number: Any, book: Codebook
) -> None:
    if (field, number) == ("std", 0.5):
        assert read({field: {"H_age": number}}, book).result == {"std": {"age": 8.0}}
        return
    for data in ({field: {"H_age": number}}, {"H_age": {field: number}}):
        assert keeps_its_mask(data, book)
    assert keeps_its_mask({"feature": "H_age", "threshold": number}, book)


def test_means_in_a_table_that_the_column_cannot_give_keep_the_mask(book: Codebook) -> None:
    table = table_of({"H_age": [2.5, 1000.0]})
    outcome = decode_table(table, book, maskings=book.identities, numbers="means")
    assert outcome.result.names == ("H_age",)
    assert "H_age" in outcome.undecoded


def test_weights_under_a_column_may_be_coefficients(book: Codebook) -> None:
    assert keeps_its_mask({"weights": {"H_age": 0.5}, "intercept": 2.5}, book)
    assert keeps_its_mask({"H_age": {"weight": 0.5}}, book)


@example([-212, 552, 729])
@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=12, unique=True))
def test_a_cut_at_a_value_divides_the_column_as_it_did(cells: list[int]) -> None:
    """Also at the last value, where every record lies left."""
    ages = sorted(cell / 100 for cell in cells)
    table = table_of({"id": list(range(len(ages))), "age": ages})
    own = mask(table, key="id", sensitive=["age"], project_key=KEY, seed=1).codebook
    masks = own.by_masked_name()["H_age"]
    assert isinstance(masks, NumberMask)
    for place, cut in enumerate(masks.masked.tolist()):
        for sign in ("<=", "<"):
            outcome = read({"feature": "H_age", "threshold": cut, "op": sign}, own)
            assert outcome.undecoded == {}
            found = outcome.result["threshold"]
            left = [age <= found if sign == "<=" else age < found for age in ages]
            assert sum(left) == place + (sign == "<=")
