"""Seeded noise belongs to rows: order, files and who else is there are of no consequence."""

from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from oracles import slow_noise_draws as slow
from privet.datasets import crd
from privet.files import read_table, write_table
from privet.mechanism.identities import Identities
from privet.mechanism.row_bits import numbers_together
from privet.noise.framework import NoiseFramework
from privet.noise.parts.class_noise import ClassNoise
from privet.noise.parts.detective import Detective
from privet.noise.parts.influential import InfluentialNoise
from privet.noise.parts.innocent import InnocentNoise
from privet.noise.settings import NoiseSettings
from privet.noise.streams import Draws, Stream, exchanged
from privet.randomness import generator
from privet.schema import Schema
from privet.table import Table
from privet.tree.natural import NoiseTreeSettings

SMALL = NoiseTreeSettings(min_leaf=5)
WAYS: list[dict[str, Any]] = [
    {},
    {"class_noise": "probabilistic", "influential": "wrap", "participation": 0.5},
    {"class_noise": "all-leaves", "influential": "reflect", "influential_scale": "leaf"},
    {"law": "correlated", "random_value": 0.2, "floor": 0.1},
    {"strict": False, "law": "laplace", "relative_to": "column"},
    {"together": (("town", "land"),), "law": "paper", "spikes": {"age": (30.0,)}},
    {"keep_tree": True},
]
PARTS: list[Any] = [
    ClassNoise("random", SMALL),
    ClassNoise("all-leaves", SMALL, floor=0.3),
    InnocentNoise(trees=SMALL),
    InfluentialNoise(trees=SMALL),
    Detective(trees=SMALL, exact=True),
]


def people(n: int, seed: int = 1) -> tuple[Table, Schema]:
    """Few values, so that many rows are alike; the land goes with the town; cells are missing."""
    rng = generator(seed, "people")
    ages = [None if age == 9 else int(age) * 10 for age in rng.integers(0, 10, n)]
    towns = rng.choice(["Bonn", "Graz", "Linz", "Ulm"], n).tolist()
    land = [{"Bonn": "D", "Ulm": "D"}.get(town, "A") for town in towns]
    weights = rng.choice([60.5, 70.0, 81.25], n).tolist()
    sick = [str((age or 0) >= 50) if rng.random() < 0.8 else "True" for age in ages]
    cells = {"age": ages, "town": towns, "land": land, "weight": weights, "sick": sick}
    table = privet.table_of(cells)
    return table, table.schema().with_roles(target="sick")


def multiset(table: Table) -> Counter[tuple[str, ...]]:
    columns = [
        np.array(table[name].domain.texts, dtype=object)[table[name].codes] for name in table
    ]
    return Counter(zip(*(column.tolist() for column in columns), strict=True))


def drawn(table: Table, schema: Schema, **asked: Any) -> Counter[tuple[str, ...]]:
    noise = NoiseFramework(NoiseSettings(trees=SMALL, **asked)).fit(table, schema)
    return multiset(noise.transform(table, 7))


@cache
def drawn_in_order(way: int) -> Counter[tuple[str, ...]]:
    return drawn(*people(60), **WAYS[way])


@pytest.mark.parametrize("way", range(len(WAYS)))
@settings(max_examples=8)  # each grows several trees
@given(order=st.permutations(range(60)))
def test_the_order_of_rows_does_not_matter(order: list[int], way: int) -> None:
    table, schema = people(60)
    shuffled = drawn(table.take(np.array(order)), schema, **WAYS[way])
    assert shuffled == drawn_in_order(way)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_the_order_does_not_matter_to_a_part_alone(part: Any) -> None:
    table, schema = people(60)
    fitted = part.fit(table, schema)
    expected = multiset(fitted.transform(table, 7))
    rng = np.random.default_rng(3)
    for _ in range(10):
        shuffled = table.take(rng.permutation(60))
        assert multiset(fitted.transform(shuffled, 7)) == expected


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_split_into_files_does_not_matter(tmp_path: Path, ending: str) -> None:
    table, schema = people(300)
    for number, rows in enumerate(np.split(np.arange(300)[::-1], [1, 90, 250])):
        write_table(table.take(rows), tmp_path / f"part-{number}.{ending}")
    kinds = {column.name: column.kind for column in schema}
    parts = read_table(tmp_path / f"part-*.{ending}", kinds=kinds)
    assert drawn(parts, schema) == drawn(table, schema)


