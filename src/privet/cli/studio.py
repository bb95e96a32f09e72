"""`privet studio`: a page on this machine that leads from a table to a verified release."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.options import flag, option


def studio(
    table: Annotated[
        Path | None,
        typer.Argument(metavar="[TABLE]", help="The table to open; one can be dropped later, too."),
    ] = None,
    *,
    port: Annotated[
        int, option("--port", "N", "The port to listen on; a free one if left out.")
    ] = 0,
    no_browser: Annotated[bool, flag("--no-browser", "Print the address and open no browser.")] = (
        False
    ),
) -> int:
    """Open a page that shows the trade-off of a table, publishes it and verifies releases.

    The first line is the address, for your eyes: whoever knows it can see the table. Only this
    machine reaches it. Ctrl-C ends the studio and removes what was uploaded.

    Example: privet studio patients.csv
    """
    from privet.studio.server import serve

    serve(table, port, not no_browser)
    return 0
