"""k, l and t of people are what a naive count says, in classes, in pairs and in portions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles.naive_people import k_of_people, l_of_people, t_of_people
from privet.criteria import LDiversity, TCloseness
from privet.criteria.groups import Groups
from privet.criteria.people import NotEverybody, OfPeople, judge_of_people
from privet.engine import MemoryEngine
from privet.errors import UsageError
from privet.preserve.people_columns import of_pairs, pairs_with, with_pairs

ROWS = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from(["x", "y", "z", None]),
        st.one_of(st.integers(0, 4), st.none()),
    ),
    min_size=1,
    max_size=40,
)


def table_of(rows: list[tuple[Any, Any, Any]]) -> privet.Table:
    names = ("class", "value", "pid")
    return privet.table_of({name: [row[i] for row in rows] for i, name in enumerate(names)})


@given(ROWS, st.sampled_from(["1", "1.5", "2"]), st.sampled_from(["0", "0.3", "0.5"]))
def test_check_counts_people(rows: list[Any], l: str, t: str) -> None:  # noqa: E741
    cells = {name: [row[i] for row in rows] for i, name in enumerate(("class", "value", "pid"))}
    found = privet.check(cells, quasi="class", sensitive="value", person="pid", k=1, l=l, t=t)
    expected = l_of_people(rows), t_of_people(rows, ordered=False)
    assert (found.l["value"]["strong"], found.t["value"]) == expected
    assert found.k_people == k_of_people(rows)
    held = {finding.verdict.criterion: finding.verdict.holds for finding in found.findings}
    assert held["l-diversity-people"] == (expected[0] >= LDiversity(l).l)
    assert held["t-closeness-people"] == (expected[1] <= TCloseness(t).t)


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 6), st.integers(0, 30)),
        min_size=1,
        max_size=400,
    )
)
def test_numbers_and_many_visits(rows: list[Any]) -> None:
    """Numbers of visits with a large common multiple are shared exactly."""
    counts = MemoryEngine(table_of(rows)).count(["class", "value", "pid"])
    found = judge_of_people(TCloseness(1, ordered=True), counts).worst
    assert found == t_of_people(rows, ordered=True)


def test_common_multiples_beyond_64_bits() -> None:
    rows = [
        ("ab"[person % 2], visit % 3, person) for person in range(60) for visit in range(person + 1)
    ]
    counts = MemoryEngine(table_of(rows)).count(["class", "value", "pid"])
    for ordered in (False, True):
        found = judge_of_people(TCloseness(1, ordered), counts).worst
        assert found == t_of_people(rows, ordered)


@given(ROWS, st.sampled_from(["1.2", "1.5", "2"]), st.sampled_from(["0.1", "0.4"]))
def test_pairs_say_the_same_of_every_group(rows: list[Any], l: str, t: str) -> None:  # noqa: E741
    table = table_of(rows)
    schema = table.schema().with_roles(sensitive=["value"])
    engine = MemoryEngine(with_pairs(table, schema, "pid"))
    pairs, column = of_pairs(engine, "value", "pid"), pairs_with("value", "pid")
    counts = engine.count(["class", column])
    totals = np.bincount(engine.table()[column].codes)
    for criterion in (LDiversity(l), TCloseness(t)):
        kept = OfPeople(*pairs, criterion).keeps(Groups.of(counts), totals)
        for place, key in enumerate(sorted({row[0] for row in rows})):
            here = [row for row in rows if row[0] == key]
            if isinstance(criterion, LDiversity):
                holds = l_of_people(here) >= criterion.l
            else:
                others = [("rest", *row[1:]) for row in rows]
                holds = _distance(here, others) <= criterion.t
            assert bool(kept[place]) == holds
    told = NotEverybody(*pairs).keeps(Groups.of(counts), totals)
    for place, key in enumerate(sorted({row[0] for row in rows})):
        assert bool(told[place]) == (l_of_people([row for row in rows if row[0] == key]) > 1)


def _distance(here: list[Any], everybody: list[Any]) -> Any:
    """The distance of one class to the whole table."""
    from oracles.naive_people import _shares

    one, whole = next(iter(_shares(here).values())), next(iter(_shares(everybody).values()))
    return sum(abs(one.get(value, 0) - share) for value, share in whole.items()) / 2


def test_kinds_of_records_are_refused() -> None:
    cells = {"a": [1, 1], "s": ["x", "y"], "pid": [1, 2]}
    with pytest.raises(UsageError, match="entropy kind of l counts records"):
        privet.check(cells, quasi="a", sensitive="s", person="pid", l=1, l_kind="entropy")
