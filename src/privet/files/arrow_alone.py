"""How pyarrow starts: without pandas and dateutil, which it imports at its first conversion.

No command needs them: pandas is for frames that come from Python. A command that writes for SPSS or
Stata imports it by itself, as before.
"""

from io import BytesIO

from privet.left_alone import can_be_hidden, hidden


def leave_pandas_alone() -> None:
    """Have pyarrow look for pandas now and not find it; whoever imports it later does find it."""
    if can_be_hidden("pandas"):
        import pyarrow as pa

        with hidden("pandas"), hidden("dateutil"):  # that is for intervals of time
            pa.array([])


def take_memory_early() -> None:
    """Have OpenBLAS take its memory and Arrow start its thread while there is room: where memory
    is short, they fail without a word."""
    import numpy as np
    from pyarrow import csv

    np.ones((99, 99)) @ np.ones((99, 99))
    csv.open_csv(BytesIO(b"a\n1\n")).read_all()
