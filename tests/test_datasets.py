"""Built-in tables: well-formed, reproducible, and shaped as their descriptions say."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from privet.datasets import adult_like, hospital, houses, make, registry, schema_of
from privet.datasets.sampling import Choice
from privet.errors import InvalidParameter, UsageError
from privet.schema import Kind, Role
from privet.table import Table, code_type

names = st.sampled_from(sorted(registry()))


def rows_of(table: Table) -> list[tuple[str, ...]]:
    columns = [[table[name].domain.texts[code] for code in table[name].codes] for name in table]
    return list(zip(*columns, strict=True))


@settings(max_examples=60, deadline=None)
@given(names, st.integers(1, 400), st.integers(0, 2**40))
def test_domains_hold_exactly_the_values_that_occur(name: str, n: int, seed: int) -> None:
    table = make(name, n, seed)
    assert table.n_rows == n
    for column in table:
        domain, codes = table[column].domain, table[column].codes
        assert np.array_equal(np.unique(codes), np.arange(domain.size))
        assert codes.dtype == code_type(domain.size)
        values = domain.values.tolist()
        assert values == sorted(set(values))


@settings(max_examples=40, deadline=None)
@given(names, st.integers(1, 100), st.integers(0, 100), st.integers(0, 2**40))
def test_a_small_table_is_the_beginning_of_a_larger_one(
    name: str, n: int, more: int, seed: int
) -> None:
    assert rows_of(make(name, n, seed)) == rows_of(make(name, n + more, seed))[:n]


def test_blocks_leave_no_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {name: rows_of(make(name, 100, 3)) for name in registry()}
    monkeypatch.setattr("privet.datasets.sampling._BLOCK", 7)
    assert {name: rows_of(make(name, 100, 3)) for name in registry()} == whole


@pytest.mark.parametrize("name", sorted(registry()))
def test_seeds_give_different_tables(name: str) -> None:
    assert rows_of(make(name, 50, 1)) != rows_of(make(name, 50, 2))


@given(
    st.lists(
        st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any), min_size=1, max_size=6
    ),
    st.data(),
)
def test_a_choice_follows_its_weights(weights: list[list[int]], data: st.DataObject) -> None:
    """Against the obvious way: walk along the weights until they exceed the number drawn."""
    parent = data.draw(st.integers(0, len(weights) - 1))
    part = data.draw(st.integers(0, 239))
    ends = [480 * sum(weights[parent][: i + 1]) for i in range(4)]
    place = (2 * part + 1) * sum(weights[parent])
    assume(place not in ends)  # a number on a border may be rounded either way
    slow = next(i for i in range(4) if place < ends[i])
    fast = Choice(weights).draw(np.array([(part + 0.5) / 240]), np.array([parent]))
    assert fast.tolist() == [slow]


def test_a_choice_never_leaves_its_parent() -> None:
    """The largest number below one must not be rounded up into the next parent's interval."""
    largest = np.array([np.nextafter(1.0, 0.0)])
    choice = Choice([[1, 1, 1]] * 100)
    assert [int(choice.draw(largest, np.array([p]))[0]) for p in range(100)] == [2] * 100


def gain(table: Table, column: str, target: str, within: np.ndarray) -> float:
    """The information gain of the best split in two, by counts."""
    codes, response = table[column].codes[within], table[target].codes[within]
    size = table[column].domain.size
    n = np.bincount(codes, minlength=size)
    high = np.bincount(codes, weights=response, minlength=size)
    if table[column].domain.kind is Kind.CATEGORY:
        order = np.argsort(high / np.maximum(n, 1))
        n, high = n[order], high[order]
    left, left_high = np.cumsum(n)[:-1], np.cumsum(high)[:-1]
    proper = (left > 0) & (left < n.sum())
    left, left_high = left[proper], left_high[proper]
    right, right_high = n.sum() - left, high.sum() - left_high

    def entropy(p: np.ndarray) -> np.ndarray:
        p = np.clip(p, 1e-12, 1 - 1e-12)
        return -(p * np.log2(p) + (1 - p) * np.log2(1 - p))

    after = left * entropy(left_high / left) + right * entropy(right_high / right)
    return float(entropy(np.array(high.sum() / n.sum())) - after.min() / n.sum())