def test_a_release_does_not_depend_on_the_order_of_rows() -> None:
    table = crd(200, 3)
    order = np.random.default_rng(2).permutation(200)
    one, two = (
        privet.add_noise(rows, target="credit_risk", seed=5, detective=0.2)
        for rows in (table, table.take(order))
    )
    assert one.manifest.content_sha256 == two.manifest.content_sha256


@pytest.mark.parametrize("part", [PARTS[1], PARTS[2]], ids=["class", "innocent"])
def test_who_else_is_there_does_not_matter(part: Any) -> None:
    """What is not exchanged is a matter of the row alone: fewer rows are drawn as they were."""
    table, schema = people(200)
    fitted = part.fit(table, schema)
    whole = multiset(fitted.transform(table, 7))
    fewer = multiset(fitted.transform(table.take(np.arange(150)), 7))
    assert fewer.total() == 150
    assert fewer <= whole


def test_rows_alike_are_drawn_independently() -> None:
    """Of 4,000 rows alike about a half changes its class where the chance is a half."""
    table, schema = people(100)
    noise = ClassNoise("none", SMALL, floor=1.0).fit(table, schema)
    alike = table.take(np.zeros(4000, dtype=np.intp))
    released = noise.transform(alike, 7)
    changed = (released["sick"].codes != alike["sick"].codes).sum()
    assert abs(changed - 2000) < 5 * np.sqrt(4000 / 4)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.booleans()), max_size=30),
    st.integers(0, 2**70),
    st.booleans(),
)
def test_orders_and_numbers_are_those_of_the_slow_twin(
    rows: list[tuple[int, int, bool]], seed: int, equal: bool
) -> None:
    """Also where the numbers of rows are equal, and only who they are tells them apart."""
    group, codes = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
    chosen = np.flatnonzero([row[2] for row in rows])
    low, high = np.random.default_rng(len(rows)).integers(0, 2**64, (2, len(rows)), np.uint64)
    if equal:
        low[:] = high[:1]
    stream = Stream(seed, "class", "y", Identities(low, high))
    who = list(zip(low.tolist(), high.tolist(), strict=True))
    (found,) = exchanged([codes], group, chosen, stream)
    expected = slow.exchanged(
        seed, "class", "y", codes.tolist(), group.tolist(), chosen.tolist(), who
    )
    assert found.tolist() == expected
    purposes = ["size", "rounding"]
    for place, shares in enumerate(stream.uniform(chosen, *purposes)):
        numbers = [slow.number(seed, "class", "y", purposes, place, who[row]) for row in chosen]
        assert shares.tolist() == [(number >> 11) / 2**53 for number in numbers]


def test_equal_numbers_are_told_apart_by_who_a_row_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """In whatever order the rows come, the one with the lower identity is first."""
    monkeypatch.setattr(Stream, "numbers", lambda _, rows: np.zeros(len(rows), dtype=np.uint64))
    who = np.array([5, 3, 9, 1], dtype=np.uint64)
    stream = Stream(1, "class", "y", Identities(who, np.zeros(4, dtype=np.uint64)))
    assert stream.order(np.zeros(4, dtype=np.uint8), np.arange(4)).tolist() == [3, 1, 0, 2]


def test_columns_exchanged_together_stay_together() -> None:
    table, _ = people(200)
    draws = Draws.of(table, 3)
    town, land = (table[name].codes for name in ("town", "land"))
    rows = np.arange(10, 200)
    new = exchanged([town, land], np.zeros(200, np.uint8), rows, draws.stream("exchange", "both"))
    assert sorted(zip(*new, strict=True)) == sorted(zip(town, land, strict=True))
    assert [codes[:10].tolist() for codes in new] == [codes[:10].tolist() for codes in (town, land)]
    assert not np.array_equal(new[0], town)


def test_a_block_serves_eight_purposes() -> None:
    identities = Draws.of(people(5)[0], 3).identities
    assert identities is not None
    found = numbers_together(3, [f"p{i}" for i in range(8)], identities)
    assert len({tuple(numbers.tolist()) for numbers in found}) == 8
    with pytest.raises(ValueError, match="eight"):
        numbers_together(3, [f"p{i}" for i in range(9)], identities)


