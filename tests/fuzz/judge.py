"""Runs a command of Privet in a child process with bounds, and judges how it ended.

The child is a fork of a process that has imported Privet and done nothing else: a real process of
its own, which spares the seconds of importing. What counts as a fault: an end by a signal, a status
that the README does not name, 70, a traceback, more than `SECONDS` of computing, more than `MEMORY`
kilobytes, an error without a hint.
"""

import contextlib
import io
import os
import re
import resource
import signal
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import privet

SECONDS = 60
MEMORY = 2 << 20  # kilobytes
_PATIENCE = 10  # times as long on the clock, for busy machines
_NAMED = (0, 1, 2, 3)


@dataclass(frozen=True)
class Verdict:
    """How a command ended; `fault` is empty if that is fine."""

    status: int
    seconds: float
    kilobytes: int
    err: str
    fault: str


def import_everything() -> None:
    """What a child would import anyway."""
    for name in ("openpyxl", "pandas", "pyreadstat", "pyarrow.csv", "pyarrow.parquet", "jinja2"):
        import_module(name)
    for module in walk_packages(privet.__path__, "privet."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    with contextlib.redirect_stderr(io.StringIO()):
        import_module("privet.cli.main").main(["schema", "no-such-table.csv"])


def judged(arguments: list[str], folder: Path, *, debug: bool = False) -> Verdict:
    """Run `privet ARGUMENTS` in a child; output goes to files in the folder."""
    out, err = folder / "stdout", folder / "stderr"
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        _be_the_child(arguments, out, err, debug)
    killed = False
    while True:
        ended, code, used = os.wait4(child, os.WNOHANG)
        if ended:
            break
        if not killed and time.monotonic() - start > SECONDS * _PATIENCE:
            os.kill(child, signal.SIGKILL)
            killed = True
        time.sleep(0.002)
    seconds = used.ru_utime + used.ru_stime
    said = err.read_text(encoding="utf-8", errors="replace")
    status = os.waitstatus_to_exitcode(code)
    kilobytes = used.ru_maxrss
    return Verdict(
        status, seconds, kilobytes, said, _fault(status, seconds, kilobytes, said, killed)
    )


def _fault(status: int, seconds: float, kilobytes: int, err: str, killed: bool) -> str:
    if killed or seconds > SECONDS or status == -signal.SIGXCPU:
        return "took too long"
    if kilobytes > MEMORY:
        return "took too much memory"
    if status < 0:
        return f"ended by signal {-status}"
    if "Traceback" in err:
        return "a traceback"
    if status not in _NAMED:
        return f"status {status}"
    errors = [line for line in err.splitlines() if line.startswith("Error: ")]
    if status >= 2 and not (errors and re.search(r"^Hint: \S", err, re.MULTILINE)):
        return "an error without a hint"
    return ""


def _be_the_child(arguments: list[str], out: Path, err: Path, debug: bool) -> None:
    try:
        os.setpgid(0, 0)
        for path, handle in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), handle)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        os.environ["PRIVET_DEBUG"] = "1" if debug else "0"
        from privet.cli.main import main

        status = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        status = 99
    os._exit(status)
