"""Runs a command of Privet in a child process with bounds, and judges how it ended.

The child is a fork of a process that has imported Privet and done nothing else: a real process of
its own, in a session of its own, which spares the seconds of importing. It is watched while it
runs: whoever needs more than `SECONDS`, on the clock or of computing, or more than `MEMORY`
kilobytes is killed, with the processes that it started. What counts as a fault: that, an end by
another signal, a status that the README does not name, 70, a traceback, an error without a hint, a
process that is left running.
"""

import contextlib
import gc
import io
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import privet

SECONDS = 60
MEMORY = 2 << 20  # kilobytes
_LOOK = 0.1  # seconds between looks at the memory of the child
_PAUSE = 5.0  # nobody who runs waits longer for a processor
_PAGE = os.sysconf("SC_PAGE_SIZE") >> 10  # kilobytes
_NAMED = (0, 1, 2, 3)
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TOO_LONG, _TOO_MUCH = "took too long", "took too much memory"


@dataclass(frozen=True)
class Verdict:
    """How a command ended; `fault` is empty if that is fine."""

    status: int
    seconds: float  # on the clock or of computing, whichever is more
    kilobytes: int  # of the largest process
    err: str
    fault: str


def take_signals() -> None:
    """For a process that starts many: a hangup does not end it, and what does is an exception."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def import_everything() -> None:
    """What a child would import anyway."""
    for name in ("openpyxl", "pandas", "pyreadstat", "pyarrow.csv", "pyarrow.parquet", "jinja2"):
        import_module(name)
    for module in walk_packages(privet.__path__, "privet."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    with contextlib.redirect_stderr(io.StringIO()):
        import_module("privet.cli.main").main(["schema", "no-such-table.csv"])
    gc.collect()
    gc.freeze()  # or each child would copy all of this, by looking through it for garbage


def start(
    arguments: list[str],
    folder: Path,
    *,
    debug: bool = False,
    prepare: Callable[[], object] = lambda: None,
) -> int:
    """Start `privet ARGUMENTS` in a child that is prepared first; its output goes to the folder."""
    (folder / "stderr").unlink(missing_ok=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)  # until the child takes its own
    child = os.fork()
    if child == 0:
        _be_the_child(arguments, folder / "stdout", folder / "stderr", debug, prepare)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    except BaseException:  # this process was told to end in the meantime
        end(child)
        os.waitpid(child, 0)
        raise
    return child


def said_in(folder: Path) -> str:
    """What a child wrote to standard error."""
    path = folder / "stderr"
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def judged(arguments: list[str], folder: Path, *, debug: bool = False) -> Verdict:
    """Run `privet ARGUMENTS` in a child; output goes to files in the folder."""
    child = start(arguments, folder, debug=debug)
    try:
        stopped, clock, code, used = _watched(child)
    except BaseException:  # this process is told to end
        end(child)
        os.waitpid(child, 0)
        raise
    left = killed_group(child)
    seconds = max(clock, used.ru_utime + used.ru_stime)
    said = said_in(folder)
    status = os.waitstatus_to_exitcode(code)
    fault = stopped or _fault(status, seconds, used.ru_maxrss, said)
    if left and not fault:
        fault = "left a process running"
    return Verdict(status, seconds, used.ru_maxrss, said, fault)


def _watched(child: int) -> tuple[str, float, int, resource.struct_rusage]:
    """Why the child had to be killed, if it had to; its seconds, how it ended, what it used."""
    stopped, clock, since_look, seen = "", 0.0, 0.0, time.monotonic()
    while True:
        ended, code, used = os.wait4(child, os.WNOHANG)
        now = time.monotonic()
        passed = min(now - seen, _PAUSE)  # if this process was stopped, so was the child
        clock, since_look, seen = clock + passed, since_look + passed, now
        if ended:
            return stopped, clock, code, used
        if not stopped and since_look > _LOOK:
            since_look = 0.0
            if clock > SECONDS:
                stopped = _TOO_LONG
            elif any(_resident(process) > MEMORY for process in _family(child)):
                stopped = _TOO_MUCH
            if stopped:
                end(child)
        time.sleep(0.002)


def _family(process: int) -> Iterator[int]:
    """A process and those that it started; on systems that list them."""
    yield process
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for inner in listed.read_text().split():
                yield from _family(int(inner))


def _resident(process: int) -> int:
    """Kilobytes in memory."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    return 0


def end(child: int) -> None:
    """Kill a child that was not waited for, and whatever it started."""
    if not killed_group(child):  # at first it has no group of its own
        os.kill(child, signal.SIGKILL)


def killed_group(child: int) -> bool:
    """Kill what is in the group of a child; whether there was anything."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
        return True
    return False


def _fault(status: int, seconds: float, kilobytes: int, err: str) -> str:
    if seconds > SECONDS or status == -signal.SIGXCPU:
        return _TOO_LONG
    if kilobytes > MEMORY:
        return _TOO_MUCH
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


def _be_the_child(
    arguments: list[str], out: Path, err: Path, debug: bool, prepare: Callable[[], object]
) -> None:
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
        for path, handle in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), handle)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        os.environ["PRIVET_DEBUG"] = "1" if debug else "0"
        prepare()
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
