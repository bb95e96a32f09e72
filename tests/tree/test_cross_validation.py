"""The size that cross-validation chooses does not depend on the unit of the response."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privet.engine import MemoryEngine
from privet.schema import Kind, Schema
from privet.table import Coded, Table
from privet.tree import Grower, grow
from privet.tree.cross_validation import Score, cross_validate, one_standard_error

ROWS = 40


def scores(response: np.ndarray, seed: int) -> dict[int, Score]:
    none = np.zeros(ROWS, dtype=bool)
    asked = np.random.default_rng(seed).integers(0, 12, ROWS)
    table = Table(
        {"x": Coded.of(asked, Kind.INTEGER, none), "y": Coded.of(response, Kind.DECIMAL, none)}
    )
    schema: Schema = table.schema().with_roles(target="y")

    def grown(part: Table) -> object:
        return grow(MemoryEngine(part), schema, Grower("deviance", leaves=6))

    return cross_validate(table, schema, [2, 3, 4, 5, 6], grown)  # type: ignore[arg-type]


def noisy(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    asked = np.random.default_rng(seed).integers(0, 12, ROWS)
    return np.asarray(np.round(asked // 3 + random.normal(0, 0.4, ROWS), 3))


@given(st.integers(0, 20), st.integers(-900, 900))
def test_powers_of_two_change_nothing(seed: int, power: int) -> None:
    response = noisy(seed)
    assume(np.abs(response).min() > 0)
    assert scores(np.ldexp(response, power), seed) == scores(response, seed)


@pytest.mark.parametrize("largest", [1e77, 1e155, 1.7e308])
def test_huge_numbers_are_scored(largest: float) -> None:
    response = noisy(3)
    found = scores(response / np.abs(response).max() * largest, 3)
    assert all(math.isfinite(s.loss) and math.isfinite(s.quality) for s in found.values())
    assert one_standard_error(found) == one_standard_error(scores(response, 3))
