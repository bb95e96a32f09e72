"""`privet verify`: every claim of a release that its files can show, checked from them alone."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.options import JsonOption, emit_json

ReleaseArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a release.")]


def verify(
    folder: ReleaseArgument,
    fingerprint: Annotated[
        str | None,
        typer.Option(
            "--fingerprint",
            metavar="HEX",
            help="The fingerprint that the publisher gave out; covers the manifest itself.",
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Check a release: hashes, privacy counted again, the tree grown again and compared.

    The exit status is 0 if nothing is found wrong, and 1 if anything is.

    Example: privet verify patients-release --fingerprint 4be1...
    """
    from privet.release import verify as verify_release

    outcome = verify_release(folder, fingerprint)
    if json:
        emit_json(outcome.to_data())
        return 0 if outcome.holds else 1
    width = max(len(check.name) for check in outcome.checks)
    words = {"yes": "yes     ", "no": "NO      ", "attested": "attested"}
    for check in outcome.checks:
        typer.echo(f"{words[check.answer]}  {check.name:<{width}}  {check.detail}")
    typer.echo("")
    if not outcome.holds:
        wrong = sum(check.answer == "no" for check in outcome.checks)
        typer.echo(f"NO: {wrong} of {len(outcome.checks)} checks failed.")
        return 1
    typer.echo("YES: everything that the files can show holds.")
    if any(check.answer == "attested" for check in outcome.checks):
        typer.echo("What is marked attested rests on the publisher's word.")
    if fingerprint is None:
        typer.echo("Without --fingerprint, nobody has checked that this is the release announced.")
    return 0
