"""Pieces of the page: the templates of the studio, beside those of the reports.

The one stylesheet is that of the reports with what a page needs besides.
"""

from functools import cache
from pathlib import Path
from typing import Any

from privet.errors import in_options
from privet.report.template import templates

_TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


def fragment(template: str, **values: Any) -> str:
    """A piece of the page; no value can write HTML in it."""
    return templates(_TEMPLATES).get_template(template).render(values, options=in_options)


def prepare() -> None:
    """Compile the templates of the page, so that nobody waits for it later."""
    for template in _TEMPLATES.iterdir():
        templates(_TEMPLATES).get_template(template.name)
    stylesheet()


@cache
def stylesheet() -> str:
    return fragment("page.css") + (STATIC / "studio.css").read_text(encoding="utf-8")
