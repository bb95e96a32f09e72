"""Values read without Typer's reader are those that it reads; what is not plain is left to it."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from privet.cli.command import Command, Group
from privet.cli.plain_values import LEFT, plain_value

Law = Literal["bell", "normal", "7"]
KINDS: dict[str, Any] = {
    "text": str,
    "whole": int,
    "number": float,
    "place": Path,
    "law": Law,
    "texts": list[str],
    "places": list[Path],
}
words = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["", "-", ".", "/", "bell", "Bell", "7", "07", "-0", "1e3", "1_0", " 1", "١", "nan"]
    ),
    st.integers().map(str),
    st.floats().map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.sampled_from(["a\udcff", "a\0b", "ü", "x" * 300]),
)


def command() -> Any:
    """A command with an option of each kind, as Typer makes it."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command()
    def run(
        text: str | None = None,
        whole: int | None = None,
        number: float | None = None,
        place: Path | None = None,
        law: Annotated[Law | None, typer.Option()] = None,
        texts: list[str] | None = None,
        places: list[Path] | None = None,
    ) -> None:
        """Do nothing."""

    return typer.main.get_command(app)


COMMAND = command()
PARAMS = {param.name: param for param in COMMAND.params}


def by_typer(name: str, value: Any) -> Any:
    """What Typer makes of a value; `LEFT` where it refuses it."""
    with COMMAND.make_context("run", [], resilient_parsing=True) as ctx:
        try:
            return PARAMS[name].process_value(ctx, value)
        except (typer.BadParameter, ValueError):
            return LEFT


@given(st.sampled_from(sorted(KINDS)), words, st.lists(words, max_size=3))
def test_what_is_plain_is_read_as_typer_reads_it(name: str, word: str, more: list[str]) -> None:
    many = name.endswith("s")
    value: Any = tuple(more) if many else word
    found = plain_value(value, KINDS[name], many)
    if found is not LEFT:
        expected = by_typer(name, value)
        assert found == expected
        assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("text", "a b", "a b"),
        ("whole", "-12", -12),
        ("number", "0.25", 0.25),
        ("place", "nowhere/at/all.csv", Path("nowhere/at/all.csv")),
        ("law", "normal", "normal"),
    ],
)
def test_what_people_type_is_plain(name: str, word: str, value: object) -> None:
    assert plain_value(word, KINDS[name], many=False) == value
    assert by_typer(name, word) == value


@pytest.mark.parametrize(("name", "word"), [("whole", "1.5"), ("whole", "x"), ("law", "bel")])
def test_what_is_wrong_is_left_to_typer(name: str, word: str) -> None:
    assert plain_value(word, KINDS[name], many=False) is LEFT
    assert by_typer(name, word) is LEFT


def test_limits_of_an_option_are_left_to_typer(tmp_path: Path) -> None:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, cls=Group)
    app.callback()(lambda: None)

    @app.command(cls=Command)
    def run(
        times: Annotated[int, typer.Option(max=3)] = 1,
        table: Annotated[Path | None, typer.Option(exists=True)] = None,
    ) -> int:
        """Give back a number."""
        return times

    asked = typer.main.get_command(app)
    assert asked.main(["run", "--times", "2"], standalone_mode=False) == 2
    for wrong in (["--times", "4"], ["--table", str(tmp_path / "none")]):
        with pytest.raises(Exception, match=r"(?i)less than|not exist|range"):
            asked.main(["run", *wrong], standalone_mode=False)
