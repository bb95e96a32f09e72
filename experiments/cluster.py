"""A release by a Spark cluster of two workers, and once more with one of them killed in the middle.

python experiments/cluster.py [--rows 1000000]

Needs privet[spark] and Java. Draws an Adult-like table of 12 columns, publishes it in memory, by a
cluster, and by the cluster while a worker is killed, and prints markdown: seconds, questions, rows
that came back to the driver, bytes of codes, and whether the content is the same.
"""

import argparse
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pyspark

import privet
from privet.engine.workplace import Workplace

ASKED = {"target": "income", "sensitive": ["occupation"], "k": 10, "l": 2, "leaves": 8}
SPARK_CLASS = Path(pyspark.__path__[0]) / "bin" / "spark-class"


@dataclass
class Seen:
    """What was seen of one run."""

    content: str = ""
    wall_s: float = 0.0
    questions: int = 0
    rows_fetched: int = 0
    bytes_of_codes: int = 0


def started(role: str, *words: str) -> "subprocess.Popen[bytes]":
    """A process of a cluster, in a group of its own with all that it starts."""
    command = [str(SPARK_CLASS), f"org.apache.spark.deploy.{role}", *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, start_new_session=True, **quiet)


def killed(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def published(table: Path) -> str:
    release = privet.publish(table, **ASKED, recoding="leaf")
    return release.rows.content_sha256()


def bytes_under(folder: Path) -> int:
    found = 0
    for path in folder.rglob("*.parquet"):
        try:
            found += path.stat().st_size
        except OSError:  # it went meanwhile
            continue
    return found


def on_cluster(
    master: str, table: Path, at: int = 0, victim: "subprocess.Popen[bytes] | None" = None
) -> Seen:
    """Publish by the cluster; half a second after question number `at` a worker is killed."""
    seen, began = Seen(), time.monotonic()
    with privet.on_spark(master) as place:
        _watch(place, seen, at, victim)
        seen.content = published(table)
        seen.rows_fetched = place.rows_fetched
    seen.wall_s = time.monotonic() - began
    return seen


def _watch(place: Workplace, seen: Seen, at: int, victim: "subprocess.Popen[bytes] | None") -> None:
    def hear(done: str) -> None:
        seen.questions += 1
        if seen.questions % 10 == 0:
            codes = bytes_under(Path(tempfile.gettempdir()))
            seen.bytes_of_codes = max(seen.bytes_of_codes, codes)
        if victim is not None and seen.questions == at:
            threading.Timer(0.5, killed, (victim,)).start()

    place.progress = hear


def main() -> None:
    parser = argparse.ArgumentParser(description="A cluster of two workers, one of them killed.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with tempfile.TemporaryDirectory() as name, socket.socket() as probe:
        table = Path(name) / "table.parquet"
        (Path(name) / "passing").mkdir()
        drawn = ["python", "-m", "privet.datasets", "adult", str(rows), "--seed", "1"]
        subprocess.run([*drawn, "--out", str(table)], check=True, stdout=subprocess.DEVNULL)
        there = published(table)
        tempfile.tempdir = str(Path(name) / "passing")
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
        probe.close()
        here = ["--host", "127.0.0.1", "--webui-port", "0"]
        cluster = [started("master.Master", *here, "--port", port)]
        master = f"spark://127.0.0.1:{port}"
        work = [*here, "--cores", "1", "--memory", "1g", "--work-dir", f"{name}/work"]
        cluster += [started("worker.Worker", master, *work) for _ in range(2)]
        try:
            whole = on_cluster(master, table)
            _line(rows, "two workers", whole, there)
            _line(
                rows,
                "one killed",
                on_cluster(master, table, whole.questions // 2, cluster[-1]),
                there,
            )
            print(f"the worker is gone: {cluster[-1].poll() is not None}")
        finally:
            for process in reversed(cluster):
                killed(process)


def _line(rows: int, what: str, seen: Seen, there: str) -> None:
    same = "yes" if seen.content == there else "NO"
    print(
        f"| {rows:,} | {what} | {seen.wall_s:.0f} s | {seen.questions:,} | {seen.rows_fetched:,} "
        f"| {seen.bytes_of_codes / 10**6:.1f} MB | {same} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
