"""Trees of columns with a value of their own for each row, in memory and by DuckDB.

python experiments/long_columns.py [--rows 1000000] [--memory 1GB] [--impurity gini] [--guard 10]

Draws four different decimals for each row and a class that two of them tell of, grows a tree of 8
leaves in a process of its own for each engine, and prints markdown: CPU seconds, peak memory, rows
of answers that came back from the database, and whether the trees are the same.
"""

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow.parquet import write_table

import privet
from privet.tree import grow
from privet.tree.exchange.model_file import to_data
from privet.tree.guard import Guard


def draw(rows: int, path: Path) -> None:
    """A table whose columns have no value twice."""
    rng = np.random.default_rng(1)
    columns = {f"x{number}": rng.normal(size=rows) for number in range(4)}
    chance = 0.2 + 0.5 * (columns["x0"] > 0.3) + 0.2 * (columns["x1"] > np.abs(columns["x0"]))
    columns["y"] = np.where(rng.random(rows) < chance, "yes", "no")
    write_table(pa.table(columns), path)


def grown(path: Path, memory: str | None, impurity: str, guard: int) -> dict[str, object]:
    """What a tree took in this process."""
    where = nullcontext() if memory is None else privet.larger_than_memory(memory)
    with where as place:
        table = privet.read_table(path)
        schema = table.schema().with_roles(target="y")
        from privet.engine import engine_of

        grower = privet.Grower(impurity, leaves=8)
        tree = grow(engine_of(table), schema, grower, guard=Guard(guard))
    used = resource.getrusage(resource.RUSAGE_SELF)
    text = json.dumps(to_data(tree), sort_keys=True)
    return {
        "cpu_s": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1024,
        "rows_fetched": None if place is None else place.rows_fetched,
        "tree": hashlib.sha256(text.encode()).hexdigest(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Trees of columns with a value for each row.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--impurity", default="gini")
    parser.add_argument("--guard", type=int, default=1)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only is not None:
        path, engine = given.only.split(":")
        memory = given.memory if engine == "duckdb" else None
        print(json.dumps(grown(Path(path), memory, given.impurity, given.guard)))
        return
    print("| rows | engine | CPU | peak | rows fetched | tree |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        draw(given.rows, path)
        for engine in ("memory", "duckdb"):
            words = [sys.executable, __file__, "--only", f"{path}:{engine}"]
            words += ["--memory", given.memory, "--impurity", given.impurity]
            words += ["--guard", str(given.guard)]
            found = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
            fetched = "-" if found["rows_fetched"] is None else f"{found['rows_fetched']:,}"
            print(
                f"| {given.rows:,} | {engine} | {found['cpu_s']:.1f} s "
                f"| {found['peak_mb']:,.0f} MB | {fetched} | {found['tree'][:12]} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
