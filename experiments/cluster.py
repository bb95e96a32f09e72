"""A release by a Spark cluster of two workers, and once more with one of them killed in the middle.

python experiments/cluster.py [--rows 1000000] [--memory 2GB]

Needs privet[spark] and Java. Draws an Adult-like table of 12 columns, publishes it in memory, by a
cluster, and by the cluster while a worker is killed, and prints markdown: seconds of clock and of
CPU (all processes), questions, rows that came back to the driver, bytes of codes, and whether the
content and the tree are those of memory. The tree comes last.
"""

import argparse
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

import privet
from privet.engine.workplace import Workplace
from privet.tree.exchange.model_file import to_text

ASKED = {"target": "income", "sensitive": ["occupation"], "k": 10, "l": 2, "leaves": 8}
SPARK_CLASS = Path(pyspark.__path__[0]) / "bin" / "spark-class"
TICKS = os.sysconf("SC_CLK_TCK")  # of a second of CPU
Process = subprocess.Popen[bytes]
Made = tuple[str, str]  # the digest of a release's content, and its tree


@dataclass
class Seen:
    """What was seen of one run."""

    made: Made = ("", "")
    wall_s: float = 0.0
    cpu_s: float = 0.0
    questions: int = 0
    rows_fetched: int = 0
    bytes_of_codes: int = 0


@dataclass
class Cluster:
    """A master and its workers, each in a group of its own with all that it starts."""

    folder: Path
    processes: list[Process] = field(default_factory=list)
    master: str = ""
    web_port: int = 0

    def start(self, workers: int, memory: str) -> None:
        port, self.web_port = free_port(), free_port()
        here, web = ["--host", "127.0.0.1"], ["--webui-port", str(self.web_port)]
        self._start("master.Master", [*here, *web, "--port", str(port)])
        self.master = f"spark://127.0.0.1:{port}"
        work = [*here, "--webui-port", "0", "--cores", "1", "--memory", memory]
        work += ["--work-dir", f"{self.folder}/work"]
        for _ in range(workers):
            self._start("worker.Worker", [self.master, *work])

    def _start(self, role: str, words: Sequence[str]) -> None:
        command = [str(SPARK_CLASS), f"org.apache.spark.deploy.{role}", *words]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes.append(subprocess.Popen(command, start_new_session=True, **quiet))

    def stop(self) -> None:
        for process in reversed(self.processes):
            killed(process)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def killed(process: Process) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def cpu_s() -> float:
    """CPU seconds so far: of this process, all below it, and those that have been waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in used) + cpu_s_below(os.getpid())


def cpu_s_below(ancestor: int) -> float:
    """CPU seconds of the processes that run below one."""
    parent, ticks = dict[int, int](), dict[int, int]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        pid = int(path.parent.name)
        parent[pid], ticks[pid] = int(words[1]), sum(map(int, words[11:15]))

    def is_below(pid: int) -> bool:
        while pid in parent and parent[pid] != ancestor:
            pid = parent[pid]
        return pid in parent

    return sum(ticks[pid] for pid in parent if is_below(pid)) / TICKS


def published(table: Path) -> Made:
    release = privet.publish(table, **ASKED, recoding="leaf")
    return release.rows.content_sha256(), to_text(release.trees[0])


def bytes_under(folder: Path) -> int:
    found = 0
    for path in folder.rglob("*.parquet"):
        try:
            found += path.stat().st_size
        except OSError:  # it went meanwhile
            continue
    return found


def on_cluster(
    cluster: Cluster, table: Path, memory: str, at: int = 0, victim: Process | None = None
) -> Seen:
    """Publish by the cluster; half a second after question number `at` a worker is killed."""
    seen, began, used = Seen(), time.monotonic(), cpu_s()
    with privet.on_spark(cluster.master, memory) as place:
        _watch(place, seen, at, victim)
        seen.made = published(table)
        seen.rows_fetched = place.rows_fetched
        seen.wall_s = time.monotonic() - began
        seen.cpu_s += cpu_s() - used
    return seen


def _watch(place: Workplace, seen: Seen, at: int, victim: Process | None) -> None:
    def hear(done: str) -> None:
        seen.questions = place._questions
        codes = bytes_under(Path(tempfile.gettempdir()))
        seen.bytes_of_codes = max(seen.bytes_of_codes, codes)
        if victim is not None and seen.questions >= at and not struck.is_set():
            struck.set()
            threading.Timer(0.5, strike, (victim,)).start()

    def strike(victim: Process) -> None:
        seen.cpu_s += cpu_s_below(victim.pid)  # nobody will wait for these
        killed(victim)

    struck = threading.Event()
    place.progress = hear


def main() -> None:
    parser = argparse.ArgumentParser(description="A cluster of two workers, one of them killed.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory", default="2GB", help="of each process of Spark")
    asked = parser.parse_args()
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "table.parquet"
        (Path(name) / "passing").mkdir()
        drawn = [sys.executable, "-m", "privet.datasets", "adult", str(asked.rows), "--seed", "1"]
        subprocess.run([*drawn, "--out", str(table)], check=True, stdout=subprocess.DEVNULL)
        began, used = time.monotonic(), cpu_s()
        there = Seen(published(table), time.monotonic() - began, cpu_s() - used)
        _line(asked.rows, "none: in memory", there, there)
        tempfile.tempdir = str(Path(name) / "passing")
        cluster = Cluster(Path(name))
        cluster.start(2, "2g")
        try:
            whole = on_cluster(cluster, table, asked.memory)
            _line(asked.rows, "two workers", whole, there)
            at, victim = whole.questions // 2, cluster.processes[-1]
            again = on_cluster(cluster, table, asked.memory, at, victim)
            _line(asked.rows, f"one of them killed at question {at}", again, there)
            print(f"the worker is gone: {victim.poll() is not None}")
            print(f"content_sha256 {again.made[0]}\n{again.made[1]}")
        finally:
            cluster.stop()


def _line(rows: int, what: str, seen: Seen, there: Seen) -> None:
    content, tree = ("yes" if a == b else "NO" for a, b in zip(seen.made, there.made, strict=True))
    print(
        f"| {rows:,} | {what} | {seen.wall_s:.0f} s | {seen.cpu_s:.0f} s | {seen.questions:,} "
        f"| {seen.rows_fetched:,} | {seen.bytes_of_codes / 10**6:.1f} MB | {content} | {tree} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
