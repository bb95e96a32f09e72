"""pyarrow without pandas: where pandas is installed, pyarrow imports it at its first conversion.

No command needs it: pandas is for frames that come from Python. A command that writes for SPSS or
Stata imports it by itself, as before.
"""

from privet.left_alone import can_be_hidden, hidden


def leave_pandas_alone() -> None:
    """Have pyarrow look for pandas now and not find it; whoever imports it later does find it."""
    if can_be_hidden("pandas"):
        import pyarrow as pa

        with hidden("pandas"):
            pa.array([])
