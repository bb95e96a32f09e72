"""`privet predict`: new rows classified by the published tree."""

from typing import TYPE_CHECKING

from privet.cli.new_rows import NewRowOptions

if TYPE_CHECKING:
    from privet.release import Release
    from privet.table import Table


def predict(asked: NewRowOptions) -> int:
    """Classify new rows (or predict their number) by the tree of a release.

    Writes the new rows with one more column, `predicted`, in the order they came.

    Example: privet predict patients-release new-patients.csv --out predicted.csv
    """
    asked.write(_predicted, "predicted")
    return 0


def _predicted(rows: "Table", by: "Release") -> "Table":
    from privet.release.new_rows import predict_rows, with_column

    return with_column(rows, "predicted", predict_rows(rows, by.manifest, by.tree))
