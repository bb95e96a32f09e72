"""A watch that was led through changes and back knows what one that begins there finds out."""

from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles.leaf_checks import engine_of
from oracles.random_tables import TARGET, PlainTable, plain_tables
from preserve.by_leaf.test_leaf_conditions import GROWERS, grown, moderate
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.screen import Screens
from privet.preserve.leaf_counts import count_leaves
from privet.preserve.recoding import kept
from privet.preserve.rich.fill import by_leaf
from privet.preserve.rich.known_blocks import KnownBlocks
from privet.preserve.rich.members import Members
from privet.preserve.rich.partition import Rule
from privet.preserve.rich.watch import Watch
from privet.tree import Tree


def watched(plain: PlainTable, tree: Tree, name: str) -> Watch:
    """A column of a table in blocks of one record or more, filled."""
    engine = engine_of(plain)
    leaf_counts = count_leaves(engine, [tree])
    start = engine.blocks(leaf_counts.regions)
    known = KnownBlocks(engine, plain.attributes, Rule(1, [TARGET], mixed=False))
    blocks = known.of(leaf_counts.regions, start)
    divided = np.diff(np.searchsorted(blocks.starts, start.starts))
    group = np.repeat(np.arange(len(leaf_counts.regions)), divided)
    weights = leaf_counts.responses.of_blocks(engine, blocks)
    domain = leaf_counts.domains[name]
    task = ColumnTask(leaf_counts, name, kept(name, domain))
    codes = by_leaf(Members.of(blocks.count([name]), domain, group), name)
    return Watch(task, Atoms(group, (), weights, blocks.sizes), domain, codes)


def found(watch: Watch) -> list[Any]:
    return [(v.seen.node.id, v.left.tolist(), v.right.tolist(), v.tie) for v in watch.violations()]


@given(data=st.data())
def test_what_is_wrong_does_not_depend_on_the_way(data: st.DataObject) -> None:
    """The twin looks at every node exactly: it has no screen and remembers nothing."""
    regression = data.draw(st.booleans())
    plain = data.draw(plain_tables(regression=regression, most_rows=40).filter(moderate))
    tree = grown(plain, data.draw(GROWERS))
    assume(tree.n_leaves > 1)
    watch = watched(plain, tree, data.draw(st.sampled_from(plain.attributes)))
    states, some = [watch.state()], st.integers(0, len(watch.codes) - 1)
    for _ in range(data.draw(st.integers(1, 5))):
        if data.draw(st.booleans()):
            watch.back_to(data.draw(st.sampled_from(states)))
        blocks = np.array(sorted(data.draw(st.sets(some, max_size=4))), dtype=np.int64)
        watch.set(blocks, data.draw(st.integers(0, watch.domain.size - 1)))
        if data.draw(st.booleans()):
            states.append(watch.state())
        with patch.object(Screens, "counted", lambda *_: None):
            afresh = Watch(watch.task, watch.atoms, watch.domain, watch.codes)
            assert found(watch) == found(afresh)
