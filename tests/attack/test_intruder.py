"""The intruder: the law of every pair against a slow twin, calibrated guesses, the known leak."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import privet
from oracles.slow_intruder import slow_chances
from privet.attack.intruder import intrude
from privet.attack.likelihood import Likelihoods
from privet.datasets import crd, csd, hospital, schema_of
from privet.errors import UnknownColumn, UsageError
from privet.noise.framework import NoiseFramework
from privet.noise.settings import NoiseSettings
from privet.schema import Schema
from privet.table import Table
from privet.tree.exchange.model_file import from_data
from privet.tree.natural import NoiseTreeSettings


def rows_of(table: Table) -> list[dict[str, Any]]:
    columns = {
        name: [table[name].domain.value(code) for code in table[name].codes.tolist()]
        for name in table
    }
    return [{name: cells[i] for name, cells in columns.items()} for i in range(table.n_rows)]


def drawn(
    table: Table, schema: Schema, asked: NoiseSettings, seed: int
) -> tuple[NoiseFramework, dict[str, Any], Table]:
    noise = NoiseFramework(asked).fit(table, schema)
    told = json.loads(json.dumps(noise.mechanism_))
    return noise, told, noise.transform(table, seed=seed)


@st.composite
def strict_settings(draw: st.DrawFn) -> NoiseSettings:
    innocent = draw(st.sampled_from([None, 0.276]))
    techniques = ["random", "probabilistic", *(["none"] if innocent else [])]
    return NoiseSettings(
        class_noise=draw(st.sampled_from(techniques)),  # type: ignore[arg-type]
        innocent=innocent,
        which=draw(st.sampled_from(["tia", "lia", "both"])),
        where=draw(st.sampled_from(["heterogeneous", "all"])),
        law=draw(st.sampled_from(["bell", "normal"])),
        relative_to=draw(st.sampled_from(["value", "column"])),
        influential=draw(st.sampled_from([None, "shuffle"])),
        detective=draw(st.sampled_from([None, 0.0, 0.3])),
        participation=draw(st.sampled_from([1.0, 0.5])),
        random_value=draw(st.sampled_from([0.0, 0.2])),
        trees=NoiseTreeSettings(
            categories=draw(st.sampled_from(["subset", "multiway"])),
            leaves=draw(st.sampled_from([3, 8])),
            prune="none",
        ),
    )


@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(strict_settings(), st.sampled_from(["crd", "csd"]), st.integers(0, 999), st.data())
def test_every_pair_has_the_chance_that_sums_give(
    asked: NoiseSettings, name: str, seed: int, data: st.DataObject
) -> None:
    table: Table = crd(40, seed) if name == "crd" else csd(40, seed)
    schema = schema_of(name, table)
    noise, told, released = drawn(table, schema, asked, seed)
    others = [n for n in released.names if n != schema.target]
    known = data.draw(st.lists(st.sampled_from(others), min_size=1, unique=True))
    trees = {
        group: from_data(entry["tree"])
        for group, entry in (told["detective"] or {"columns": {}})["columns"].items()
    }
    people = table.select([*known, schema.target])
    pairs = Likelihoods(noise.tree_, told, released, people, known)
    fast = np.zeros((2, released.n_rows, people.n_rows))
    for part, candidates, logs in pairs.chunks(np.arange(12)):
        fast[np.ix_((0, 1), part, candidates)] = np.exp(logs)
    assert np.exp(pairs.of(np.arange(12))) == pytest.approx(fast[0, :12])
    rows = rows_of(released), rows_of(table)
    for table_of_pairs, own_class in zip(fast, (False, True), strict=True):
        slow = slow_chances(noise.tree_, told, trees, *rows, known, own_class)[:12]
        assert table_of_pairs[:12] == pytest.approx(np.array(slow), rel=1e-7, abs=1e-12)


def test_guesses_are_as_often_right_as_they_claim() -> None:
    """In ten bins of probability, over several tables and draws, within three standard errors."""
    bins = np.zeros((4, 10))
    for seed in range(6):
        table = crd(250, seed)
        noise, told, released = drawn(table, schema_of("crd", table), NoiseSettings(), seed)
        known = [n for n in released.names if n != noise.tree_.target]
        whose = np.arange(table.n_rows)
        found = intrude(noise.tree_, told, released, table, known, whose)
        one = found.calibration
        assert one is not None
        assert sum(one.pairs) == 250 * 250
        assert sum(one.expected) == pytest.approx(250)  # posteriors sum to one
        bins += [one.pairs, one.expected, one.right, [e * e for e in one.error]]
    off = np.abs(bins[2] - bins[1]) / np.sqrt(bins[3])
    assert off.max() <= 3


def numbers_alone(records: int, seed: int) -> Table:
    """A small table of numbers with many values, and a class that two of them tell."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {
        f"n{i}": rng.integers(3000, 8000, records).tolist() for i in range(7)
    }
    first, second = columns["n0"], columns["n1"]
    columns["sick"] = [
        "yes" if (a > 6000) == (b > 5000) else "no" for a, b in zip(first, second, strict=True)
    ]
    return privet.table_of(columns)


