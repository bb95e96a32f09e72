"""Recoding the original rows by what the release says gives the released rows again."""

import random
from pathlib import Path

import numpy as np
import pytest

import privet
from privet.datasets import adult_like, hospital, houses, schema_of
from privet.engine import MemoryEngine
from privet.files import write_table
from privet.pipeline import publish_table
from privet.preserve.settings import PublishSettings
from privet.release import read_release
from privet.release.meanings import Joined
from privet.release.new_rows import predict_rows, read_new_rows, recode_rows, with_column
from privet.release.rows import Rows
from privet.schema import Kind
from privet.table import Coded, Domain, Table
from privet.tree.exchange.model_file import from_data

MAKERS = {"adult": adult_like, "hospital": hospital, "houses": houses}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("recoding", ["global", "leaf"])
@pytest.mark.parametrize("refine", [True, False])
def test_old_rows_come_out_as_released(name: str, recoding: str, refine: bool) -> None:
    table = MAKERS[name](1500, 3)
    schema = schema_of(name, table)
    settings = PublishSettings(k=5, leaves=6, recoding=recoding, refine=refine)  # type: ignore[arg-type]
    release = publish_table(table, schema, settings)
    again = recode_rows(table, release.manifest, release.trees)
    rows = Rows.of(MemoryEngine(again), release.rows.table.names)
    assert rows.content_sha256() == release.manifest.content_sha256
    assert release.audit is not None
    original = from_data(release.audit.data["original_model"])
    assert predict_rows(table, release.manifest, release.trees) == original.predict(table)


@pytest.mark.parametrize("recoding", ["global", "leaf"])
@pytest.mark.parametrize("seed", range(8))
def test_cells_of_numbers_between_which_there_is_no_float(
    seed: int, recoding: str, tmp_path: Path
) -> None:
    """Floats are 8 apart here, and values 3: some neighbours are in two cells all the same."""
    draw = random.Random(seed)
    a = [2**55 + 3 * draw.randrange(23) for _ in range(200)]
    b = [draw.randrange(4) for _ in a]
    share = [draw.random() for _ in range(23)]
    y = ["ab"[share[v % 23] + w * draw.random() / 3 > 0.7] for v, w in zip(a, b, strict=True)]
    table = privet.table_of({"A": a, "B": b, "y": y})
    release = privet.publish(table, target="y", k=1, leaves=18, recoding=recoding, guard=1)
    assert privet.verify(tmp_path / "r", release.save(tmp_path / "r", report=False))
    again = recode_rows(table, release.manifest, release.trees)
    rows = Rows.of(MemoryEngine(again), release.rows.table.names)
    assert rows.content_sha256() == release.manifest.content_sha256


@pytest.mark.parametrize("name", MAKERS)
def test_rich_releases_leave_new_rows_as_they_are_but_for_joined_values(name: str) -> None:
    table = MAKERS[name](1500, 3)
    release = publish_table(table, schema_of(name, table), PublishSettings(k=5, leaves=6))
    assert release.manifest.method["recoding"] == "rich"
    again = recode_rows(table, release.manifest, release.trees)
    for column, entry in release.manifest.recoding["columns"].items():
        if entry["treatment"] == "aggregated" and not entry["joined"]:
            assert again[column].domain == table[column].compact().domain
            assert (again[column].codes == table[column].compact().codes).all()
        for joined in entry.get("joined", ()):
            values = {again[column].domain.value(c) for c in range(again[column].domain.size)}
            assert joined["value"] in values
            assert not values & {*joined.get("members", ()), joined.get("low")} - {joined["value"]}
    assert release.audit is not None
    original = from_data(release.audit.data["original_model"])
    assert predict_rows(table, release.manifest, release.trees) == original.predict(table)


def test_missing_that_was_joined_is_joined_in_new_rows() -> None:
    entry = {"joined": [{"value": "a", "members": ["a", None]}]}
    (joined,) = Joined.all_of(entry, Kind.CATEGORY)
    assert joined.holds(None)
    assert joined.meaning() == "a | (missing)"
    (numbers,) = Joined.all_of({"joined": [{"value": 2, "low": 1, "high": 3}]}, Kind.INTEGER)
    assert not numbers.holds(None)
    assert numbers.holds(3)


def test_unseen_categories_and_values_beyond_the_range(tmp_path: Path) -> None:
    table = adult_like(2000, 1)
    release = publish_table(table, schema_of("adult", table), PublishSettings(k=5, leaves=6))
    release.save(tmp_path / "release", report=False)
    published = read_release(tmp_path / "release")
    new = table.take(np.arange(3))
    strange = {}
    for column in new:
        kind = new[column].domain.kind
        values = ["unheard of"] if kind is Kind.CATEGORY else [10**6]
        made = np.array(values, dtype=object if kind is Kind.CATEGORY else np.int64)
        strange[column] = Coded(Domain(kind, made), np.zeros(3, dtype=np.uint8))
    rows = Table(strange)
    write_table(rows, tmp_path / "new.csv")
    read = read_new_rows(tmp_path / "new.csv", published.manifest, (), ())
    assert recode_rows(read, published.manifest, published.trees).n_rows == 3
    predicted = predict_rows(read, published.manifest, published.trees)
    assert set(predicted) <= set(published.tree.classes or ())


def test_a_new_column_gets_a_name_of_its_own() -> None:
    table = adult_like(50, 1)
    wider = with_column(with_column(table, "predicted", [1] * 50), "predicted", ["a"] * 50)
    assert wider.names[-2:] == ("predicted", "predicted_")
    assert wider["predicted"].domain.kind is Kind.INTEGER
    assert wider["predicted_"].domain.kind is Kind.CATEGORY


def test_a_tree_of_one_leaf_predicts_for_every_row(tmp_path: Path) -> None:
    rows = {"age": [30] * 20, "buys": ["no"] * 11 + ["yes"] * 9}
    privet.add_noise(rows, target="buys", seed=1).save(tmp_path / "r")
    assert privet.predict(tmp_path / "r", rows) == ["no"] * 20
