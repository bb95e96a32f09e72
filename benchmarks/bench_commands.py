"""Whole commands, as people run them: CPU seconds and memory, beside peers and the floor.

    python benchmarks/bench_commands.py [ROWS] [--json FILE]        (default 1,000,000)

Each command runs in a process of its own; its CPU seconds count all threads and the start of
Python. So do peers; one that is not installed is left out. The floor is a process that reads and
writes the same file with pyarrow. The least of a few runs counts, since others may use the machine.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from measure import Cost, cost_of, is_installed
from privet.datasets import adult_like
from privet.files import write_table

CENSUS = 32_561  # rows, as the public table has
RUNS = 3
SECOND = ("1 s", 1.0)
QUASI = ["age", "education_num", "occupation", "sex"]
LEAF = ("--recoding", "leaf", "--guard", "1", "--no-report", "--force")

FLOOR = """
import sys
path, copy = sys.argv[1:]
if path.endswith(".csv"):
    from pyarrow.csv import read_csv, write_csv
    write_csv(read_csv(path), copy)
else:
    from pyarrow.parquet import read_table, write_table
    write_table(read_table(path), copy)
"""
PEERS = {
    "duckdb": """
import duckdb
quasi = {quasi}
names = ", ".join(f'"{{name}}"' for name in quasi)
print(duckdb.sql(f"select min(n) from (select count(*) n from '{path}' group by {{names}})"))
""",
    "polars": """
