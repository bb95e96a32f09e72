"""The memory engine and DuckDB side by side, on tables of growing size.

python experiments/engines.py [--rows 1000000 10000000] [--memory 2GB] [--in-memory-up-to 10000000]
    [--recoding rich]

Draws Adult-like tables of 12 columns into a folder that goes again, runs the commands as anybody
would, and prints markdown: CPU seconds and the peak memory of each process, and whether trees,
figures and releases are the same bytes on both engines.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

QUASI = "age,workclass,education_num,marital_status,relationship,race,sex,hours_per_week"
MOST_IN_MEMORY = 10_000_000


@dataclass(frozen=True)
class Run:
    """One command: what it took, and what it said."""

    cpu_s: float
    peak_mb: float
    said: bytes


def run(words: Sequence[str]) -> Run:
    """Run a command of Privet in a process of its own."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([sys.executable, "-m", *words], stdout=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{words[1]} ended with {process.returncode}")
        said.seek(0)
        return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said.read())


def digest(folder: Path) -> str:
    """One digest of all files of a release."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        whole.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def commands(
    table: Path, release: Path, engine: Sequence[str], recoding: str
) -> dict[str, list[str]]:
    judged = ["--quasi", QUASI, "--sensitive", "occupation,income", "--json"]
    asked = ["--sensitive", "occupation", "-k", "10", "-l", "2", "--leaves", "8"]
    written = ["--recoding", recoding, "--no-report", "--out", str(release)]
    tree = ["--target", "income", "--leaves", "8", "--json"]
    return {
        "check": ["privet", "check", str(table), *judged, *engine],
        "tree": ["privet", "tree", str(table), *tree, *engine],
        "publish": [
            *("privet", "publish", str(table), "--target", "income"),
            *(*asked, *written, *engine),
        ],
    }


def measured(rows: int, folder: Path, memory: str, in_memory: bool, recoding: str) -> None:
    """Print the lines of one table."""
    table = folder / "table.parquet"
    run(["privet.datasets", "adult", str(rows), "--seed", "1", "--out", str(table)])
    engines = {"duckdb": ["--engine", "duckdb", "--memory", memory]}
    if in_memory:
        engines["memory"] = ["--engine", "memory"]
    runs: dict[tuple[str, str], Run] = {}
    digests = []
    for engine, options in engines.items():
        release = folder / engine
        for name, words in commands(table, release, options, recoding).items():
            runs[engine, name] = run(words)
        manifest = hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest()
        verify = ["privet", "verify", str(release), "--fingerprint", manifest, *options]
        runs[engine, "verify"] = run(verify)
        digests.append(digest(release))
    for name in ("check", "tree", "publish", "verify"):
        cells = []
        for engine in ("memory", "duckdb"):
            one = runs.get((engine, name))
            cells.append("-" if one is None else f"{one.cpu_s:.1f} s, {one.peak_mb:,.0f} MB")
        same = "-"
        if in_memory and name in ("check", "tree"):
            same = "yes" if runs["memory", name].said == runs["duckdb", name].said else "NO"
        elif in_memory and name == "publish":
            same = "yes" if digests[0] == digests[1] else "NO"
        print(f"| {rows:,} | {name} | {cells[0]} | {cells[1]} | {same} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="The memory engine and DuckDB side by side.")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--recoding", default="leaf")
    parser.add_argument("--in-memory-up-to", type=int, default=MOST_IN_MEMORY)
    given = parser.parse_args()
    print("| rows | command | memory | duckdb | same bytes |")
    print("|---|---|---|---|---|")
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            in_memory = rows <= given.in_memory_up_to
            measured(rows, Path(folder), given.memory, in_memory, given.recoding)


if __name__ == "__main__":
    main()
