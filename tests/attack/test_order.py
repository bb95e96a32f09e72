"""Order matching: bounds do not matter, and known people break an affine mask."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.attack.order import OrderMatching, by_known_people
from privet.errors import PrivetError
from privet.files import read_table, table_of


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60))
def test_the_same_sample_gives_every_value_whatever_the_mask(values: list[int]) -> None:
    truth = table_of({"x": values})
    masked = table_of({"m": [x**3 / 7 + 0.5 for x in values]})
    score = OrderMatching("m", "x").run(masked, truth).score(truth["x"])
    straight = table_of({"m": [float(x) for x in values]})
    assert score == OrderMatching("m", "x").run(straight, truth).score(truth["x"])
    assert score.mean_error <= max(score.blind, 0.5)


def test_two_known_people_break_an_affine_mask() -> None:
    values = list(range(17, 91))
    masked = table_of({"m": [1 + (x - 9) / 8 for x in values]})["m"]
    guesses = by_known_people(masked, [(1 + (20 - 9) / 8, 20), (1 + (70 - 9) / 8, 70)])
    assert guesses.values.tolist() == values
    with pytest.raises(PrivetError):
        by_known_people(masked, [(2.0, 17.0)])


def test_missing_cells_are_left_out() -> None:
    truth = table_of({"x": [1, 2, None, 4]})
    masked = table_of({"m": [1.5, 2.5, None, 9.5]})
    score = OrderMatching("m", "x").run(masked, truth).score(truth["x"])
    assert score.exact >= 2 / 3
    with pytest.raises(PrivetError, match="no numbers"):
        OrderMatching("m", "x").run(masked, table_of({"x": [None, None]}, {"x": "integer"}))


def test_age_is_known_within_a_ninth_of_a_year(shared_data: Path) -> None:
    people = read_table(shared_data / "adult.csv.gz", columns=["age"])
    public = read_table(shared_data / "adult_test.csv.gz", columns=["age"])
    edges = np.array([17, 22, 30, 45, 65, 91])
    values = people["age"].domain.values[people["age"].codes]
    masked = table_of({"m": np.interp(values, edges, np.arange(6.0)).tolist()})
    score = OrderMatching("m", "age").run(masked, public).score(people["age"])
    assert 0.10 < score.mean_error < 0.12
    assert score.exact > 0.88
    assert score.within_one > 0.999
    assert 11 < score.blind < 11.3
