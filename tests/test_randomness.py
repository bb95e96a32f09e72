"""Seeded draws depend on seed, column and row alone; draws without a seed never repeat."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.randomness import at_row, generator, seed_of

seeds = st.integers(-(2**70), 2**70)
PINNED = [4206128490098251901, 2360534504941965940]


@given(seeds, st.text(max_size=8), st.lists(st.integers(0, 50), min_size=1, max_size=6))
def test_batches_give_the_draws_of_one_pass(seed: int, column: str, sizes: list[int]) -> None:
    whole = generator(seed, column).random(sum(sizes))
    starts = np.cumsum([0, *sizes[:-1]])
    parts = [
        at_row(seed, column, int(start)).random(size)
        for start, size in zip(starts, sizes, strict=True)
    ]
    assert np.array_equal(np.concatenate(parts), whole)


@given(seeds, st.integers(0, 40), st.integers(1, 6))
def test_a_row_may_take_several_draws(seed: int, row: int, draws: int) -> None:
    whole = generator(seed, "a").random((row + 3, draws))
    assert np.array_equal(at_row(seed, "a", row, draws).random((3, draws)), whole[row:])


@given(st.tuples(seeds, st.text(max_size=4)), st.tuples(seeds, st.text(max_size=4)))
def test_streams_differ_exactly_when_seed_or_column_differ(
    one: tuple[int, str], other: tuple[int, str]
) -> None:
    same = np.array_equal(generator(*one).random(4), generator(*other).random(4))
    assert same == (one == other)


def test_a_seed_gives_the_same_draws_for_ever() -> None:
    """These numbers are a promise: a change of them changes every seeded release."""
    draws = generator(7, "age").integers(0, 2**63, size=2)
    again = at_row(7, "age", 0).integers(0, 2**63, size=2)
    assert draws.tolist() == again.tolist() == PINNED


def test_a_numpy_seed_is_the_number_that_it_shows() -> None:
    assert generator(np.int64(5)).random() == generator(5).random()  # type: ignore[arg-type]


def test_far_rows_are_reached_at_once() -> None:
    far = at_row(1, "a", 10**15).random(3)
    assert np.array_equal(far[1:], at_row(1, "a", 10**15 + 1).random(2))


def test_without_a_seed_nothing_repeats() -> None:
    drawn = {generator(None, "a").random() for _ in range(20)}
    drawn |= {at_row(None, "a", 3).random() for _ in range(20)}
    assert len(drawn) == 40


@pytest.mark.parametrize(("row", "draws"), [(-1, 1), (0, 0)])
def test_places_that_do_not_exist_are_refused(row: int, draws: int) -> None:
    with pytest.raises(InvalidParameter):
        at_row(1, "a", row, draws)


@pytest.mark.parametrize("seed", ["987", 98.7, [987]])
def test_what_is_no_seed_is_refused_and_not_shown(seed: object) -> None:
    with pytest.raises(InvalidParameter, match="seed must be a whole number") as caught:
        seed_of(seed)  # type: ignore[arg-type]
    assert "98" not in str(caught.value)
    assert seed_of(np.int16(7)) == 7
    assert seed_of(None) is None
