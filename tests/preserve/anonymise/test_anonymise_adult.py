"""Adult without a tree: how many equivalence classes are left, and how well columns are kept."""

import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import privet

# what is asked, and the least number of equivalence classes and the largest marginal distance
ASKED: dict[str, tuple[dict[str, Any], int, float]] = {
    "mondrian": ({"other": "income"}, 2000, 0.005),
    "no one-class": ({"target": "income"}, 1400, 0.005),
    "infogain": ({"target": "income", "method": "infogain"}, 1000, 0.03),
    "infogain, any": (
        {"target": "income", "method": "infogain", "one_class": "allow"},
        2000,
        0.005,
    ),
    "l of occupation": (
        {"target": "income", "sensitive": "occupation", "l": 2, "one_class": "allow"},
        1700,
        0.01,
    ),
}


@pytest.fixture(scope="module")
def adult(shared_data: Path) -> pd.DataFrame:
    read = pd.read_csv(shared_data / "adult.csv.gz", skipinitialspace=True, na_values="?").dropna()
    return read.drop(columns=["fnlwgt", "education"]).reset_index(drop=True)


def distance(before: "pd.Series[Any]", after: "pd.Series[Any]") -> float:
    """The largest distance of distribution functions, or total variation of categories."""
    shares = pd.DataFrame(
        {
            "before": before.value_counts(normalize=True, dropna=False),
            "after": after.value_counts(normalize=True, dropna=False),
        }
    ).fillna(0)
    apart = shares.sort_index()["before"] - shares.sort_index()["after"]
    is_number = pd.api.types.is_numeric_dtype(before)
    return float(apart.cumsum().abs().max() if is_number else apart.abs().sum() / 2)


@pytest.mark.parametrize("how", ASKED)
def test_adult_at_k_10(adult: pd.DataFrame, how: str) -> None:
    asked, classes, most = ASKED[how]
    start = time.process_time()
    release = privet.anonymise(adult, k=10, **asked)
    assert time.process_time() - start < 10  # far less than one on a quiet machine
    quasi = list(release.manifest.schema.quasi)
    sizes = release.data.groupby(quasi, dropna=False).size()
    assert sizes.min() >= 10
    assert len(sizes) >= classes
    apart = [distance(adult[name], release.data[name]) for name in quasi]
    assert sum(apart) / len(apart) < most
    if "l" in asked:
        by_class = release.data.groupby(quasi, dropna=False)["occupation"]
        assert (by_class.size() >= 2 * by_class.agg(lambda v: v.value_counts().max())).all()
