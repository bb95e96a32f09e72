"""Noise: whole commands against a floor, and its parts against growing the trees alone.

    python benchmarks/bench_noise.py [ROWS]        (default 1,000,000)

First `privet noise` as it is typed, from a CSV file to a verified folder without report: the public
Adult table where it lies beside the repository (else one generated like it), ROWS generated ones,
and 400 rows with an identifier that nobody named. The floor is a process that reads the same file
and writes it as Parquet with pyarrow. CPU seconds of whole processes, the median of three runs.

Then the parts, on a tenth of the rows: the peer is the growth of the same trees (one for the
target, one for each category), measured in the same run on the same engine.
"""

import gzip
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from privet.datasets import adult_like, schema_of
from privet.engine import MemoryEngine
from privet.files import table_of, write_table
from privet.noise.dependencies import Together
from privet.noise.figures import figures_of
from privet.noise.framework import NoiseFramework
from privet.noise.settings import NoiseSettings
from privet.table import Table
from privet.tree.natural import natural_tree, with_target

PUBLIC = Path(__file__).parents[2] / "shared" / "data" / "adult.csv.gz"
FLOOR = """
import sys, pyarrow.csv, pyarrow.parquet
pyarrow.parquet.write_table(pyarrow.csv.read_csv(sys.argv[1]), sys.argv[2])
"""


def of_process(arguments: list[str], repeats: int = 3) -> float:
    """The median CPU seconds of a command."""
    found = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user, system = (getattr(after, f) - getattr(before, f) for f in ("ru_utime", "ru_stime"))
        found.append(user + system)
    return statistics.median(found)


def commands(rows: int) -> None:
    """Whole commands: seconds, the floor, and how many floors."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        adult, many, named = here / "adult.csv", here / "many.csv", here / "named.csv"
        if PUBLIC.exists() and rows > 10_000:
            adult.write_bytes(gzip.decompress(PUBLIC.read_bytes()))
            what = "Adult, public"
        else:
            write_table(adult_like(min(32_561, rows), 2), adult)
            what = f"Adult-like, {min(32_561, rows):,} rows"
        write_table(adult_like(rows, 1), many)
        few = adult_like(400, 3)
        person = table_of({"person": [f"P{i * 7919 % 100_003:06d}" for i in range(400)]})["person"]
        write_table(Table({"person": person, **{n: few[n] for n in few}}), named)
        for told, path, goal in (
            (what, adult, "4 s"),
            (f"Adult-like, {rows:,} rows", many, "8 floors at 1,000,000"),
            ("400 rows, an identifier not named", named, "1 s"),
        ):
            asked = ["noise", str(path), "--target", "income", "--seed", "1", "--no-report"]
            out = ["--out", str(here / "release"), "--force"]
            of_process(["-m", "privet", *asked, *out], repeats=1)  # compiles what is not compiled
            ours = of_process(["-m", "privet", *asked, *out])
            floor = of_process(["-c", FLOOR, str(path), str(here / "floor.parquet")])
            print(
                f"  privet noise, {told:<36}{ours:>8.2f} CPU s, floor {floor:.2f}: "
                f"{ours / floor:.1f} floors (goal {goal})",
                flush=True,
            )


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def grow_alone(table: Table, noise: NoiseFramework) -> None:
    """The trees of a fitted framework, grown again and nothing else done."""
    trees = noise.settings.trees
    natural_tree(MemoryEngine(table), noise.schema_, trees)
    shared = MemoryEngine(table)
    for suspect in noise.suspects_.values():
        columns, engine = suspect.together.columns, shared
        if len(columns) > 1:
            joined = Together.of(columns, table)
            others = {n: table[n] for n in table if n not in columns}
            engine = MemoryEngine(Table({**others, joined.name: joined.coded(table)}))
        known = engine.table()
        names = [n for n in known if n != suspect.name]
        trees.grow(engine, with_target(known.schema(), suspect.name), names)
        engine.forget()


def parts(rows: int) -> None:
    """The parts of noise, in this process."""
    table = adult_like(rows, 1)
    schema = schema_of("adult", table)
    warm = adult_like(min(2000, rows), 1)
    NoiseFramework().fit(warm, schema).transform(warm, 1)  # imports and compiled code
    noise = NoiseFramework(NoiseSettings())
    copy, copy_cpu, _ = timed(lambda: [table[name].codes.copy() for name in table])
    fit, fit_cpu, _ = timed(lambda: noise.fit(table, schema))
    draw, draw_cpu, released = timed(lambda: noise.transform(table, 1))
    told, told_cpu, _ = timed(lambda: figures_of(noise, table, released))
    alone, alone_cpu, _ = timed(lambda: grow_alone(table, noise))
    leaves = noise.tree_.n_leaves + sum(s.tree.n_leaves for s in noise.suspects_.values())
    print(
        f"{rows:,} rows, {len(noise.suspects_) + 1} trees with {leaves:,} leaves; 2 threads count"
    )
    for what, wall, cpu in (
        ("copy of the codes (floor)", copy, copy_cpu),
        ("growing the trees alone", alone, alone_cpu),
        ("noise: trees and laws", fit, fit_cpu),
        ("noise: drawing all columns", draw, draw_cpu),
        ("expected and observed figures", told, told_cpu),
    ):
        print(f"  {what:<32}{wall:>9.2f} s {cpu:>9.2f} CPU s")
    whole, whole_cpu = fit + draw, fit_cpu + draw_cpu
    print(f"noise, trees included: {whole / alone:.2f} times the trees alone ", end="")
    print(f"({whole_cpu / alone_cpu:.2f} by CPU); at most 3 is the aim")
    print(f"drawing alone: {draw / max(copy, 1e-9):.0f} times the copy")
    if "--check" in sys.argv and whole_cpu > 3 * alone_cpu:
        raise SystemExit(1)


if __name__ == "__main__":
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    asked_rows = sizes[0] if sizes else 1_000_000
    commands(asked_rows)
    parts(max(asked_rows // 10, min(asked_rows, 2000)))
