"""What is left out on the way, gathered for the terminal. Other libraries' warnings are not."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from privet.errors import Loss


@contextmanager
def gathered() -> Iterator[list[str]]:
    """The losses that are told inside, each once; the list is filled when the block ends."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Loss)
        try:
            yield notes
        finally:
            notes += dict.fromkeys(str(warning.message) for warning in caught)
