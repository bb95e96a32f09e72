"""`privet predict`: new rows classified by the published tree."""

from typing import TYPE_CHECKING, Annotated

from privet.cli.new_rows import NewRowOptions
from privet.cli.options import option

if TYPE_CHECKING:
    from privet.release import Release
    from privet.table import Table


def predict(
    asked: NewRowOptions,
    tree: Annotated[
        int, option("--tree", "N", "Which of several trees, in the order of model.json.")
    ] = 1,
) -> int:
    """Classify new rows (or predict their number) by a tree of a release.

    Writes the new rows with one more column, `predicted`, in the order they came.

    Example: privet predict patients-release new-patients.csv --out predicted.csv
    """
    asked.write(lambda rows, by: _predicted(rows, by, tree), "predicted")
    return 0


def _predicted(rows: "Table", by: "Release", tree: int) -> "Table":
    from privet.release.new_rows import predict_rows, with_column

    return with_column(rows, "predicted", predict_rows(rows, by.manifest, by.trees, tree))
