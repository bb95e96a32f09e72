"""Long work in a process of its own, which says how far it is and can be ended at any moment.

The server never reads a table itself: it stays quick however large the table is, and what a job
held in memory is gone with its process. `spares` next door has processes that have imported Privet
already, so that a job starts at once. What a job does is in `work`.
"""

import os
import pickle
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from privet.studio.spares import Spares

_GRACE_S = 2.0  # for a job that is ended to remove what it began to write

State = Literal["running", "done", "failed", "cancelled"]


@dataclass(frozen=True)
class Reporter:
    """What a job tells while it runs: how far it is, and what it has found so far."""

    say: Callable[[float | None, str], None]
    show: Callable[[Any], None]


@dataclass
class Job:
    """One run of a function of `work`: what it says, and what comes out of it.

    `version` grows whenever there is something new to show.
    """

    what: str
    arguments: Mapping[str, Any]
    folder: Path
    process: "subprocess.Popen[bytes]" = field(repr=False)
    state: State = "running"
    share: float | None = None
    said: str = ""
    found: Any = None
    message: str = ""
    hint: str = ""
    version: int = 0
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @classmethod
    def start(cls, what: str, arguments: Mapping[str, Any], folder: Path, spares: Spares) -> "Job":
        """Give the work to a process that waits for some."""
        job = cls(what, arguments, folder, spares.take())
        threading.Thread(target=job._listen, daemon=True).start()
        return job

    @property
    def is_running(self) -> bool:
        return self.state == "running"

    def wait(self, seconds: float | None = None) -> "Job":
        """Until its process is gone, or so long."""
        self._ended.wait(seconds)
        return self

    def cancel(self) -> None:
        """End the process: asked at once, by force if it does not end soon. Nobody waits here."""
        if not self.is_running:
            return
        self.state = "cancelled"
        self.version += 1
        end(self.process, signal.SIGTERM)
        threading.Thread(target=self._force, daemon=True).start()

    def _force(self) -> None:
        if not self._ended.wait(_GRACE_S):
            end(self.process, getattr(signal, "SIGKILL", signal.SIGTERM))

    def _listen(self) -> None:
        """Say what is to be done, and take what the process tells until it says no more."""
        told, said = self.process.stdin, self.process.stdout
        assert told is not None
        assert said is not None
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            pickle.dump((self.what, dict(self.arguments), str(self.folder)), told)
            told.flush()
            while True:
                self._take(*pickle.load(said))
        for pipe in (told, said):
            with suppress(OSError):
                pipe.close()
        self.process.wait()
        if self.is_running:  # it ended without a word
            self.state = "failed"
            self.message = "The work ended before it was done."
            self.hint = "memory may have run out; take fewer rows or columns, and try again."
            self.version += 1
        self._ended.set()

    def _take(self, kind: str, *told: Any) -> None:
        if not self.is_running:
            return
        if kind == "says":
            self.share, self.said = told
            return
        if kind == "failed":
            self.message, self.hint = told
            self.state = "failed"
        else:
            (self.found,) = told
            self.state = "done" if kind == "done" else "running"
        self.version += 1


def end(process: "subprocess.Popen[bytes]", number: int) -> None:
    """To the process and to all that it started; it leads a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        if process.poll() is not None:
            return
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.kill()
