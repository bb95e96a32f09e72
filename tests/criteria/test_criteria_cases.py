"""Cases that other checkers get wrong, ties, extremes and wrong parameters."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from oracles.naive_counts import table_of
from privet.criteria import (
    KINDS,
    KAnonymity,
    LDiversity,
    TCloseness,
    measure_k,
    measure_l,
    measure_t,
)
from privet.engine import Counts, MemoryEngine
from privet.errors import InvalidParameter, UsageError


def counts_of(*groups: list[int]) -> Counts:
    """Counts of equivalence classes given by their records by sensitive value."""
    cells = [(g, v, n) for g, group in enumerate(groups) for v, n in enumerate(group) if n]
    keys = np.array([(g, v) for g, v, _ in cells], dtype=np.int64).reshape(-1, 2)
    return Counts(("q", "s"), keys, np.array([n for *_, n in cells], dtype=np.int64))


def test_a_record_alone_with_a_missing_quasi_identifier_is_alone() -> None:
    """A grouping that drops missing keys would say k = 3 and l = 2."""
    table = table_of({"q": [1, 1, 1, None], "s": [1, 2, 3, 1]})
    engine = MemoryEngine(table)
    verdict = KAnonymity(3).judge(engine.count(["q"]))
    assert (verdict.worst, verdict.violating_records, verdict.violating_classes) == (1, 1, 1)
    assert measure_l(engine.count(["q", "s"]), "distinct") == 1


def test_missing_quasi_identifiers_in_two_columns() -> None:
    table = table_of({"a": [None, None, 1, 1], "b": [2, 2, None, 3]})
    engine = MemoryEngine(table)
    assert measure_k(engine.count(["a", "b"])) == 1
    assert len(engine.count(["a", "b"]).n) == 3


def test_a_missing_sensitive_value_is_a_value() -> None:
    counts = MemoryEngine(table_of({"q": [1, 1], "s": [None, 7]})).count(["q", "s"])
    assert measure_l(counts, "distinct") == measure_l(counts) == measure_l(counts, "entropy") == 2
    all_missing = MemoryEngine(table_of({"q": [1, 1], "s": [None, None]})).count(["q", "s"])
    assert measure_l(all_missing) == 1
    assert measure_t(all_missing) == measure_t(all_missing, ordered=True) == 0


@pytest.mark.parametrize("labels", [[10, 11, 12, 13], [3, 1, 0, 2], [7, 7, 7, 7], list("wxyz")])
def test_labels_of_rows_do_not_matter(labels: list[Any]) -> None:
    """Labels read as positions would mix up the classes: l = 1 becomes l = 2."""
    frame = pd.DataFrame({"q": [1, 1, 2, 2], "s": [5, 5, 5, 6]}, index=labels)
    table = table_of({name: frame[name].to_numpy().tolist() for name in frame.columns})
    assert measure_l(MemoryEngine(table).count(["q", "s"]), "distinct") == 1


@pytest.mark.parametrize(
    ("group", "level"),
    [
        ([1, 1, 1], 3),
        ([7] * 49, 49),
        ([4, 1, 1, 1, 1], 4),  # uneven, and yet exp(entropy) is exactly 4
        ([400, 100, 100, 100, 100], 4),
        ([10**8 // 3] * 3, 3),
        ([1], 1),
    ],
)
def test_entropy_ties_hold(group: list[int], level: int) -> None:
    counts = counts_of(group)
    assert measure_l(counts, "entropy") == level
    assert LDiversity(level, "entropy").judge(counts).holds
    assert not LDiversity(Fraction(level * 10**12 + 1, 10**12), "entropy").judge(counts).holds


def test_entropy_close_to_a_tie_is_decided() -> None:
    nearly_even = counts_of([10**7 + 1, 10**7, 10**7])
    assert not LDiversity(3, "entropy").judge(nearly_even).holds
    assert LDiversity("2.99999999999", "entropy").judge(nearly_even).holds
    assert 3 - 1e-12 < measure_l(nearly_even, "entropy") <= 3


def test_strong_l_is_not_strict_and_reads_decimals_as_written() -> None:
    counts = counts_of([2, 2, 1])
    assert LDiversity("2.5").judge(counts).holds
    assert LDiversity(2.5).judge(counts).holds
    assert not LDiversity("2.5000000000000000001").judge(counts).holds
    assert LDiversity(2.5).judge(counts).worst == Fraction(5, 2)
    assert LDiversity(2.5).judge(counts).figure == 2.5


def test_recursive_l_is_strict() -> None:
    assert LDiversity(2, "recursive", 1).judge(counts_of([2, 1, 2])).holds
    assert not LDiversity(2, "recursive", 1).judge(counts_of([2, 1, 1])).holds
    assert LDiversity(2, "recursive", "1.01").judge(counts_of([2, 1, 1])).holds
    assert measure_l(counts_of([9]), "recursive", 1) == 0
    assert LDiversity(1, "recursive", 1).judge(counts_of([9])).violating_records == 9


def test_t_reads_decimals_as_written() -> None:
    counts = counts_of([8, 2], [2, 8])
    assert measure_t(counts) == Fraction(3, 10)
    assert TCloseness(0.3).judge(counts).holds
    assert not TCloseness("0.29999999999999999999").judge(counts).holds


def test_ordered_distance_sees_how_far() -> None:
    """Salaries 3k to 11k in three classes: the example of the paper on t-closeness."""
    first = [1, 1, 1, 0, 0, 0, 0, 0, 0]
    second = [0, 0, 0, 1, 0, 1, 0, 0, 1]
    third = [0, 0, 0, 0, 1, 0, 1, 1, 0]
    counts = counts_of(first, second, third)
    assert measure_t(
        counts_of(first, [a + b for a, b in zip(second, third, strict=True)]), True
    ) == (Fraction(3, 8))
    assert TCloseness("0.375", ordered=True).judge(counts).holds
    assert measure_t(counts) == Fraction(2, 3)


def test_products_beyond_64_bits() -> None:
    """100 million records over 100,000 values: values * records * class size is about 10^21."""
    n = np.full(100_000, 1000, dtype=np.int64)
    low = np.arange(100_000) < 50_000
    keys = np.stack([(~low).astype(np.int64), np.arange(100_000)], axis=1)
    counts = Counts(("q", "s"), keys, n)
    assert measure_t(counts) == Fraction(1, 2)
    # Half of each class's records move on by half of all values, 50,000 of 99,999 steps.
    assert measure_t(counts, ordered=True) == Fraction(50_000, 99_999) / 2


def test_with_no_quasi_identifier_the_table_is_one_class() -> None:
    engine = MemoryEngine(table_of({"s": [1, 1, 2]}))
    assert measure_k(engine.count([])) == 3
    assert measure_l(engine.count(["s"])) == Fraction(3, 2)
    assert measure_t(engine.count(["s"])) == 0


@pytest.mark.parametrize("k", [0, -1, 2.5, "five", True, float("nan"), float("inf"), None])
def test_wrong_k(k: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^k must be a whole number of at least 1"):
        KAnonymity(k)


@pytest.mark.parametrize("l", [0, 0.99, "many", "1e999999999", "nan", -3])
def test_wrong_l(l: Any) -> None:  # noqa: E741
    with pytest.raises(InvalidParameter, match=r"^l must be"):
        LDiversity(l)


@pytest.mark.parametrize("t", [-0.1, 1.01, "near", "1e-999999999", float("nan")])
def test_wrong_t(t: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^t must be"):
        TCloseness(t)


def test_other_wrong_parameters() -> None:
    with pytest.raises(InvalidParameter, match="kind of l"):
        LDiversity(2, "loose")
    with pytest.raises(InvalidParameter, match="whole number for the recursive"):
        LDiversity(2.5, "recursive")
    with pytest.raises(InvalidParameter, match="c must be a number above 0"):
        LDiversity(2, "recursive", 0)
    with pytest.raises(InvalidParameter, match="kind of l"):
        measure_l(counts_of([1]), "loose")


def test_a_table_without_records_is_not_judged() -> None:
    for judge in (KAnonymity(1).judge, measure_k, measure_t, TCloseness(1).judge):
        with pytest.raises(UsageError, match="without records"):
            judge(counts_of())
    for kind in KINDS:
        with pytest.raises(UsageError, match="without records"):
            measure_l(counts_of(), kind)
    with pytest.raises(UsageError, match="no sensitive column"):
        measure_l(MemoryEngine(table_of({"s": [1]})).count([]))


def test_criteria_are_values() -> None:
    assert LDiversity("2.50") == LDiversity(2.5)
    assert TCloseness(0.3) == TCloseness("0.3")
    assert len({KAnonymity(5), KAnonymity(5), LDiversity(5)}) == 2
    assert LDiversity(2, "recursive", 3).judge(counts_of([1, 1])).parameters == {
        "l": 2,
        "kind": "recursive",
        "c": 3,
    }


def test_thresholds_with_very_many_digits() -> None:
    same = counts_of([1, 1], [2, 2])
    assert TCloseness("0.0000000000000000000000000001").judge(same).holds
    assert LDiversity("1.9999999999999999999999999999").judge(same).holds
    assert not LDiversity("2.0000000000000000000000000001", "distinct").judge(same).holds
