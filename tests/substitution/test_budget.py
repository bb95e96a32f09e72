"""One epsilon for a whole record: what its columns get never exceeds it, and none is wasted."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.datasets import agrawal, agrawal_schema
from privet.errors import InvalidParameter, UnknownColumn, UsageError
from privet.mechanism.matrices import GammaDiagonal, TransitionMatrix, epsilon
from privet.mechanism.substitution import Substitution
from privet.substitution import RandomSubstitution
from privet.substitution.budget import gammas_within

numbers = st.fractions(Fraction(1, 100), Fraction(50), max_denominator=1000)


def worst_ratio(mechanism: Substitution) -> float:
    """From the cells of the matrices alone: the largest ratio that two originals can have, over all
    columns of a record, as a logarithm."""
    total = 0.0
    for block in mechanism.blocks:
        dense = block.matrix.dense()
        total += max(math.log(row.max() / row.min()) for row in dense)
    return total


@given(
    numbers,
    st.lists(st.integers(1, 20), min_size=1, max_size=12),
)
def test_the_parts_do_not_exceed_the_whole(budget: Fraction, weights: list[int]) -> None:
    names = [f"c{i}" for i in range(len(weights))]
    try:
        found = gammas_within(budget, names, dict(zip(names, weights, strict=True)))
    except UsageError:
        least = float(budget) * min(weights) / sum(weights)
        assert least < math.log(1.0021)
        return
    spent = [epsilon(GammaDiagonal(gamma, 5)) for gamma in found.values()]
    assert sum(map(Fraction, spent)) <= budget
    for part, weight in zip(spent, weights, strict=True):
        wanted = float(budget) * weight / sum(weights)
        assert part <= wanted
        gamma = math.exp(part)
        if gamma < 999_999:
            assert math.log(gamma + 0.0021) > wanted  # not a thousandth of gamma is left over


@pytest.mark.parametrize("with_target", [False, True])
def test_a_record_has_its_epsilon_by_the_matrices_alone(with_target: bool) -> None:
    table = agrawal(2, 500, 1)
    perturber = RandomSubstitution(epsilon="8", with_target=with_target)
    mechanism = perturber.fit(table, agrawal_schema(table)).mechanism_
    assert ("group" in mechanism.columns) == with_target
    assert len(mechanism.blocks) == 9 + with_target
    assert 7.98 < worst_ratio(mechanism) <= 8
    assert mechanism.epsilon_of_a_record <= 8
    parts = [part for part in mechanism.epsilons if part is not None]
    assert max(parts) - min(parts) < 0.001


def test_importance_says_who_gets_how_much() -> None:
    table = agrawal(1, 500, 1)
    perturber = RandomSubstitution(["age", "salary", "loan"], epsilon=6, importance={"age": 4})
    mechanism = perturber.fit(table, agrawal_schema(table)).mechanism_
    got = {b.name: epsilon(b.matrix) for b in mechanism.blocks}
    assert got["age"] == pytest.approx(4, abs=0.001)
    assert got["salary"] == got["loan"] == pytest.approx(1, abs=0.001)


def test_a_matrix_of_ones_own_is_paid_for_first() -> None:
    table = agrawal(1, 500, 1)
    own = np.full((5, 5), 0.1) + 0.5 * np.eye(5)
    settings = {"columns": ["elevel", "age"], "matrices": {"elevel": own}}
    perturber = RandomSubstitution(**settings, epsilon=4)  # type: ignore[arg-type]
    mechanism = perturber.fit(table, agrawal_schema(table)).mechanism_
    cost = epsilon(TransitionMatrix.of(own))
    assert epsilon(mechanism.block_of("age").matrix) == pytest.approx(4 - cost, abs=0.001)
    assert mechanism.epsilon_of_a_record <= 4
    with pytest.raises(UsageError, match="does not go round"):
        RandomSubstitution(**settings, epsilon=cost).fit(table, agrawal_schema(table))  # type: ignore[arg-type]


def test_what_cannot_be_dealt_out_is_refused() -> None:
    table = agrawal(1, 100, 1)
    schema = agrawal_schema(table)

    def settled(**settings: object) -> RandomSubstitution:
        return RandomSubstitution(**settings).fit(table, schema)  # type: ignore[arg-type]

    with pytest.raises(UsageError, match="does not go round"):
        settled(epsilon="0.005")
    with pytest.raises(UsageError, match="two answers"):
        settled(epsilon=4, gamma=9)
    with pytest.raises(UsageError, match="two answers"):
        settled(epsilon=4, rho1="0.1", rho2="0.5")
    with pytest.raises(UsageError, match="none is given"):
        settled(importance={"age": 2})
    with pytest.raises(UnknownColumn, match="agee"):
        settled(epsilon=4, importance={"agee": 2})
    with pytest.raises(InvalidParameter, match="above 0 for every column"):
        settled(epsilon=4, importance={"age": -1})
    with pytest.raises(UsageError, match="none is named"):
        RandomSubstitution(with_target=True).fit(table.select(["age", "salary"]), None)


def test_the_split_does_not_look_at_the_records() -> None:
    """Two tables that differ in everything get the same matrices."""
    found = []
    for function, seed in ((1, 1), (5, 9)):
        table = agrawal(function, 200, seed)
        perturber = RandomSubstitution(epsilon=9, importance={"age": 3})
        found.append(perturber.fit(table, agrawal_schema(table)).mechanism_.to_data())
    assert found[0] == found[1]


def test_the_call_and_the_release_have_it() -> None:
    table = agrawal(1, 300, 1)
    release = privet.substitute(
        table, schema=agrawal_schema(table), epsilon=10, importance={"age": 2}, with_target=True
    )
    (claim,) = [c for c in release.manifest.claims if c.name == "epsilon-of-a-record"]
    assert 9.9 < claim.measured <= 10
