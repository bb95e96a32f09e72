"""pyarrow without pandas: where pandas is installed, pyarrow imports it at its first conversion.

That takes longer than reading a small table, and no command needs it: pandas is for frames that
come from Python. A command that writes for SPSS or Stata imports it by itself, as before.
"""

import os
import sys
from importlib.abc import MetaPathFinder
from typing import Any

WITHOUT_PANDAS = "PRIVET_WITHOUT_PANDAS"  # set by the command line, for itself and its children


class _NoPandas(MetaPathFinder):
    def find_spec(self, name: str, *_: Any) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not needed here", name=name)


def leave_pandas_alone() -> None:
    """Have pyarrow look for pandas now and not find it; whoever imports it later does find it."""
    if os.environ.get(WITHOUT_PANDAS) != "1" or "pandas" in sys.modules:
        return
    import pyarrow as pa

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(finder)
