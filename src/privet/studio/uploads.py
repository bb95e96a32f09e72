"""Files that come in: dropped into the page, or named by a path below the opened folder.

What is dropped goes to a private folder that is removed with the studio. A path is looked at only
below the folder in which the studio was started, or that of its table: the page cannot reach
further, whoever talks to it. Archives are looked at next door, in `archives`.
"""

import glob
import os
import re
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from urllib.parse import unquote

from privet.errors import InputError, UsageError

MOST_BYTES = 4 << 30
_LONGEST_NAME = 150
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|\[\]]")


def safe_name(given: str, otherwise: str) -> str:
    """The last part of a name as a file can have it: no folder, no sign with a meaning."""
    last = unquote(given, errors="replace").replace("\\", "/").rsplit("/", 1)[-1]
    plain = _FORBIDDEN.sub("_", last).strip().lstrip(".-")
    if len(plain.encode("utf-8", "replace")) > _LONGEST_NAME:
        plain = plain[-_LONGEST_NAME // 4 :].lstrip(".-")
    return plain.encode("utf-8", "replace").decode() or otherwise


async def keep(stream: AsyncIterator[bytes], place: Path, most: int = MOST_BYTES) -> Path:
    """Write what comes to a new file that only its owner can read."""
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    size = 0
    try:
        with os.fdopen(handle, "wb") as file:
            async for piece in stream:
                size += len(piece)
                if size > most:
                    raise InputError(
                        f"The file has more than {most >> 20:,} MiB.",
                        "start `privet studio` with the path of the table instead.",
                    )
                file.write(piece)
        if size == 0:
            raise InputError("The file is empty.", "choose a file with a table.")
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return place


def below(given: str, folders: Iterable[Path]) -> Path:
    """A path that the user typed, if it lies below one of the folders."""
    text = given.strip()
    if not text or "\x00" in text:
        raise UsageError("No path is given.", "type the path of a file, or drop it here.")
    allowed = [folder.resolve() for folder in folders]
    place = (allowed[0] / Path(text).expanduser()).resolve()
    if not all(any(one.is_relative_to(folder) for folder in allowed) for one in _meant(place)):
        raise UsageError(
            "The path lies outside the folder that the studio was started in.",
            "drop the file into the page, or start `privet studio` in its folder.",
        )
    return place


def _meant(place: Path) -> list[Path]:
    """Every file that a path may lead to, links followed: that of its name, those of a pattern, and
    the database of a table (`clinic.duckdb:patients`)."""
    matched = glob.glob(str(place))  # noqa: PTH207 - as tables are read
    database = str(place).rpartition(":")[0]
    return [place, *(Path(name).resolve() for name in (*matched, database) if name)]
