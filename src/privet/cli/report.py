"""`privet report`: make report.html of a release again.

The page is made in `privet.report`; here it is decided where it goes. A report that the manifest
lists is never replaced by other bytes: the release would no longer verify.
"""

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from privet.cli.options import ForceOption, write_text
from privet.errors import OutputError


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a release.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="F.html", help="Write here; else FOLDER/report.html."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Make the report of a release again, from its files alone.

    Example: privet report adult-release --out report.html
    """
    from privet.release.layout import MANIFEST, REPORT, folder_of
    from privet.release.manifest import Manifest
    from privet.report.html import render_report

    own = folder_of(folder) / REPORT
    listed = Manifest.read(folder / MANIFEST).files
    path = own if out is None else out
    inside = path.parent.resolve() == folder.resolve()
    if inside and path.name != REPORT and path.name in (MANIFEST, *listed):
        raise OutputError(
            f"{path.name} is a file of the release itself.", "choose another name for --out."
        )
    text = render_report(folder)
    if inside and path.name == REPORT:
        _keep_the_release_whole(text, listed.get(REPORT))
        force = force or REPORT in listed or _holds(own, text)
    write_text(path, text, force=force)
    typer.echo(f"Wrote {path}.")


def _keep_the_release_whole(text: str, listed: str | None) -> None:
    if listed not in (None, hashlib.sha256(text.encode()).hexdigest()):
        raise OutputError(
            "The report made now differs from the one that the manifest lists, so nothing was "
            "written.",
            "give --out F.html to write it elsewhere; another version of Privet words it anew.",
        )


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()
