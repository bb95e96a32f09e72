"""The bytes of a text file for Arrow, which reads ahead in a thread of its own.

Where a file is given up half way, that thread goes on reading. If the process ends while the thread
is inside Python, it cannot come back, and the whole process aborts or never ends. So Arrow opens
plain files itself. What is unpacked here is made to end, and whoever leaves waits for the thread.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from privet.files.gzipped import text_bytes

_PATIENCE_S = 1.0  # Arrow pauses when it is far ahead; it then asks for nothing any more


@contextmanager
def read_ahead(path: Path) -> Iterator[tuple[pa.NativeFile, Callable[[], int]]]:
    """A stream for Arrow, and a function that says how many bytes of the file were taken."""
    with text_bytes(path) as (inside, raw):
        if inside is raw:
            with pa.OSFile(os.fsencode(path)) as stream:
                yield stream, stream.tell
            return
        unpacked = _Unpacked(inside)
        try:
            yield pa.PythonFile(unpacked, "r"), raw.tell
        finally:
            unpacked.stop()


class _Unpacked:
    """What Arrow asks of a file; from `stop` on there is nothing more in it."""

    def __init__(self, inside: IO[bytes]) -> None:
        self._inside = inside
        self._stopped = False
        self._at_end = threading.Event()
        self._readers: set[int] = set()

    def read(self, size: int = -1) -> bytes:
        self._readers.add(threading.get_ident())
        data = b""
        try:
            if not self._stopped:
                data = self._inside.read(size)
        finally:
            if not data:
                self._at_end.set()
        return data

    def stop(self) -> None:
        """End the stream, and wait until no other thread is in the middle of reading it."""
        self._stopped = True
        self._at_end.wait(_PATIENCE_S)
        others = self._readers - {threading.get_ident()}
        latest = time.monotonic() + _PATIENCE_S
        while others & sys._current_frames().keys() and time.monotonic() < latest:
            time.sleep(0.001)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inside, name)
