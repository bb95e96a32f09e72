"""Lines sorted as bytes, however many there are: what does not fit into memory is merged from disk.

A line may hold line ends (in quoted cells), so lines are kept apart by their lengths. `rows` hashes
the content of a release with it.
"""

import heapq
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from privet.files.disk import passing_folder

AT_ONCE = 1 << 19  # lines that are sorted in memory
_IN_A_BLOCK = 1 << 12  # lines of each run that are held while runs are merged


def sorted_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same lines in order."""
    waiting = iter(lines)
    run = sorted(islice(waiting, AT_ONCE))
    if len(run) < AT_ONCE:
        yield from run
        return
    with passing_folder("sorting") as folder, ExitStack() as stack:
        runs: list[Iterator[bytes]] = []
        while run:
            path = folder / f"run{len(runs)}"
            _write(path, run)
            runs.append(_read(stack.enter_context(path.open("rb"))))
            run = sorted(islice(waiting, AT_ONCE))
        yield from heapq.merge(*runs)


def _write(path: Path, run: list[bytes]) -> None:
    with path.open("wb") as file:
        for start in range(0, len(run), _IN_A_BLOCK):
            lines = run[start : start + _IN_A_BLOCK]
            lengths = np.array([len(lines), *map(len, lines)], dtype=np.int64)
            file.write(lengths.tobytes())
            file.writelines(lines)


def _read(file: BinaryIO) -> Iterator[bytes]:
    while head := file.read(8):
        number = int(np.frombuffer(head, dtype=np.int64)[0])
        lengths = np.frombuffer(file.read(8 * number), dtype=np.int64)
        text = file.read(int(lengths.sum()))
        ends = np.cumsum(lengths).tolist()
        for start, end in zip([0, *ends], ends, strict=False):
            yield text[start:end]