def test_the_steps_of_the_paper_give_people_away_and_a_fine_law_does_not() -> None:
    table = numbers_alone(150, 1)
    schema = table.schema().with_roles(target="sick")
    found, naive = {}, {}
    for law in ("paper", "bell", "normal"):
        asked = NoiseSettings(law=law, trees=NoiseTreeSettings(leaves=4))  # type: ignore[arg-type]
        noise, told, released = drawn(table, schema, asked, 3)
        known = [n for n in released.names if n != "sick"]
        one = intrude(noise.tree_, told, released, table, known, np.arange(150))
        assert one.counted == pytest.approx(one.found, abs=0.15)
        found[law], naive[law] = one.found, one.naive
    assert found["paper"] >= 0.95
    assert naive["paper"] is not None
    assert naive["paper"] < 0.5 * found["paper"]
    assert max(found["bell"], found["normal"]) <= 0.5 * found["paper"]


def test_nobody_is_a_candidate_where_all_are_impossible() -> None:
    table = numbers_alone(60, 2)
    asked = NoiseSettings(innocent=None, influential=None)
    noise, told, released = drawn(table, table.schema().with_roles(target="sick"), asked, 3)
    strangers = numbers_alone(40, 77)
    known = ["n4", "n5", "n6"]
    found = intrude(noise.tree_, told, released, strangers, known)
    assert (found.no_candidate, found.found, found.candidates) == (60, 0.0, 0.0)
    assert any("no candidate" in sentence for sentence in found.sentences())


def test_who_knows_less_finds_less() -> None:
    table = hospital(200, 1)
    schema = schema_of("hospital", table)
    noise, told, released = drawn(table, schema, NoiseSettings(), 5)
    known = [n for n in released.names if n != schema.target]
    people = table.select(released.names)
    all_known = intrude(noise.tree_, told, released, people, known, np.arange(200))
    few = intrude(noise.tree_, told, released, people, known[:2], np.arange(200))
    assert few.found < all_known.found < all_known.before
    assert all_known.asked_only is not None
    assert all_known.asked_only < all_known.found
    assert all_known.by_paper is not None
    assert 0 < all_known.by_paper < 1
    assert 0 < (all_known.right_class or 0) <= (all_known.right_class_before or 0) <= 1
    sampled = intrude(noise.tree_, told, released, people, known, np.arange(200), 200 * 50)
    assert sampled.tried == 50
    assert sampled.by_paper is None


def told_by_colour(records: int, seed: int) -> Table:
    """A class that a number tells in part, and a category that the class tells nearly."""
    rng = np.random.default_rng(seed)
    ill = rng.random(records) < 0.5
    other = rng.random(records) < 0.1
    return privet.table_of(
        {
            "age": (rng.integers(20, 60, records) + 15 * ill).tolist(),
            "colour": np.where(ill ^ other, "red", "blue").tolist(),
            "ill": np.where(ill, "yes", "no").tolist(),
        }
    )


def test_a_category_drawn_by_the_class_tells_the_class() -> None:
    """The chance of the right class is what the whole record tells, not its class alone."""
    table = told_by_colour(60, 3)
    schema = table.schema().with_roles(target="ill")
    asked = NoiseSettings(strict=False, participation=0.7, trees=NoiseTreeSettings(leaves=3))
    noise, told, released = drawn(table, schema, asked, 3)
    known = ["age", "colour"]
    found = intrude(noise.tree_, told, released, table, known)
    pairs = Likelihoods(noise.tree_, told, released, table, known)
    every, own = np.zeros((2, 60, 60))
    for part, people, logs in pairs.chunks(np.arange(60)):
        every[np.ix_(part, people)], own[np.ix_(part, people)] = np.exp(logs)
    assert found.right_class == pytest.approx(float((own.sum(axis=0) / every.sum(axis=0)).mean()))
    of_known = intrude(noise.tree_, told, released, table, [*known, "ill"])
    assert of_known.right_class is None  # nothing is left to learn


def test_a_release_that_keeps_its_order_tells_whose_each_record_is(tmp_path: Path) -> None:
    people = crd(80, 1)
    schema = schema_of("crd", people)
    kept = privet.add_noise(people, schema=schema, keep_order=True, seed=1)
    sorted_ = privet.add_noise(people, schema=schema, seed=1)
    one, two = (privet.attack.by_intruder(made, people) for made in (kept, sorted_))
    assert one.found == pytest.approx(two.found)
    assert one.counted is not None
    assert two.counted is None
    claim = sorted_.manifest.claim("found-by-the-intruder")
    assert claim is not None
    assert 0 <= claim.measured - one.found <= 0.01  # told coarsely


def test_other_releases_and_columns_are_refused() -> None:
    people = crd(80, 1)
    schema = schema_of("crd", people)
    made = privet.add_noise(people, schema=schema, seed=1)
    with pytest.raises(UnknownColumn):
        privet.attack.by_intruder(made, people, known="shoe_size")
    with pytest.raises(UnknownColumn):
        privet.attack.by_intruder(made, people.select(["income"]), known="rent")
    other = privet.anonymise(people, k=5, schema=schema)
    with pytest.raises(UsageError, match="release with noise"):
        privet.attack.by_intruder(other, people)
