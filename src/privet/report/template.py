"""Templates filled in: no value can write HTML, and a missing one is an error."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.files.svg import STYLES
from privet.report import plots, words

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"


def page(template: str, **values: Any) -> str:
    return templates().get_template(template).render(values)


@cache
def templates(*more: Path) -> "Environment":
    """The templates of the pages, and those in other folders, which come first."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*more, _TEMPLATES, STYLES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(words=words, bar=plots.bar)
    return environment