def ranking(table: Table, target: str, within: np.ndarray) -> list[str]:
    columns = [name for name in table if name != target]
    return sorted(columns, key=lambda c: -gain(table, c, target, within))


@pytest.mark.parametrize("seed", range(3))
def test_the_census_tree_begins_like_the_real_one(seed: int) -> None:
    table = adult_like(30_000, seed)
    labels = np.array(table["relationship"].domain.texts, dtype=object)[table["relationship"].codes]
    married = np.isin(labels, ["Husband", "Wife"])
    high = table["income"].codes == 1
    assert 0.22 < high.mean() < 0.26
    assert ranking(table, "income", np.ones(30_000, bool))[0] in ("relationship", "marital_status")
    assert set(ranking(table, "income", married)[:2]) == {"education_num", "capital_gain"}
    educated = table["education_num"].domain.values[table["education_num"].codes] > 12
    assert ranking(table, "income", married & educated)[0] == "capital_gain"


def test_the_census_has_its_columns() -> None:
    table = adult_like(5_000)
    assert table.names == (
        *("age", "workclass", "education_num", "marital_status", "occupation", "relationship"),
        *("race", "sex", "capital_gain", "capital_loss", "hours_per_week", "income"),
    )
    assert table["occupation"].domain.missing
    gone = [table[c].codes == table[c].domain.missing_code for c in ("occupation", "workclass")]
    assert np.array_equal(*gone)


def test_the_hospital_has_what_makes_tables_hard() -> None:
    table = hospital(3_000, 5)
    schema = schema_of("hospital", table)
    assert schema.names(Role.IDENTIFIER) == ("patient_id",)
    assert schema.sensitive == ("diagnosis",)
    assert schema.target == "readmitted"
    assert table["patient_id"].domain.size == 3_000
    kinds = [table[c].domain.kind for c in ("birth_date", "admission_date", "postcode", "bmi")]
    assert kinds == [Kind.DATE, Kind.DATE, Kind.CATEGORY, Kind.DECIMAL]
    assert {text[0] for text in table["postcode"].domain.texts if text} == {"0", "1"}
    assert table["bmi"].domain.missing
    assert table["postcode"].domain.missing
    days = {c: table[c].domain.values[table[c].codes] for c in ("birth_date", "admission_date")}
    assert (days["admission_date"] - days["birth_date"] > 17 * 365).all()
    assert ranking(table, "readmitted", np.ones(3_000, bool)).index("previous_admissions") <= 3


def test_house_prices_depend_on_size_and_district() -> None:
    table = houses(5_000, 5)
    price = table["price"].domain.values[table["price"].codes]
    area = table["floor_area"].domain.values[table["floor_area"].codes]
    assert schema_of("houses", table).target == "price"
    assert (price % 500 == 0).all()
    assert np.corrcoef(area, price)[0, 1] > 0.6
    means = [price[table["district"].codes == code].mean() for code in range(6)]
    assert max(means) > 1.5 * min(means)


@pytest.mark.parametrize("name", sorted(registry()))
@pytest.mark.parametrize("n", [0, -1])
def test_a_table_has_at_least_one_row(name: str, n: int) -> None:
    with pytest.raises(InvalidParameter, match="at least 1"):
        make(name, n)


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match="adult, crd, csd, hospital, houses"):
        make("zoo", 10)


def test_the_program_writes_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from privet.datasets.__main__ import main

    out = tmp_path / "new" / "hospital.csv"
    assert main(["hospital", "20", "--seed", "4", "--out", str(out)]) == 0
    assert "20 rows, 10 columns" in capsys.readouterr().out
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0].replace('"', "").split(",") == list(hospital(20, 4).names)
    assert len(lines) == 21
    assert main(["hospital", "0", "--out", str(out)]) == 2
    assert "Hint" not in capsys.readouterr().out
