"""The experiment on what the tree tells: its quick list of worlds against the slow one."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from oracles.possible_targets import how_many, possible_targets
from oracles.random_tables import TARGET, PlainTable
from oracles.slow_grower import SlowSettings
from privet.engine import MemoryEngine
from privet.schema import Kind
from privet.tree import Grower, grow
from privet.tree.guard import Guard

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
MOST_WORLDS = 60


@pytest.fixture(scope="module")
def experiment() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(EXPERIMENTS), *sys.path])
        yield import_module("what_the_tree_tells")


@st.composite
def tables_of_two_classes(draw: st.DrawFn) -> PlainTable:
    n = draw(st.integers(4, 9))
    kinds: dict[str, Kind] = {TARGET: Kind.CATEGORY}
    cells: dict[str, list[Any]] = {}
    for name in ("c0", "c1", "c2")[: draw(st.integers(1, 3))]:
        kinds[name] = draw(st.sampled_from([Kind.INTEGER, Kind.CATEGORY]))
        pool: Any = st.integers(0, 6) if kinds[name] is Kind.INTEGER else st.sampled_from("abcde")
        values = pool | st.none() if draw(st.booleans()) else pool
        cells[name] = draw(st.lists(values, min_size=n, max_size=n))
    cells[TARGET] = draw(st.lists(st.sampled_from("ny"), min_size=n, max_size=n))
    assume(len(set(cells[TARGET])) == 2)
    return PlainTable({name: kinds[name] for name in cells}, cells)


@settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(data=st.data())
def test_the_worlds_put_together_are_those_of_the_slow_grower(
    experiment: Any, data: st.DataObject
) -> None:
    table = data.draw(tables_of_two_classes())
    guard = Guard(data.draw(st.integers(1, 3)))
    grower = Grower(
        leaves=data.draw(st.integers(2, 4)), min_leaf=data.draw(st.sampled_from([1, 1, 2]))
    )
    coded = table.table()
    tree = grow(MemoryEngine(coded), table.schema(), grower, guard=guard)
    leaves = tree.leaf_of_rows(coded)
    assume(tree.inner)
    assume(how_many(table.cells[TARGET], leaves.tolist()) <= MOST_WORLDS)
    # The tree may have fewer leaves than asked: then it is the tree of its own size.
    assert tree.grower.leaves == tree.n_leaves
    slow = SlowSettings(leaves=tree.n_leaves, min_leaf=grower.min_leaf, guard=guard.least)
    expected = possible_targets(
        table.cells, table.ordered, table.attributes, TARGET, slow, leaves.tolist()
    )
    worlds = experiment.Published(coded, tree, guard, leaves).worlds()
    truth = coded[TARGET].codes.astype(np.int8)
    assert (worlds == truth[:, None]).all(axis=0).sum() == 1
    found = [
        {label for label, can_be in zip("ny", row, strict=True) if can_be}
        for row in experiment.possible_classes(worlds).tolist()
    ]
    assert found == expected


def test_a_short_run_prints_every_table_that_needs_no_files(
    experiment: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment.main([str(tmp_path), "--quick"])
    printed = capsys.readouterr().out
    assert printed.count("## ") == 5
    assert "adult.csv.gz is not there" in printed
    lines = [[c.strip() for c in line.split("|")[1:-1]] for line in printed.splitlines()]
    guarded = [line for line in lines if line[:3] == ["3", "5", "5"]]
    assert len(guarded) == 3
    assert all(line[8].startswith("0 of ") for line in guarded)  # the rule names nobody
    leaf, rich = (line for line in lines if line[:1] == ["all"])
    for line in (leaf, rich):
        trees, kept, _, fewer, _, refused, verified, stranger, *regrown = map(int, line[2:])
        assert verified == stranger == trees - refused > 0
        assert regrown == [kept + fewer] * 2
