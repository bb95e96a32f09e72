"""`privet recode`: new rows recoded like those of a release."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.options import CategoryOption, ForceOption, MissingOption
from privet.cli.verify import ReleaseArgument
from privet.errors import UsageError

NewArgument = Annotated[
    Path, typer.Argument(metavar="NEW", help="New rows, with the original columns.")
]
OutOption = Annotated[Path, typer.Option("--out", metavar="F", help="The file to write.")]


def recode(
    release: ReleaseArgument,
    new: NewArgument,
    out: OutOption,
    missing: MissingOption = None,
    category: CategoryOption = None,
    force: ForceOption = False,
) -> int:
    """Recode new rows by what a release says of its columns.

    Models trained on a release should be tested on rows recoded like it.

    Example: privet recode patients-release new-patients.csv --out recoded.csv
    """
    from privet.files import write_table
    from privet.release import read_release
    from privet.release.new_rows import read_new_rows, recode_rows

    refuse_existing_file(out, force)
    published = read_release(release)
    rows = read_new_rows(new, published.manifest, missing or (), category or ())
    write_table(recode_rows(rows, published.manifest, published.tree), out)
    typer.echo(f"{rows.n_rows:,} rows recoded to {out}.")
    return 0


def refuse_existing_file(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise UsageError(f"The file {path} exists already.", "give --force to overwrite it.")
