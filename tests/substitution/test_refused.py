"""What the perturber refuses: nothing is released by mistake, and no name means two things."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.errors import InputError, InvalidParameter, UsageError
from privet.mechanism.domains import declared_domain
from privet.mechanism.matrices import GammaDiagonal, exact_number
from privet.mechanism.substitution import Substitution
from privet.schema import Column, Kind, PublicDomain
from privet.substitution import RandomSubstitution
from privet.substitution.budget import gammas_within
from privet.table import Coded

PEOPLE = {
    "a": ["p", "q"] * 30,
    "b": ["s", "t", "t"] * 20,
    "a+b": ["u", "v", "w"] * 20,
    "class": ["yes", "no"] * 30,
}


def test_all_columns_that_lack_a_domain_are_named_at_once() -> None:
    with pytest.raises(UsageError, match=r"no domain for column 'a', nor for b, a\+b\."):
        privet.substitute(PEOPLE, target="class")


def test_a_column_of_one_value_can_be_left_out_as_the_hint_says() -> None:
    people = {"a": PEOPLE["a"], "same": ["k"] * 60, "class": PEOPLE["class"]}
    with pytest.raises(UsageError, match='have it not released: identifier="same"'):
        privet.substitute(people, target="class", domain_from_data=True)
    left = privet.substitute(people, target="class", identifier="same", domain_from_data=True)
    assert left.rows.records().names == ("a", "class")
    with pytest.raises(UsageError, match="leave it out of columns"):
        privet.substitute(people, columns=["a", "same"], domain_from_data=True)


@pytest.mark.parametrize("named", [{"columns": ["a"]}, {"joint": [("a", "b")]}])
def test_an_identifier_is_not_released_however_it_is_named(named: dict[str, object]) -> None:
    some = {name: PEOPLE[name] for name in ("a", "b", "class")}
    with pytest.raises(UsageError, match="'a' is an identifier") as caught:
        privet.substitute(some, target="class", identifier="a", domain_from_data=True, **named)  # type: ignore[arg-type]
    assert "leave it out of columns and joint" in caught.value.hint
    table = privet.table_of(some)
    schema = table.schema().with_roles(target="class", identifier=["a"])
    with pytest.raises(UsageError, match="'a' is an identifier"):
        RandomSubstitution(domain_from_data=True, **named).fit(table, schema)  # type: ignore[arg-type]


def test_columns_drawn_together_have_a_name_of_their_own() -> None:
    table = privet.table_of(PEOPLE)
    schema = table.schema().with_roles(target="class")
    asked = {"joint": [("a", "b")], "domain_from_data": True}
    for columns in (None, []):  # "a+b" is perturbed as well, or left as it is
        with pytest.raises(UsageError, match=r"'a\+b' is the name of") as caught:
            RandomSubstitution(columns=columns, epsilon=4, **asked).fit(table, schema)
        assert "rename the column" in caught.value.hint
    named = privet.table_of(
        {"a": PEOPLE["a"], "b+c": PEOPLE["b"], "a+b": PEOPLE["a"], "c": PEOPLE["b"]}
    )
    twice = RandomSubstitution([], joint=[("a", "b+c"), ("a+b", "c")], domain_from_data=True)
    with pytest.raises(UsageError, match=r"'a\+b\+c' is the name of"):
        twice.fit(named)
    without = privet.table_of({name: PEOPLE[name] for name in ("a", "b", "class")})
    fitted = RandomSubstitution(columns=[], **asked).fit(without)
    written = fitted.mechanism_.to_data()
    assert Substitution.from_data(written).to_data() == written
    written["unchanged"] = ["a+b"]
    with pytest.raises(InputError, match=r"'a\+b' is the name of"):
        Substitution.from_data(written)


def test_a_column_named_twice_is_perturbed_once() -> None:
    table = privet.table_of(PEOPLE)
    fitted = RandomSubstitution(["a", "a"], domain_from_data=True).fit(table)
    assert fitted.mechanism_.columns == ("a",)


@given(
    st.sampled_from(["centre", "lower", "random"]),
    st.sampled_from([Kind.INTEGER, Kind.DECIMAL]),
    st.integers(2, 30),
    st.integers(30, 90),
    st.lists(st.integers(0, 29), min_size=1, max_size=30),
)
def test_what_is_drawn_can_be_drawn_and_little_else(
    how: str, kind: Kind, bins: int, high: int, drawn: list[int]
) -> None:
    column = Column("x", kind, domain=PublicDomain((0, high), bins))
    domain = declared_domain(column, 20, how)  # type: ignore[arg-type]
    codes = (np.array(drawn) % domain.size).astype(np.uint8)
    domain.refuse_undrawn(domain.decode(codes, seed=1))
    every = np.arange(high + 1).astype(np.int64 if kind is Kind.INTEGER else np.float64)
    originals = Coded.of(every, kind, np.zeros(len(every), dtype=bool))
    shown = set(every.tolist()) if how == "random" else set(domain.shown.values.tolist())
    others = len(set(every.tolist()) - shown)
    if others:
        with pytest.raises(UsageError, match=f"has {others} cells that its matrix cannot draw"):
            domain.refuse_undrawn(originals)
    else:
        domain.refuse_undrawn(originals)


@given(
    st.sampled_from([Kind.DECIMAL, Kind.DATETIME]),
    st.sampled_from(["centre", "lower"]),
    st.integers(2, 30),
    st.floats(0.1, 1e5),
)
def test_what_a_file_has_rounded_is_restored(kind: Kind, how: str, bins: int, high: float) -> None:
    """Excel keeps 15 digits, SPSS milliseconds: a lower end fell into the bin below."""
    ends = (high / 3, high) if kind is Kind.DECIMAL else ("2024-01-01T00:00:01", "2024-03-01")
    domain = declared_domain(Column("x", kind, domain=PublicDomain(ends, bins)), 20, how)  # type: ignore[arg-type]
    codes = np.arange(domain.size, dtype=np.uint8).repeat(2)
    drawn = domain.decode(codes)
    values = drawn.domain.values[drawn.codes]
    rounded = (
        np.array([float(f"{value:.15g}") for value in values.tolist()])
        if kind is Kind.DECIMAL
        else values // 1000 * 1000
    )
    there = np.zeros(len(codes), dtype=bool)
    read = domain.restored(Coded.of(rounded, kind, there))
    domain.refuse_undrawn(read)
    assert np.array_equal(domain.encode(read), codes)
    far = rounded * 1.001 if kind is Kind.DECIMAL else rounded + 5_000
    with pytest.raises(UsageError, match="cannot draw"):
        domain.refuse_undrawn(domain.restored(Coded.of(far, kind, there)))


def test_a_label_that_other_stands_for_cannot_be_drawn() -> None:
    public = PublicDomain(("a", "b"), other="else")
    domain = declared_domain(Column("x", Kind.CATEGORY, domain=public), 20)
    labels = np.array(["a", "secret", "else"], dtype=object)
    column = Coded.of(labels, Kind.CATEGORY, np.zeros(3, dtype=bool))
    domain.encode(column)  # as an original it is one of the others
    with pytest.raises(UsageError, match="1 cells that its matrix") as caught:
        domain.refuse_undrawn(column)
    assert "secret" not in str(caught.value)
    missing = Coded.of(labels[:1], Kind.CATEGORY, np.ones(1, dtype=bool))
    with pytest.raises(UsageError, match="1 cells that its matrix"):
        domain.refuse_undrawn(missing)


def test_a_matrix_without_an_epsilon_fits_in_none() -> None:
    own = RandomSubstitution(
        ["b"], matrix=[[1, "0.5"], [0, "0.5"]], epsilon=6, domain_from_data=True
    )
    with pytest.raises(UsageError, match="b rules out originals: no epsilon") as caught:
        own.fit(privet.table_of(PEOPLE))
    assert "raise" not in caught.value.hint
    with pytest.raises(UsageError, match="does not go round"):
        gammas_within(1, ["a"], {}, {"b": GammaDiagonal(9, 2)})


@pytest.mark.parametrize(
    "gamma", ["1e400", "1e308", "9" * 300, 10**500, "1e-400", "1." + "1" * 300]
)
def test_absurd_numbers_are_told_in_a_sentence(gamma: str | int) -> None:
    with pytest.raises(UsageError) as caught:
        GammaDiagonal(gamma, 5)
    assert len(caught.value.message) < 250
    with pytest.raises(InvalidParameter):
        exact_number("-1e400", "gamma")
