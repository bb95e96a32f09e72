"""Files of text, packed with gzip or plain: opened for reading, and refused if they are bombs.

A few kilobytes can unpack to gigabytes. What a gzip file unpacks to is counted while it is read,
and once it is both large and far more than the bytes it came from, reading ends with an error.
"""

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from privet.documents import opened
from privet.files.fence import check_unpacked

_MAGIC = b"\x1f\x8b"
_ALWAYS_READ = 128 << 20  # bytes
_MOST_RATIO = 200  # real tables seldom shrink to a fiftieth


class _Unpacking(io.RawIOBase):
    """The bytes inside a gzip file."""

    def __init__(self, packed: IO[bytes], path: Path, always: int) -> None:
        self._packed = packed
        self._always = always
        self._inside = gzip.GzipFile(fileobj=packed)
        self._path = path
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = self._inside.readinto(buffer)
        self._read += n
        most = max(self._always, _MOST_RATIO * self._packed.tell())
        check_unpacked(self._read, most, self._path)
        return n


@contextmanager
def text_bytes(path: Path, always: int | None = None) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The bytes of a text file, unpacked where it is gzip; and the file, which tells how far.

    As many bytes as `always` are unpacked without asking whether that is plausible.
    """
    with opened(path) as raw:
        is_gzip = raw.read(2) == _MAGIC
        raw.seek(0)
        if is_gzip:
            limit = _ALWAYS_READ if always is None else always
            with io.BufferedReader(_Unpacking(raw, path, limit), 1 << 16) as inside:
                yield inside, raw
        else:
            yield raw, raw


def is_gzip(path: Path) -> bool:
    with opened(path) as raw:
        return raw.read(2) == _MAGIC