def test_without_a_seed_nobody_asks_who_a_row_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from privet.noise import streams

    def refused(*_: object) -> None:
        raise AssertionError("rows have no identity without a seed")

    monkeypatch.setattr(streams, "identities_of", refused)
    table, schema = people(100)
    noise = NoiseFramework(NoiseSettings(trees=SMALL)).fit(table, schema)
    assert multiset(noise.transform(table)) != multiset(noise.transform(table))


STRETCHES: list[tuple[Any, Any]] = [
    (InnocentNoise(sd=0.1, trees=SMALL), InnocentNoise(sd=0.2, trees=SMALL)),
    (
        InnocentNoise(sd=0.1, trees=SMALL, law="correlated"),
        InnocentNoise(sd=0.2, trees=SMALL, law="correlated"),
    ),
    (
        InnocentNoise(sd=0.2, trees=SMALL, scales={"y": 5.0}),
        InnocentNoise(sd=0.2, trees=SMALL, scales={"y": 10.0}),
    ),
    (
        InfluentialNoise(sd=0.02, trees=SMALL, method="reflect"),
        InfluentialNoise(sd=0.04, trees=SMALL, method="reflect"),
    ),
]


@pytest.mark.parametrize(("narrow", "wide"), STRETCHES)
def test_two_deviations_under_one_seed_do_not_stretch_the_same_draws(
    narrow: Any, wide: Any
) -> None:
    """Else twice the narrow one less the wide one would be the original."""
    rng = generator(5, "stretched")
    x, y = rng.normal(500, 50, 400).round(2), rng.normal(100, 9, 400).round(2)
    told = ["yes" if value > 500 else "no" for value in x]
    table = privet.table_of({"x": x.tolist(), "y": y.tolist(), "told": told})
    schema = table.schema().with_roles(target="told")
    releases = [part.fit(table, schema).transform(table, seed=3) for part in (narrow, wide)]
    moved = 0
    for name in ("x", "y"):
        one, two = (_numbers_in(released, name) for released in releases)
        original = _numbers_in(table, name)
        if (one == original).all():
            continue  # a column that this part does not reach
        moved += 1
        found = np.abs(2 * one - two - original) < 0.05 * np.std(original)
        assert found.mean() < 0.25
        assert abs(np.corrcoef(one - original, two - original)[0, 1]) < 0.2
    assert moved


def test_two_chances_of_all_leaves_under_one_seed_do_not_part_the_same_draws() -> None:
    """Else the smaller one would show the original wherever the two releases differ."""
    rng = generator(5, "parted")
    x, y, chance = rng.integers(0, 100, 600), rng.integers(0, 100, 600), rng.random(600)
    sick = ((x > 50) ^ (y > 80) ^ (chance < 0.15)).astype(int)
    cells = {"x": x.tolist(), "y": y.tolist(), "sick": [f"s{value}" for value in sick]}
    table = privet.table_of(cells)
    schema = table.schema().with_roles(target="sick")
    parts = [ClassNoise("all-leaves", NoiseTreeSettings(min_leaf=n)) for n in (20, 150)]
    parts = sorted((p.fit(table, schema) for p in parts), key=lambda part: part.law_.chance)
    assert parts[0].law_.chance < parts[1].law_.chance
    one, two = (part.transform(table, seed=3)["sick"].codes for part in parts)
    differs = one != two
    assert differs.any()
    assert np.mean(one[differs] == table["sick"].codes[differs]) < 0.9


@pytest.mark.parametrize(
    ("plain", "other"),
    [
        (Detective(p=0.25, cousins=1), Detective(p=Fraction(1, 4), cousins=np.int64(1))),  # type: ignore[arg-type]
        (ClassNoise(floor=0.25), ClassNoise(floor=np.float32(0.25))),  # type: ignore[arg-type]
        (InnocentNoise(sd=1.0), InnocentNoise(sd=1)),
        (InnocentNoise(sd=0.25), InnocentNoise(sd=np.float32(0.25))),  # type: ignore[arg-type]
        (InnocentNoise(sd=1.0, law="correlated"), InnocentNoise(sd=1, law="correlated")),
    ],
)
def test_a_setting_has_the_same_draws_whatever_type_its_number_has(plain: Any, other: Any) -> None:
    table, schema = people(100)
    one, two = (part.fit(table, schema).transform(table, seed=3) for part in (plain, other))
    assert multiset(one) == multiset(two) != multiset(table)


def _numbers_in(table: Table, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray(table[name].domain.values[table[name].codes], dtype=np.float64)
