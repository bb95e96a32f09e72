"""Compiled loops, the only home of numba.

Each has a twin in plain NumPy where it is used, for small tables and as its oracle; a loop is
imported only where the table is large enough to pay for it.
"""

import sys


def loaded() -> bool:
    """Whether something was large enough to load compiled loops already: more cost little."""
    return f"{__name__}.counting" in sys.modules
