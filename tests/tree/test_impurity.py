"""Float gains lie within the stated error of the exact ones, and exact ones compare truly."""

from decimal import localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.exact import LogRatio, LogSum
from privet.tree.impurity import RULES

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


@pytest.mark.parametrize("name", list(RULES))
@given(data=st.data())
def test_worth_of_purity_is_the_approximate_gain(name: str, data: st.DataObject) -> None:
    """The form for many trials at once, with any number of axes, is the same formula."""
    strategy = sum_children() if name == "deviance" else class_children()
    children = data.draw(strategy)
    rule, parent = RULES[name], total(children)
    arrays = [np.array([child], dtype=np.int64) for child in children]
    found = rule.approximate(arrays, np.array(parent, dtype=np.int64))
    if name == "deviance":  # counted from the mean, as whoever calls must
        centre = parent[1] // parent[0]
        children = [(n, s - n * centre) for n, s in children]
        parent = total(children)
    many = np.array([children, children], dtype=np.float64)  # trials x children x weights
    gain = rule.purity(many).sum(axis=-1) - rule.purity(np.array(parent, dtype=np.float64))
    n = many[..., 0] if name == "deviance" else many.sum(axis=-1)
    worth = rule.worth(gain, list(np.moveaxis(n, -1, 0)))
    assert worth.shape == (2,)
    assert np.abs(worth - found.scores[0]).max() <= 2 * found.error


@st.composite
def columns_of_one_node(draw: st.DrawFn, name: str) -> tuple[list[Any], list[int]]:
    """The weights of the values of some columns, each with the same records of a node."""
    width = 2 if name == "deviance" else draw(st.sampled_from([2, 3, 40]))
    records = draw(st.lists(st.integers(0, width - 1), min_size=2, max_size=30))
    many = draw(st.sampled_from([1, 1, 1000, 10**5]))  # copies of each record
    columns = []
    for _ in range(draw(st.integers(1, 3))):
        values = draw(st.lists(st.integers(0, 6), min_size=len(records), max_size=len(records)))
        rows = {value: [0] * width for value in sorted(values)}
        for value, code in zip(values, records, strict=True):
            if name == "deviance":
                rows[value] = [rows[value][0] + many, rows[value][1] + many * (code - 7)]
            else:
                rows[value][code] += many
        columns.append(list(rows.values()))
    return columns, [sum(row[place] for row in columns[0]) for place in range(width)]


@pytest.mark.parametrize("name", list(RULES))
@given(data=st.data())
def test_gains_of_cuts_keep_their_word(name: str, data: st.DataObject) -> None:
    columns, parent = data.draw(columns_of_one_node(name))
    rule = RULES[name]
    weights = np.array([row for rows in columns for row in rows], dtype=np.int64)
    of_column = np.repeat(np.arange(len(columns)), [len(rows) for rows in columns])
    wanted, lefts = [], []
    for number, rows in enumerate(columns):
        begin = int(np.flatnonzero(of_column == number)[0])
        for cut in range(1, len(rows)):
            wanted.append(begin + cut - 1)
            lefts.append([sum(column) for column in zip(*rows[:cut], strict=True)])
    whole = np.array(parent, dtype=np.int64)
    if not wanted:
        return
    found = rule.cuts(weights, of_column, whole, np.array(wanted))
    for score, left in zip(found.scores.tolist(), lefts, strict=True):
        right = tuple(all_ - part for all_, part in zip(parent, left, strict=True))
        exact = exactly(rule.exact([tuple(left), right], tuple(parent)))
        assert abs(Fraction(score) - exact) <= Fraction(found.error)
    assert found.error < 1e-6 * sum(map(abs, parent)) + 1e-6


def test_a_gain_of_nothing_is_not_above_zero() -> None:
    gain = RULES["entropy"].exact([(1, 1), (2, 2)], (3, 3))
    assert not RULES["entropy"].reaches(gain, Fraction(0))
