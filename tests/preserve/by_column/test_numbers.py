"""Global recoding of numbers: thresholds bit for bit, order kept, groups no finer than needed."""

import math
import random
import struct
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from privet.preserve.by_column.number_cells import Numbers
from privet.preserve.by_column.numbers import recode_numbers
from privet.preserve.leaf_counts import ThresholdGap
from privet.tree.candidates import midpoint

DRAWN = 1500


def column(values: list[int] | list[float], gaps: list[tuple[int, int]]) -> Numbers:
    """A column of single records with nodes between these codes."""
    kind: Any = np.int64 if isinstance(values[0], int) else np.float64
    array = np.array(values, dtype=kind)
    between = [ThresholdGap(a, b, midpoint(values[a], values[b])) for a, b in gaps]
    return Numbers(array, np.ones(len(array), dtype=np.int64), between)


def recoded(values: list[int] | list[float], gaps: list[tuple[int, int]]) -> list[float]:
    new: list[float] = recode_numbers(column(values, gaps)).tolist()
    return new


def drawn_values(seed: int) -> list[int] | list[float]:
    random_ = random.Random(seed)
    size = random_.randint(2, 25)
    kind = seed % 6
    if kind == 0:
        return sorted({random_.randint(-30, 30) for _ in range(size)} | {99})
    if kind == 1:
        base = random_.choice([2**53, 2**61, -(2**62), 2**63 - 3000, -(2**63)])
        return sorted({base + random_.randint(0, 2999) for _ in range(size)} | {base + 2999})
    if kind == 2:
        return sorted({round(random_.uniform(0, 9), 2) + 0.0 for _ in range(size)} | {9.5})
    if kind == 3:
        return sorted({random_.lognormvariate(0, 4) for _ in range(size)} | {0.0})
    if kind == 4:
        start, steps = random_.choice([1.0, 0.1, 1e300, -5e-324]), [0.0]
        steps = [start]
        for _ in range(size):
            steps.append(math.nextafter(steps[-1], math.inf) + 0.0)
        return sorted(set(steps))
    wild = [struct.unpack("<d", random_.randbytes(8))[0] for _ in range(size)]
    return sorted({v + 0.0 for v in wild if math.isfinite(v)} | {0.0, 1.5})


def drawn_gaps(values: list[int] | list[float], seed: int) -> list[tuple[int, int]]:
    """Gaps of made-up nodes: shared ends, chains, straddling and nested ones are frequent."""
    random_ = random.Random(-seed - 1)
    gaps = set()
    for _ in range(random_.randint(1, 7)):
        a, b = sorted(random_.sample(range(len(values)), 2))
        if random_.random() < 0.6:
            b = a + 1
        if values[a] <= midpoint(values[a], values[b]) < values[b]:
            gaps.add((a, b))
    return sorted(gaps)


@pytest.mark.parametrize("block", range(6))
def test_every_threshold_stays_bit_for_bit(block: int) -> None:
    for seed in range(block, DRAWN, 6):
        values = drawn_values(seed)
        gaps = drawn_gaps(values, seed)
        new = recoded(values, gaps)
        assert all(a <= b for a, b in pairwise(new)), f"seed {seed}: the order has changed"
        for below, above in gaps:
            before = midpoint(values[below], values[above])
            after = midpoint(new[below], new[above])
            same = struct.pack("<d", before) == struct.pack("<d", after)
            assert same, f"seed {seed}: another threshold"
            assert new[below] <= before < new[above], f"seed {seed}: a value changed its side"
        assert all(type(n) is type(v) for n, v in zip(new, values, strict=True)), f"seed {seed}"


