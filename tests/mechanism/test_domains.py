"""Public domains: every value has its bin, what is outside is refused, files read back."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InputError, UsageError
from privet.mechanism.domains import REPRESENTATIVES, declared_domain, domain_from_data
from privet.mechanism.matrices import GammaDiagonal, TransitionMatrix
from privet.mechanism.substitution import Block, Substitution
from privet.schema import Column, Kind, PublicDomain, Schema
from privet.table import Coded, Domain, Table


def numbers(values: list[float], kind: Kind) -> Coded:
    array = np.array(values, dtype=np.int64 if kind.is_integral else np.float64)
    return Coded.of(array, kind, np.zeros(len(values), dtype=bool))


@given(st.integers(-50, 50), st.integers(1, 300), st.integers(2, 30))
def test_whole_numbers_fall_into_bins_of_equal_width(low: int, span: int, bins: int) -> None:
    column = Column("x", Kind.INTEGER, domain=PublicDomain((low, low + span), bins))
    domain = declared_domain(column, 20)
    every = numbers(list(range(low, low + span + 1)), Kind.INTEGER)
    codes = domain.encode(every)
    count = span + 1
    assert domain.size == min(bins, count)
    if count > bins:
        assert codes.tolist() == [i * bins // count for i in range(count)]
    # what is shown lies in its own bin, so that a perturbed table reads back to the same codes
    shown = Coded(domain.shown, np.arange(domain.size, dtype=np.uint8))
    assert domain.encode(shown).tolist() == list(range(domain.size))


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
    st.integers(2, 30),
    st.lists(st.floats(0, 1), min_size=1, max_size=20),
    st.sampled_from(["centre", "lower", "random"]),
)
def test_decimals_lie_in_their_bins_and_read_back(
    low: float, width: float, bins: int, shares: list[float], how: str
) -> None:
    high = low + width
    column = Column("x", Kind.DECIMAL, domain=PublicDomain((low, high), bins))
    domain = declared_domain(column, 20, how)  # type: ignore[arg-type]
    values = [min(low + share * width, high) for share in shares]
    codes = domain.encode(numbers(values, Kind.DECIMAL))
    assert domain.edges is not None
    for value, code in zip(values, codes.tolist(), strict=True):
        assert domain.edges[code] <= value <= domain.edges[code + 1]
    assert np.array_equal(domain.encode(domain.decode(codes, seed=1)), codes)


def test_random_whole_numbers_stay_in_their_bins() -> None:
    column = Column("x", Kind.INTEGER, domain=PublicDomain((0, 99), 7))
    domain = declared_domain(column, 20, "random")
    codes = (np.arange(5000) % 7).astype(np.uint8)
    decoded = domain.decode(codes, seed=3)
    assert np.array_equal(domain.encode(decoded), codes)
    assert set(decoded.domain.values.tolist()) == set(range(100))


def test_what_is_outside_is_refused_without_showing_it_or_becomes_other() -> None:
    labels = np.array(["a", "secret", "b"], dtype=object)
    cells = Coded.of(labels, Kind.CATEGORY, np.zeros(3, dtype=bool))
    strict = declared_domain(Column("x", Kind.CATEGORY, domain=PublicDomain(("a", "b"))), 20)
    with pytest.raises(UsageError, match="1 cells outside") as caught:
        strict.encode(cells)
    assert "secret" not in str(caught.value)
    lenient = PublicDomain(("a", "b"), other="else")
    domain = declared_domain(Column("x", Kind.CATEGORY, domain=lenient), 20)
    assert [domain.labels()[c] for c in domain.encode(cells)] == ["a", "else", "b"]
    number = declared_domain(Column("x", Kind.INTEGER, domain=PublicDomain((0, 9), 5)), 20)
    with pytest.raises(UsageError, match="2 cells outside"):
        number.encode(numbers([-1, 3, 10], Kind.INTEGER))


def test_missing_must_be_declared() -> None:
    cells = Coded.of(np.array([1, 2, 0]), Kind.INTEGER, np.array([False, False, True]))
    strict = declared_domain(Column("x", Kind.INTEGER, domain=PublicDomain((0, 9), 5)), 20)
    with pytest.raises(UsageError, match="missing"):
        strict.encode(cells)
    lenient = PublicDomain((0, 9), 5, may_be_missing=True)
    domain = declared_domain(Column("x", Kind.INTEGER, domain=lenient), 20)
    assert domain.size == 6
    assert domain.encode(cells).tolist() == [0, 1, 5]


def test_few_distinct_values_need_no_bins() -> None:
    found = domain_from_data("x", numbers([3, 7, 7, 100], Kind.INTEGER), 20)
    assert found.edges is None
    assert found.labels() == [3, 7, 100]
    assert found.from_data


def test_dates_are_binned_and_written_as_dates() -> None:
    column = Column("d", Kind.DATE, domain=PublicDomain(("2024-01-01", "2024-12-31"), 12))
    domain = declared_domain(column, 20)
    assert str(domain.labels()[0]).startswith("2024-01-")


def test_the_schema_file_holds_domains() -> None:
    text = (
        '[columns.age]\nkind = "integer"\ndomain = [0, 120]\nbins = 12\n\n'
        '[columns.sex]\ndomain = ["f", "m"]\nother = "x"\nmay_be_missing = true\n'
    )
    schema = Schema.from_toml(text)
    assert schema["age"].domain == PublicDomain((0, 120), 12)
    assert schema["sex"].domain == PublicDomain(("f", "m"), None, "x", True)
    assert Schema.from_toml(schema.to_toml()) == schema


@pytest.mark.parametrize(
    "entry",
    ['kind = "integer"\ndomain = [1, 2, 3]', "domain = [1, 2]", 'domain = "a"', 'domain = ["a"]',
     'kind = "integer"\ndomain = [0, 9]\nbins = "x"', 'domain = ["a", "a"]'],
)  # fmt: skip
def test_domains_that_cannot_be_are_refused(entry: str) -> None:
    with pytest.raises(InputError, match="domain of column 'x'"):
        Schema.from_toml(f"[columns.x]\n{entry}\n")


def mechanism() -> Substitution:
    age = declared_domain(Column("age", Kind.INTEGER, domain=PublicDomain((0, 99), 5)), 20)
    sex = declared_domain(Column("sex", Kind.CATEGORY, domain=PublicDomain(("f", "m"))), 20)
    day = declared_domain(
        Column("day", Kind.DATE, domain=PublicDomain(("2024-01-01", "2024-12-31"), 3)), 20
    )
    other = TransitionMatrix.of([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    blocks = (Block((age, sex), GammaDiagonal("19/2", 10)), Block((day,), other))
    return Substitution(blocks, ("class",))


def test_the_file_reads_back_and_holds_no_seed(tmp_path: Path) -> None:
    before = mechanism()
    path = tmp_path / "m.json"
    path.write_text(before.to_text())
    after = Substitution.read(path)
    assert after.to_data() == before.to_data()
    assert "seed" not in path.read_text()
    assert json.loads(path.read_text())["method"] == "random substitution"
    assert after.block_of("sex").columns == ("age", "sex")
    assert after.epsilon_of_a_record == pytest.approx(np.log(9.5) + np.log(8))


@given(
    kind=st.sampled_from([Kind.INTEGER, Kind.DATE, Kind.DATETIME, Kind.DECIMAL]),
    low=st.integers(-(10**6), 10**6),
    span=st.integers(1, 300),
    bins=st.integers(2, 40),
    how=st.sampled_from(REPRESENTATIVES),
    missing=st.booleans(),
    from_data=st.booleans(),
)
def test_the_mechanism_of_any_range_reads_back(
    kind: Kind, low: int, span: int, bins: int, how: Any, missing: bool, from_data: bool
) -> None:
    """A last bin of one value, as from N to 2 N whole numbers have it, could not be read."""
    if from_data:
        every = list(range(low, low + span + 1))
        domain = domain_from_data("x", numbers(every, kind), bins, how)
    else:
        ends = Domain(kind, np.array([low, low + span]))
        public = PublicDomain((ends.value(0), ends.value(1)), bins, may_be_missing=missing)
        domain = declared_domain(Column("x", kind, domain=public), 20, how)
    before = Substitution((Block((domain,), GammaDiagonal(9, domain.size)),))
    after = Substitution.from_data(json.loads(before.to_text()))
    assert after.to_data() == before.to_data()
    assert after.blocks[0].domains[0].is_as_made()
    codes = np.arange(domain.size, dtype=np.uint16).repeat(20)
    drawn = domain.decode(codes, seed=1)
    assert np.array_equal(after.blocks[0].domains[0].encode(drawn), codes)


def test_the_narrowest_decimals_are_refused_or_read_back() -> None:
    """Between two decimals next to each other there is no centre."""
    for steps in range(1, 9):
        high = 1.0
        for _ in range(steps):
            high = math.nextafter(high, 2)
        for bins in range(2, 9):
            column = Column("x", Kind.DECIMAL, domain=PublicDomain((1.0, high), bins))
            try:
                domain = declared_domain(column, 20)
            except UsageError:
                continue
            before = Substitution((Block((domain,), GammaDiagonal(9, bins)),))
            after = Substitution.from_data(before.to_data())
            assert after.to_data() == before.to_data()
            assert after.blocks[0].domains[0].is_as_made()


def test_joint_codes_come_apart_again() -> None:
    block = mechanism().blocks[0]
    table = Table(
        {
            "age": numbers([5, 95, 45], Kind.INTEGER),
            "sex": Coded.of(
                np.array(["m", "f", "m"], dtype=object), Kind.CATEGORY, np.zeros(3, dtype=bool)
            ),
        }
    )
    codes = block.encode(table)
    assert codes.tolist() == [1, 8, 5]
    assert {n: c.tolist() for n, c in block.parts(codes).items()} == {
        "age": [0, 4, 2], "sex": [1, 0, 1],
    }  # fmt: skip


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.pop("blocks"),
        lambda d: d.update(format=9),
        lambda d: d["blocks"][0]["matrix"].update(size=11),
        lambda d: d["blocks"][0]["matrix"].update(gamma="1"),
        lambda d: d["blocks"][0]["columns"][0].update(shown=[3, 1]),
        lambda d: d["blocks"][1]["matrix"].update(total=11),
        lambda d: d.update(blocks="x"),
        lambda d: d.update(unchanged=[True]),
        lambda d: d.update(unchanged=[d["blocks"][0]["columns"][0]["name"]]),
        lambda d: d["blocks"][0]["columns"][0].update(name=True),
        lambda d: d["blocks"][0]["columns"][0].update(other="nowhere"),
        lambda d: d["blocks"][0]["columns"][0].update(representative="best"),
        lambda d: d["blocks"][0]["columns"][0].update(edges=[1]),
        lambda d: d["blocks"][0]["columns"][0].update(edges=[0, 20, 20, 60, 80, 99]),
        lambda d: d["blocks"][0]["columns"][0].update(edges=[0, 20, 40, 60, 80, 79]),
        lambda d: d["blocks"][0]["columns"][0].update(edges=[50, 60, 70, 80, 90, 99]),
        lambda d: d["blocks"][0]["columns"][0].update(may_be_missing="no"),
        lambda d: d["blocks"][0]["columns"][0]["shown"].__setitem__(0, [1]),
        lambda d: d["blocks"][0]["columns"][0]["shown"].__setitem__(0, -(10**30)),
        lambda d: d["blocks"][0]["matrix"].update(gamma="1e999999999"),
        lambda d: d["blocks"][0]["matrix"].update(size=True),
        lambda d: d["blocks"][1]["matrix"].update(weights=[[1]]),
        lambda d: d["blocks"].append(
            {"matrix": {"kind": "weights", "total": 5, "weights": [[5]]}, "columns": []}
        ),
        lambda d: d["blocks"][1]["matrix"].update(weights=[[1.5, 1], [1, 1]]),
    ],
)
def test_a_spoilt_file_is_refused(spoil, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    data = mechanism().to_data()
    spoil(data)
    with pytest.raises(InputError):
        Substitution.from_data(data)
    (tmp_path / "m.json").write_text("[1")
    with pytest.raises(InputError, match="cannot be read as JSON"):
        Substitution.read(tmp_path / "m.json")
