"""Compiled loops, the only home of numba.

Each has a twin in plain NumPy where it is used, for small tables and as its oracle; a loop is
imported only where the table is large enough to pay for it.
"""

import sys
from pathlib import Path


def loaded() -> bool:
    """Whether something was large enough to load compiled loops already: more cost little."""
    return f"{__name__}.counting" in sys.modules


def compiled_before(module: str) -> bool:
    """Whether the loops of a module lie compiled beside it. If not, their first use takes seconds,
    and a single run may never get them back."""
    return any(Path(__file__).parent.glob(f"__pycache__/{module}.*.nbi"))
