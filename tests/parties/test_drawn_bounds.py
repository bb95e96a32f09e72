"""Bounds that nobody gives: a masked response is classes where the clear one is, numbers else."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import privet
from privet.files import read_table, table_of
from privet.parties import ProjectKey, decode_tree, join, mask
from privet.parties.codebook import merged
from privet.parties.drawn_bounds import drawn_bounds
from privet.parties.grading import Grading
from privet.schema import Kind
from privet.table import Domain
from privet.tree.exchange.model_file import to_data
from privet.tree.response import looks_numeric

KEY = ProjectKey("test", b"k" * 32)
SEEDS = st.integers(0, 2**32)
wholes = st.one_of(
    st.integers(0, 6), st.integers(-(10**9), 10**9), st.integers(-8, 8).map(lambda n: n * 5000)
)
decimals = st.one_of(
    st.integers(-20, 20).map(lambda n: n / 4),
    st.integers(-50, 50).map(lambda n: n / 10),
    st.floats(-1e12, 1e12, allow_subnormal=False),
)


def masked_as(values: np.ndarray[Any, Any], kind: Kind, seed: int) -> np.ndarray[Any, Any]:
    bounds = drawn_bounds(values, kind, np.random.default_rng(seed))
    return Grading(bounds).apply(values)


def sort_of(values: np.ndarray[Any, Any], kind: Kind) -> bool:
    return looks_numeric(Domain(kind, np.unique(values)))


@given(st.sets(wholes, min_size=1, max_size=40), st.booleans(), SEEDS)
@example({1, 2, 3, 4, 5}, False, 3)
@example({0, 1}, True, 0)
@example({0, 1, 10**9}, False, 0)
@example({2**60, 2**61 + 3}, False, 0)
@example({2**400, -(2**400)}, True, 0)
def test_whole_numbers_are_of_the_same_sort(numbers: set[int], as_floats: bool, seed: int) -> None:
    kind = Kind.DECIMAL if as_floats else Kind.INTEGER
    values = np.array(sorted(numbers), dtype=np.float64 if as_floats else np.int64)
    masked = masked_as(values, kind, seed)
    assert bool((np.diff(masked) > 0).all())
    assert masked.tolist() != values.tolist()
    assert sort_of(masked, Kind.DECIMAL) == sort_of(values, kind)


@given(st.sets(st.integers(0, 500), min_size=2, max_size=32), st.data())
def test_whole_numbers_are_so_whomever_a_join_leaves_out(numbers: set[int], data: Any) -> None:
    values = np.array(sorted(numbers))
    masked = masked_as(values, Kind.INTEGER, data.draw(SEEDS))
    kept = data.draw(st.sets(st.integers(0, len(values) - 1), min_size=1))
    rows = sorted(kept)
    assert sort_of(masked[rows], Kind.DECIMAL) == sort_of(values[rows], Kind.INTEGER)


@given(st.sets(decimals, min_size=2, max_size=40), SEEDS)
@example({0.0, 0.5, 1.0}, 1)
@example({0.0, 0.25, 0.5, 0.75}, 1)
def test_decimals_are_of_the_same_sort(numbers: set[float], seed: int) -> None:
    values = np.unique(np.array(sorted(numbers)) + 0.0)
    masked = masked_as(values, Kind.DECIMAL, seed)
    if len(np.unique(masked)) < len(values):
        return  # too close for any groups: masking refuses them
    assert sort_of(masked, Kind.DECIMAL) == sort_of(values, Kind.DECIMAL)


@pytest.mark.parametrize("values", [[1, 2, 3, 4], [0, 7, 14, 70_000], [3, 500_000, 999_983]])
def test_whole_masks_start_at_random(values: list[int]) -> None:
    first = {masked_as(np.array(values), Kind.INTEGER, seed)[0] for seed in range(200)}
    assert len(first) > 10


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff"])
@pytest.mark.parametrize("response", ["whole", "decimal", "with missing", "far apart", "halves"])
def test_a_response_of_classes_by_numbers_comes_back_in_every_field(
    tmp_path: Path, ending: str, response: str
) -> None:
    """Three parties, one with nothing sensitive; not everybody is known to all."""
    rng = np.random.default_rng(5)
    n = 300
    age, dose = rng.integers(18, 90, n).tolist(), rng.integers(0, 40, n).tolist()
    sex = rng.choice(["f", "m"], n).tolist()
    y: list[Any] = [1 + a // 20 + d // 25 for a, d in zip(age, dose, strict=True)]
    if response == "decimal":
        y = [float(value) for value in y]
    elif response == "halves":  # numbers in clear, and numbers masked
        y = [value / 2 for value in y]
    elif response == "with missing":
        y[::17] = [None] * len(y[::17])
    elif response == "far apart":
        y = [value**9 * 1_000_003 + value for value in y]
    cells = {"id": list(range(n)), "age": age, "sex": sex, "dose": dose, "y": y}
    everybody = range(n)
    parties = [(["age", "y"], everybody[5:]), (["sex"], everybody), (["dose"], everybody[:-5])]
    paths, books = [], []
    for number, (names, rows) in enumerate(parties):
        own = table_of({c: [cells[c][i] for i in rows] for c in ["id", *names]})
        sensitive = [] if names == ["sex"] else names
        masked = mask(
            own, key="id", sensitive=sensitive, project_key=KEY, kept_order=True, seed=number
        )
        paths.append(tmp_path / f"{number}.{ending}")
        masked.write(paths[-1])
        books.append(masked.codebook)
    together = join(paths)
    together.write(tmp_path / f"joined.{ending}")
    sent = read_table(tmp_path / f"joined.{ending}")
    order = ["age", "y", "sex", "dose"]
    clear = table_of({c: cells[c][5:-5] for c in order})
    original = privet.grow(clear, target="y", leaves=6)
    book = merged(books)
    found = decode_tree(
        privet.grow(sent, target="H_y", leaves=6), book, maskings=book.identities
    ).tree
    assert to_data(found) == to_data(original)


@pytest.mark.parametrize("seed", range(20))
def test_bounds_of_few_numbers_far_from_zero_rise(seed: int) -> None:
    values = np.array([1, 2**53 + 1, 2**53 + 3, 2**53 + 8])
    bounds = drawn_bounds(values, Kind.INTEGER, np.random.default_rng(seed))
    assert (np.diff(bounds) > 0).all()


def test_numbers_beyond_all_floats_are_refused_by_name() -> None:
    numbers = [9 * 10**18 + 7, 9 * 10**18 + 13, 9 * 10**18 + 190]
    table = table_of({"id": [1, 2, 3], "account": numbers})
    with pytest.raises(privet.errors.UsageError, match="Column 'account' holds numbers so large"):
        mask(table, key="id", sensitive="account", project_key=KEY)
