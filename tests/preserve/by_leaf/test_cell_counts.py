"""One question counts the cells of all groups as one question for each of them does."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.cells_by_region import cells_by_region
from oracles.leaf_checks import engine_of
from oracles.random_tables import plain_tables
from preserve.by_leaf.test_leaf_conditions import GROWERS, grown, moderate
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.cell_counts import count_cells
from privet.preserve.leaf_counts import count_leaves

TABLES = st.one_of(plain_tables(), plain_tables(regression=True)).filter(moderate)


@settings(max_examples=max(200, settings.default.max_examples))
@given(TABLES, st.lists(GROWERS, min_size=1, max_size=2), st.data())
def test_cells_are_counted_as_region_by_region(plain: Any, growers: Any, data: Any) -> None:
    engine = engine_of(plain)
    leaf_counts = count_leaves(engine, [grown(plain, grower) for grower in growers])
    columns = data.draw(st.lists(st.sampled_from(plain.attributes), unique=True))
    base = recode_globally(leaf_counts, tuple(columns))
    known = [*plain.attributes, leaf_counts.trees[0].target]  # l and t may be asked of the target
    sensitive = data.draw(st.lists(st.sampled_from(known), unique=True, max_size=2))
    quickly = count_cells(engine, leaf_counts, base, sensitive)
    slowly = cells_by_region(engine, leaf_counts, base, sensitive)
    assert quickly.columns == slowly.columns
    for one, two in zip(
        (quickly.group, quickly.keys, quickly.n, *quickly.sensitive.values()),
        (slowly.group, slowly.keys, slowly.n, *slowly.sensitive.values()),
        strict=True,
    ):
        assert one.shape == two.shape
        assert np.array_equal(one, two)
