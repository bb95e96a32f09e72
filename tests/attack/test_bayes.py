"""Bayes with a reference sample succeeds where columns are correlated, and the report says so."""

import json
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from oracles import naive_recovery as naive
from privet.attack.bayes import attack_by_bayes, guess_by_bayes
from privet.attack.chances import at_least
from privet.cli.main import main
from privet.errors import InvalidParameter, UsageError
from privet.files import write_table
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
    found = guess_by_bayes(released, mechanism, sample, truth, range(300))
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
    assert "Other columns tell of a value" in found.sentence()


@pytest.mark.parametrize("peaked", [False, True])
def test_independent_columns_tell_nothing_of_each_other(peaked: bool) -> None:
    """Also where a column's own law helps to guess it, which other columns have no part in."""
    truth, sample, released, mechanism = tables(together=False, peaked=peaked)
    found = guess_by_bayes(released, mechanism, sample, truth, range(300))
    assert not found.succeeds
    assert "Other columns tell of a value" not in found.sentence()
    with pytest.raises(UsageError):
        guess_by_bayes(released, mechanism, sample, truth, [])


def test_few_victims_are_no_evidence() -> None:
    """Of twenty victims the attacker leads clearly in half of all tables, by chance alone."""
    led = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)

        def people(n: int, rng: np.random.Generator = rng) -> dict[str, list[int]]:
            every = np.arange(10)  # so that all have one domain
            return {
                name: rng.permutation(np.concatenate([every, rng.binomial(9, 0.5, n)])).tolist()
                for name in "abcdef"
            }

        originals, sample = people(10), people(590)
        release = privet.substitute(originals, domain_from_data=True, seed=seed)
        found = attack_by_bayes(release, sample, original=originals, seed=seed)
        led += any(found.right[name] > 1.15 * found.alone[name] for name in found.right)
        assert not found.succeeds
    assert led > 5


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60))
def test_the_chance_of_leading_is_a_sum_of_binomials(hits: int, n: int) -> None:
    hits %= n + 1
    exact = Fraction(sum(comb(n, i) for i in range(hits, n + 1)), 2**n)
    assert at_least(hits, n, 0.5) == pytest.approx(float(exact), rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12))
def test_beliefs_are_those_of_bayes_rule_in_fractions(seed: int, gamma: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = (2, 3, 4)
    codes = np.stack([rng.integers(0, size, 30) for size in sizes], axis=1)
    codes[:12] = np.arange(12)[:, None] % np.array(sizes)  # every value occurs
    both = Table(
        {f"c{j}": Coded.of(codes[:, j], Kind.INTEGER, np.zeros(30, dtype=bool)) for j in range(3)}
    )
    mechanism = Substitution(
        tuple(
            Block((domain_from_data(f"c{j}", both[f"c{j}"], 20),), GammaDiagonal(gamma, size))
            for j, size in enumerate(sizes)
        )
    )
    truth, sample = both.take(np.arange(20, 30)), both.take(np.arange(20))
    released = mechanism.drawn(truth, seed)
    found = guess_by_bayes(released, mechanism, sample, truth)
    seen = np.stack([b.encode(released) for b in mechanism.blocks], axis=1).tolist()
    matrices = [naive.gamma_diagonal(gamma, size) for size in sizes]
    for column, name in enumerate(("c0", "c1", "c2")):
        least = most = 0
        for victim, own in zip(seen, codes[20:, column].tolist(), strict=True):
            beliefs = naive.bayes_beliefs(victim, codes[:20].tolist(), matrices, column)
            best = [value for value, belief in enumerate(beliefs) if belief == max(beliefs)]
            least += best == [own]
            most += own in best
        assert Fraction(least, 10) <= Fraction(found.right[name]).limit_denominator(10)
        assert Fraction(found.right[name]).limit_denominator(10) <= Fraction(most, 10)


def test_the_command_says_what_the_call_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    truth, sample, _, _ = tables(together=True)
    write_table(truth, "people.csv")
    write_table(sample, "sample.csv")
    privet.substitute(truth, domain_from_data=True, seed=1).save("perturbed")
    asked = ["attack", "bayes", "perturbed", "sample.csv", "--original", "people.csv"]
    asked += ["--victims", "100", "--seed", "7"]
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = attack_by_bayes("perturbed", "sample.csv", original="people.csv", victims=100, seed=7)
    assert told == found.to_data()
    assert told["victims"] == 100
    assert told["succeeds"]
    assert main(asked) == 0
    assert "Other columns tell of a value" in capsys.readouterr().out
    assert main([*asked, "--victims", "0"]) == 2
    assert "victims must be at least 1" in capsys.readouterr().err
    with pytest.raises(InvalidParameter):
        attack_by_bayes("perturbed", "sample.csv", original="people.csv", victims=0)
