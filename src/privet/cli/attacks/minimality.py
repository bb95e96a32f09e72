"""`privet attack minimality`: what it tells that no larger tree was published."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.attacks.options import OriginalOption, tell
from privet.cli.loading import names
from privet.cli.options import CategoryOption, JsonOption, MissingOption
from privet.schema import Kind


def minimality(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a release.")],
    *,
    original: OriginalOption,
    missing: MissingOption = None,
    category: CategoryOption = None,
    json: JsonOption = False,
) -> int:
    """Take every further split of a leaf to be refused for l, and see what follows.

    Example: privet attack minimality patients-release --original patients.csv
    """
    from privet.attack import by_minimality
    from privet.files.fence import fence

    with fence(release, "release"):
        found = by_minimality(
            release,
            original=original,
            missing=missing or (),
            kinds=dict.fromkeys(names(category), Kind.CATEGORY),
        )
    return tell(found, json)
