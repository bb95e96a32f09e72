"""What a file format cannot hold: said as a warning that names it, never silently dropped."""

import warnings
from collections.abc import Sequence

from privet.errors import Loss


class FormatLoss(Loss):
    """Something that a table has and the file does not, or the other way round."""


def tell(columns: Sequence[str], what: str) -> None:
    """Warn that something is lost in these columns; nothing happens if there are none."""
    if columns:
        named = ", ".join(f"'{name}'" for name in columns)
        plural = "s" if len(columns) > 1 else ""
        warnings.warn(f"Column{plural} {named}: {what}.", FormatLoss, stacklevel=3)
