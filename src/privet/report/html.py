"""The pages: report.html of a release, and steward.html of an audit; one module a method.

A page is one file without anything from outside. The report says only what the files of its release
say, and nothing of their hashes, so that it has the same bytes whenever it is made again.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from privet.errors import InputError
from privet.release.audit import Audit
from privet.release.claims import anonymised, noise, substitution, tree_preserving
from privet.release.opened import OpenedRelease

# Where each method's pages are: a module with `render`, and `render_steward` if it has such a page.
_PAGES: Mapping[str, str] = {
    tree_preserving.METHOD: "privet.report.tree_page",
    noise.METHOD: "privet.report.noise_page",
    substitution.METHOD: "privet.report.substitution_page",
    **dict.fromkeys(anonymised.METHODS, "privet.report.anonymised_page"),
}


def render_report(folder: Path) -> str:
    """The text of report.html."""
    opened = OpenedRelease.at(folder)
    name = opened.manifest.method.get("name")
    if not isinstance(name, str) or name not in _PAGES:
        raise InputError(
            "The manifest names a method that this Privet has no report for.",
            "a newer Privet may have written it.",
        )
    render: Callable[[OpenedRelease], str] = import_module(_PAGES[name]).render
    return render(opened)


def render_steward(audit: Audit) -> str | None:
    """The text of steward.html; None where a method has no such page."""
    page = import_module(_PAGES[audit.method])
    render: Callable[[Audit], str] | None = getattr(page, "render_steward", None)
    return None if render is None else render(audit)
