"""Sums and quotients of logarithms compare truly, however near they are."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import log2, prod
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from privet.exact import LogRatio, LogSum, disorder


def total(children: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*children, strict=True)))


def as_power(children: list[tuple[int, ...]]) -> Fraction:
    """Two to the power of the information gain: a fraction."""

    def power(weights: tuple[int, ...]) -> Fraction:
        return Fraction(sum(weights) ** sum(weights), prod(w**w for w in weights))

    return power(total(children)) / prod(map(power, children))


small = st.lists(st.lists(st.integers(0, 12), min_size=2, max_size=3), min_size=2, max_size=3)


@given(st.lists(small, min_size=2, max_size=6))
def test_logarithms_compare_like_the_fractions_behind_them(many: list[Any]) -> None:
    tables = []
    for children in many:
        width = min(map(len, children))
        tables.append([(child[0] + 1, *child[1:width]) for child in children])
    for one, two in pairwise(tables):
        a, b = (LogSum.gain(children, total(children)) for children in (one, two))
        x, y = as_power(one), as_power(two)
        assert (a < b, a == b, a > b) == (x < y, x == y, x > y)


def test_equal_gains_of_unlike_counts_are_equal() -> None:
    """(1,1)+(2,2) gains nothing although its terms do not cancel one by one."""
    gain = LogSum.gain([(1, 1), (2, 2)], (3, 3))
    assert gain.terms
    assert gain == LogSum(())
    half = LogRatio(LogSum([(2, 2)]), LogSum([(4, 4)]))  # 2 bits of 8
    assert half == LogRatio(LogSum((), Fraction(1, 4)), LogSum((), Fraction(1)))


def test_precision_rises_until_the_sign_is_known() -> None:
    huge = 10**15
    near = LogSum([(huge + 1, huge + 1), (huge, -huge)])
    assert near.sign() == 1
    value, _ = near.value(100)
    with localcontext() as context:
        context.prec = 120
        closest = Fraction(value.quantize(Decimal(10) ** -40))
    assert near.minus(LogSum((), closest)).sign() == (1 if Fraction(value) > closest else -1)


powers = st.lists(st.tuples(st.integers(1, 60), st.integers(-9, 9)), max_size=5)


@given(powers, st.integers(-5, 5))
@example([(4, 3), (8, -2)], 0)
@example([(6, 2), (2, -2), (9, -1)], 0)
@example([(6, 1), (10, 1), (15, 1), (30, -2)], 0)
def test_a_sum_is_zero_if_the_product_behind_it_is_one(terms: Any, constant: int) -> None:
    product = Fraction(2) ** constant * prod(Fraction(x) ** times for x, times in terms)
    found = LogSum(terms, Fraction(constant)).sign()
    assert found == (product > 1) - (product < 1)


def test_constants_may_be_fractions() -> None:
    assert LogSum([(2, 1)], Fraction(-1)).sign() == 0
    assert LogSum([(8, 1)], Fraction(-5, 2)).sign() == 1
    assert LogSum([(2, 1), (4, 1)], Fraction(-3)) == LogSum(())
    assert LogSum([(3, 2)], Fraction(-317, 100)).sign() == -1  # 3.1699 bits


def test_numbers_too_large_to_factor_are_compared() -> None:
    prime, other = 2**127 - 1, 2**89 - 1
    both = LogSum([(prime * other, 3), (prime, -3), (other, -3)])
    assert both == LogSum(())
    assert LogSum([(prime * other, 3), (prime, -3), (other - 1, -3)]) > LogSum(())


def test_what_agrees_to_a_hundred_digits_is_told_apart() -> None:
    value, _ = LogSum([(3, 1)]).value(150)
    with localcontext() as context:
        context.prec = 160
        near = Fraction(value.quantize(Decimal(10) ** -110))
    assert LogSum([(3, 1)], -near).sign() == (1 if Fraction(value) > near else -1)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8))
def test_floats_show_the_same_disorder(weights: list[int]) -> None:
    exact = float(LogSum.disorder(weights).value(40)[0])
    n = sum(weights)
    shown = float(disorder(np.array([weights], dtype=np.float64))[0])
    assert abs(shown - exact) <= 1e-12 * (1 + n * log2(n + 2))
