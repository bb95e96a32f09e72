"""`privet attack intersection`: what two releases of one table tell together."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.attacks.options import OriginalOption, SoughtOption, tell
from privet.cli.loading import names
from privet.cli.options import CategoryOption, JsonOption, MissingOption, option
from privet.schema import Kind

_AUDIT = "Its audit, which says which class each row is in."


def intersection(
    first: Annotated[Path, typer.Argument(metavar="A", help="The folder of a release.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another release of the table.")],
    *,
    original: OriginalOption,
    first_audit: Annotated[Path | None, option("--first-audit", "FOLDER", _AUDIT)] = None,
    second_audit: Annotated[Path | None, option("--second-audit", "FOLDER", _AUDIT)] = None,
    sought: SoughtOption = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
    json: JsonOption = False,
) -> int:
    """Follow people through two releases of one table: how few are in the same group of both.

    Without its audit a rich release shows only leaves for certain, and these are followed.

    Example: privet attack intersection release-may release-june --original patients.csv
    """
    from privet.attack import by_intersection
    from privet.files.fence import fence

    with fence(first, "release"):
        found = by_intersection(
            first,
            second,
            original=original,
            first_audit=first_audit,
            second_audit=second_audit,
            sought=names(sought),
            missing=missing or (),
            kinds=dict.fromkeys(names(category), Kind.CATEGORY),
        )
    return tell(found, json)
