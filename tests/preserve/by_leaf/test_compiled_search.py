"""Compiled loops search as NumPy does, and both as the plain way does: the same faults, the same
choices, the same values."""

import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet.compiled
from oracles.leaf_checks import engine_of
from oracles.random_tables import PlainTable, plain_tables
from preserve.by_leaf.test_leaf_conditions import GROWERS, grown, moderate
from privet.datasets import adult_like, schema_of
from privet.engine import MemoryEngine
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf import compiled_search, local_search
from privet.preserve.by_leaf.compiled_search import Words, loops_of
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.faults import FaultCounter
from privet.preserve.by_leaf.local_search import Trials, quick_of, search
from privet.preserve.by_leaf.new_values import more_values
from privet.preserve.by_leaf.trials_in_order import TrialsInOrder
from privet.preserve.leaf_counts import LeafCounts, count_leaves
from privet.tree import Grower, grow

TABLES = st.one_of(plain_tables(), plain_tables(), plain_tables(regression=True)).filter(moderate)


def counters(leaf_counts: LeafCounts, columns: Any, random: Any) -> Any:
    """A counter of faults for each used column, of random atoms, alphabet and form."""
    base = recode_globally(leaf_counts, columns)
    for name in leaf_counts.columns:
        task = ColumnTask(leaf_counts, name, base[name])
        atoms = random.choice([task.whole_groups(), task.single_cells()])
        domain = random.choice([base[name].domain, more_values(task)])
        form = random.choice(["strict", "index"])
        complete = not task.ordered and random.choice([True, False])
        counter = FaultCounter(task, atoms, domain, form, complete)
        if counter.possible:
            yield name, counter


def found_each_way(counter: FaultCounter, name: str, steps: int, restarts: int) -> list[Any]:
    found = []
    ways = (lambda _: None), in_order_of, loops_of
    with pytest.MonkeyPatch.context() as patch:
        for way in ways:
            patch.setattr(local_search, "quick_of", way)
            codes = search(counter, name, steps, restarts)
            found.append(None if codes is None else codes.tolist())
    return found


def in_order_of(counter: FaultCounter) -> TrialsInOrder | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_search, "pays", lambda: False)
        quick = quick_of(counter)
    assert quick is None or isinstance(quick, TrialsInOrder)
    return quick


def compare_faults(counter: FaultCounter, random: Any) -> None:
    options = [np.flatnonzero(row).tolist() for row in counter.allowed]
    codes = np.array([random.choice(allowed) for allowed in options], dtype=np.int64)
    slowly = Trials(counter, codes)
    for quick in (loops_of(counter), in_order_of(counter)):
        quickly = Trials(counter, codes, quick)
        for atom, may in enumerate(options):
            found = quickly.faults_with(atom, np.array(may))
            assert found.tolist() == slowly.faults_with(atom, np.array(may)).tolist()


@settings(max_examples=max(150, settings.default.max_examples))
@given(TABLES, GROWERS, st.randoms(use_true_random=False))
def test_all_ways_find_the_same(plain: PlainTable, grower: Grower, random: Any) -> None:
    leaf_counts = count_leaves(engine_of(plain), [grown(plain, grower)])
    for name, counter in counters(leaf_counts, plain.attributes, random):
        slowly, *quickly = found_each_way(counter, name, 12, 3)
        assert quickly == [slowly, slowly]
        if loops_of(counter) is not None:
            compare_faults(counter, random)


def test_all_ways_find_the_same_in_a_census() -> None:
    table = adult_like(3000)
    engine, schema, random = MemoryEngine(table), schema_of("adult", table), Random(5)
    compared = 0
    for leaves in (6, 17, 30):
        leaf_counts = count_leaves(engine, [grow(engine, schema, Grower(leaves=leaves))])
        for name, counter in counters(leaf_counts, leaf_counts.columns, random):
            slowly, *quickly = found_each_way(counter, name, 60, 2)
            assert quickly == [slowly, slowly]
            compared += in_order_of(counter) is not None and loops_of(counter) is not None
    assert compared > 9


@given(st.text(max_size=5), st.lists(st.integers(1, 70), max_size=40))
def test_words_are_chosen_by_as_python_does(purpose: str, sizes: list[int]) -> None:
    chance, words = Random(purpose), Words(Random(purpose))
    for size in sizes:
        options = list(range(size))
        assert words.choice(options) == chance.choice(options)


def test_a_search_goes_on_where_words_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from privet.preserve.by_leaf import compiled_search

    monkeypatch.setattr(compiled_search, "_WORDS", 3)  # mostly not enough for a single step
    test_all_ways_find_the_same_in_a_census()


@pytest.mark.parametrize(
    ("tried", "before", "pays"),
    [(3_999, True, False), (4_000, True, True), (4_000, False, False), (30_000, False, True)],
)
def test_loops_that_must_be_compiled_first_pay_later(
    tried: int, before: bool, pays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "privet.compiled.repairing", raising=False)
    monkeypatch.setattr(compiled_search, "_tried", tried)
    monkeypatch.setattr(compiled_search, "_compiled_before", lambda: before)
    assert compiled_search.pays() == pays


def test_what_was_compiled_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(privet.compiled, "__file__", str(tmp_path / "__init__.py"))
    assert not privet.compiled.compiled_before("repairing")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "repairing.repair-1.py311.nbi").touch()
    assert privet.compiled.compiled_before("repairing")
    assert not privet.compiled.compiled_before("sorting")
