"""Identifiers and dropped columns are not read: nothing in them can slow a method down or stop it,
and what is made is the same as if they had been read."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.cli.main import main
from privet.errors import UnknownColumn, UsageError
from privet.roles import Roles, columns_to_read, schema_for
from privet.schema import Column, Kind, Role, Schema

CELLS: dict[str, list[Any]] = {
    "age": [21, 25, 33, 38, 41, 47, 52, 55, 60, 63, 68, 71],
    "town": list("aabbccaabbcc"),
    "y": ["n"] * 6 + ["j"] * 6,
}
UNREADABLE = [[n] for n in range(12)]  # lists are no cells
NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a column that no method could read."""
    found = tmp_path / "people.parquet"
    pq.write_table(pa.table({"tags": pa.array(UNREADABLE), **CELLS}), found)
    return found


@pytest.mark.parametrize("role", ["identifier", "drop"])
def test_calls_leave_them_unread(path: Path, role: str) -> None:
    asked: dict[str, Any] = {"target": "y", role: "tags"}
    release = privet.publish(path, k=2, leaves=2, **asked)
    plain = privet.publish(CELLS, k=2, leaves=2, target="y")
    assert release.manifest.content_sha256 == plain.manifest.content_sha256
    frame = pa.table({"tags": pa.array(UNREADABLE), **CELLS})
    again = privet.publish(frame, k=2, leaves=2, **asked)
    assert again.manifest.content_sha256 == release.manifest.content_sha256
    assert privet.grow(path, **asked).n_leaves == privet.grow(CELLS, target="y").n_leaves
    assert privet.explore(path, leaves=2, **asked).lines
    assert "tags" not in privet.add_noise(path, seed=1, **asked).data.column_names
    assert "tags" not in privet.anonymise(path, k=2, **asked).data.column_names
    assert privet.check(path, quasi=["age"], k=1).holds


def test_substitution_leaves_identifiers_unread(path: Path) -> None:
    release = privet.substitute(path, target="y", identifier="tags", domain_from_data=True, bins=4)
    assert "tags" not in release.data.column_names


def test_an_identifier_of_a_schema_is_unread(path: Path) -> None:
    columns = [Column("tags", Kind.CATEGORY, Role.IDENTIFIER), Column("age", Kind.INTEGER)]
    schema = Schema((*columns, Column("y", Kind.CATEGORY, Role.TARGET)))
    assert privet.publish(path, schema=schema, k=2, leaves=2).tree is not None
    assert privet.grow(path, schema=schema).n_leaves == 2
    with pytest.raises(privet.PrivetError, match="tags"):
        privet.publish(path, schema=schema, quasi="tags", rest="drop", k=2)


@pytest.mark.parametrize("option", ["--identifier", "--drop"])
@pytest.mark.parametrize(
    "command",
    [
        ["publish", "-k", "2", "--leaves", "2", "--dry-run", "--out", "made"],
        ["noise", "--seed", "1", "--dry-run", "--out", "made"],
        ["anonymise", "-k", "2", "--dry-run", "--out", "made"],
        ["tree"],
        ["explore", "-k", "2", "--json"],
    ],
)
def test_commands_leave_them_unread(
    path: Path, command: list[str], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *others = command
    assert main([name, str(path), "--target", "y", option, "tags", *others]) == 0
    assert main([name, str(path), "--target", "y", *others]) != 0
    assert "tags" in capsys.readouterr().err


def test_names_are_still_looked_up(path: Path) -> None:
    for role in ("identifier", "drop"):
        with pytest.raises(UnknownColumn, match="tag"):
            privet.publish(path, k=2, target="y", **{role: "tag"})
    with pytest.raises(UsageError, match="dropped and named as identifier"):
        privet.publish(path, k=2, target="y", drop="tags", identifier="tags")
    with pytest.raises(UsageError, match="named both as"):
        privet.publish(path, k=2, target="y", other="age", identifier=["tags", "age"])


@given(
    declared=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(list(Role))),
    given_=st.dictionaries(
        st.sampled_from(NAMES), st.sampled_from(["target", "identifier", "quasi", "other", "drop"])
    ),
    rest=st.sampled_from([None, "quasi", "other", "drop"]),
)
def test_what_is_unread_is_of_no_use(
    declared: dict[str, Role], given_: dict[str, str], rest: Any
) -> None:
    """Read or unread, the schema says the same of every column that may be looked at."""
    table = privet.table_of({name: [1, 2] for name in NAMES})
    columns = tuple(Column(name, Kind.INTEGER, role) for name, role in declared.items())
    known = Schema(columns) if declared else None
    named = {role: [n for n, own in given_.items() if own == role] for role in given_.values()}
    roles = Roles(**named, rest=rest)
    needed = columns_to_read(NAMES, known, roles)
    few = table.select(needed)
    whole = _said(schema_for, table, known, roles, needs_target=False)
    part = _said(schema_for, few, known, roles, needs_target=False, names=NAMES)
    if isinstance(whole, str) or isinstance(part, str):
        assert whole == part
        return
    looked_at = [column for column in whole if column.role is not Role.IDENTIFIER]
    assert looked_at == [column for column in part if column.role is not Role.IDENTIFIER]
    assert whole.names() == part.names()
    if looked_at:
        assert needed == [column.name for column in looked_at]


def _said(call: Any, *arguments: Any, **named: Any) -> Schema | str:
    """What a call gives, or what it says against it."""
    try:
        found: Schema = call(*arguments, **named)
    except UsageError as error:
        return str(error)
    return found
