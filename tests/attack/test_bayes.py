"""Bayes with a reference sample succeeds where columns are correlated, and the report says so."""

import numpy as np
import pytest

from privet.attack.bayes import attack_by_bayes
from privet.errors import UsageError
from privet.mechanism.domains import domain_from_data
from privet.mechanism.matrices import GammaDiagonal
from privet.mechanism.sampling import substitute
from privet.mechanism.substitution import Block, Substitution
from privet.schema import Kind
from privet.table import Coded, Table


def tables(together: bool, peaked: bool = False) -> tuple[Table, Table, Table, Substitution]:
    """Originals, a sample of the same population, what is released, and the mechanism."""
    rng = np.random.default_rng(4)
    n = 3_000
    if peaked:
        codes = rng.binomial(9, 0.5, (2 * n, 6))
    elif together:
        codes = np.repeat(rng.integers(0, 10, (2 * n, 1)), 6, axis=1)
    else:
        codes = rng.integers(0, 10, (2 * n, 6))
    columns = {
        f"c{j}": Coded.of(codes[:, j], Kind.INTEGER, np.zeros(2 * n, dtype=bool)) for j in range(6)
    }
    both = Table(columns)
    blocks = tuple(
        Block((domain_from_data(name, both[name], 20),), GammaDiagonal(9, 10)) for name in both
    )
    mechanism = Substitution(blocks)
    truth, sample = both.take(np.arange(n)), both.take(np.arange(n, 2 * n))
    drawn = {
        b.name: Coded(b.domains[0].shown, substitute(b.matrix, b.encode(truth), 1, b.name))
        for b in blocks
    }
    return truth, sample, Table(drawn), mechanism


def test_columns_that_hang_together_are_read() -> None:
    truth, sample, released, mechanism = tables(together=True)
    found = attack_by_bayes(released, mechanism, sample, truth, range(300))
    assert found.succeeds
    # six equal columns are six votes on one value: Bayes' rule is the most frequent vote, and
    # differs from it only in how ties are broken
    votes = np.stack([b.encode(released)[:300] for b in mechanism.blocks])
    counts = np.stack([(votes == value).sum(axis=0) for value in range(10)])
    true = mechanism.blocks[0].encode(truth)[:300]
    tied = (counts == counts.max(axis=0)).sum(axis=0) > 1
    elected = counts.argmax(axis=0) == true
    for share in found.right.values():
        assert elected[~tied].sum() / 300 <= share <= elected[~tied].sum() / 300 + tied.mean()
    assert min(found.right.values()) > 1.3 * max(found.alone.values())
    assert "are correlated" in found.sentence()


@pytest.mark.parametrize("peaked", [False, True])
def test_independent_columns_tell_nothing_of_each_other(peaked: bool) -> None:
    """Also where a column's own law helps to guess it, which other columns have no part in."""
    truth, sample, released, mechanism = tables(together=False, peaked=peaked)
    found = attack_by_bayes(released, mechanism, sample, truth, range(300))
    assert not found.succeeds
    assert "are correlated" not in found.sentence()
    with pytest.raises(UsageError):
        attack_by_bayes(released, mechanism, sample, truth, [])
