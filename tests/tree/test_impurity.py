"""Float gains lie within the stated error of the exact ones, and exact ones compare truly."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.tree.impurity import RULES, LogRatio, LogSum

counts = st.one_of(st.integers(0, 3), st.integers(0, 50), st.integers(0, 10**9))


@st.composite
def class_children(draw: st.DrawFn) -> list[tuple[int, ...]]:
    width = draw(st.sampled_from([2, 3, 40, 300]))
    cells = st.lists(counts, min_size=width, max_size=width)
    children = draw(st.lists(cells, min_size=2, max_size=4))
    for child in children:
        child[0] += 1  # no child is empty
    return [tuple(child) for child in children]


@st.composite
def sum_children(draw: st.DrawFn) -> list[tuple[int, ...]]:
    children = []
    offset = draw(st.sampled_from([0, 10**6, 2**34, -(2**34)]))
    for _ in range(draw(st.integers(2, 4))):
        n = draw(st.one_of(st.integers(1, 5), st.integers(1, 10**7)))
        children.append((n, n * offset + draw(st.integers(-(2**20), 2**20))))
    return children


def total(children: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*children, strict=True)))


def exactly(score: Any) -> Fraction:
    """An exact score as a fraction, logarithms to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        if isinstance(score, LogRatio):
            return Fraction(score.gain.value(60)[0] / score.info.value(60)[0])
        return Fraction(score.value(60)[0]) if isinstance(score, LogSum) else Fraction(score)


@pytest.mark.parametrize("name", list(RULES))
@given(data=st.data())
def test_floats_keep_their_word(name: str, data: st.DataObject) -> None:
    strategy = sum_children() if name == "deviance" else class_children()
    children = data.draw(strategy)
    parent = total(children)
    rule = RULES[name]
    arrays = [np.array([child], dtype=np.int64) for child in children]
    found = rule.approximate(arrays, np.array(parent, dtype=np.int64))
    exact = exactly(rule.exact(children, parent))
    assert abs(Fraction(float(found.scores[0])) - exact) <= Fraction(found.error)
    assert found.error < 1e-4 * float(abs(exact)) + 1e-3 * sum(c[0] for c in children) + 1


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
    assert not RULES["entropy"].reaches(gain, Fraction(0))
    half = LogRatio(LogSum([(2, 1)]), LogSum([(4, 1)]))  # 2 bits of 8
    assert half == LogRatio(LogSum((), Fraction(1, 4)), LogSum((), Fraction(1)))


def test_precision_rises_until_the_sign_is_known() -> None:
    huge = 10**15
    near = LogSum([(huge + 1, 1), (huge, -1)])
    assert near.sign() == 1
    value, _ = near.value(100)
    with localcontext() as context:
        context.prec = 120
        closest = Fraction(value.quantize(Decimal(10) ** -40))
    assert near.minus(LogSum((), closest)).sign() == (1 if Fraction(value) > closest else -1)
