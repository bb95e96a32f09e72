"""Proposed schemas: likely identifiers, constants, remarks that show no value."""

from hypothesis import given

from oracles.tables_by_hand import plain_tables
from privet.files import table_of
from privet.proposal import propose
from privet.schema import Kind, Role, Schema

N = 100


def look(**columns: list[object]) -> tuple[dict[str, Role], dict[str, str]]:
    proposal = propose(table_of(columns))
    roles = {column.name: column.role for column in proposal.schema}
    return roles, {name: " ".join(said) for name, said in proposal.remarks.items()}


def test_identifiers() -> None:
    roles, _ = look(
        number=list(range(N)),
        label=[f"x{i}" for i in range(N)],
        nearly=[f"x{min(i, N - 4)}" for i in range(N)],
        sparse=[i if i % 2 else None for i in range(N)],
        patientId=[i * 7 // 10 for i in range(N)],
        visits=[i * 7 // 10 for i in range(N)],
        width=[i * 7 // 10 for i in range(N)],
        weight=[i / 7 for i in range(N)],
        age=[i % 50 for i in range(N)],
    )
    found = {name for name, role in roles.items() if role is Role.IDENTIFIER}
    assert found == {"number", "label", "nearly", "sparse", "patientId"}
    assert set(roles.values()) == {Role.IDENTIFIER, Role.QUASI}


def test_remarks() -> None:
    import datetime as dt

    _, remarks = look(
        constant=["k"] * N,
        gone=[None] * N,
        few=[i % 3 for i in range(N)],
        holes=[None if i % 2 else i % 20 for i in range(N)],
        born=[dt.date(2000, 1, 1 + i % 28) for i in range(N)],
        plain=["ab"[i % 2] for i in range(N)],
    )
    assert "constant" in remarks["constant"]
    assert "every cell is missing" in remarks["gone"]
    assert "could be categories" in remarks["few"]
    assert f"missing in 50 of {N}" in remarks["holes"]
    assert "dates" in remarks["born"]
    assert "plain" not in remarks


@given(plain_tables())
def test_a_proposal_is_a_schema_and_shows_no_label(drawn) -> None:
    plain, kinds = drawn
    table = table_of(plain)
    proposal = propose(table, missing=["?"])
    assert Schema.from_toml(proposal.to_toml()) == proposal.schema
    assert {column.name: column.kind for column in proposal.schema} == kinds
    remarks = " ".join(" ".join(said) for said in proposal.remarks.values())
    for name in table:
        if table[name].domain.kind is Kind.CATEGORY:
            long = [value for value in table[name].domain.values if len(value) > 6]
            assert not any(value in remarks for value in long)
