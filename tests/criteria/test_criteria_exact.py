"""Every criterion against its definition in fractions, on random tables."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles import naive_criteria as naive
from oracles.naive_counts import table_of
from privet import exact
from privet.criteria import (
    KINDS,
    Criterion,
    KAnonymity,
    LDiversity,
    TCloseness,
    Verdict,
    measure_k,
    measure_l,
    measure_t,
)
from privet.engine import Counts, MemoryEngine

Row = tuple[int | None, ...]

cells = st.one_of(st.none(), st.integers(0, 2))
rows_of_three = st.lists(st.tuples(cells, cells, st.one_of(cells, st.integers(0, 9))), min_size=1)
levels = st.one_of(
    st.sampled_from([Fraction(1), Fraction(2), Fraction(3, 2), Fraction(5, 2), Fraction(4)]),
    st.fractions(1, 5, max_denominator=12),
)
ratios = st.one_of(st.sampled_from([Fraction(1), Fraction(3)]), st.fractions("1/9", 9))
shares = st.one_of(st.sampled_from([Fraction(0), Fraction(1)]), st.fractions(0, 1))
quasis = st.sampled_from([(0, 1), (0,), (1,), ()])
groups = st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=12)
quick = settings(deadline=None)


def counted(rows: Sequence[Row], quasi: Sequence[int], sensitive: int | None = 2) -> Counts:
    columns = {str(place): [row[place] for row in rows] for place in range(3)}
    by = [str(place) for place in quasi] + ([] if sensitive is None else [str(sensitive)])
    return MemoryEngine(table_of(columns), compiled=False).count(by)


def agrees(verdict: Verdict, worst: object, classes: list[Counter[Any]], kept: list[bool]) -> None:
    broken = [group for group, keeps in zip(classes, kept, strict=True) if not keeps]
    assert verdict.worst == worst
    assert verdict.holds is (not broken)
    assert verdict.violating_classes == len(broken)
    assert verdict.violating_records == sum(group.total() for group in broken)


def in_order(table: Counter[Any]) -> list[Any]:
    return sorted(table, key=lambda value: (value is None, value))


@quick
@given(rows=rows_of_three, quasi=quasis, k=st.integers(1, 8))
def test_k_is_the_size_of_the_smallest_class(
    rows: list[Row], quasi: tuple[int, ...], k: int
) -> None:
    classes = naive.equivalence_classes(rows, quasi, 2)
    counts = counted(rows, quasi, None)
    smallest = min(group.total() for group in classes)
    agrees(KAnonymity(k).judge(counts), smallest, classes, [naive.keeps_k(g, k) for g in classes])
    assert measure_k(counts) == smallest


@quick
@given(rows=rows_of_three, quasi=quasis, level=levels, c=ratios)
def test_l_of_every_kind(
    rows: list[Row], quasi: tuple[int, ...], level: Fraction, c: Fraction
) -> None:
    classes = naive.equivalence_classes(rows, quasi, 2)
    counts = counted(rows, quasi)
    strong = min(map(naive.strong_l, classes))
    kept = [naive.strong_l(g) >= level for g in classes]
    agrees(LDiversity(level).judge(counts), strong, classes, kept)
    distinct = min(map(naive.distinct_l, classes))
    kept = [naive.distinct_l(g) >= level for g in classes]
    agrees(LDiversity(level, "distinct").judge(counts), distinct, classes, kept)
    whole = int(level)
    recursive = min(naive.recursive_l(g, c) for g in classes)
    kept = [naive.keeps_recursive(g, whole, c) for g in classes]
    agrees(LDiversity(whole, "recursive", c).judge(counts), recursive, classes, kept)
    verdict = LDiversity(level, "entropy").judge(counts)
    kept = [naive.keeps_entropy(g, level) for g in classes]
    agrees(verdict, verdict.worst, classes, kept)
    assert measure_l(counts) == strong
    assert measure_l(counts, "distinct") == distinct
    assert measure_l(counts, "recursive", c) == recursive
    assert measure_l(counts, "entropy") == verdict.worst


@quick
@given(rows=rows_of_three, quasi=quasis)
def test_entropy_l_brackets_the_true_value(rows: list[Row], quasi: tuple[int, ...]) -> None:
    worst = Fraction(measure_l(counted(rows, quasi), "entropy"))
    classes = naive.equivalence_classes(rows, quasi, 2)
    nudge = Fraction(1, 10**14)
    assert all(naive.keeps_entropy(group, worst * (1 - nudge)) for group in classes)
    assert not all(naive.keeps_entropy(group, worst * (1 + nudge)) for group in classes)


@quick
@given(rows=rows_of_three, quasi=quasis, t=shares, ordered=st.booleans())
def test_t_is_the_largest_distance(
    rows: list[Row], quasi: tuple[int, ...], t: Fraction, ordered: bool
) -> None:
    classes = naive.equivalence_classes(rows, quasi, 2)
    whole = sum(classes, Counter[Any]())
    if ordered:
        apart = [naive.ordered_distance(g, whole, in_order(whole)) for g in classes]
    else:
        apart = [naive.equal_distance(g, whole) for g in classes]
    counts = counted(rows, quasi)
    agrees(TCloseness(t, ordered).judge(counts), max(apart), classes, [d <= t for d in apart])
    worst = measure_t(counts, ordered)
    assert worst == max(apart)
    assert TCloseness(worst, ordered).judge(counts).holds


@quick
@given(rows=rows_of_three, quasi=quasis, t=shares, level=levels, ordered=st.booleans())
def test_python_integers_give_the_same_as_64_bits(
    rows: list[Row], quasi: tuple[int, ...], t: Fraction, level: Fraction, ordered: bool
) -> None:
    counts = counted(rows, quasi)
    criteria: list[Criterion] = [TCloseness(t, ordered), *map(LDiversity, [level], ["strong"])]
    criteria += [LDiversity(int(level), kind) for kind in KINDS]
    with pytest.MonkeyPatch.context() as patch:
        there = [criterion.judge(counts) for criterion in criteria]
        patch.setattr(exact, "_SAFE", 0)
        assert [criterion.judge(counts) for criterion in criteria] == there


@quick
@given(data=st.data(), rows=rows_of_three)
def test_order_of_rows_and_columns_does_not_matter(data: st.DataObject, rows: list[Row]) -> None:
    other_rows = data.draw(st.permutations(rows))
    for ordered in (False, True):
        there = measure_t(counted(rows, (0, 1)), ordered)
        assert measure_t(counted(other_rows, (1, 0)), ordered) == there
    for kind in KINDS:
        there = measure_l(counted(rows, (0, 1)), kind)
        assert measure_l(counted(other_rows, (1, 0)), kind) == there


@quick
@given(rows=rows_of_three)
def test_merging_classes_never_makes_things_worse(rows: list[Row]) -> None:
    fine, coarse = counted(rows, (0, 1)), counted(rows, (0,))
    assert measure_k(coarse.over(1)) >= measure_k(fine.over(2))
    for kind in KINDS:
        assert measure_l(coarse, kind) >= measure_l(fine, kind)
    for ordered in (False, True):
        assert measure_t(coarse, ordered) <= measure_t(fine, ordered)


@quick
@given(arrays=groups, level=levels, c=ratios, t=shares, k=st.integers(1, 9))
@example([[0, 0, 0, 0], [1, 0, 0, 0]], Fraction(2), Fraction(3), Fraction(1, 2), 1)
def test_candidate_groups_are_admitted_as_they_would_be_judged(
    arrays: list[list[int]], level: Fraction, c: Fraction, t: Fraction, k: int
) -> None:
    candidates, totals = np.array(arrays), np.array(arrays).sum(axis=0)
    whole = Counter({value: int(n) for value, n in enumerate(totals) if n})
    found = [Counter({v: n for v, n in enumerate(group) if n}) for group in arrays]

    def expected(keeps: Any) -> list[bool]:
        return [not group or keeps(group) for group in found]

    pairs: list[tuple[Criterion, list[bool]]] = [
        (KAnonymity(k), expected(lambda g: naive.keeps_k(g, k))),
        (LDiversity(level), expected(lambda g: naive.strong_l(g) >= level)),
        (LDiversity(level, "distinct"), expected(lambda g: naive.distinct_l(g) >= level)),
        (LDiversity(level, "entropy"), expected(lambda g: naive.keeps_entropy(g, level))),
        (
            LDiversity(int(level), "recursive", c),
            expected(lambda g: naive.keeps_recursive(g, int(level), c)),
        ),
        (TCloseness(t), expected(lambda g: naive.equal_distance(g, whole) <= t)),
        (
            TCloseness(t, ordered=True),
            expected(lambda g: naive.ordered_distance(g, whole, range(4)) <= t),
        ),
    ]
    for criterion, wanted in pairs:
        assert criterion.admits(candidates, totals).tolist() == wanted
        boxed = criterion.admits(candidates[:, None, None], totals)
        assert boxed.shape == (len(arrays), 1, 1)
        assert boxed.ravel().tolist() == wanted
        if all(wanted):
            assert criterion.admits(totals, totals).tolist() is True
