"""Columns before and after, for the steward: from an audit, as the pages show them."""

from collections.abc import Sequence
from typing import Any

from privet.release.audit import Audit
from privet.release.meanings import meanings
from privet.release.recoded import entry_of
from privet.report.summary import MOST_VALUES
from privet.schema import Kind
from privet.tree.model import Tree


def columns_before_and_after(audit: Audit, released: Sequence[Tree] = ()) -> list[dict[str, Any]]:
    """Every column that the audit knows of, those that were only suppressed or kept as well.

    `released` are the released trees; some values stand for others by their leaves.
    """
    recodings, counted = audit.data["recodings"], audit.data["columns"]
    return [
        {
            "name": name,
            "treatment": about["treatment"],
            "before": about["values_before"],
            "after": about["values_after"],
            "shares": _most_frequent(about.get("distribution", [])),
            "meanings": meanings(entry_of(recodings, name), Kind(about["kind"]), released, name),
        }
        for name, about in counted.items()
    ]


def _most_frequent(shares: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The values that most records have or had, in their order; ranges are few."""
    most = sorted(shares, key=lambda share: -max(share["before"], share["after"]))[:MOST_VALUES]
    return [share for share in shares if share in most]