import polars
quasi = {quasi}
print(polars.scan_parquet("{path}").group_by(quasi).len().min().collect())
""",
}


@dataclass(frozen=True)
class Row:
    """One piece of work: what it cost, what the peer did, and how many times that it may cost."""

    work: str
    ours: Cost
    peer: str
    peer_seconds: float
    goal: float

    @property
    def ratio(self) -> float:
        return self.ours.seconds / self.peer_seconds

    def line(self) -> str:
        met = "yes" if self.ratio <= self.goal else "no"
        return (
            f"| {self.work} | {self.ours.seconds:.2f} | {self.ours.mb:,.0f} | {self.peer} "
            f"| {self.peer_seconds:.3f} | {self.ratio:.2f} | {self.goal:g} | {met} |"
        )


HEAD = (
    "| work | CPU s | peak MB | beside | its CPU s | ratio | goal | met |\n"
    "|---|---|---|---|---|---|---|---|"
)


def rows_of(folder: Path, rows: int) -> Iterator[Row]:
    """Every row of the table, measured one after the other."""
    yield from of_a_census(folder, min(rows, CENSUS))
    yield from with_many_leaves(folder, min(rows, 50_000))
    yield from of_few(folder, min(rows, 400))
    yield from of_many(folder, rows)
    yield from of_decimals(folder, 2 * rows)


def of_a_census(folder: Path, rows: int) -> Iterator[Row]:
    path = folder / "census.csv"
    write_table(adult_like(rows), path)
    asked, out = (str(path), "--target", "income"), ("--out", str(folder / "out"))
    size, by_leaf = rows_in(path), ("-k", "10", *LEAF)
    ours = privet("publish", *asked, "--leaves", "64", *by_leaf, *out)
    yield Row(f"publish by leaf, 64 leaves, {size}", ours, "floor", floor_of(path), 8)
    ours = privet("publish", *asked, *by_leaf, *out)
    yield Row(f"publish without --leaves, {size}", ours, *SECOND, 2)
    ours = privet("explore", *asked, "--leaves", "32", *by_leaf[:6])
    yield Row(f"explore to 32 leaves, {size}", ours, *SECOND, 2)
    ours = privet("noise", *asked, "--no-report", "--force", *out)
    yield Row(f"noise, {size}", ours, *SECOND, 4)
    ours = privet("check", str(path), "--quasi", ",".join(QUASI))
    yield Row(f"check k, {size}", ours, *SECOND, 0.35)


def with_many_leaves(folder: Path, rows: int) -> Iterator[Row]:
    path, out = folder / "wide.parquet", ("--out", str(folder / "out"))
    pq.write_table(eight_columns(rows), path)
    for leaves, goal in ((128, 15), (256, 40)):
        asked = ("--target", "y", "-k", "10", "--leaves", str(leaves), *LEAF)
        ours = privet("publish", str(path), *asked, *out)
        yield Row(f"publish by leaf, {leaves} leaves, {rows_in(path)}", ours, *SECOND, goal)


def of_few(folder: Path, rows: int) -> Iterator[Row]:
    path, out = folder / "few.csv", ("--out", str(folder / "out"))
    pa.csv.write_csv(with_names(rows), path)
    ours = privet("noise", str(path), "--target", "y", "--no-report", "--force", *out)
    yield Row(f"noise with an unnamed identifier, {rows_in(path)}", ours, *SECOND, 1)


def of_many(folder: Path, rows: int) -> Iterator[Row]:
    path, out = folder / "many.parquet", ("--out", str(folder / "out"))
    write_table(adult_like(rows), path)
    size, target = rows_in(path), ("--target", "income")
    ours = privet("noise", str(path), *target, "--no-report", "--force", *out)
    yield Row(f"noise, {size}", ours, "floor", floor_of(path), 8)
    ours = privet("check", str(path), "--quasi", ",".join(QUASI))
    for name, code in PEERS.items():
        if is_installed(name):
            peer = cost_of([sys.executable, "-c", code.format(quasi=QUASI, path=path)], RUNS)
            yield Row(f"check k, {size}", ours, name, peer.seconds, 1.3)
    asked = (*target, "-k", "10", "--leaves", "8", *LEAF, *out)
    without = privet("publish", str(path), *asked)
    named = folder / "named.parquet"
    people = pa.array([f"p{i:08d}" for i in range(rows)])
    pq.write_table(pq.read_table(path).append_column("person", people), named)
    ours = privet("publish", str(named), "--identifier", "person", *asked)
    work = f"publish with an identifier, {rows_in(named)}"
    yield Row(work, ours, "without it", without.seconds, 1.05)


def of_decimals(folder: Path, rows: int) -> Iterator[Row]:
    path, out = folder / "decimals.parquet", ("--out", str(folder / "out"))
    pq.write_table(never_repeating(rows), path)
    asked = ("--target", "y", "-k", "10", "--leaves", "8", *LEAF)
    ours = privet("publish", str(path), *asked, *out)
    work = f"publish decimals that never repeat, {rows_in(path)}"
    yield Row(work, ours, "floor", floor_of(path), 4)


def privet(*words: str) -> Cost:
    return cost_of([sys.executable, "-m", "privet", *words], RUNS)


def floor_of(path: Path) -> float:
    """CPU seconds of a process that reads and writes a file with pyarrow."""
    return cost_of([sys.executable, "-c", FLOOR, str(path), f"{path}.floor"], RUNS).seconds


def rows_in(path: Path) -> str:
    table = pa.csv.read_csv(path) if path.suffix == ".csv" else pq.read_table(path)
    return f"{table.num_rows:,} x {table.num_columns}"


def eight_columns(rows: int) -> pa.Table:
    """Four numbers, four categories and a class that depends on most of them."""
    draw = np.random.default_rng(0)
    n = [draw.integers(0, most, rows) for most in (100, 50, 1000, 20)]
    c = [draw.integers(0, most, rows) for most in (5, 10, 20, 8)]
    score = n[0] / 50 + np.sin(n[1] / 8) + n[2] / 700 * (n[3] > 9) + 1.2 * np.isin(c[0], [1, 3])
    score += 0.8 * np.isin(c[2], [1, 7, 11]) + draw.normal(0, 0.7, rows)
    numbers = {f"n{i}": x for i, x in enumerate(n)}
    categories = {f"c{i}": [f"v{code:02d}" for code in x.tolist()] for i, x in enumerate(c)}
    return pa.table(numbers | categories | {"y": np.where(score > np.median(score), "yes", "no")})


def with_names(rows: int) -> pa.Table:
    """A small table in which a column that nobody named tells who is who."""
    draw = np.random.default_rng(1)
    age, pay = draw.integers(18, 80, rows), draw.integers(0, 60, rows)
    told = np.where(age + pay + draw.normal(0, 9, rows) > 75, "yes", "no")
    town = draw.choice(["Aix", "Bonn", "Cork"], rows)
    person = [f"Person {i}" for i in range(rows)]
    return pa.table({"person": person, "age": age, "pay": pay, "town": town, "y": told})


def never_repeating(rows: int) -> pa.Table:
    draw = np.random.default_rng(2)
    x = draw.normal(size=(rows, 4))
    told = np.where(
        x[:, 0] + (x[:, 1] > 0.3) * x[:, 2] + 0.5 * draw.normal(size=rows) > 0, "a", "b"
    )
    return pa.table({f"x{i}": x[:, i] for i in range(4)} | {"y": told})


def main(rows: int, report: Path | None) -> None:
    print(f"{rows:,} rows where the work says many\n\n{HEAD}", flush=True)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for row in rows_of(Path(folder), rows):
            print(row.line(), flush=True)
            found[f"{row.work}, beside {row.peer}"] = row.ratio
    if report is not None:
        report.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    words = sys.argv[1:]
    place = Path(words.pop(words.index("--json") + 1)) if "--json" in words else None
    main(int(next(iter(w for w in words if w != "--json"), 1_000_000)), place)
