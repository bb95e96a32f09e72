"""The pages of a table released without a tree: the report for everybody, and the steward's."""

from privet.errors import InputError
from privet.release.audit import Audit
from privet.release.claims.anonymised import is_told_in_known_words
from privet.release.opened import OpenedRelease
from privet.report.attacked import attacks_in
from privet.report.before_and_after import columns_before_and_after
from privet.report.summary import summarise_table
from privet.report.template import page


def render(opened: OpenedRelease) -> str:
    """The text of report.html."""
    opened.require_one_release()
    if not is_told_in_known_words(opened.manifest):
        raise InputError(
            "The manifest says in unknown words how the table was anonymised.",
            "the release may have been edited; ask for the original one.",
        )
    return page("anonymised.html.j2", s=summarise_table(opened))


def render_steward(audit: Audit) -> str:
    """The text of steward.html."""
    closeness = audit.data["t_by_column"]
    return page(
        "anonymised_steward.html.j2",
        method=audit.method,
        blocks=audit.data["blocks"],
        classes=audit.data["equivalence_classes"],
        sensitive=[
            {"name": name, "l": ls["strong"], "t": closeness[name]}
            for name, ls in audit.data["l_by_column"].items()
        ],
        attacks=attacks_in(audit),
        columns=columns_before_and_after(audit),
    )
