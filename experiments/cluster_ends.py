"""Whether a cluster is left as it was when `publish` is ended in the middle, or its disk is full.

python experiments/cluster_ends.py [--rows 20000]
python experiments/cluster_ends.py --full FOLDER    FOLDER lies on a disk of some megabytes

Needs privet[spark] and Java. Starts a master and two workers on this machine, ends `publish` by
Ctrl-C and by SIGTERM while the cluster counts, and prints what it said and what is left: files,
and applications that the master still knows. `cluster` measures.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from cluster import Cluster

ROLES = ["--target", "income", "--sensitive", "occupation"]
PUBLISH = [*ROLES, "-k", "10", "-l", "2", "--leaves", "8", "--recoding", "leaf"]


def applications(cluster: Cluster) -> int:
    """How many applications run, as the master says."""
    with urlopen(f"http://127.0.0.1:{cluster.web_port}/json/", timeout=20) as answer:
        return len(json.load(answer)["activeapps"])


def wait_for(cluster: Cluster) -> None:
    """Until the master answers."""
    for _ in range(300):
        try:
            applications(cluster)
            return
        except OSError:
            time.sleep(0.5)


def publishing(table: Path, out: Path, passing: Path, master: str) -> "subprocess.Popen[str]":
    words = ["publish", str(table), *PUBLISH, "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", "privet", *words, "--engine", "spark", "--spark-master", master],
        env={**os.environ, "TMPDIR": str(passing)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(cluster: Cluster, table: Path, passing: Path, by: signal.Signals | None) -> None:
    """Publish; with a signal, send it once the cluster counts codes."""
    out = table.parent / "release"
    working = publishing(table, out, passing, cluster.master)
    until = time.monotonic() + 300
    while by is not None and time.monotonic() < until and working.poll() is None:
        if list(passing.glob("*/relations/t*/part-*")) and applications(cluster):
            time.sleep(3)
            break
        time.sleep(0.2)
    before = applications(cluster)
    began = time.monotonic()
    if by is not None:
        working.send_signal(by)
    _, said = working.communicate(timeout=600)
    took = time.monotonic() - began
    until = time.monotonic() + 20
    while applications(cluster) and time.monotonic() < until:
        time.sleep(0.2)
    last = said.strip().splitlines()[-2:] if said.strip() else []
    print(
        f"{by.name if by else 'no signal'}: {before} application(s) before, exit "
        f"{working.returncode} after {took:.1f} s; release there: {out.exists()}; passing files: "
        f"{len(list(passing.iterdir()))}; applications left: {applications(cluster)}; said: {last}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="A cluster after work that was ended.")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--full", type=Path, help="a folder on a disk that is too small")
    asked = parser.parse_args()
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with tempfile.TemporaryDirectory() as name:
        table, passing = Path(name) / "table.parquet", Path(name) / "passing"
        passing.mkdir()
        drawn = [sys.executable, "-m", "privet.datasets", "adult", str(asked.rows), "--seed", "1"]
        subprocess.run([*drawn, "--out", str(table)], check=True, stdout=subprocess.DEVNULL)
        cluster = Cluster(Path(name))
        cluster.start(2, "2g")
        try:
            wait_for(cluster)
            if asked.full is not None:
                ended(cluster, table, asked.full, None)
                return
            for by in (signal.SIGINT, signal.SIGTERM):
                ended(cluster, table, passing, by)
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
