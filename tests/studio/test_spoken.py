"""The command line and the lines of Python that the page shows do what the page does."""

import ast
import shlex
from pathlib import Path
from typing import Any

import typer
from hypothesis import given
from hypothesis import strategies as st

from privet.cli.loading import names
from privet.cli.main import application
from privet.studio.choices import ROLES, Choices
from privet.studio.spoken import can_be_named, command, python

COLUMNS = st.lists(
    st.text(min_size=1, max_size=8).filter(can_be_named), min_size=1, max_size=6, unique=True
)
PUBLISH = typer.main.get_command(application(["publish"])).commands["publish"]


@st.composite
def choices(draw: st.DrawFn) -> Choices:
    columns = draw(COLUMNS)
    made = Choices(roles={name: draw(st.sampled_from([*ROLES][:1])) for name in columns})
    for name in columns:
        made = made.with_role(name, draw(st.sampled_from([*ROLES])))
    levels = {
        "k": draw(st.integers(1, 500)),
        "l": draw(st.sampled_from([None, "2", "1.5"])),
        "t": draw(st.sampled_from([None, "0.3", "0"])),
        "leaves": draw(st.sampled_from([None, 7])),
        "categories": tuple(draw(st.lists(st.sampled_from(columns), unique=True))),
        "missing": tuple(draw(st.lists(st.sampled_from(["?", "-9", "n/a"]), unique=True))),
    }
    return Choices(**(vars(made) | levels))


def typed(line: str) -> dict[str, Any]:
    """What the command would get."""
    words = shlex.split(line)
    assert words[:2] == ["privet", "publish"]
    return dict(PUBLISH.make_context("publish", words[2:]).params)


@given(choices())
def test_the_command_line_says_what_was_chosen(chosen: Choices) -> None:
    arguments = chosen.to_publish()
    places = {"out": "a release", "audit": "audit", "title": "It's mine"}
    got = typed(command("publish", "people.csv", arguments, places))
    assert got["table"] == Path("people.csv")
    assert (got["out"], got["audit"]) == (Path("a release"), Path("audit"))
    assert got["title"] == "It's mine"
    assert got["target"] == arguments.get("target")
    for role in ("sensitive", "identifier", "other", "drop"):
        assert names(got[role]) == arguments.get(role, [])
    assert names(got["category"]) == list(arguments.get("kinds", {}))
    assert list(got["missing"] or []) == arguments.get("missing", [])
    for level in ("k", "l", "t", "leaves"):
        assert got[level] == arguments.get(level), level
    assert not got["quasi"]
    assert got["rest"] is None


@given(choices())
def test_the_lines_of_python_say_what_was_chosen(chosen: Choices) -> None:
    arguments = chosen.to_publish()
    text = python("publish", "people.csv", arguments, {"out": "r", "audit": "a", "title": "T"})
    program = ast.parse(text)
    calls = [node for node in ast.walk(program) if isinstance(node, ast.Call)]
    called = {ast.unparse(call.func): call for call in calls}
    given_names = {
        word.arg: ast.literal_eval(word.value) for word in called["privet.publish"].keywords
    }
    assert given_names == arguments | {"title": "T"}
    assert ast.unparse(called["release.save"]) == "release.save('r', audit='a')"


def test_a_table_whose_name_begins_with_a_dash_is_no_option() -> None:
    line = command("publish", "-k.csv", {"k": 3}, {"out": "-o"})
    got = typed(line)
    assert got["table"] == Path("./-k.csv")
    assert got["out"] == Path("-o")


@given(choices())
def test_there_is_one_target_at_most(chosen: Choices) -> None:
    assert len(chosen.columns("target")) <= 1
    assert ("l" in chosen.levels()) <= chosen.hides_columns


def test_roles_of_a_schema_are_named_only_where_they_differ() -> None:
    declared = {"a": "sensitive", "b": "target", "c": "quasi"}
    same = Choices(roles=declared, declared=declared, schema=Path("s.toml"))
    assert same.named_roles() == {}
    other = same.with_role("a", "quasi").with_role("c", "target")
    assert other.named_roles() == {"target": "c", "quasi": ["a", "b"], "rest": "quasi"}
