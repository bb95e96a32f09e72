"""`privet party init`: the secret that the parties of a project share."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.command import Group
from privet.cli.options import option

PassphraseOption = Annotated[
    Path | None, option("--passphrase-file", "P", "Encrypt or open secrets by the first line of P.")
]

party = typer.Typer(
    cls=Group,
    help="Start a project of several parties.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@party.callback()
def _party() -> None:
    """Start a project of several parties: mask, join, mine, decode."""


@party.command("init")
def init(
    project: Annotated[str, option("--project", "NAME", "The name of the project.")],
    out: Annotated[Path, option("--out", "project.key", "The file to write, mode 0600.")],
    passphrase_file: PassphraseOption = None,
) -> int:
    """Make the key under which all parties hide the join keys of their rows.

    Give it to the other parties through a safe channel, and never to the miner.

    Example: privet party init --project asthma --out project.key
    """
    from privet.parties.keys import ProjectKey
    from privet.parties.secret_file import read_passphrase

    key = ProjectKey.new(project)
    inputs = [] if passphrase_file is None else [passphrase_file]
    key.write(out, read_passphrase(passphrase_file), inputs=inputs)
    typer.echo(f"Wrote the key of project {key.project} to {out}, readable by you alone.")
    typer.echo("Every party needs it; the miner must never have it.")
    return 0


def warn_if_open(path: Path) -> None:
    """Say so if other users of the machine may read a secret."""
    from privet.parties.secret_file import open_to_others

    if open_to_others(path):
        typer.echo(f"Warning: others on this machine may read {path}; chmod 600 it.", err=True)
