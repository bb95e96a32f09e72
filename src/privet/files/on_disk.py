"""Codes on disk: where the columns of a table lie that is larger than memory.

Inside `codes_on_disk` every reader puts the codes of a column into files as soon as it has them,
and the table that it gives has codes that lie there (`privet.table.stretches` reads them). `encode`
builds the columns; `privet.engine.workplace` makes the folder and takes it away.
"""

import errno
import math
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import OutputError

Array = npt.NDArray[Any]
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # the disk, what the user may have, a file
_Place = tuple[int, np.dtype[Any], tuple[int, ...]]  # where an array begins, what it holds


class _Shelf:
    """Two files that only grow: pieces, which are taken out again, and whole columns."""

    def __init__(self, folder: Path) -> None:
        self.pieces = (folder / "pieces").open("w+b")
        self.columns = (folder / "columns").open("w+b")

    def close(self) -> None:
        self.pieces.close()
        self.columns.close()

    def put(self, file: Any, arrays: Iterable[Array]) -> int:
        """Write arrays one after the other to the end of a file; where the first one begins."""
        start = int(file.seek(0, 2))
        try:
            for array in arrays:
                file.write(np.ascontiguousarray(array).data)
            file.flush()
        except OSError as error:
            raise no_room() if error.errno in FULL else error from None
        return start


_SHELF: ContextVar[_Shelf | None] = ContextVar("shelf", default=None)


@contextmanager
def codes_on_disk(folder: Path) -> Iterator[None]:
    """Inside, tables that are read have their codes in a folder; it must outlive them."""
    shelf = _Shelf(folder)
    token = _SHELF.set(shelf)
    try:
        yield
    finally:
        _SHELF.reset(token)
        shelf.close()


def no_room() -> OutputError:
    """What is said where a disk is full."""
    return OutputError(
        "The disk is full: there is no room for what does not fit into memory.",
        "make room, or name a folder on a larger disk in the environment variable TMPDIR.",
    )


class Pieces:
    """Arrays of numbers in the order in which they came, in memory or on disk."""

    def __init__(self) -> None:
        self._shelf = _SHELF.get()
        self._held: deque[Array] = deque()
        self._stored: deque[_Place] = deque()
        self.length = 0  # of all arrays together

    def __bool__(self) -> bool:
        return bool(self._held or self._stored)

    @property
    def are_on_disk(self) -> bool:
        return self._shelf is not None

    def append(self, piece: Array) -> None:
        self.length += len(piece)
        if self._shelf is None:
            self._held.append(piece)
        elif len(piece):
            start = self._shelf.put(self._shelf.pieces, [piece])
            self._stored.append((start, piece.dtype, piece.shape))
        else:
            self._stored.append((0, piece.dtype, piece.shape))

    def __iter__(self) -> Iterator[Array]:
        yield from self._held
        yield from map(self._fetched, self._stored)

    def taken(self) -> Iterator[Array]:
        """Each array for the last time, so that memory is given back on the way."""
        while self._held:
            yield self._held.popleft()
        while self._stored:
            yield self._fetched(self._stored.popleft())
        self.length = 0

    def whole(self, dtype: type[np.generic], width: int | None = None) -> Array:
        """All arrays for the last time, as one that lies where they do."""
        if len(self._held) == 1:
            return self._held.popleft()
        return self.joined(self.taken(), dtype, self.length, width)

    def joined(
        self, codes: Iterable[Array], dtype: type[np.generic], length: int, width: int | None = None
    ) -> Array:
        """A whole column of some codes, which lies where the pieces do; with a `width`, so many
        numbers in each row."""
        shape = (length,) if width is None else (length, width)
        if self._shelf is None or length == 0:
            whole = np.empty(shape, dtype=dtype)
            done = 0
            for piece in codes:
                whole[done : done + len(piece)] = piece
                done += len(piece)
            return whole
        file = self._shelf.columns
        start = self._shelf.put(file, (piece.astype(dtype, copy=False) for piece in codes))
        return np.memmap(file.name, dtype=dtype, mode="r", offset=start, shape=shape)

    def _fetched(self, place: _Place) -> Array:
        start, dtype, shape = place
        if 0 in shape:
            return np.empty(shape, dtype=dtype)
        assert self._shelf is not None
        numbers = math.prod(shape)
        return np.fromfile(self._shelf.pieces.name, dtype, numbers, offset=start).reshape(shape)
