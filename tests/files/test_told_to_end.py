"""Told to end at every line: whatever a writer was doing, nothing hidden is left.

A child writes outputs and sends itself a signal before the n-th line that it runs, for every n. The
handler raises, as that of the commands does, and so the exception comes from everywhere once.
"""

import contextlib
import linecache
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from privet.errors import OutputError
from privet.files import disk
from privet.files.outputs import outputs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
TRACED = {disk.__file__, sys.modules["privet.files.outputs"].__file__, contextlib.__file__}
MOST_LINES = 3000


class Told(BaseException):
    """What the handler raises."""


def end(number: int, frame: object) -> None:
    raise Told


def succeeds(folder: Path) -> None:
    with outputs(force=True) as out:
        out.file(folder / "file").write_text("new")
        (out.folder(folder / "folder", mine=lambda _: True) / "inside").write_text("new")


def fails(folder: Path) -> None:
    with outputs(force=True) as out:
        out.file(folder / "file").write_text("new")
        raise OSError(28, "No space left on device")


def passes(folder: Path) -> None:
    with disk.passing_folder("folder") as place:
        (place / "inside").write_text("in clear")


def is_new(path: Path) -> bool:
    return path.read_text() == "new"


def told_before(line: int, work: Callable[[Path], None], folder: Path) -> bool:
    """Do the work in a child that is told to end before a line; whether there was such a line."""
    child = os.fork()
    if child == 0:
        seen = 0

        def trace(frame: FrameType, event: str, _: object) -> object:
            nonlocal seen
            name = frame.f_code.co_filename
            if name not in TRACED:
                return None
            # `try:` alone runs nothing in which a signal could be taken, but for this function
            if event == "line" and linecache.getline(name, frame.f_lineno).strip() != "try:":
                seen += 1
                if seen == line:
                    os.kill(os.getpid(), signal.SIGTERM)
            return trace

        signal.signal(signal.SIGTERM, end)
        try:
            sys.settrace(trace)  # type: ignore[arg-type]
            work(folder)
        except (Told, OutputError):
            sys.settrace(None)
        finally:
            os._exit(seen < line)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("work", [succeeds, fails, passes])
def test_nothing_hidden_is_left(
    work: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    wrong = []
    for line in range(1, MOST_LINES):
        (tmp_path / "file").write_text("old")
        if not told_before(line, work, tmp_path):
            break
        hidden = [path for path in tmp_path.iterdir() if path.name.startswith(".")]
        half = work is succeeds and is_new(tmp_path / "file") != (tmp_path / "folder").exists()
        if hidden or half:
            wrong.append(line)
        for path in (*hidden, tmp_path / "folder"):
            disk.remove(path)
    assert line > 30
    assert wrong == []
