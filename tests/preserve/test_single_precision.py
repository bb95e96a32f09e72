"""`float32_safe`: scikit-learn, working in single precision, finds the thresholds bit for bit."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

import privet
from privet.errors import UsageError


@pytest.mark.parametrize("safe", [True, False])
def test_thresholds_in_scikit_learn(tmp_path: Path, safe: bool) -> None:
    frame = load_wine(as_frame=True).frame
    release = privet.publish(
        frame, target="target", k=5, leaves=8, float32_safe=safe, recoding="leaf"
    )
    release.save(tmp_path / "r", format="csv", report=False)
    agreement = privet.verify_with(tmp_path / "r", "sklearn")
    assert agreement.outcome == "same"
    assert any("bit-identical: 7" in remark for remark in agreement.remarks) is safe
    assert release.manifest.method["float32_safe"] is safe
    if safe:
        for column in release.tree.attributes_used:
            values = release.rows.table[column].domain.values
            assert (values.astype(np.float32) == values).all()


def test_rich_releases_hold_only_what_single_precision_holds(tmp_path: Path) -> None:
    frame = load_wine(as_frame=True).frame
    release = privet.publish(frame, target="target", k=5, leaves=4, float32_safe=True)
    assert release.manifest.method["recoding"] == "rich"
    for column in release.manifest.schema.quasi:
        values = release.rows.table[column].domain.values
        assert (values.astype(np.float32) == values).all()
    release.save(tmp_path / "r", format="csv", report=False)
    agreement = privet.verify_with(tmp_path / "r", "sklearn")
    assert agreement.outcome in ("same", "tie")  # small tables leave ties, and the release says so


def test_numbers_too_large_for_single_precision_are_refused() -> None:
    frame = {"x": [1.0, 2.0, 1e300, 2e300], "y": [0, 0, 1, 1]}
    with pytest.raises(UsageError, match="single precision"):
        privet.publish(frame, target="y", k=1, leaves=2, float32_safe=True)


def test_it_is_not_claimed_of_values_that_single_precision_does_not_hold() -> None:
    """Where a column falls back to global recoding, its values may lie anywhere in their cells."""
    place = iter("abccddcdadacbdbbcdaacbdbadcdabdcbbadcadb")
    x = [9.4759, 6.22, 8.0, 11.04, 6.0, 10.0, 7.0, 15.9, 5.02, 10.8, 9.0, 15.8, 9.7, 10.88]
    frame = {"x": [*x, *[None] * 26], "z": [None, *range(13), *[None] * 13, *range(13)]}
    frame["y"] = [*"kckckkckckkckc", *(next(place) for _ in range(26))]
    release = privet.publish(
        frame,
        target="y",
        k=3,
        leaves=3,
        float32_safe=True,
        categories="multiway",
        min_leaf=2,
        recoding="leaf",
    )
    values = release.rows.table["x"].domain.values
    safe = bool((values.astype(np.float32) == values).all())
    assert release.manifest.method["float32_safe"] is safe
    assert any("Single precision" in message for message in release.messages) is not safe
    assert not safe
