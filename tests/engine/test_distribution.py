"""Distributions of one column: by value, or in ten even ranges that hold every number once."""

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from privet.engine import MemoryEngine
from privet.engine.distribution import N_RANGES, Ranges, distribution
from privet.files import table_of

WHOLE = st.lists(st.none() | st.integers(-(2**62), 2**62), min_size=1, max_size=30)
SMALL = st.lists(st.none() | st.integers(-9, 9), min_size=1, max_size=30)
DECIMALS = st.lists(
    st.none() | st.floats(-1e300, 1e300) | st.sampled_from([1e6 + 0.1, 1e6 + 0.2]),
    min_size=1,
    max_size=30,
)


def engine_of(cells: list[Any], kind: str) -> MemoryEngine:
    return MemoryEngine(table_of({"x": cells}, kinds={"x": kind}))


@given(
    st.one_of(st.tuples(st.just("integer"), WHOLE | SMALL), st.tuples(st.just("decimal"), DECIMALS))
)
def test_every_record_is_counted_once_in_its_range(case: tuple[str, list[Any]]) -> None:
    kind, cells = case
    engine = engine_of(cells, kind)
    ranges = Ranges.over([engine.domain("x")])
    numbers = [cell for cell in cells if cell is not None]
    if not numbers:
        assert ranges is None
        return
    assert ranges is not None
    shares = distribution(engine, "x", ranges)
    assert sum(share.records for share in shares) == len(cells)
    assert len({share.text for share in shares}) == len(shares)
    bounds = [*ranges.starts, None]
    for place, low in enumerate(ranges.starts):
        high = bounds[place + 1]
        inside = [n for n in numbers if n >= low and (high is None or n < high)]
        assert shares[place].records == len(inside)
    assert [s.records for s in shares if s.text is None] == (
        [cells.count(None)] if None in cells else []
    )


@given(WHOLE | SMALL)
def test_ranges_are_even(cells: list[Any]) -> None:
    engine = engine_of(cells, "integer")
    ranges = Ranges.over([engine.domain("x")])
    numbers = [Fraction(cell) for cell in cells if cell is not None]
    if ranges is None:
        return
    step = (max(numbers) - min(numbers)) / N_RANGES
    assert len(ranges.starts) <= N_RANGES
    for place in range(N_RANGES):
        assert any(0 <= start - (min(numbers) + step * place) < 1 for start in ranges.starts)


def test_words() -> None:
    whole = engine_of([0, 5, 99], "integer")
    assert Ranges.over([whole.domain("x")]).texts[:2] == ["0 to 9", "10 to 19"]  # type: ignore[union-attr]
    days = engine_of(["2024-01-01", "2024-01-03"], "date")
    ranges = Ranges.over([days.domain("x")])
    assert ranges is not None
    assert ranges.texts == ["2024-01-01", "2024-01-02", "2024-01-03"]
    one = engine_of([2.5, 2.5, None], "decimal")
    (share, missing) = distribution(one, "x", Ranges.over([one.domain("x")]))
    assert (share.text, share.records, missing.text, missing.records) == ("2.5", 2, None, 1)
    labels = engine_of(["b", "a", None, "b"], "category")
    found = [(share.text, share.records) for share in distribution(labels, "x", None)]
    assert found == [("a", 1), ("b", 2), (None, 1)]
