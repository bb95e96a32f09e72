"""One trial: a command is started, ended at some moment, and what it left is looked at.

A trial ends a command by the clock or at a step: just before one of the system calls on files that
Python reports (`sys.addaudithook`). The second reaches the moments between two renames, which the
clock hardly ever does.
"""

import contextlib
import mmap
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzz.judge import end, killed_group, said_in, start
from kills.home import state
from kills.writers import Writer

_HIDDEN = re.compile(r"\.privet-[0-9a-f]{16}-")
_STEPS = {
    "open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.link", "os.scandir",
    "os.listdir", "shutil.rmtree", "ctypes.dlopen", "ctypes.dlsym",
}  # fmt: skip
_OUT = "disk/out"  # the disk may be a small one of its own
_OLD = b"old\n"
_MOST_SECONDS = 120
Contents = dict[str, dict[str, bytes] | bytes]


@dataclass(frozen=True)
class End:
    """How a command is ended: by which signal, after so many seconds or before a step."""

    number: signal.Signals | None  # None: it is let alone
    seconds: float = 0.0
    step: int = 0  # from 1 on; 0: by the clock


@dataclass(frozen=True)
class Ended:
    """How it ended, and what there is now."""

    status: int
    seconds: float
    steps: int
    contents: Contents  # of OUT, without what is hidden
    left: tuple[str, ...]  # hidden files of unfinished outputs, and what lies where nothing should
    said: str


@dataclass(frozen=True)
class Place:
    """A home in which one command at a time is tried."""

    home: Path

    @property
    def out(self) -> Path:
        return self.home / _OUT

    @property
    def passing(self) -> Path:
        """Where the command finds room for what nobody keeps."""
        return self.home / "passing"

    def lay(self, writer: Writer, new: Contents, forced: bool) -> None:
        """OUT as it is before the command: with old ones of all that it will write, or without."""
        for folder in (self.out, self.passing):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        for name in new if forced else ():
            if name not in (*writer.old, *writer.given):
                (self.out / name).write_bytes(_OLD)
        for name, source in {**writer.given, **(writer.old if forced else {})}.items():
            copy = shutil.copytree if (self.home / source).is_dir() else shutil.copy
            copy(self.home / source, self.out / name)

    def contents(self) -> Contents:
        """What is in OUT by name, hidden ones left out."""
        found: Contents = {}
        for path in sorted(self.out.iterdir()):
            if not _HIDDEN.match(path.name):
                found[path.name] = state(path) if path.is_dir() else path.read_bytes()
        return found

    def inputs(self) -> dict[str, bytes]:
        """Everything but what commands may write to."""
        mine = ("disk/", "passing/", "said/")
        return {k: v for k, v in state(self.home).items() if not k.startswith(mine)}

    def run(self, words: list[str], ending: End, most_bytes: int | None = None) -> Ended:
        """Start a command, end it, and look."""
        said = self.home / "said"
        said.mkdir(exist_ok=True)
        counted = mmap.mmap(-1, 8)  # the child counts its steps where its parent sees them
        begun = time.monotonic()
        asked = [word.replace("OUT/", f"{_OUT}/") for word in words]
        child = start(asked, said, prepare=self._prepared(counted, ending, most_bytes))
        try:
            if ending.number and not ending.step:
                time.sleep(ending.seconds)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, ending.number)
            code = self._waited(child, begun)
        finally:
            killed_group(child)
        seconds = time.monotonic() - begun
        steps = int.from_bytes(counted[:8], "little")
        status = os.waitstatus_to_exitcode(code)
        return Ended(status, seconds, steps, self.contents(), self._left(), said_in(said))

    def _waited(self, child: int, begun: float) -> int:
        while time.monotonic() - begun < _MOST_SECONDS:
            ended, code = os.waitpid(child, os.WNOHANG)
            if ended:
                return code
            time.sleep(0.002)
        end(child)
        os.waitpid(child, 0)
        raise TimeoutError("a command did not end")

    def _left(self) -> tuple[str, ...]:
        here = [str(path.relative_to(self.home)) for path in self.out.iterdir()]
        hidden = [name for name in here if _HIDDEN.match(Path(name).name)]
        passing = [str(path.relative_to(self.home)) for path in self.passing.iterdir()]
        return tuple(sorted(hidden + passing))

    def _prepared(
        self, counted: mmap.mmap, ending: End, most_bytes: int | None
    ) -> Callable[[], object]:
        def prepare() -> None:
            os.chdir(self.home)
            tempfile.tempdir = str(self.passing)
            if most_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
            at_step(ending.step, ending.number, counted)

        return prepare


def is_hidden(left: str) -> bool:
    """Whether the next run knows it for a leftover."""
    return _HIDDEN.match(Path(left).name) is not None


def at_step(step: int, number: signal.Signals | None, counted: mmap.mmap | None = None) -> None:
    """Count steps of this process from now on; before the one that is named, it gets a signal."""
    done = 0

    def hook(event: str, _: object) -> None:
        nonlocal done
        if event not in _STEPS:
            return
        done += 1
        if counted is not None:
            counted[:8] = done.to_bytes(8, "little")
        if done == step and number is not None:
            os.kill(os.getpid(), number)

    sys.addaudithook(hook)
