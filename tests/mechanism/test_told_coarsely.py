"""Figures of the whole table in few digits: one record hardly shows in them, and they still do."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.mechanism.correlated_laws import OWN
from privet.mechanism.told_coarsely import (
    coarse_correlations,
    coarse_mean,
    coarse_share,
    coarse_size,
)


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


def test_what_the_intruder_finds_does_not_tell_who_the_last_person_is() -> None:
    """Somebody who knows everybody else looks for the value with which the intruder finds as many
    people as the release claims: with all its digits the claim fits the true value alone."""

    def ill_by_weight(age: int) -> dict[str, list[Any]]:  # so that ages are off the path
        known = people(age)
        return {**known, "ill": ["yes" if weight > 800 else "no" for weight in known["weight"]]}

    made = privet.add_noise(ill_by_weight(51), target="ill", leaves=2)
    claim = made.manifest.claim("found-by-the-intruder")
    assert claim is not None
    shares = [privet.attack.by_intruder(made, ill_by_weight(age)).found for age in range(25, 75)]
    told = [coarse_share(share, 100) for share in shares]
    assert told[51 - 25] == claim.measured
    assert len(set(shares)) > 40  # of 50
    assert len(set(told)) <= 5


@given(st.floats(0, 1), st.integers(0, 10**9))
def test_shares_are_told_no_smaller_than_they_are(share: float, records: int) -> None:
    told = coarse_share(share, records)
    step = 0.01 if records < 10_000 else 0.001 if records < 100_000 else 0.0001
    assert share - step * 1e-6 <= told <= min(share + step, 1.0)
    assert round(told / step) * step == pytest.approx(told)
    assert step >= 10 / max(records, 1000)  # one record moves a share by one in so many
