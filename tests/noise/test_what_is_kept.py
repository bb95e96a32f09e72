"""What a fitted perturber keeps: names, trees and laws. No cell, no seed, nothing of row order."""

import doctest
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles.random_tables import PlainTable, plain_tables
from privet.noise import framework
from privet.noise.framework import NoiseFramework
from privet.noise.parts import class_noise
from privet.noise.parts.class_noise import ClassNoise
from privet.noise.parts.detective import Detective
from privet.noise.parts.influential import InfluentialNoise
from privet.noise.parts.innocent import InnocentNoise
from privet.noise.settings import NoiseSettings
from privet.noise.streams import Stream
from privet.schema import Kind, Schema
from privet.table import Coded, Table
from privet.tree.natural import NoiseTreeSettings

SMALL = NoiseTreeSettings(min_leaf=10)
MAKERS: list[Callable[[], Any]] = [
    lambda: NoiseFramework(NoiseSettings(trees=SMALL)),
    lambda: NoiseFramework(NoiseSettings(influential="wrap", strict=False, trees=SMALL)),
    lambda: ClassNoise(trees=SMALL),
    lambda: InnocentNoise(trees=SMALL),
    lambda: InfluentialNoise("reflect", trees=SMALL),
    lambda: Detective(trees=SMALL),
]


@pytest.fixture(scope="module")
def people() -> tuple[Table, Schema]:
    """Marked values: numbers that nothing else has, and a name for each person."""
    rng = np.random.default_rng(5)
    n = 300
    none = np.zeros(n, dtype=bool)
    income = rng.permutation(n) * 1_000_003 + 7_654_321_000_000
    share = income / 3.0
    city = rng.choice(["Lund", "Ystad", "Malmo"], n).astype(object)
    well = np.where((income > np.median(income)) ^ (rng.random(n) < 0.1), "well", "ill")
    names = np.array([f"person-{i:05d}" for i in range(n)], dtype=object)
    table = Table(
        {
            "name": Coded.of(names, Kind.CATEGORY, none),
            "income": Coded.of(income, Kind.INTEGER, none),
            "share": Coded.of(share, Kind.DECIMAL, none),
            "city": Coded.of(city, Kind.CATEGORY, none),
            "state": Coded.of(well.astype(object), Kind.CATEGORY, none),
        }
    )
    return table, table.schema().with_roles(target="state", identifier=["name"])


@pytest.mark.parametrize("make", MAKERS)
def test_a_pickled_perturber_holds_no_cell(
    people: tuple[Table, Schema], make: Callable[[], Any]
) -> None:
    table, schema = people
    released = schema.without(["name"])
    noise = make()
    fitted = noise.fit(table, schema if isinstance(noise, NoiseFramework) else released)
    stored = pickle.dumps(fitted)
    public = repr(fitted.mechanism_)
    assert b"person-" not in stored
    for name in ("income", "share"):
        for value in table[name].domain.values[1:-1]:  # the ends of a column are in the mechanism
            assert value.tobytes() not in stored
            assert str(value.item()).encode() not in stored
            assert str(value.item()) not in public
    again = pickle.loads(stored)
    ours = table.select(released.names())
    one, two = fitted.transform(ours, 3), again.transform(ours, 3)
    assert all(np.array_equal(one[n].codes, two[n].codes) for n in one)


@pytest.mark.parametrize("make", MAKERS)
def test_no_repr_shows_cells_or_a_seed(
    people: tuple[Table, Schema], make: Callable[[], Any]
) -> None:
    table, schema = people
    fitted = make().fit(table.select(schema.without(["name"]).names()), schema.without(["name"]))
    shown = repr(fitted) + repr(table["income"]) + repr(table["city"].domain)
    shown += "".join(repr(getattr(fitted, name, "")) for name in ("laws_", "suspects_"))
    for name in ("income", "city"):
        for text in table[name].domain.texts:
            assert text not in shown
    assert "987654321" not in repr(Stream(987654321, "class", "y"))


@given(plain_tables(most_rows=40), st.integers(0, 1000), st.randoms())
def test_the_order_of_rows_does_not_matter(plain: PlainTable, seed: int, random: Any) -> None:
    """The released records are the same, as a whole, whatever order the rows came in."""
    table, schema = plain.table(), plain.schema()
    order = list(range(table.n_rows))
    random.shuffle(order)
    noise = NoiseFramework(NoiseSettings(trees=NoiseTreeSettings(min_leaf=2)))
    one = noise.fit(table, schema).transform(table, seed)
    shuffled = table.take(np.array(order, dtype=np.intp))
    two = noise.fit(shuffled, schema).transform(shuffled, seed)
    assert records(one) == records(two)


def records(table: Table) -> list[str]:
    columns = [table[name] for name in table]
    cells = [[c.domain.value(code) for code in c.codes.tolist()] for c in columns]
    return sorted(map(repr, zip(*cells, strict=True)))


@pytest.mark.parametrize("module", [framework, class_noise])
def test_examples_in_docstrings_run(module: Any) -> None:
    found = doctest.testmod(module, extraglobs={"privet": privet})
    assert found.attempted > 3
    assert found.failed == 0
