"""Repeated perturbation leads away from the original, in the closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.attack.repetition import attack_by_repetition, repeated
from privet.errors import InvalidParameter
from privet.mechanism.matrices import GammaDiagonal


@given(st.integers(2, 30), st.integers(2, 30), st.integers(1, 12))
def test_powers_have_the_closed_form_and_tend_to_even(gamma: int, size: int, times: int) -> None:
    rate = (gamma - 1) / (gamma + size - 1)
    even = np.full((size, size), 1 / size)
    power = repeated(GammaDiagonal(gamma, size), times)
    assert np.allclose(power, even + rate**times * (np.eye(size) - even))
    found = attack_by_repetition(GammaDiagonal(gamma, size), times + 1)
    assert not found.succeeds
    assert list(found.stays) == sorted(found.stays, reverse=True)
    assert found.furthest_from_even[-1] == pytest.approx(rate ** (times + 1) * (1 - 1 / size))


def test_no_draw_is_no_attack() -> None:
    with pytest.raises(InvalidParameter):
        repeated(GammaDiagonal(9, 20), 0)
