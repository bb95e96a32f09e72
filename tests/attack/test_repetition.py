"""Repeated perturbation leads away from the original, in the closed form."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles import naive_recovery as naive
from privet.attack.repetition import attack_by_repetition, drawn_repeatedly, repeated
from privet.cli.main import main
from privet.errors import InvalidParameter
from privet.mechanism.matrices import GammaDiagonal, TransitionMatrix


@given(st.integers(2, 30), st.integers(2, 30), st.integers(1, 12))
def test_powers_have_the_closed_form_and_tend_to_even(gamma: int, size: int, times: int) -> None:
    rate = (gamma - 1) / (gamma + size - 1)
    even = np.full((size, size), 1 / size)
    power = repeated(GammaDiagonal(gamma, size), times)
    assert np.allclose(power, even + rate**times * (np.eye(size) - even))
    found = drawn_repeatedly(GammaDiagonal(gamma, size), times + 1)
    assert not found.succeeds
    assert list(found.stays) == sorted(found.stays, reverse=True)
    assert found.furthest_from_even[-1] == pytest.approx(rate ** (times + 1) * (1 - 1 / size))


def test_no_draw_is_no_attack() -> None:
    with pytest.raises(InvalidParameter):
        repeated(GammaDiagonal(9, 20), 0)


@given(st.integers(2, 9), st.integers(2, 5), st.integers(1, 5))
def test_the_law_is_that_of_draws_in_fractions(gamma: int, size: int, times: int) -> None:
    slow = naive.power(naive.gamma_diagonal(gamma, size), times)
    stays = sum(slow[k][k] for k in range(size)) / size
    furthest = max(abs(cell - Fraction(1, size)) for column in slow for cell in column)
    rows = [list(row) for row in zip(*naive.gamma_diagonal(gamma, size), strict=True)]
    for matrix in (GammaDiagonal(gamma, size), TransitionMatrix.of(rows)):
        found = drawn_repeatedly(matrix, times)
        assert found.stays[-1] == pytest.approx(float(stays))
        assert found.furthest_from_even[-1] == pytest.approx(float(furthest), abs=1e-12)


def test_the_command_says_what_the_call_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = {"ill": ["yes", "no"] * 20, "town": ["a", "b", "c", "d"] * 10}
    release = privet.substitute(people, gamma=9, domain_from_data=True)
    release.save(tmp_path / "perturbed")
    asked = ["attack", "repetition", str(tmp_path / "perturbed"), "--times", "5"]
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == attack_by_repetition(release, times=5).to_data()
    assert told["columns"]["ill"]["stays"][0] == pytest.approx(0.9)
    assert main(asked) == 0
    assert "no draw led back" in capsys.readouterr().out
    assert main([*asked[:-1], "0"]) == 2
    with pytest.raises(InvalidParameter):
        attack_by_repetition(release, times=0)
