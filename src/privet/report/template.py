"""Templates filled in: no value can write HTML, and a missing one is an error."""

from pathlib import Path
from typing import Any

from privet.files.svg import STYLES
from privet.report import plots, words

_TEMPLATES = Path(__file__).parent / "templates"


def page(template: str, **values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([_TEMPLATES, STYLES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(words=words, bar=plots.bar)
    return environment.get_template(template).render(values)
