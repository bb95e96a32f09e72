"""How much of a stranger's files is read: as many records as the manifest claims, and no bomb.

A small file can unfold to any size, and one with holes can claim any. Parquet tells its rows before
they are read; readers refuse what unpacks to far more than its bytes (`privet.files.fence`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privet.documents import MOST_BYTES
from privet.files.parquet import groups_written, parquet_rows
from privet.release import layout
from privet.release.layout import DATA, is_data

_MOST_HOLES = 1024  # bytes for each that the disk holds; a disk that packs files holds more of them


def oversized(folder: Path, name: str) -> str:
    """Why the bytes of a file are not even hashed; empty if they may be."""
    about = (folder / name).stat()
    if not is_data(name):
        return "larger than any release has it" if about.st_size > MOST_BYTES else ""
    held = getattr(about, "st_blocks", None)  # in units of 512 bytes, where the system tells
    holes = held is not None and about.st_size > max(MOST_BYTES, 512 * held * _MOST_HOLES)
    return "the file consists of holes" if holes else ""


def unfit(paths: Sequence[Path], records: Any) -> str:
    """Why a data file, or data in parts, are not read; empty if they may be."""
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        return "the manifest does not say how many records there are"
    path = paths[0]
    if path.suffix == ".parquet":
        found = [parquet_rows(one) for one in paths]
        rows = sum(own for own, _ in found)
        if rows != records:
            return f"claimed {records:,}, the file has {rows:,}"
        laid_out = _laid_out(found, in_parts=path.name not in DATA.values())
        return "" if laid_out else "the file is not laid out as Privet writes Parquet"
    with path.open("rb") as file:
        if file.read(2) == b"\x1f\x8b":
            return "the file is compressed, and a released CSV never is"
    if path.stat().st_size < 2 * records:
        return f"claimed {records:,}, and the file is too short for them"
    return ""


def _laid_out(found: Sequence[tuple[int, int]], in_parts: bool) -> bool:
    """Whether files of so many rows, in so many groups, are as Privet writes them: each group and
    each file costs a look, so that thousands are a burden."""
    *full, (last, _) = found
    even = all(own == layout.ROWS_PER_PART for own, _ in full) and 0 < last <= layout.ROWS_PER_PART
    return all(groups == groups_written(own) for own, groups in found) and (even or not in_parts)
