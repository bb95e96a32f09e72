"""Seeded substitution whatever the order of rows, the split into files, the batch and the engine.

The same seed and the same set of rows give the same set of released rows.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.errors import UsageError
from privet.files import read_table, row_batches, write_table
from privet.randomness import generator
from privet.schema import Schema
from privet.table import Table

N = 400
SCHEMA = Schema.from_toml(
    """
[columns.age]
kind = "integer"
domain = [0, 99]
may_be_missing = true

[columns.height]
kind = "decimal"
domain = [0.5, 2.5]

[columns.town]
kind = "category"
domain = ["Bonn", "Köln", "Ulm"]
other = "elsewhere"

[columns.sick]
kind = "category"
role = "target"
"""
)


def people(n: int = N, seed: int = 1) -> Table:
    """Few towns and ages, so that many rows are alike."""
    rng = generator(seed, "people")
    ages = [None if age > 90 else int(age) * 10 for age in rng.integers(0, 9, n)]
    heights = rng.choice([1.5, 1.6, 1.75], n).tolist()
    towns = rng.choice(["Bonn", "Köln", "Ulm", "Trier"], n).tolist()
    sick = rng.choice(["no", "yes"], n).tolist()
    return privet.table_of({"age": ages, "height": heights, "town": towns, "sick": sick})


def perturber(**settings: object) -> privet.RandomSubstitution:
    return privet.RandomSubstitution(bins=5, **settings)  # type: ignore[arg-type]


def multiset(table: Table) -> list[tuple[str, ...]]:
    """The rows as texts, sorted."""
    columns = [
        np.array(table[name].domain.texts, dtype=object)[table[name].codes] for name in table
    ]
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def drawn(table: Table, rows: int | None = None, **settings: object) -> list[tuple[str, ...]]:
    return multiset(perturber(**settings).fit(table, SCHEMA).drawn(table, 7, rows=rows))


WAYS = [
    {},
    {"representative": "random"},
    {"joint": [("age", "town")]},
    {"with_target": True, "domain_from_data": True},
]


@pytest.mark.parametrize("settings", WAYS)
@pytest.mark.parametrize("rows", [1, 7, 100, N, 10 * N])
def test_batches_of_any_size_give_the_same_rows(rows: int, settings: dict[str, object]) -> None:
    table = people()
    assert drawn(table, rows, **settings) == drawn(table, **settings)


@pytest.mark.parametrize("settings", WAYS)
@given(order=st.permutations(range(60)))
def test_the_order_of_rows_does_not_matter(
    order: Sequence[int], settings: dict[str, object]
) -> None:
    table = people(60)
    assert drawn(table.take(np.array(order)), **settings) == drawn(table, **settings)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_split_into_files_does_not_matter(tmp_path: Path, ending: str) -> None:
    table = people()
    kinds = {column.name: column.kind for column in SCHEMA}
    write_table(table, tmp_path / f"whole.{ending}")
    for number, rows in enumerate(np.split(np.arange(N)[::-1], [1, 90, 250])):
        write_table(table.take(rows), tmp_path / f"part-{number}.{ending}")
    whole = read_table(tmp_path / f"whole.{ending}", kinds=kinds)
    parts = read_table(tmp_path / f"part-*.{ending}", kinds=kinds)
    assert drawn(parts) == drawn(whole) == drawn(table)


def test_one_row_more_leaves_what_the_others_become() -> None:
    """The bits of a row are its own: who joins the table later does not change them."""
    table = people()
    fewer = drawn(table.take(np.arange(N - 1)))
    more = drawn(table)
    for row in fewer:
        more.remove(row)
    assert len(more) == 1


def test_rows_alike_are_drawn_independently() -> None:
    """Of 4,000 rows alike the share that keeps its town is that of the matrix (gamma 9, four
    towns: 9 in 12), within four standard deviations, and not all or none of them."""
    row = {"age": [30], "height": [1.5], "town": ["Ulm"], "sick": ["no"]}
    table = privet.table_of({name: cells * 4000 for name, cells in row.items()})
    kept = sum(released[2] == "Ulm" for released in drawn(table))
    assert abs(kept - 3000) < 4 * np.sqrt(4000 * 0.75 * 0.25)


@pytest.mark.parametrize("seed", [7, None])
@pytest.mark.parametrize("rows", [None, 50])
def test_on_disk_and_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int | None, rows: int | None
) -> None:
    """Byte for byte the same release; without a seed as many rows, and a release that holds."""
    pytest.importorskip("duckdb")
    if rows is not None:
        monkeypatch.setattr(row_batches, "ROWS", rows)
    write_table(people(), tmp_path / "people.csv")
    given = {"schema": SCHEMA, "bins": 5, "seed": seed}
    privet.substitute(tmp_path / "people.csv", **given).save(tmp_path / "memory")
    with privet.larger_than_memory("500MB"):
        release = privet.substitute(tmp_path / "people.csv", **given)
        release.save(tmp_path / "disk")
    assert release.rows.n_records == N
    assert bool(privet.verify(tmp_path / "disk"))
    if seed is not None:
        for file in (tmp_path / "memory").iterdir():
            assert file.read_bytes() == (tmp_path / "disk" / file.name).read_bytes(), file.name


def test_on_disk_order_is_kept_without_a_seed_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.setattr(row_batches, "ROWS", 50)
    table = people()
    fitted = perturber(columns=["town"]).fit(table, SCHEMA)
    with privet.larger_than_memory("500MB"):
        kept = fitted.drawn(table, None, keep_order=True)
        assert np.array_equal(kept["age"].codes, table["age"].codes)
        with pytest.raises(UsageError, match="order") as refused:
            fitted.drawn(table, 7, keep_order=True)
    assert "seed" in refused.value.hint


def test_cells_outside_their_domain_are_counted_over_all_batches() -> None:
    table = people()
    schema = SCHEMA.with_roles(target="sick")
    narrow = privet.RandomSubstitution(columns=["town"], bins=5).fit(table, schema)
    other = privet.table_of({"town": ["Ulm", "Rom"] * 50 + [""] * 7, "sick": ["no"] * 107})
    with pytest.raises(UsageError, match="7 missing cells"):
        narrow.drawn(other, 7, rows=10)
