"""The exact check of conditions 1-4: it says yes just where the slow grower grows the same tree."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.leaf_checks import engine_of, grows_the_same, released_cells
from oracles.random_tables import TARGET, PlainTable, plain_tables
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.column import as_column
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.new_values import more_values
from privet.preserve.by_leaf.recode import LeafRecoding
from privet.preserve.by_leaf.screen import Screens
from privet.preserve.leaf_counts import count_leaves
from privet.schema import Kind
from privet.tree import Grower, Tree, grow

GROWERS = st.builds(
    Grower,
    impurity=st.sampled_from(["gini", "gini", "entropy", "gain-ratio"]),
    categories=st.sampled_from(["subset", "subset", "subset", "multiway"]),
    leaves=st.integers(2, 7),
    min_leaf=st.sampled_from([1, 1, 2]),
    depth=st.sampled_from([None, None, 2]),
    min_gain=st.sampled_from([0.0, 1 / 64]),
)


def moderate(plain: PlainTable) -> bool:
    """Whether doubled numbers are still floats; global recoding is tested with larger ones."""
    cells = [cell for column in plain.attributes for cell in plain.cells[column]]
    return all(abs(cell) < 1e300 for cell in cells if isinstance(cell, float))


def grown(plain: PlainTable, grower: Grower) -> Tree:
    if plain.kinds[TARGET] is not Kind.CATEGORY:
        grower = replace(grower, impurity="deviance")
    return grow(engine_of(plain), plain.schema(), grower)


@st.composite
def random_recodings(draw: st.DrawFn) -> Any:
    """A random table, its tree, and a random recoding of it, whole groups or single cells."""
    plain = draw(st.one_of(plain_tables(), plain_tables(regression=True)).filter(moderate))
    tree = grown(plain, draw(GROWERS))
    leaf_counts = count_leaves(engine_of(plain), [tree])
    base = recode_globally(leaf_counts, plain.attributes)
    forms, columns = [], {}
    for name in leaf_counts.columns:
        task = ColumnTask(leaf_counts, name, base[name])
        atoms = draw(st.sampled_from([task.whole_groups(), task.single_cells()]))
        domain = base[name].domain
        codes = []
        for cells, allowed in zip(atoms.cells, task.allowed(atoms, domain), strict=True):
            options = np.flatnonzero(allowed).tolist()
            keep = cells[0] in options and draw(st.integers(0, 2)) > 0
            codes.append(cells[0] if keep else draw(st.sampled_from(options)))
        chosen = np.array(codes, dtype=np.int64)
        form = task.form(atoms, domain, chosen)
        forms.append(form)
        columns[name] = as_column(task, atoms, domain, chosen, form or "global", "drawn")
    others = {name: r for name, r in base.items() if name not in columns}
    return plain, LeafRecoding(leaf_counts, columns, others, base), forms


@settings(max_examples=max(150, settings.default.max_examples))
@given(random_recodings())
def test_check_says_yes_just_where_the_same_tree_grows(case: Any) -> None:
    plain, recoding, forms = case
    same = grows_the_same(recoding.expected(), released_cells(recoding, plain), plain.ordered)
    assert same == all(form is not None for form in forms)


@settings(max_examples=max(150, settings.default.max_examples))
@given(
    st.one_of(plain_tables(), plain_tables(regression=True)).filter(moderate),
    GROWERS,
    st.randoms(use_true_random=False),
)
def test_nodes_that_the_screen_passes_have_no_violation(
    plain: PlainTable, grower: Grower, random: Any
) -> None:
    leaf_counts = count_leaves(engine_of(plain), [grown(plain, grower)])
    base = recode_globally(leaf_counts, plain.attributes)
    for name in leaf_counts.columns:
        task, alone = (ColumnTask(leaf_counts, name, base[name]) for _ in range(2))
        vars(alone)["screens"] = Screens(
            (), leaf_counts, (), ordered=True, orders={}
        )  # passes none
        domain = random.choice([base[name].domain, more_values(task)])
        atoms = random.choice([task.single_cells(), task.whole_groups()])
        options = [np.flatnonzero(row).tolist() for row in task.allowed(atoms, domain)]
        if not all(options):
            continue
        codes = np.array([random.choice(allowed) for allowed in options], dtype=np.int64)
        found, looked_at = (
            [
                (v.seen.node.id, v.left.tolist(), v.right.tolist(), v.tie)
                for v in one.violations(atoms, domain, codes)
            ]
            for one in (task, alone)
        )
        assert found == looked_at
