"""What fills rows of people whom a party does not know is of the same sort as the column."""

import warnings
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import UsageError
from privet.files import table_of
from privet.parties import ProjectKey, mask
from privet.parties.fill_values import usual_value
from privet.table import Domain
from privet.tree.response import looks_numeric

KEY = ProjectKey("test", b"k" * 32)


def column(cells: list[Any]) -> Any:
    return table_of({"x": cells})["x"]


@pytest.mark.parametrize(
    ("cells", "usual"),
    [
        ([1, 1, 1, 4, 4], 1),  # the mean is 2.2: the nearest class
        ([0.0, 1.0, 1.0, 1.0], 1.0),
        (list(range(12)) + [3] * 100, 3),  # numbers: the mean, rounded
        ([0.5, 1.0, 3.0], 1.5),
        (["a", "b", "b", None], "b"),
        ([date(2024, 1, 1), date(2024, 1, 2), date(2024, 3, 1)], "2024-01-02"),
        ([1e308, 1e308, -1e308], 1e308),
        ([1.5, 1e308, 1e308], 1e308 / 3 * 2),
        ([None, None], None),
    ],
)
def test_the_usual_value(cells: list[Any], usual: Any) -> None:
    found = usual_value(column(cells))
    assert found == (pytest.approx(usual) if isinstance(usual, float) else usual)


@given(st.lists(st.integers(-40, 40) | st.integers(0, 4), min_size=2, max_size=60), st.booleans())
def test_filling_changes_no_sort(cells: list[int], as_floats: bool) -> None:
    numbers = [float(cell) for cell in cells] if as_floats else cells
    table = table_of({"id": list(range(len(cells))), "x": numbers})
    masked = mask(table, key="id", sensitive="x", project_key=KEY)
    clear = usual_value(table["x"])
    sorts = []
    for domain, fill in (
        (table["x"].domain, clear),
        (masked.table["H_x"].domain, masked.fill["H_x"]),
    ):
        sorts.append(looks_numeric(Domain(domain.kind, np.union1d(domain.values, [fill]))))
    if len(set(cells)) != 10:  # the eleventh value may be the mean
        assert sorts[0] == sorts[1] == looks_numeric(table["x"].domain)


def test_numbers_near_the_end_of_floats_are_masked_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cells in ([1e300, -1e300, 5.5, 2e300], [1e300, -1e300]):
            table = table_of({"id": list(range(len(cells))), "x": cells})
            masked = mask(table, key="id", sensitive="x", project_key=KEY)
            assert masked.about[0]["correlation"] > 0.9
    table = table_of({"id": [1, 2, 3], "x": [1.7e308, -1.7e308, 0.5]})
    with pytest.raises(UsageError, match="beyond what a float can hold"):
        mask(table, key="id", sensitive="x", project_key=KEY)


def test_bounds_that_change_the_sort_are_told_of() -> None:
    table = table_of({"id": [1, 2, 3, 4], "x": [1, 2, 3, 4], "z": [0.5, 1.0, 1.5, 2.0]})
    bounds = {"x": "0,8", "z": "0,0.5,..,2"}
    drawn = mask(table, key="id", sensitive=["x", "z"], project_key=KEY)
    assert [entry["same_sort"] for entry in drawn.about] == [True, True]
    given_ = mask(table, key="id", sensitive=["x", "z"], project_key=KEY, bounds=bounds)
    assert [entry["same_sort"] for entry in given_.about] == [False, False]
