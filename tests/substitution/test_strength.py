"""How much of a tree's word holds for other records."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import table_of
from privet.engine import MemoryEngine
from privet.substitution import RandomSubstitution
from privet.substitution.regions import PerturbedRows
from privet.substitution.strength import LEAST, MOST, likeliest, strength_of
from privet.table import Table
from privet.tree import Grower, Tree, grow


@given(st.lists(st.floats(-0.99, 4), min_size=1, max_size=60))
def test_no_other_weight_is_likelier(ratios: list[float]) -> None:
    """The slow twin tries a thousand weights."""
    found = likeliest(np.array(ratios))

    def likelihood(weight: float) -> float:
        cells = [1 + weight * ratio for ratio in ratios]
        return sum(map(math.log, cells)) if min(cells) > 0 else -math.inf

    assert LEAST <= found.value <= MOST
    allowed = [  # all but those that nearly rule a record out
        weight
        for weight in np.linspace(LEAST, MOST, 1_000)
        if all(1 + weight * ratio >= 0.001 for ratio in ratios)
    ]
    assert likelihood(found.value) >= max(map(likelihood, allowed)) - 1e-6


def table(n: int, seed: int, wrong: float) -> Table:
    """A class that one of two columns tells, but for a share of the records that is tossed."""
    rng = np.random.default_rng(seed)
    x, idle = rng.integers(0, 10, n), rng.integers(0, 10, n)
    yes = np.where(rng.random(n) < wrong, rng.random(n) < 0.5, x < 5)
    return table_of({"x": x, "idle": idle, "class": np.where(yes, "yes", "no")})


def tree_of(originals: Table) -> Tree:
    schema = originals.schema().with_roles(target="class")
    return grow(MemoryEngine(originals), schema, Grower(leaves=2, min_leaf=1))


@pytest.mark.parametrize(("wrong", "holds"), [(0.2, 1.0), (0.6, 0.5), (1.0, 0.0)])
def test_it_says_how_much_of_the_claim_is_there(wrong: float, holds: float) -> None:
    """The tree claims what holds where one record in five is tossed."""
    tree = tree_of(table(50_000, 1, 0.2))
    assert tree.attributes_used == ("x",)
    other = table(20_000, 2, wrong)
    schema = other.schema().with_roles(target="class")
    perturber = RandomSubstitution(["x", "idle"], 9, 10, domain_from_data=True).fit(other, schema)
    rows = PerturbedRows(perturber.transform(other, seed=3), perturber.mechanism_)
    found = strength_of([(tree, rows)])
    assert found.value == pytest.approx(holds, abs=4 * found.standard_error)
    assert found.standard_error < 0.05


def test_a_tree_that_says_nothing_has_no_strength() -> None:
    nothing = table_of({"x": [1, 1, 1, 1], "class": ["a", "b", "a", "b"]})
    tree = tree_of(nothing)
    assert tree.n_leaves == 1
    other = table(500, 2, 0.5)
    schema = other.schema().with_roles(target="class")
    perturber = RandomSubstitution(["x"], 9, 10, domain_from_data=True).fit(other, schema)
    found = strength_of([(tree, PerturbedRows(other, perturber.mechanism_))])
    assert found.value == 0
    assert found.standard_error > 1
