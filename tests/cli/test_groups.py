"""Groups of options: Typer sees each option by itself, the command sees the group."""

from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Annotated, Any

import pytest
import typer

from privet.cli.groups import spread_out
from privet.cli.options import option


@dataclass(frozen=True, kw_only=True)
class Size:
    width: Annotated[int, option("--width", "W", "How wide.")]
    height: Annotated[int, option("--height", "H", "How high.")] = 3


def area(name: str, *, size: Size, loud: bool = False) -> Any:
    """The area of a thing."""
    return name, size, loud


def test_the_fields_stand_in_the_place_of_their_group() -> None:
    parameters = signature(spread_out(area)).parameters
    assert list(parameters) == ["name", "width", "height", "loud"]
    assert parameters["width"].default is Parameter.empty
    assert parameters["height"].default == 3
    assert parameters["loud"].default is False
    assert spread_out(area).__doc__ == area.__doc__


def test_the_command_gets_the_group() -> None:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(spread_out(area))

    def run(*words: str) -> Any:
        return app(list(words), standalone_mode=False)

    assert run("door", "--width", "2") == ("door", Size(width=2, height=3), False)
    assert run("door", "--height", "9", "--loud", "--width", "1") == (
        "door",
        Size(width=1, height=9),
        True,
    )
    with pytest.raises(Exception, match="width"):
        run("door")