@pytest.mark.parametrize("block", range(6))
def test_thresholds_stay_in_single_precision_too(block: int) -> None:
    """scikit-learn sees 32-bit numbers and takes half of one and half of the other."""
    for seed in range(block, DRAWN, 6):
        with np.errstate(over="ignore"):
            singles = np.array(drawn_values(seed), dtype=np.float32).astype(np.float64) + 0.0
        values = sorted({v for v in singles.tolist() if math.isfinite(v)} | {0.0, 1.5})
        gaps = drawn_gaps(values, seed)
        new = recode_numbers(replace(column(values, gaps), single=True))
        seen = new.astype(np.float32).astype(np.float64)
        assert (seen == new).all(), f"seed {seed}: not a number of single precision"
        for below, above in gaps:
            halves = seen[below] / 2 + seen[above] / 2
            assert halves == values[below] / 2 + values[above] / 2, f"seed {seed}"


@pytest.mark.parametrize("block", range(6))
def test_no_cut_becomes_possible_that_was_not(block: int) -> None:
    """Between two new values a float fits only if it fitted between the old ones."""
    for seed in range(block, DRAWN, 6):
        values = drawn_values(seed)
        new = recoded(values, drawn_gaps(values, seed))
        for (a, b), (x, y) in zip(pairwise(values), pairwise(new), strict=True):
            if x < y:
                assert not x <= midpoint(x, y) < y or a <= midpoint(a, b) < b, f"seed {seed}"


def test_no_node_leaves_one_value() -> None:
    assert len(set(recoded([1, 5, 9], []))) == 1
    assert len(set(recoded([0.1, 0.2, 0.7], []))) == 1
    assert recode_numbers(Numbers(np.zeros(0), np.zeros(0, dtype=np.int64), [])).tolist() == []


def test_one_threshold_makes_two_values() -> None:
    assert recoded([1, 2, 3, 10, 11, 12], [(2, 3)]) == [2, 2, 2, 11, 11, 11]


def test_shared_boundaries_take_one_shift() -> None:
    """The gaps 0|7 and 6|7 of the eight-row table."""
    new = recoded([0, 1, 6, 7, 9], [(0, 3), (2, 3)])
    assert new[0] + new[3] == 7
    assert new[2] + new[3] == 13


def test_a_value_that_is_both_ends_does_not_move_alone() -> None:
    new = recoded([0, 1, 2, 3, 4, 5], [(1, 2), (2, 3)])
    assert (new[1] + new[2], new[2] + new[3]) == (3, 5)


def test_straddling_gaps() -> None:
    values = [0, 1, 2, 3, 4, 5, 7, 8]
    new = recoded(values, [(1, 4), (3, 6)])
    assert new[1] + new[4] == 5
    assert new[3] + new[6] == 10


def test_values_inside_a_gap_take_no_value_of_their_own() -> None:
    assert len(set(recoded([0, 1, 2, 4, 6, 9], [(2, 5)]))) == 2


def test_a_cell_between_two_thresholds_is_cut_only_where_it_must_be() -> None:
    assert len(set(recoded(list(range(12)), [(3, 4), (7, 8)]))) == 3
    # 100|101 leaves the upper cell no room to mirror the wide lower ones
    wide = recoded([0, 1, 50, 98, 100, 101], [(1, 2), (4, 5)])
    assert wide[1] + wide[2] == 51
    assert wide[4] + wide[5] == 201


def test_the_mean_of_equal_floats_does_not_exceed_them() -> None:
    values = np.array([0.1, 0.3])
    new = recode_numbers(
        Numbers(values, np.array([3, 3]), [ThresholdGap(0, 1, midpoint(0.1, 0.3))])
    )
    assert new.tolist() == [0.1, 0.3]


def test_large_floats_do_not_overflow() -> None:
    with np.errstate(all="raise", under="ignore"):
        big = 1.7976931348623157e308
        new = recoded([-big, -big / 2, big / 2, big], [(1, 2)])
    assert all(map(math.isfinite, new))


def test_the_largest_floats_do_not_overflow() -> None:
    largest = 1.7976931348623157e308
    values = np.array([1e308, largest])
    column = Numbers(values, np.array([9, 1]), [ThresholdGap(0, 1, midpoint(1e308, largest))])
    new = recode_numbers(column)
    assert np.isfinite(new).all()
    assert midpoint(*new.tolist()) == midpoint(1e308, largest)
