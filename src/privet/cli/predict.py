"""`privet predict`: new rows classified by the published tree."""

import typer

from privet.cli.options import CategoryOption, DryRunOption, ForceOption, MissingOption
from privet.cli.recode import NewArgument, OutOption
from privet.cli.saving import Files, as_table_file
from privet.cli.verify import ReleaseArgument


def predict(
    release: ReleaseArgument,
    new: NewArgument,
    out: OutOption,
    missing: MissingOption = None,
    category: CategoryOption = None,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Classify new rows (or predict their number) by the tree of a release.

    Writes the new rows with one more column, `predicted`, in the order they came.

    Example: privet predict patients-release new-patients.csv --out predicted.csv
    """
    from privet.files import refuse_format
    from privet.files.fence import fence
    from privet.release import read_release
    from privet.release.new_rows import predict_rows, read_new_rows, with_column

    refuse_format(out)
    published = read_release(release)
    files = Files((out,), (release, new), force, dry_run).checked()
    rows = read_new_rows(new, published.manifest, missing or (), category or ())
    with fence(release, "release"):
        predicted = predict_rows(rows, published.manifest, published.tree)
    files.write({out: as_table_file(with_column(rows, "predicted", predicted))})
    typer.echo(f"{files.wrote} {out}: {rows.n_rows:,} rows predicted.")
    return 0
