"""Figures of the whole table in few digits: one record hardly shows in them, and they still do."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.mechanism.correlated_laws import OWN
from privet.mechanism.told_coarsely import coarse_correlations, coarse_mean, coarse_size


@given(st.floats(1e-6, 1e15), st.floats(-1e6, 1e6))
def test_sizes_and_means_stay_near(size: float, deviations: float) -> None:
    coarse = coarse_size(size)
    assert coarse == pytest.approx(size, rel=0.0501)
    mean = deviations * size
    assert abs(coarse_mean(mean, coarse) - mean) <= 0.51 * coarse + abs(mean) * 1e-12


@given(st.integers(2, 6), st.integers(0, 10_000), st.sampled_from([0.0, 0.001, 0.05, 1.0]))
def test_rounded_correlations_are_such_as_columns_can_have(
    columns: int, seed: int, own: float
) -> None:
    """Also where columns are nearly the same, so that rounding alone would spoil them."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(50, 1)) + own * rng.normal(size=(50, columns))
    exact = np.corrcoef(rows, rowvar=False)
    found = np.array(coarse_correlations(exact.tolist()))
    assert (found == found.T).all()
    assert (np.diag(found) == 1).all()
    assert (np.abs(100 * found - np.round(100 * found)) < 1e-9).all()
    assert np.abs(found - exact).max() <= 0.1
    assert np.linalg.eigvalsh((1 - OWN) * found + OWN * np.eye(columns)).min() > 0


def people(last: int) -> dict[str, list[Any]]:
    """A hundred people, of whom all are known but one value of the last."""
    rng = np.random.default_rng(5)
    ages, weights = rng.integers(20, 81, 100).tolist(), rng.integers(400, 1200, 100).tolist()
    ages[:2], ages[-1] = [20, 80], last
    return {"age": ages, "weight": weights, "ill": ["no", "yes"] * 50}


@pytest.mark.parametrize("asked", [{"law": "correlated"}, {"relative_to": "column"}, {}])
def test_who_knows_everybody_else_cannot_subtract_them(asked: dict[str, Any]) -> None:
    """A value of one person, whatever it is, is one of few groups to a reader of the files."""
    told = set()
    for last in range(25, 75, 2):
        made = privet.add_noise(people(last), target="ill", leaves=2, seed=1, **asked)
        laws = privet.documents.json_of(made.files["mechanism.json"], "mechanism.json")
        law = laws["innocent"]["columns"]["age"]
        claim = made.manifest.claim("changed-values", "age")
        assert claim is not None
        shift = claim.parameters["expected_shift_of_the_mean"]
        together = laws["innocent"].get("together", {}).get("correlations")
        assert math.isfinite(shift)
        told.add(
            repr((law.get("mean"), law["relative_to"], together, claim.parameters["expected"]))
            + repr(shift)
        )
    assert len(told) <= 12  # of 25
