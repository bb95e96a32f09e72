"""`privet report`: make report.html of a release again.

The page is made in `privet.report`; here it is decided where it goes. Nothing is added to a release
and nothing in it is replaced by other bytes: it would no longer verify.
"""

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from privet.cli.options import DryRunOption, ForceOption, option
from privet.cli.saving import Files
from privet.errors import OutputError


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a release.")],
    out: Annotated[
        Path | None, option("--out", "F.html", "Write here; else FOLDER/report.html.")
    ] = None,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Make the report of a release again, from its files alone.

    Example: privet report adult-release --out report.html
    """
    from privet.files.fence import fence
    from privet.release.layout import MANIFEST, REPORT, folder_of
    from privet.release.manifest import Manifest
    from privet.report.html import render_report

    own = folder_of(folder) / REPORT
    if out is not None and out.parent.resolve() / out.name != own.resolve():
        files = Files((out,), (folder,), force, dry_run).checked()
        with fence(folder, "release"):
            text = render_report(folder)
        files.write({out: text})
        typer.echo(f"{files.wrote} {out}.")
        return
    with fence(folder, "release"):
        text = render_report(folder)
    listed = Manifest.read(folder / MANIFEST).files.get(REPORT)
    if listed is None:
        raise OutputError(
            "This release was published without a report, and nothing is added to it.",
            "give --out F.html to write the report elsewhere.",
        )
    if listed != hashlib.sha256(text.encode()).hexdigest():
        raise OutputError(
            "The report made now differs from the one that the manifest lists, so nothing was "
            "written.",
            "give --out F.html to write it elsewhere; another version of Privet words it anew.",
        )
    files = Files((own,), (), True, dry_run, of_release=True).checked()  # the same bytes again
    files.write({own: text})
    typer.echo(f"{files.wrote} {own}.")
