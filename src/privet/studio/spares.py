"""Processes that wait for work: they have imported Privet already, and each does one job.

A process that takes a job is gone when the job is done, with all that it held. Another one is
started in its place, so that the next job need not wait for imports.
"""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from importlib import import_module
from typing import IO, Any

from privet.errors import PrivetError, in_options

_NICER = 5  # than the server, which must answer at once
_WORK = "privet.studio.work"
_PROGRAM = "import sys; sys.path[:] = {path!r}; from privet.studio import spares; spares.child()"


class Spares:
    """As many processes as may be needed at once."""

    def __init__(self, waiting: int = 2) -> None:
        self._number = waiting
        self._waiting: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._closed = False

    def fill(self) -> None:
        """Start what is missing."""
        with self._lock:
            while len(self._waiting) < self._number and not self._closed:
                self._waiting.append(_started())

    def take(self) -> "subprocess.Popen[bytes]":
        """A process that waits, or a new one; soon another waits in its place."""
        with self._lock:
            alive = [process for process in self._waiting if process.poll() is None]
            taken = alive.pop(0) if alive else _started()
            self._waiting = alive
        refill = threading.Timer(_REFILL_AFTER_S, self.fill)
        refill.daemon = True
        refill.start()
        return taken

    def close(self) -> None:
        """End them all."""
        with self._lock:
            self._closed = True
            for process in self._waiting:
                process.kill()
                process.communicate()
            self._waiting = []


_REFILL_AFTER_S = 1.0  # imports must not take the time of the job that has just begun


def _started() -> "subprocess.Popen[bytes]":
    program = _PROGRAM.format(path=[place for place in sys.path if place])
    debugging = os.environ.get("PRIVET_DEBUG") == "1"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # whatever a library prints may tell of the table
        stderr=None if debugging else subprocess.DEVNULL,
        start_new_session=True,  # so that all that it starts can be ended with it
    )


# -- in the process itself -------------------------------------------------------------------------


def child() -> None:
    """Wait for work, do it, and tell what comes of it."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    if hasattr(os, "nice"):
        os.nice(_NICER)
    work = import_module(_WORK)
    try:
        what, arguments, folder = pickle.load(sys.stdin.buffer)
    except EOFError:  # the server ended, and there was nothing to do
        return
    threading.Thread(target=_end_with_server, daemon=True).start()
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    _do(getattr(work, what), arguments, out)


def _do(function: Any, arguments: dict[str, Any], out: IO[bytes]) -> None:
    from privet.studio.jobs import Reporter

    def tell(*told: Any) -> None:
        pickle.dump(told, out)
        out.flush()

    reporter = Reporter(
        say=lambda share, said: tell("says", share, said), show=lambda found: tell("shows", found)
    )
    try:
        tell("done", function(reporter, **arguments))
    except PrivetError as error:
        tell("failed", *map(in_options, error.raw))
    except MemoryError:
        tell("failed", "Memory ran out.", "take fewer columns or rows.")
    except OSError as error:
        said = f"The system refused to read or write: {error.strerror or 'no reason given'}."
        tell("failed", said, "check that there is room, and that you may write there.")
    except Exception as error:
        if os.environ.get("PRIVET_DEBUG") == "1":
            raise
        said = f"Privet stumbled over a fault of its own ({type(error).__name__})."
        tell("failed", said, "please report it, with what was clicked before.")


def _end(number: int, frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
    raise SystemExit(1)


def _end_with_server() -> None:
    """The server says no more; when its end of the pipe is gone, nobody waits for this work."""
    with suppress(OSError, ValueError):
        sys.stdin.buffer.read(1)
    os.kill(os.getpid(), signal.SIGTERM)
