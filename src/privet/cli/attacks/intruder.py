"""`privet attack intruder`: whom somebody finds in a release with noise who knows its law."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.attacks.options import KnownOption, tell
from privet.cli.loading import names
from privet.cli.options import JsonOption, MissingOption, option


def intruder(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="The folder of a release with noise.")
    ],
    original: Annotated[
        Path, option("--original", "TABLE", "The people: a table with what is known of each.")
    ],
    known: KnownOption = None,
    inside: Annotated[
        Path | None,
        option("--inside", "AUDIT", "The audit: trees kept inside, and whose each record is."),
    ] = None,
    missing: MissingOption = None,
    json: JsonOption = False,
) -> int:
    """Look for people in a release with noise, knowing their values and the law.

    Everything comes from mechanism.json and model.json. With the audit, hits are counted as well.

    Example: privet attack intruder patients-noise --original patients.csv
    """
    from privet.attack import by_intruder
    from privet.documents import read_json
    from privet.files import read_table
    from privet.files.fence import fence
    from privet.noise_pipeline import owners_by_audit
    from privet.release import read_release

    with fence(release, "release"):
        opened = read_release(release)
        kinds = {column.name: column.kind for column in opened.manifest.schema}
        people = read_table(original, missing=missing or (), kinds=kinds)
        owner = None
        if inside is not None:
            place = inside / "audit.json" if inside.is_dir() else inside
            owner = owners_by_audit(opened, people, read_json(place, "audit"))
        found = by_intruder(opened, people, known=names(known), inside=inside, owner=owner)
    return tell(found, json)
