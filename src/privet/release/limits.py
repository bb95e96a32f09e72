"""How much of a stranger's files is read: as many records as the manifest claims, and no bomb.

A small file can unfold to any size, and one with holes can claim any. Parquet tells its rows before
they are read; readers refuse what unpacks to far more than its bytes (`privet.files.fence`).
"""

from pathlib import Path
from typing import Any

from privet.documents import MOST_BYTES
from privet.files.parquet import groups_written, parquet_rows
from privet.release.layout import DATA

_MOST_HOLES = 1024  # bytes for each that the disk holds; a disk that packs files holds more of them


def oversized(path: Path) -> str:
    """Why the bytes of a file are not even hashed; empty if they may be."""
    about = path.stat()
    if path.name not in DATA.values():
        return "larger than any release has it" if about.st_size > MOST_BYTES else ""
    held = getattr(about, "st_blocks", None)  # in units of 512 bytes, where the system tells
    holes = held is not None and about.st_size > max(MOST_BYTES, 512 * held * _MOST_HOLES)
    return "the file consists of holes" if holes else ""


def unfit(path: Path, records: Any) -> str:
    """Why a data file is not read; empty if it may be."""
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        return "the manifest does not say how many records there are"
    if path.suffix == ".parquet":
        rows, groups = parquet_rows(path)
        if rows != records:
            return f"claimed {records:,}, the file has {rows:,}"
        laid_out = groups == groups_written(rows)  # each costs a look, so thousands are a burden
        return "" if laid_out else "the file is not laid out as Privet writes Parquet"
    with path.open("rb") as file:
        if file.read(2) == b"\x1f\x8b":
            return "the file is compressed, and a released CSV never is"
    if path.stat().st_size < 2 * records:
        return f"claimed {records:,}, and the file is too short for them"
    return ""
