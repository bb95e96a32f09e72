"""What the benchmarks share: CPU seconds of a call or a program, lines with ratios of one run."""

import importlib.util
import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

LONG = 5.0  # CPU seconds


@dataclass(frozen=True)
class Cost:
    """What a process cost: CPU seconds of all its threads, and the most memory that it held."""

    seconds: float
    mb: float


def cost_of(command: Sequence[str], runs: int = 1) -> Cost:
    """The least that a command cost in a few runs, fewer if they are long; it must end well. The
    first may have to compile, which later ones do not: modules too, as where pip installed them."""
    surroundings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    costs = []
    for _ in range(runs):
        with subprocess.Popen(
            command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as child:
            assert child.stderr is not None
            said = child.stderr.read()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)}: {said.decode()}")
        costs.append(Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1000))
        if costs[-1].seconds > (LONG if len(costs) > 1 else 4 * LONG):
            break
    return Cost(min(c.seconds for c in costs), min(c.mb for c in costs))


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def cpu_seconds(call: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The least CPU time of a few runs, all threads counted, and the last result."""
    best, result = float("inf"), None
    for _ in range(repeats):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return best, result


def peak_mb() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def show(what: str, ours: float, peer: float | None = None, goal: float | None = None) -> None:
    """One line: our CPU seconds, the peer's, the ratio, and the goal where there is one."""
    line = f"  {what:<44} {ours:9.3f} s"
    if peer is not None:
        line += f"   peer {peer:9.3f} s   {peer / ours:7.1f} times"
    if goal is not None and peer is not None:
        line += f"   (goal {goal:g}: {'reached' if peer / ours >= goal else 'NOT reached'})"
    print(line, flush=True)
