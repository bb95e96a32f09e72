"""Clauses for the solver come out as short as by weighing every placement anew."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.leaf_checks import engine_of
from oracles.random_tables import PlainTable, plain_tables
from oracles.slow_strengthening import slowly_strengthened
from preserve.by_leaf.test_leaf_conditions import GROWERS, grown, moderate
from privet.datasets import adult_like, schema_of
from privet.engine import MemoryEngine
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.strengthening import Placements, placements_of, strengthened
from privet.preserve.leaf_counts import count_leaves
from privet.tree import Grower, grow

TABLES = st.one_of(plain_tables(), plain_tables(), plain_tables(regression=True)).filter(moderate)


def violations_of(plain: PlainTable, grower: Grower, random: Any) -> Any:
    """Candidates that win over the tree of a table after random recodings of its columns."""
    leaf_counts = count_leaves(engine_of(plain), [grown(plain, grower)])
    base = recode_globally(leaf_counts, plain.attributes)
    for name in leaf_counts.columns:
        task = ColumnTask(leaf_counts, name, base[name])
        atoms, domain = random.choice([task.whole_groups(), task.single_cells()]), base[name].domain
        options = [np.flatnonzero(row).tolist() for row in task.allowed(atoms, domain)]
        if not all(options):
            continue
        codes = np.array([random.choice(allowed) for allowed in options], dtype=np.int64)
        for violation in task.violations(atoms, domain, codes):
            if len(violation.left):
                yield task, atoms, violation


@settings(max_examples=max(150, settings.default.max_examples))
@given(TABLES, GROWERS, st.randoms(use_true_random=False), st.sampled_from(["strict", "index"]))
def test_clauses_are_those_of_the_plain_way(
    plain: PlainTable, grower: Grower, random: Any, form: Any
) -> None:
    for task, atoms, violation in violations_of(plain, grower, random):
        for categories in (False, True):
            asked = task, atoms, form, categories, violation
            assert strengthened(*asked) == slowly_strengthened(*asked)


def test_many_placements_are_weighed_alike() -> None:
    """Clauses of a tree of many leaves have more placements than are weighed one by one."""
    table = adult_like(2000)
    schema = schema_of("adult", table)
    engine = MemoryEngine(table)
    tree = grow(engine, schema, Grower(leaves=40))
    leaf_counts = count_leaves(engine, [tree])
    base = recode_globally(leaf_counts, leaf_counts.columns)
    draw, most = np.random.default_rng(0), 0
    for name in leaf_counts.columns:
        task = ColumnTask(leaf_counts, name, base[name])
        atoms, domain = task.whole_groups(), base[name].domain
        for _ in range(3):
            allowed = [np.flatnonzero(row) for row in task.allowed(atoms, domain)]
            codes = np.array([draw.choice(some) for some in allowed], dtype=np.int64)
            for violation in task.violations(atoms, domain, codes):
                if not len(violation.left):
                    continue
                asked = task, atoms, "strict", False, violation
                found = strengthened(*asked)
                assert found == slowly_strengthened(*asked)
                assert type(placements_of(task, atoms, "strict", violation)) is not Placements
                most = max(most, len(violation.left) + len(violation.right) - sum(map(len, found)))
    assert most > 5  # atoms left out of one clause: more placements than are weighed one by one
