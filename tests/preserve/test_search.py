"""The search for the largest size that passes, and what bisection relies on."""

import random
from itertools import pairwise

import pytest

from privet.errors import PrivetError
from privet.preserve.drafts import Drafts
from privet.preserve.judging import Judge
from privet.preserve.search import (
    STEP_OF,
    found_in_steps,
    largest_passing,
    preferred_of_largest,
)
from properties.seeded_tables import drawn

TABLES = 120


def test_bisection_finds_the_last_size_that_passes() -> None:
    for n in range(1, 40):
        sizes = list(range(2, 2 + 3 * n, 3))
        for last in [None, *sizes]:
            asked: list[int] = []

            def passes(size: int, last: int | None = last, asked: list[int] = asked) -> bool:
                asked.append(size)
                return last is not None and size <= last

            assert largest_passing(sizes, passes, monotone=True) == last
            assert len(asked) <= 2 + n.bit_length()
            assert len(set(asked)) == len(asked)


def test_without_refinement_every_size_is_tried_from_above() -> None:
    random_ = random.Random(7)
    for _ in range(300):
        sizes = sorted(random_.sample(range(2, 60), random_.randint(1, 12)))
        good = {size for size in sizes if random_.random() < 0.3}
        found = largest_passing(sizes, good.__contains__, monotone=False)
        assert found == max(good, default=None)


def test_large_sizes_are_tried_in_steps() -> None:
    for seed in range(300):
        random_ = random.Random(seed)
        sizes = sorted(random_.sample(range(2, 400), random_.randint(1, 300)))
        share = random_.random() ** 3
        good = {size for size in sizes if random_.random() < share}
        tried: list[int] = []

        def passes(size: int, good: set[int] = good, tried: list[int] = tried) -> bool:
            tried.append(size)
            return size in good

        found = found_in_steps(sizes, passes)
        assert len(tried) == len(set(tried))
        untried = {size for size in sizes if size > (found or 0)} - set(tried)
        assert all(size >= 2 * STEP_OF for size in untried)
        assert found is None if not good - untried else found == max(good - untried)
        bounds = [STEP_OF * n for n in range(2, 8)]
        for low, high in pairwise(bounds):  # about one in 2, in 3, ... of the sizes between
            between = sum(low <= size < high for size in tried if size not in good)
            assert between <= STEP_OF // (low // STEP_OF) + low // STEP_OF


def test_the_preferred_size_needs_few_trials() -> None:
    for seed in range(300):
        random_ = random.Random(seed)
        sizes = sorted(random_.sample(range(2, 60), random_.randint(1, 12)))
        monotone = random_.random() < 0.3
        share = random_.random()
        good = {size for size in sizes if random_.random() < share}
        if monotone:
            good = {size for size in sizes if size <= max(good, default=0)}
        steps = sorted(random_.sample(sizes, random_.randint(1, len(sizes))))
        tried: list[int] = []

        def passes(size: int, good: set[int] = good, tried: list[int] = tried) -> bool:
            tried.append(size)
            return size in good

        def preferred(size: int, steps: list[int] = steps) -> int:
            return max((step for step in steps if step <= size), default=0)

        found = preferred_of_largest(sizes, passes, monotone, preferred)
        largest = largest_passing(sizes, good.__contains__, monotone)
        assert found == (None if largest is None else preferred(largest))
        assert len(tried) == len(set(tried))


def test_the_smallest_of_those_that_prefer_the_same_is_tried_first() -> None:
    tried: list[int] = []
    sizes = list(range(2, 33))
    found = preferred_of_largest(sizes, lambda size: not tried.append(size), False, lambda _: 7)  # type: ignore[func-returns-value]
    assert (found, tried) == (7, [2])


def test_nothing_to_choose_from() -> None:
    assert largest_passing([], lambda size: True, monotone=True) is None
    assert preferred_of_largest([], lambda size: True, False, lambda size: size) is None


@pytest.mark.parametrize("block", range(4))
def test_where_partitions_refine_privacy_only_falls(block: int) -> None:
    refined = 0
    for seed in range(50_000 + block, 50_000 + TABLES, 4):
        case = drawn(seed)
        try:
            judge = Judge(Drafts(case.table(), case.schema(), case.settings))
            drafts = judge.drafts
            sizes = drafts.sizes
        except PrivetError:
            continue
        if len(sizes) < 2 or not drafts.is_monotone:
            continue
        refined += 1
        figures = [judge.draft(size).figures for size in sizes]
        for small, large in pairwise(figures):
            assert small.k >= large.k, f"seed {seed}"
            assert small.k_with_target >= large.k_with_target, f"seed {seed}"
            for column in small.l:
                for kind in small.l[column]:
                    smaller, larger = small.l[column][kind], large.l[column][kind]
                    assert smaller >= larger - 1e-12, f"seed {seed}"
                assert small.t[column] <= large.t[column] + 1e-12, f"seed {seed}"
        best = [size for size in sizes if judge.size_holds(size)]
        assert largest_passing(sizes, judge.size_holds, True) == max(best, default=None)
    assert refined >= TABLES // 10
