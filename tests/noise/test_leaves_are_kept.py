"""No record ever leaves its leaf, on tables with everything that growers stumble over: floats of
all sizes, neighbouring floats, integers beyond 2^53, dates, missing cells, ties."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import PlainTable, plain_tables
from privet.engine import MemoryEngine
from privet.errors import TreeChanged
from privet.noise.framework import NoiseFramework
from privet.noise.parts.class_noise import ClassNoise
from privet.noise.parts.influential import InfluentialNoise
from privet.noise.parts.innocent import InnocentNoise
from privet.noise.settings import NoiseSettings
from privet.schema import Kind
from privet.table import Coded, Table
from privet.tree.leaves import Leaves
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings, natural_tree

seeds = st.integers(0, 2**40)
splits = st.sampled_from(["multiway", "subset"])


def deep(categories: str) -> NoiseTreeSettings:
    return NoiseTreeSettings(min_leaf=1, prune="none", categories=categories)  # type: ignore[arg-type]


def totals(tree: Tree, table: Table) -> dict[tuple[int, Any], int]:
    """Records by leaf and class, counted one by one."""
    column = table[tree.target]
    found: dict[tuple[int, Any], int] = {}
    for leaf, code in zip(tree.leaf_of_rows(table).tolist(), column.codes.tolist(), strict=True):
        key = leaf, column.domain.value(code)
        found[key] = found.get(key, 0) + 1
    return found


@given(plain_tables(), splits, seeds)
def test_classes_permuted_in_leaves_keep_their_totals(
    plain: PlainTable, categories: str, seed: int
) -> None:
    table, schema = plain.table(), plain.schema()
    noise = ClassNoise("random", NoiseTreeSettings(min_leaf=3, categories=categories)).fit(
        table, schema
    )  # type: ignore[arg-type]
    assert totals(noise.tree_, noise.transform(table, seed)) == totals(noise.tree_, table)


@given(plain_tables(most_rows=40), splits, st.sampled_from(["shuffle", "wrap", "reflect"]), seeds)
def test_influential_values_stay_between_their_thresholds(
    plain: PlainTable, categories: str, method: str, seed: int
) -> None:
    table, schema = plain.table(), plain.schema()
    scale = "leaf" if seed % 2 else "value"
    noise = InfluentialNoise(method, 2.0, scale, trees=deep(categories))  # type: ignore[arg-type]
    released = noise.fit(table, schema).transform(table, seed)
    before, after = noise.tree_.leaf_of_rows(table), noise.tree_.leaf_of_rows(released)
    assert np.array_equal(before, after)
    untouched = set(table) - set(noise.columns_)
    assert all(released[name] is table[name] for name in untouched)


@given(plain_tables(), st.sampled_from(["reflect", "reflect-whole", "clamp"]), seeds)
def test_innocent_values_move_freely_within_their_column(
    plain: PlainTable, ends: str, seed: int
) -> None:
    table, schema = plain.table(), plain.schema()
    noise = InnocentNoise(1.5, ends=ends, trees=deep("multiway"))  # type: ignore[arg-type]
    released = noise.fit(table, schema).transform(table, seed)
    assert np.array_equal(noise.tree_.leaf_of_rows(table), noise.tree_.leaf_of_rows(released))
    for name in noise.columns_:
        old, new = table[name].domain, released[name].domain
        assert old.values[0] <= new.values[0]
        assert new.values[-1] <= old.values[-1]
        was_missing, is_missing = (
            c.codes == (c.domain.missing_code if c.domain.missing else -1)
            for c in (table[name], released[name])
        )
        assert np.array_equal(was_missing, is_missing)


@given(
    plain_tables(most_rows=40),
    splits,
    st.sampled_from(["shuffle", "wrap", "reflect", None]),
    st.sampled_from(["random", "probabilistic", "all-leaves"]),
    st.sampled_from([0.0, 0.5, None]),
    seeds,
)
def test_the_strict_framework_keeps_every_record_in_its_leaf(
    plain: PlainTable,
    categories: str,
    influential: Any,
    technique: Any,
    detective: float | None,
    seed: int,
) -> None:
    table, schema = plain.table(), plain.schema()
    settings = NoiseSettings(
        class_noise=technique,
        innocent=0.8,
        influential=influential,
        detective=detective,
        random_value=0.2,
        trees=deep(categories),
    )
    noise = NoiseFramework(settings).fit(table, schema)
    released = noise.transform(table, seed)
    assert np.array_equal(noise.tree_.leaf_of_rows(table), noise.tree_.leaf_of_rows(released))
    if technique == "random":
        assert totals(noise.tree_, released) == totals(noise.tree_, table)
    for name in released:
        used = np.unique(released[name].codes)
        assert np.array_equal(used, np.arange(released[name].domain.size))


def test_a_record_that_leaves_its_leaf_is_never_handed_out() -> None:
    numbers = Coded.of(np.arange(20), Kind.INTEGER, np.zeros(20, bool))
    labels = np.array(["a"] * 10 + ["b"] * 10, dtype=object)
    target = Coded.of(labels, Kind.CATEGORY, np.zeros(20, bool))
    table = Table({"x": numbers, "y": target})
    schema = table.schema().with_roles(target="y")
    tree = natural_tree(MemoryEngine(table), schema, NoiseTreeSettings())
    moved = table.replace({"x": Coded(numbers.domain, numbers.codes[::-1].copy())})
    leaves = Leaves(tree, table)
    with pytest.raises(TreeChanged, match="20 records would leave"):
        leaves.require_same(moved)
    assert (leaves.stayed(moved), leaves.stayed(table)) == (0, 20)
