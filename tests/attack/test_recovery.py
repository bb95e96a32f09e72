"""Perturbed numbers are recovered by whoever knows the matrices: fast and slow, and how near."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import privet
from oracles import naive_recovery as naive
from privet.attack.clues import law_of
from privet.attack.derived import by_bayes_estimate, by_principal_components
from privet.attack.drawn_again import mechanism_of
from privet.attack.expected import expected_of
from privet.attack.linear import expected_recovery, guess_numbers, halves_of
from privet.attack.recovery import NumbersRecovered, attack_by_recovery
from privet.attack.spectral import spectral_filter
from privet.cli.main import main
from privet.errors import PrivetError, UnknownColumn, UsageError
from privet.files import write_table
from privet.mechanism.domains import domain_from_data
from privet.mechanism.matrices import GammaDiagonal, TransitionMatrix
from privet.mechanism.substitution import Block, Substitution
from privet.schema import Kind
from privet.table import Coded, Table


def table_of_codes(codes: np.ndarray) -> Table:
    nothing = np.zeros(len(codes), dtype=bool)
    return Table(
        {f"c{j}": Coded.of(codes[:, j], Kind.INTEGER, nothing) for j in range(codes.shape[1])}
    )


def whole_domains(sizes: list[int]) -> Table:
    """Every column holds all its values, so that domains from data are whole."""
    longest = max(sizes)
    return table_of_codes(np.stack([np.arange(longest) % size for size in sizes], axis=1))


@st.composite
def perturbed(draw: st.DrawFn) -> tuple[Table, Substitution, list[list[int]], list[naive.Cells]]:
    sizes = draw(st.lists(st.integers(2, 4), min_size=2, max_size=3))
    gammas = [draw(st.integers(4, 30)) for _ in sizes]
    n = draw(st.integers(30, 60))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    hidden = rng.random(n)
    codes = np.stack(
        [np.minimum((hidden * s + rng.random(n) * 0.6).astype(int), s - 1) for s in sizes], axis=1
    )
    domains = whole_domains(sizes)
    blocks = tuple(
        Block((domain_from_data(f"c{j}", domains[f"c{j}"], 20),), GammaDiagonal(g, s))
        for j, (g, s) in enumerate(zip(gammas, sizes, strict=True))
    )
    mechanism = Substitution(blocks)
    released = mechanism.drawn(table_of_codes(codes), 5)
    seen = np.stack([b.encode(released) for b in blocks], axis=1).tolist()
    matrices = [naive.gamma_diagonal(g, s) for g, s in zip(gammas, sizes, strict=True)]
    return released, mechanism, seen, matrices


@settings(max_examples=25, deadline=None)
@given(perturbed())
def test_guesses_are_those_of_least_squares_in_fractions(
    given: tuple[Table, Substitution, list[list[int]], list[naive.Cells]],
) -> None:
    released, mechanism, seen, matrices = given
    values = [[naive.Fraction(v) for v in range(len(m))] for m in matrices]
    try:
        halves = halves_of(len(seen))
        tried = [naive.linear_by(seen, matrices, values, kind, halves) for kind in (True, False)]
    except naive.Singular:
        assume(False)  # elimination needs columns that differ in each half; least squares do not
    if abs(tried[0][0] - tried[1][0]) < 1e-9:
        return  # either kind may win
    gain, guesses = max(tried, key=lambda one: one[0])
    found = guess_numbers(released, mechanism)
    assert found is not None
    assert np.allclose(found.values, guesses, atol=1e-6)
    assert found.explained.mean() == pytest.approx(gain, abs=1e-6)


def test_of_a_column_of_one_value_nothing_is_told() -> None:
    """Draws alone make it vary: as far as can be seen, its originals are all the same."""
    alike = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        codes = np.stack([np.full(30, 1), rng.integers(0, 2, 30)], axis=1)
        domains = whole_domains([3, 2])
        blocks = tuple(
            Block((domain_from_data(f"c{j}", domains[f"c{j}"], 20),), GammaDiagonal(g, s))
            for j, (g, s) in enumerate([(4, 3), (26, 2)])
        )
        mechanism = Substitution(blocks)
        found = guess_numbers(mechanism.drawn(table_of_codes(codes), seed), mechanism)
        assert found is not None
        assert (found.explained <= 2).all()
        assert np.isfinite(found.deviations).all()
        if found.explained[0] == 0:
            alike += 1
            assert found.deviations[0] == 0
    assert alike > 5


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(0.1, 2))
def test_noise_is_taken_out_as_by_hand(seed: int, columns: int, variance: float) -> None:
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(30, 2)) @ rng.normal(size=(2, columns))
    records = mixed + rng.normal(size=(30, columns))
    noise = variance * (1 + rng.random(columns))
    plain = records.tolist()
    assert np.allclose(
        by_bayes_estimate(records, noise), naive.bayes_estimate(plain, noise.tolist()), atol=1e-6
    )
    values = [value for value, _ in naive.directions(naive.covariance(plain))]
    bound = variance * (1 + (columns / 30) ** 0.5) ** 2
    if min(abs(value - bound) for value in values) > 1e-6:
        assert np.allclose(
            spectral_filter(records, variance), naive.spectral(plain, variance), atol=1e-6
        )
    less = [value for value, _ in naive.directions(naive._less_noise(plain, noise.tolist()))]
    gaps = sorted(a - b for a, b in pairwise(less))
    if gaps[-1] > 1e-3 and (len(gaps) == 1 or gaps[-1] - gaps[-2] > 1e-6):
        assert np.allclose(
            by_principal_components(records, noise),
            naive.principal(plain, noise.tolist()),
            atol=1e-5,
        )


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_figures_of_outcomes_have_the_value_as_their_mean(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.integers(1, 9, (size, size)) + np.diag(np.full(size, 40))
    total = int(cells.sum(axis=0).max()) + 1
    np.fill_diagonal(cells, np.diag(cells) + total - cells.sum(axis=0))
    values = rng.normal(size=size)
    for matrix in (TransitionMatrix.of_weights(cells, total), GammaDiagonal(7, size)):
        assert np.allclose(matrix.dense().T @ matrix.unbiased(values), values)
        assert np.allclose(matrix.expected(values), matrix.dense().T @ values)


def two_factors(n: int) -> tuple[Table, np.ndarray]:
    """Ten columns that hang on two hidden ones, in thousandths."""
    rng = np.random.default_rng(1)
    data = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 10))
    return table_of_codes((1000 * data / data.std(axis=0)).astype(np.int64)), data


@pytest.mark.parametrize(("gamma", "at_most"), [(9, 0.97), (21, 0.76)])
def test_correlated_numbers_are_not_immune(gamma: int, at_most: float) -> None:
    """Spectral filtering finds nothing at gamma 9, where the attacker who knows the matrix does."""
    people, _ = two_factors(20_000)
    release = privet.substitute(people, gamma=gamma, bins=20, domain_from_data=True, seed=2)
    found = attack_by_recovery(release, original=people, seed=3)
    assert found.strongest == "linear"
    assert not found.immune
    assert found.error_of("linear") < at_most
    assert min(
        found.error_of("spectrum"), found.error_of("bayes_estimate")
    ) > 1.03 * found.error_of("linear")  # 1.04 to 1.07 for eight seeds
    # the release alone says what is to be expected, from the sorted records as well
    promised = expected_recovery(release.rows.records(), mechanism_of(release))
    assert promised is not None
    assert promised.overall.error == pytest.approx(found.error_of("linear"), abs=0.08)


def class_of_one_column(n: int, seed: int) -> Table:
    """Two columns that have nothing in common; the class hangs on the first."""
    codes = np.random.default_rng([seed, n]).integers(0, 100, (n, 3))
    codes[:, 2] = codes[:, 0] > 50
    return table_of_codes(codes)


@pytest.mark.parametrize("n", [300, 1_000])
def test_what_is_said_of_sorted_records_is_what_attackers_achieve(n: int) -> None:
    """Odd and even places of a sorted table hold almost the same records: taken for two halves
    that know nothing of each other, they promised guesses without any error."""
    off, held = [], 0
    for seed in range(10):
        people = class_of_one_column(n, seed)
        release = privet.substitute(
            people, columns=["c0", "c1"], bins=20, domain_from_data=True, seed=seed
        )
        promised = expected_recovery(release.rows.records(), mechanism_of(release))
        assert promised is not None
        said = promised.expected["c0"]
        achieved = attack_by_recovery(release, original=people, seed=seed).errors["linear"]["c0"]
        off.append(said.error - achieved)
        held += said.low <= achieved <= said.high
        assert said.low <= said.error <= said.high
        assert said.error > 0.15
    assert abs(np.mean(off)) < 0.12
    assert held >= 8


def test_an_error_that_is_to_be_expected_has_a_range() -> None:
    sure = expected_of(0.75, 0.001)
    assert (sure.error, sure.low, sure.high) == pytest.approx((0.5, 0.5, 0.5), abs=0.005)
    unsure = expected_of(0.75, 0.2)
    assert unsure.low < sure.error < unsure.error < unsure.high  # none explains more than all
    too_good = expected_of(1.3, 0.2)  # of noise; it does not mean that nothing is hidden
    assert 0.2 < too_good.error < 0.4
    assert too_good.low < 0.1
    assert expected_of(1e6, 0.1).error < 0.05
    assert expected_of(-0.3, 0.1).error == 1
    assert str(unsure).startswith(f"{unsure.error:.0%} ({unsure.low:.0%} to ")


@pytest.mark.parametrize("n", [40, 300, 3_000])
def test_few_or_independent_records_are_not_guessed_worse_than_by_the_mean(n: int) -> None:
    """Noise is not taken for knowledge: guesses are drawn to the mean where halves disagree."""
    rng = np.random.default_rng(n)
    people = table_of_codes(rng.integers(0, 1000, (n, 6)))
    release = privet.substitute(people, gamma=5, bins=20, domain_from_data=True, seed=2)
    found = attack_by_recovery(release, original=people, seed=3)
    assert found.error_of("linear") < 1.25
    promised = expected_recovery(release.rows.records(), mechanism_of(release))
    assert promised is not None
    assert 0.8 < promised.overall.error <= 1


def test_joint_columns_categories_and_missing_cells(tmp_path: Path) -> None:
    """Blocks of two columns, labels, a class in clear and missing cells all serve as clues."""
    rng = np.random.default_rng(5)
    n = 4_000
    age = rng.integers(20, 80, n)
    people = {
        "age": [None if i % 50 == 0 else int(a) for i, a in enumerate(age)],
        "pay": (age * 100 + rng.integers(0, 300, n)).tolist(),
        "old": np.where(age > 50, "yes", "no").tolist(),
        "class": np.where(age > 35, "a", "b").tolist(),
    }
    release = privet.substitute(
        people, target="class", gamma=12, bins=8, joint=[("age", "old")], domain_from_data=True
    )
    found = attack_by_recovery(release, original=people, seed=1)
    assert set(found.errors["linear"]) == {"age", "pay"}
    assert not found.immune
    assert found.error_of("linear") < 0.8
    alone = privet.substitute(people, columns=["pay"], gamma=12, bins=8, domain_from_data=True)
    clear = attack_by_recovery(alone, original=people, seed=1)
    assert clear.errors["linear"]["pay"] < 0.5  # age in clear gives it away


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e9, -1e5])
def test_units_of_a_column_do_not_matter(scale: float) -> None:
    """Large numbers are not beyond the attack, nor small ones lost beside large ones."""
    rng = np.random.default_rng(8)
    age = rng.integers(20, 80, 2_000)
    pay = age * 100 + rng.integers(0, 300, 2_000)
    people = {"age": age.tolist(), "pay": (scale * pay).tolist()}
    release = privet.substitute(people, gamma=12, bins=8, domain_from_data=True, seed=2)
    promised = expected_recovery(release.rows.records(), mechanism_of(release))
    assert promised is not None
    assert max(one.error for one in promised.expected.values()) < 0.82  # as numbers as they are
    found = attack_by_recovery(release, original=people, seed=3)
    assert max(found.errors["linear"].values()) < 0.82
    assert max(found.errors["spectrum"].values()) < 0.82


def test_what_is_to_be_expected_costs_little_whatever_a_file_says() -> None:
    """Reports are made of folders that strangers wrote: nothing large is begun for them."""
    wide = table_of_codes(np.random.default_rng(1).integers(0, 3, (50, 60)))
    release = privet.substitute(wide, domain_from_data=True)
    assert expected_recovery(release.rows.records(), mechanism_of(release)) is None
    assert attack_by_recovery(release, original=wide, seed=1).error_of("linear") < 1.5
    domains = [domain_from_data(f"c{j}", wide[f"c{j}"], 20) for j in range(13)]
    states = 3 ** len(domains)
    huge = Substitution((Block(tuple(domains), GammaDiagonal(9, states)),))
    assert guess_numbers(huge.drawn(wide, 1), huge) is None
    with pytest.raises(UsageError, match="few enough combinations"):
        attack_by_recovery(huge, original=wide)


def test_the_law_of_originals_is_one() -> None:
    block = Block((domain_from_data("c0", whole_domains([4])["c0"], 20),), GammaDiagonal(9, 4))
    law = law_of(block, np.array([0, 0, 1], dtype=np.uint8))
    assert law.min() == 0
    assert law.sum() == pytest.approx(1)


def test_the_command_says_what_the_call_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people, _ = two_factors(2_000)
    write_table(people, "people.csv")
    asked = ["substitute", "people.csv", "--domain-from-data", "--gamma", "21", "--seed", "4"]
    assert main([*asked, "--out", "perturbed"]) == 0
    said = capsys.readouterr().out
    assert "of the error of naming each mean" in said
    attack = ["attack", "recovery", "perturbed", "--original", "people.csv", "--seed", "3"]
    assert main([*attack, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == attack_by_recovery("perturbed", original="people.csv", seed=3).to_data()
    assert told["immune"] is False
    assert main(attack) == 0
    assert "Not immune: the strongest (linear)" in capsys.readouterr().out
    page = (tmp_path / "perturbed" / "report.html").read_text()
    assert "of the error of naming each mean" in page
    assert privet.verify("perturbed")


def test_what_cannot_be_attacked_is_refused(tmp_path: Path) -> None:
    labels = {"a": ["x", "y"] * 20, "b": ["u", "v"] * 20}
    release = privet.substitute(labels, domain_from_data=True)
    with pytest.raises(UsageError, match="columns of numbers"):
        attack_by_recovery(release, original=labels)
    with pytest.raises(UnknownColumn):
        attack_by_recovery(release, original={"a": ["x", "y"]})
    other = privet.publish({"a": [1, 2] * 5, "y": ["n", "j"] * 5}, target="y", k=2)
    with pytest.raises(UsageError, match="not drawn by matrices"):
        attack_by_recovery(other, original=labels)
    (tmp_path / "empty").mkdir()
    with pytest.raises(PrivetError):
        attack_by_recovery(tmp_path / "empty", original=labels)


def test_immune_means_that_the_strongest_finds_nothing() -> None:
    safe = NumbersRecovered(5, {"spectrum": {"a": 1.2}, "linear": {"a": 0.999}})
    assert safe.immune
    assert "Immune to these" in safe.sentences()[1]
    read = NumbersRecovered(5, {"spectrum": {"a": 1.2}, "linear": {"a": 0.9}})
    assert not read.immune
    assert read.to_data()["strongest"] == "linear"


def test_one_column_that_is_read_is_enough_not_to_be_immune() -> None:
    """An attacker who is wrong on one column, and by that over all, may have read another."""
    errors = {"spectrum": {"a": 1.01, "b": 1.0}, "linear": {"a": 1.34, "b": 0.81}}
    found = NumbersRecovered(600, errors)
    assert found.strongest == "spectrum"
    assert not found.immune
    assert found.to_data()["nearest"] == {"attacker": "linear", "column": "b"}
    assert "linear 19.0% nearer for b" in found.sentences()[1]
