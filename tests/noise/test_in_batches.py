"""Noise on disk is the noise in memory: whatever the batches, the same rows and figures."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from noise.test_streams import SMALL, WAYS, multiset, people
from oracles import slow_noise_draws as slow
from privet import table as tables
from privet.errors import UsageError
from privet.files import row_batches, write_table
from privet.mechanism.identities import Identities
from privet.noise.exchanges import Exchanges
from privet.noise.figures import figures_of
from privet.noise.framework import NoiseFramework
from privet.noise.in_batches import Drawn
from privet.noise.observed import Observed
from privet.noise.settings import NoiseSettings
from privet.noise.streams import Draws, Exchange
from privet.schema import Kind
from privet.table import Coded, Domain
from privet.tree.leaves import Leaves

IN_BATCHES = [way for way in WAYS if not way.get("keep_tree")]


@cache
def fitted(way: int) -> NoiseFramework:
    asked = NoiseSettings(trees=SMALL, **IN_BATCHES[way])
    return NoiseFramework(asked).fit(*people(200))


@pytest.mark.parametrize("way", range(len(IN_BATCHES)))
@settings(max_examples=8)
@given(rows=st.integers(1, 220), seed=st.integers(0, 2**70))
def test_batches_of_any_size_have_the_rows_of_the_whole(way: int, rows: int, seed: int) -> None:
    table, noise = people(200)[0], fitted(way)
    drawn = noise.drawn(table, seed, rows=rows)
    assert multiset(drawn.released) == multiset(noise.transform(table, seed))
    assert multiset(drawn.original) == multiset(table)


@pytest.mark.parametrize("way", range(len(IN_BATCHES)))
def test_without_a_seed_rows_stay_in_their_order_and_values_in_their_leaves(way: int) -> None:
    table, noise = people(200)[0], fitted(way)
    drawn = noise.drawn(table, None, in_order=True, rows=30)
    assert drawn.original is not None
    for name in table:
        assert np.array_equal(drawn.original[name].codes, table[name].codes)
    if noise.settings.class_noise == "random" and not noise.settings.floor:
        leaves = Leaves(noise.tree_, table)
        for rank in range(leaves.number):
            here = np.flatnonzero(leaves.rank == rank)
            before, after = (one.take(here).select(["sick"]) for one in (table, drawn.released))
            assert multiset(before) == multiset(after)


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 5), st.booleans(), st.integers(0, 3)),
        max_size=30,
    ),
    seed=st.integers(0, 2**70),
)
def test_exchanges_across_batches_are_those_of_the_slow_twin(
    rows: list[tuple[int, int, bool, int]], seed: int
) -> None:
    """`rows` have a leaf, a code, whether they take part, and a batch."""
    rows.sort(key=lambda row: row[3])
    leaf, codes = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
    low, high = np.random.default_rng(len(rows)).integers(0, 2**64, (2, len(rows)), np.uint64)
    chosen = [place for place, row in enumerate(rows) if row[2]]
    who = list(zip(low.tolist(), high.tolist(), strict=True))
    expected = slow.exchanged(seed, "class", "y", codes.tolist(), leaf.tolist(), chosen, who)
    tree = fitted(0).tree_  # leaves are only numbered by it
    domain = Domain(Kind.INTEGER, np.arange(6))
    asked = Exchanges(4)
    of_batch: list[tuple[Exchange, Any]] = []
    for batch in range(4):
        here = np.flatnonzero([row[3] == batch for row in rows])
        taking = np.flatnonzero([rows[place][2] for place in here])
        column = Coded(domain, codes[here].astype(np.uint8))
        leaves = Leaves.placed(tree, leaf[here])
        exchange = Exchange("class", "y", (column,), leaves, taking)
        draws = Draws(seed, Identities(low[here], high[here]))
        asked.add(batch, exchange, draws)
        of_batch.append((exchange, draws))
    asked.settle()
    found: list[int] = []
    for batch, (exchange, draws) in enumerate(of_batch):
        known = Draws(draws.seed, draws.identities, asked.of_batch(batch))
        found += known.exchanged(exchange)[0].tolist()
    assert found == expected


@pytest.mark.parametrize("way", range(len(IN_BATCHES)))
def test_figures_do_not_depend_on_the_stretches(way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table, noise = people(200)[0], fitted(way)
    released = noise.transform(table, 3)
    whole, seen = figures_of(noise, table, released), Observed.of(noise, table, released)
    monkeypatch.setattr(tables, "STRETCH", 37)
    in_parts, again = figures_of(noise, table, released), Observed.of(noise, table, released)
    assert (again.changed, again.stayed) == (seen.changed, seen.stayed)
    assert again.classes_changed.tolist() == seen.classes_changed.tolist()
    for one, two in zip(whole, in_parts, strict=True):
        assert (one.column, one.method, one.observed) == (two.column, two.method, two.observed)
        assert (one.expected, one.r2) == (two.expected, two.r2)


@pytest.mark.parametrize("options", [{}, {"law": "correlated"}, {"strict": False}], ids=str)
def test_a_release_on_disk_is_the_release_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    """Every byte of it, and of its audit."""
    write_table(privet.datasets.hospital(600, 4), tmp_path / "patients.csv")
    asked = {"target": "readmitted", "identifier": "patient_id", "seed": 11, **options}
    privet.add_noise(tmp_path / "patients.csv", **asked).save(
        tmp_path / "memory", audit=tmp_path / "a"
    )
    monkeypatch.setattr(row_batches, "ROWS", 130)
    monkeypatch.setattr(tables, "STRETCH", 90)
    with privet.larger_than_memory("500MB"):
        on_disk = privet.add_noise(tmp_path / "patients.csv", **asked)
        on_disk.save(tmp_path / "disk", audit=tmp_path / "b")
        assert privet.verify(tmp_path / "disk").first_no is None
    for one, two in (("memory", "disk"), ("a", "b")):
        files = sorted(path.name for path in (tmp_path / one).iterdir())
        assert files == sorted(path.name for path in (tmp_path / two).iterdir())
        for name in files:
            before, after = (tmp_path / folder / name for folder in (one, two))
            assert before.read_bytes() == after.read_bytes(), name


def test_what_needs_all_rows_is_refused_on_disk(tmp_path: Path) -> None:
    write_table(privet.datasets.crd(120, 4), tmp_path / "people.csv")
    asked: dict[str, Any] = {"target": "credit_risk"}
    with privet.larger_than_memory("500MB"):
        with pytest.raises(UsageError, match="in memory"):
            privet.add_noise(tmp_path / "people.csv", **asked, keep_tree=True)
        kept = privet.add_noise(tmp_path / "people.csv", **asked, keep_order=True)
        assert kept.manifest.method["order"] == "kept"


def test_some_rows_are_the_same_whatever_their_order() -> None:
    table, _ = people(200)
    order = np.random.default_rng(1).permutation(200)
    found = []
    for rows in (table, table.take(order)):
        draws = Draws.of(rows, 5)
        some = Drawn(rows, rows, draws.identities).some(50)
        found.append([some.original[name].codes.tolist() for name in table])
        assert some.original.n_rows == 50
    assert found[0] == found[1]
    alone = Drawn(table, table, None)
    assert alone.some(200) is alone
    assert alone.some(20).released.n_rows == 20


def test_a_large_table_is_judged_among_some(monkeypatch: pytest.MonkeyPatch) -> None:
    from privet.noise import publisher

    table = privet.datasets.crd(300, 2)
    whole = privet.add_noise(table, target="credit_risk", seed=3)
    monkeypatch.setattr(publisher, "MOST_JUDGED", 100)
    some = privet.add_noise(table, target="credit_risk", seed=3)
    claims = [release.manifest.claim("found-by-the-intruder") for release in (whole, some)]
    assert claims[0] is not None
    assert claims[1] is not None
    assert "among" not in claims[0].parameters
    assert claims[1].parameters["among"] == 100
    assert some.manifest.content_sha256 == whole.manifest.content_sha256
