"""`privet recode`: new rows recoded like those of a release."""

from typing import TYPE_CHECKING, Annotated

from privet.cli.new_rows import NewRowOptions
from privet.cli.options import flag

if TYPE_CHECKING:
    from privet.release import Release
    from privet.table import Table


def recode(
    asked: NewRowOptions,
    nearest: Annotated[
        bool,
        flag(
            "--nearest",
            "Give each row the values of the nearest released row of its leaf (rich releases).",
        ),
    ] = False,
) -> int:
    """Recode new rows by what a release says of its columns.

    Models trained on a release should be tested on rows recoded like it. Rows that shall be
    published as well can look like released ones: --nearest.

    Example: privet recode patients-release new-patients.csv --out recoded.csv
    """
    asked.write(_nearest if nearest else _recoded, "recoded")
    return 0


def _recoded(rows: "Table", by: "Release") -> "Table":
    from privet.release.new_rows import recode_rows

    return recode_rows(rows, by.manifest, by.trees)


def _nearest(rows: "Table", by: "Release") -> "Table":
    from privet.release.nearest import nearest_rows

    return nearest_rows(rows, by.rows.table, by.manifest, by.trees)
