"""`privet predict`: new rows classified by the published tree."""

import typer

from privet.cli.options import CategoryOption, ForceOption, MissingOption
from privet.cli.recode import NewArgument, OutOption, refuse_existing_file
from privet.cli.verify import ReleaseArgument


def predict(
    release: ReleaseArgument,
    new: NewArgument,
    out: OutOption,
    missing: MissingOption = None,
    category: CategoryOption = None,
    force: ForceOption = False,
) -> int:
    """Classify new rows (or predict their number) by the tree of a release.

    Writes the new rows with one more column, `predicted`, in the order they came.

    Example: privet predict patients-release new-patients.csv --out predicted.csv
    """
    from privet.files import write_table
    from privet.release import read_release
    from privet.release.new_rows import predict_rows, read_new_rows, with_column

    refuse_existing_file(out, force)
    published = read_release(release)
    rows = read_new_rows(new, published.manifest, missing or (), category or ())
    predicted = predict_rows(rows, published.manifest, published.tree)
    write_table(with_column(rows, "predicted", predicted), out)
    typer.echo(f"{rows.n_rows:,} rows predicted to {out}.")
    return 0
