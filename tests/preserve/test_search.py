"""The search for the largest size that passes, and what bisection relies on."""

import random
from itertools import pairwise

import pytest

from privet.errors import PrivetError
from privet.preserve.drafts import Drafts
from privet.preserve.judging import Judge
from privet.preserve.search import (
    LARGE,
    Patience,
    found_in_steps,
    largest_passing,
    preferred_of_largest,
    spaced,
    steps,
    tried,
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
        assert all(size > LARGE for size in untried)
        assert found is None if not good - untried else found == max(good - untried)
        above = [size for size in sizes if size > (found or 0) and size not in untried]
        assert set(spaced(sizes)) & set(range((found or 0) + 1, 500)) <= set(above)


def test_stages_do_not_depend_on_where_sizes_end() -> None:
    for seed in range(200):
        random_ = random.Random(seed)
        sizes = sorted(random_.sample(range(2, 500), random_.randint(1, 400)))
        every = spaced(sizes)
        assert [size for size in sizes if size <= LARGE] == [s for s in every if s <= LARGE]
        for end in range(1, len(sizes) + 1):
            last = sizes[end - 1]
            before = [size for size in spaced(sizes[:end]) if size < last]
            assert before == [size for size in every if size < last]


def test_a_hundred_and_some_stages_lead_to_a_hundred_thousand_leaves() -> None:
    stages = [size for size in spaced(list(range(2, 100_001))) if size > LARGE]
    assert all(one < two <= one + max(1, one // 16) for one, two in pairwise(stages))
    assert len(stages) < 130
    assert spaced(list(range(2, 129)))[-8:] == [85, 90, 95, 100, 106, 112, 119, 126]


def test_who_is_tired_takes_the_largest_that_can_be_climbed() -> None:
    near = far = 0
    for seed in range(2000):
        random_ = random.Random(seed)
        sizes = sorted(random_.sample(range(2, 100), random_.randint(1, 60)))
        good = {size for size in sizes if random_.random() < 0.1}
        most = random_.randint(1, 20)  # trials
        up = {size for size in steps(sizes) if random_.random() < 0.2}
        asked: list[int] = []

        def passes(size: int, good: set[int] = good, asked: list[int] = asked) -> bool:
            if size <= LARGE:
                asked.append(size)
            return size in good

        patience = Patience(lambda asked=asked: 100.0 * len(asked), 100.0 * most - 50)  # type: ignore[misc]
        found = found_in_steps(sizes, passes, patience, lambda up=up: sorted(up))  # type: ignore[misc]
        small = [size for size in sizes if size <= LARGE][::-1]
        patient = {*tried(sizes)} - {*small[most:]}
        climbed = max(good & up, default=None)
        if good & patient or len(small) < most:
            assert found == max(good & patient, default=None)
        elif climbed is None:
            assert found == max(good.intersection(small), default=None)
        elif len(small) == most or climbed >= 0.75 * small[most]:
            near += 1
            assert found == climbed
        else:
            above = [size for size in steps(small[most:][::-1])[::-1] if size > climbed][:most]
            far += 1
            assert found == max(good.intersection(above), default=climbed)
    assert min(near, far) > 10


def test_steps_are_a_sixteenth_apart_and_can_all_be_tried() -> None:
    for seed in range(200):
        random_ = random.Random(seed)
        sizes = sorted(random_.sample(range(2, 500), random_.randint(1, 400)))
        climbed = steps(sizes)
        assert set(climbed) <= set(tried(sizes))
        assert climbed[0] == sizes[0]
        assert climbed[-1] == sizes[-1]
        for one, two in pairwise(climbed):
            between = [size for size in sizes if one < size < two]
            assert all(size < one + max(1, one // 16) for size in between) or two > LARGE
    assert steps(list(range(30, 70))) == [30, 31, *range(32, 48, 2), *range(48, 64, 3), 64, 68, 69]


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
