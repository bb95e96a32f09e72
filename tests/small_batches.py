"""Tables on disk in batches of very few rows, so that small tables have many batches."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import privet.table
from privet import larger_than_memory
from privet.files import row_batches


@contextmanager
def batches_of(rows: int) -> Iterator[None]:
    """Inside, tables lie on disk, and no more than so many rows are looked at together."""
    with (
        patch.object(row_batches, "ROWS", rows),
        patch.object(privet.table, "STRETCH", rows),
        larger_than_memory("1GB"),
    ):
        yield
