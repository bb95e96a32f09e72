"""`privet recode`: new rows recoded like those of a release."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.options import CategoryOption, DryRunOption, ForceOption, MissingOption
from privet.cli.saving import Files, as_table_file
from privet.cli.verify import ReleaseArgument

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
    dry_run: DryRunOption = False,
) -> int:
    """Recode new rows by what a release says of its columns.

    Models trained on a release should be tested on rows recoded like it.

    Example: privet recode patients-release new-patients.csv --out recoded.csv
    """
    from privet.files import refuse_format
    from privet.files.fence import fence
    from privet.release import read_release
    from privet.release.new_rows import read_new_rows, recode_rows

    refuse_format(out)
    published = read_release(release)
    files = Files((out,), (release, new), force, dry_run).checked()
    rows = read_new_rows(new, published.manifest, missing or (), category or ())
    with fence(release, "release"):
        recoded = recode_rows(rows, published.manifest, published.tree)
    files.write({out: as_table_file(recoded)})
    typer.echo(f"{files.wrote} {out}: {rows.n_rows:,} rows recoded.")
    return 0
