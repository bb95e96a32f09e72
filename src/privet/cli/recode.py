"""`privet recode`: new rows recoded like those of a release."""

from privet.cli.new_rows import NewRowOptions


def recode(asked: NewRowOptions) -> int:
    """Recode new rows by what a release says of its columns.

    Models trained on a release should be tested on rows recoded like it.

    Example: privet recode patients-release new-patients.csv --out recoded.csv
    """
    from privet.release.new_rows import recode_rows

    asked.write(lambda rows, by: recode_rows(rows, by.manifest, by.tree), "recoded")
    return 0
