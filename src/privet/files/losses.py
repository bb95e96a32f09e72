"""What a file format cannot hold: said as a warning that names it, never silently dropped."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from privet.errors import Loss, OutputError


class FormatLoss(Loss):
    """Something that a table has and the file does not, or the other way round."""


def tell(columns: Sequence[str], what: str) -> None:
    """Warn that something is lost in these columns; nothing happens if there are none."""
    if columns:
        named = ", ".join(f"'{name}'" for name in columns)
        plural = "s" if len(columns) > 1 else ""
        warnings.warn(f"Column{plural} {named}: {what}.", FormatLoss, stacklevel=3)


@contextmanager
def refused(path: Path) -> Iterator[None]:
    """No loss is borne here: what others join, mine or decode must be what was meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatLoss)
        try:
            yield
        except FormatLoss as loss:
            raise OutputError(
                f"{path.name} cannot hold the table as it is. {loss}",
                "name a file that ends in .parquet or .csv, or rename or drop the column.",
            ) from None
