"""Readers that run apart: in a child process with bounds on its time and memory.

Files of SPSS, Stata and SAS are read by a library in C, workbooks by one that believes what a file
claims. A hostile file can crash the first and keep the second busy for ever. So they run in a
process of their own, which hands over Arrow's stream of columns and notes on what was lost; if it
dies, that is an error about the file. No cell touches the disk on its way.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from privet.documents import json_of
from privet.errors import InputError, PrivetError, UsageError
from privet.files.fence import unreadable

# Each has a function `cells(path, columns, names_only)` that gives a `Cells`.
_READERS = {"excel": "privet.files.excel", "statistics": "privet.files.stat_packages"}
_SECONDS, _SECONDS_PER_MEGABYTE = 20, 15  # of computing; the clock may show more
_PATIENCE = 3  # times as much on the clock, on a busy machine
_MEMORY, _MEMORY_PER_BYTE = 3 << 29, 60
_OUT_OF_TIME = int(getattr(signal, "SIGXCPU", 0)) or None
_LONGEST_HEADER = 1 << 26
_CHILD = "import sys; sys.path[:] = {path!r}; from privet.files import apart; apart.child()"


@dataclass(frozen=True)
class Cells:
    """What a reader found: columns of Arrow, and notes: the columns that something is said of."""

    columns: pa.Table
    notes: tuple[tuple[tuple[str, ...], str], ...] = ()


def read_apart(
    form: str, path: Path, columns: Sequence[str] | None = None, *, names_only: bool = False
) -> Cells:
    """Read a file in a child process; with `names_only`, columns without rows."""
    size = path.stat().st_size
    seconds = _SECONDS + _SECONDS_PER_MEGABYTE * (size >> 20)
    asked = {
        "form": form,
        "path": os.fsencode(path.absolute()).hex(),
        "columns": None if columns is None else list(columns),
        "names_only": names_only,
        "seconds": seconds,
        "memory": _MEMORY + _MEMORY_PER_BYTE * size,
    }
    program = _CHILD.format(path=[place for place in sys.path if place])
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    alarm = threading.Timer(_PATIENCE * seconds, child.kill)
    alarm.start()
    try:
        with child.stdin as questions:
            questions.write(json.dumps(asked).encode())
        return _answer(child.stdout, path)
    except MemoryError:  # of Arrow, too
        raise
    except (OSError, EOFError, ValueError, pa.ArrowException):
        child.stdout.close()  # whatever it still wants to say, it may go
        if not alarm.is_alive() or -child.wait() == _OUT_OF_TIME:
            raise InputError(
                f"Reading {path.name} took more than {seconds} seconds and was stopped.",
                "export the table as CSV, and give that.",
            ) from None
        raise unreadable(path, form) from None
    finally:
        alarm.cancel()
        child.kill()
        child.stdout.close()
        child.wait()


def _answer(stream: IO[bytes], path: Path) -> Cells:
    header = stream.readline(_LONGEST_HEADER)
    if not header.endswith(b"\n"):
        raise EOFError("the reader died")
    said = json_of(header.decode("utf-8"), "answer of the reader")
    if "error" in said:
        kind = UsageError if said["usage"] else InputError
        raise kind(said["error"], said["hint"])
    with pa.ipc.open_stream(pa.PythonFile(stream, "r")) as reader:
        columns = reader.read_all()
    columns.validate(full=True)
    return Cells(columns, tuple((tuple(names), what) for names, what in said["notes"]))


def child() -> None:
    """What the child process runs: a question comes in as JSON, the answer goes out."""
    asked = json_of(sys.stdin.read(), "question")
    out = sys.stdout.buffer
    _bound(asked["seconds"], asked["memory"])
    try:
        reader: Any = import_module(_READERS[asked["form"]])
        found = reader.cells(
            Path(os.fsdecode(bytes.fromhex(asked["path"]))), asked["columns"], asked["names_only"]
        )
        said: dict[str, Any] = {"notes": found.notes}
    except PrivetError as error:
        usage = isinstance(error, UsageError)
        said = {"error": error.raw[0], "hint": error.raw[1], "usage": usage}
        found = None
    out.write(json.dumps(said).encode() + b"\n")
    if found is not None:
        with pa.ipc.new_stream(out, found.columns.schema) as writer:
            writer.write_table(found.columns)
    out.flush()


def _bound(seconds: int, memory: int) -> None:
    """Bounds that the system enforces, where it can."""
    try:
        import resource
    except ImportError:  # Windows; there the parent's alarm is the only bound
        return
    wanted = {"RLIMIT_CPU": seconds, "RLIMIT_AS": memory, "RLIMIT_CORE": 0}
    for name, most in wanted.items():
        limit = getattr(resource, name)
        _, hard = resource.getrlimit(limit)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (allowed, hard))
