"""The one call upwards: reports lie above releases, and a release is saved with its report.

`privet.report` knows what every method's page looks like. It is found by name when a page is asked
for, so that a release that was unpickled or read from its folder can be saved and verified as well.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.release.audit import Audit

_REPORTS = "privet.report.html"


def report_of(folder: Path) -> str:
    """The text of report.html, from the other files of a folder."""
    return str(import_module(_REPORTS).render_report(folder))


def steward_page_of(audit: "Audit") -> str | None:
    """The text of steward.html, for methods that have such a page."""
    page = import_module(_REPORTS).render_steward(audit)
    return None if page is None else str(page)
