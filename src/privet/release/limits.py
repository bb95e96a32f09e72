"""How much of a stranger's data file is read: as many records as its manifest claims, and no bomb.

A small file can unfold to any size. Parquet tells its rows before they are read; readers refuse
what unpacks to far more than its bytes (`privet.files.fence`).
"""

from pathlib import Path
from typing import Any

from privet.files.parquet import parquet_rows


def unfit(path: Path, records: Any) -> str:
    """Why a data file is not read; empty if it may be."""
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        return "the manifest does not say how many records there are"
    if path.suffix == ".parquet":
        rows = parquet_rows(path)
        return "" if rows == records else f"claimed {records:,}, the file has {rows:,}"
    with path.open("rb") as file:
        if file.read(2) == b"\x1f\x8b":
            return "the file is compressed, and a released CSV never is"
    if path.stat().st_size < 2 * records:
        return f"claimed {records:,}, and the file is too short for them"
    return ""
