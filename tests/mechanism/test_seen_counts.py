"""Counts that no originals can give are told from those that some can."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.mechanism.matrices import GammaDiagonal, Matrix, TransitionMatrix
from privet.mechanism.seen_counts import FALSE_ALARM, cannot_be_drawn

ZEROS = TransitionMatrix.of([["0.5", "0", "0.1"], ["0.5", "0.7", "0.1"], ["0", "0.3", "0.8"]])


@given(
    st.sampled_from([GammaDiagonal(2, 5), GammaDiagonal(9, 3), ZEROS]),
    st.lists(st.integers(0, 3000), min_size=5, max_size=5),
    st.integers(0, 2**32),
)
def test_what_was_drawn_raises_no_alarm(matrix: Matrix, originals: list[int], seed: int) -> None:
    draws = np.random.default_rng(seed)
    dense = matrix.dense()
    seen = sum(draws.multinomial(originals[k], dense[:, k]) for k in range(matrix.size))
    assert not cannot_be_drawn(matrix, np.asarray(seen, dtype=np.int64))


@pytest.mark.parametrize("records", [200, 2_000])
def test_the_alarm_is_raised_where_the_exact_chance_is_that_small(records: int) -> None:
    """Against the binomial law itself: no alarm above the chance, and one not far below it."""
    matrix = GammaDiagonal(2, 5)  # a value has a chance of 1/6 to 1/3
    for at_most, chance in ((True, 1 / 6), (False, 1 / 3)):
        law = [
            math.exp(
                math.lgamma(records + 1) - math.lgamma(k + 1) - math.lgamma(records - k + 1)
                + k * math.log(chance) + (records - k) * math.log1p(-chance)
            )
            for k in range(records + 1)
        ]  # fmt: skip
        for count in range(records // 4) if at_most else range(records // 4, records + 1):
            beyond = math.fsum(law[: count + 1]) if at_most else math.fsum(law[count:])
            rest = records - count
            others = [rest // 4 + (place < rest % 4) for place in range(4)]
            alarm = cannot_be_drawn(matrix, np.array([count, *others]))
            if beyond > FALSE_ALARM:
                assert not alarm
            if beyond < FALSE_ALARM / 1e4:
                assert alarm


def test_a_value_that_is_ruled_out_is_an_alarm_at_once() -> None:
    never = TransitionMatrix.of([["0.5", "0.5", "1"], ["0.5", "0", "0"], ["0", "0.5", "0"]])
    assert not cannot_be_drawn(never, np.array([10, 5, 5]))
    assert cannot_be_drawn(never, np.array([1000, 9000, 0]))
    assert not cannot_be_drawn(never, np.zeros(3, dtype=np.int64))
    assert not cannot_be_drawn(GammaDiagonal(2, 5), np.array([1, 0, 0, 0, 0]))
