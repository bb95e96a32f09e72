"""Noise on census-like rows, all parts: time against growing the trees alone, and against a copy.

    python benchmarks/bench_noise.py [ROWS]        (default 100,000)

The floor is a copy of the table's codes; the peer is the growth of the same trees (one for the
target, one for each category), measured in the same run on the same engine. CPU seconds are those
of the process, its threads included.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from privet.datasets import adult_like, schema_of
from privet.engine import MemoryEngine
from privet.noise.dependencies import Together
from privet.noise.figures import figures_of
from privet.noise.framework import NoiseFramework
from privet.noise.settings import NoiseSettings
from privet.noise.trees import with_target
from privet.table import Table
from privet.tree.natural import natural_tree


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


def main(rows: int) -> None:
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
    sizes = [argument for argument in sys.argv[1:] if argument.isdigit()]
    main(int(sizes[0]) if sizes else 100_000)
