"""Schemas: roles, TOML, and mistakes in them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InputError, UnknownColumn, UsageError
from privet.schema import Column, Kind, Role, Schema

NAMES = st.text(st.characters(exclude_categories=["Cs"]))


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(NAMES, unique=True, max_size=6))
    columns = []
    for name in names:
        role = draw(st.sampled_from(Role))
        also = role is Role.TARGET and draw(st.booleans())
        columns.append(Column(name, draw(st.sampled_from(Kind)), role, also))
    labels = st.lists(NAMES, max_size=3).map(tuple)
    groups = draw(st.dictionaries(NAMES, st.dictionaries(NAMES, labels, max_size=2), max_size=2))
    return Schema(tuple(columns), groups, tuple(draw(st.lists(NAMES, max_size=3))))


@given(schemas())
def test_toml_round_trip(schema: Schema) -> None:
    if schema.columns:
        assert Schema.from_toml(schema.to_toml()) == schema
        plain = Schema.from_dict(schema.to_dict())
        assert plain.columns == schema.columns


@given(schemas())
def test_every_column_has_one_role(schema: Schema) -> None:
    by_role = [name for role in Role for name in schema.names(role)]
    assert sorted(by_role) == sorted(schema.names())


def three() -> Schema:
    return Schema(tuple(Column(name, Kind.INTEGER) for name in "abc"))


def test_roles() -> None:
    schema = three().with_roles(target="c", sensitive=["b", "c"])
    assert (schema.target, schema.sensitive, schema.quasi) == ("c", ("b", "c"), ("a",))
    moved = schema.with_roles(target="a")
    assert moved.target == "a"
    assert moved["c"].role is Role.QUASI
    assert three().without(["b"]).names() == ("a", "c")
    with pytest.raises(UnknownColumn, match="named in quasi"):
        three().with_roles(quasi=["d"])
    with pytest.raises(UnknownColumn):
        three().without(["d"])
    with pytest.raises(UsageError, match="both"):
        three().with_roles(quasi=["a"], identifier=["a"])
    with pytest.raises(UsageError, match="More than one target"):
        three().with_roles(target=["a", "b"])
    with pytest.raises(UsageError, match="exactly one target"):
        _ = three().target


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "",
        "columns = 3",
        "[columns]\na = 3",
        '[columns.a]\nkind = "number"',
        '[columns.a]\nrole = "king"',
        "[columns.a]\n[other]",
        "missing = 3\n[columns.a]",
        "groups = 3\n[columns.a]",
        "[columns.a]\n[groups]\nx = 3",
        "[columns.a]\n[groups.x]\ny = 3",
    ],
)
def test_mistakes_in_a_schema_file(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Schema.from_toml(text)
    assert caught.value.hint


def test_a_schema_file_may_be_named_by_a_text(tmp_path: Path) -> None:
    schema = Schema((Column("age", Kind.INTEGER, Role.QUASI),))
    (tmp_path / "s.toml").write_text(schema.to_toml())
    assert Schema.read(str(tmp_path / "s.toml")) == Schema.read(tmp_path / "s.toml") == schema
