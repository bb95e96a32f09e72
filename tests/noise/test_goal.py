"""A goal for noise: which settings are tried, in which order, and that what can be reached is."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.mechanism.noise_laws import MOST_SD
from privet.noise.goal import settings_to_try, what_else
from privet.noise.settings import NoiseSettings
from privet.table import Table
from privet.tree.natural import NoiseTreeSettings


@given(
    st.one_of(st.none(), st.floats(0.01, MOST_SD)),
    st.one_of(st.none(), st.integers(2, 30)),
    st.floats(0, 1),
)
def test_settings_grow_stronger_as_far_as_anybody_could_ask(
    innocent: float | None, leaves: int | None, participation: float
) -> None:
    asked = NoiseSettings(
        innocent=innocent, participation=participation, trees=NoiseTreeSettings(leaves=leaves)
    )
    tried = list(settings_to_try(asked))
    assert tried[0] == asked
    assert all(one.participation == 1 for one in tried[1:])
    sizes = [one.trees.leaves for one in tried]
    assert all(b is not None and (a is None or b <= a) for a, b in pairwise(sizes) if a != b)
    assert (sizes[-1] or 0) == min(2, leaves or 2)
    if innocent is None:
        assert all(one.innocent is None for one in tried)
    else:
        deviations = [one.innocent or 0 for one in tried]
        assert deviations[-1] == max(deviations) >= min(36 * innocent, MOST_SD) * (1 - 1e-9)


def rates(records: int, seed: int) -> Table:
    """Fine numbers near zero and far from it, and a class that one of them tells."""
    rng = np.random.default_rng(seed)
    columns = {f"n{i}": rng.integers(0, 500, records).tolist() for i in range(4)}
    return privet.table_of({**columns, "high": ["yn"[n < 250] for n in columns["n0"]]})


def test_a_goal_is_reached_that_only_a_large_deviation_reaches() -> None:
    table = rates(80, 1)
    schema = table.schema().with_roles(target="high")
    thrice = privet.add_noise(table, schema=schema, innocent=3 * 0.276, leaves=2, seed=1)
    share = 0.8 * float(thrice.figure("found-by-the-intruder"))
    made = privet.add_noise(table, schema=schema, goal=f"found<={share:.4f}", seed=1)
    assert float(made.figure("found-by-the-intruder")) <= share
    assert made.manifest.method["innocent"] > 3 * 0.276


def test_what_else_there_is_depends_on_what_was_asked() -> None:
    assert "relative" in what_else(NoiseSettings())
    for asked in (
        NoiseSettings(relative_to="column"),
        NoiseSettings(law="correlated"),
        NoiseSettings(innocent=None),
    ):
        assert "relative" not in what_else(asked)
