"""Who is alone, and which columns make them so, beside a count by hand."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from privet.criteria.uniqueness import uniqueness
from privet.engine import MemoryEngine
from privet.files import table_of

CELLS = st.one_of(st.none(), st.integers(0, 3))
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=25)
NAMES = ("a", "b", "c")


def alone_by_hand(rows: list[tuple[object, ...]], places: list[int]) -> int:
    """The slow twin: every record beside every other."""
    seen = [tuple(row[place] for place in places) for row in rows]
    return sum(seen.count(one) == 1 for one in seen)


@given(ROWS.filter(lambda rows: any(cell is not None for row in rows for cell in row)))
def test_counts_are_those_by_hand(rows: list[tuple[object, ...]]) -> None:
    table = table_of({name: [row[n] for row in rows] for n, name in enumerate(NAMES)})
    found = uniqueness(MemoryEngine(table), NAMES, asked=3)
    sizes = Counter(rows)
    assert found.records == len(rows)
    assert found.equivalence_classes == len(sizes)
    assert found.k == min(sizes.values())
    assert found.alone == alone_by_hand(rows, [0, 1, 2])
    assert found.below == sum(n for n in sizes.values() if n < 3)
    for number, name in enumerate(NAMES):
        others = [place for place in range(3) if place != number]
        assert found.alone_without[name] == alone_by_hand(rows, others)
        assert found.alone_by[name] == alone_by_hand(rows, [number])
        assert found.alone_by[name] <= found.alone
        assert 0 <= found.share(name) <= 1
        assert found.alone_without[name] <= found.alone


def test_without_the_only_column_all_are_alike() -> None:
    engine = MemoryEngine(table_of({"a": [1, 2, 2]}))
    found = uniqueness(engine, ["a"])
    assert (found.alone, found.alone_without["a"], found.share("a")) == (1, 0, 1.0)
    one = uniqueness(MemoryEngine(table_of({"a": [1]})), ["a"])
    assert (one.alone, one.alone_without["a"]) == (1, 1)


def test_progress_is_told() -> None:
    told: list[float] = []
    table = table_of({"a": [1, 2], "b": [1, 1]})
    uniqueness(MemoryEngine(table), ["a", "b"], progress=told.append)
    assert told == [1 / 3, 2 / 3]
