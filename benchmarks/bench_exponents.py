"""How cost grows with rows, columns, values, classes and leaves: growing, and publishing by leaf.

    python benchmarks/bench_exponents.py [ROWS]        (default 200,000)

Each line doubles one thing twice and leaves the rest; the exponent is the slope of CPU seconds in
logarithms: 1 is proportional, 0 does not matter.
"""

import math
import sys
from dataclasses import dataclass, replace

import numpy as np

from measure import cpu_seconds
from privet.engine import MemoryEngine
from privet.files import table_of
from privet.preserve.publisher import TreePreservingPublisher
from privet.preserve.settings import PublishSettings
from privet.table import Table
from privet.tree import Grower, grow


@dataclass(frozen=True)
class Shape:
    """A generated table and the tree that is asked of it."""

    rows: int
    columns: int = 8
    values: int = 64
    classes: int = 2
    leaves: int = 16

    def table(self) -> Table:
        draw = np.random.default_rng(0)
        codes = draw.integers(0, self.values, (self.rows, self.columns))
        shares = codes / self.values
        score = shares[:, 0] + np.sin(6 * shares[:, 1]) + (shares[:, 2] > 0.4) * shares[:, 3]
        score = score + draw.normal(0, 0.3, self.rows)
        place = np.argsort(np.argsort(score)) * self.classes // self.rows
        cells = {f"n{i}": codes[:, i] for i in range(self.columns)}
        return table_of(cells | {"y": [f"class {c:02d}" for c in place.tolist()]})


def growing(shape: Shape) -> float:
    table = shape.table()
    schema = table.schema().with_roles(target="y")
    return cpu_seconds(lambda: grow(MemoryEngine(table), schema, Grower(leaves=shape.leaves)))[0]


def publishing(shape: Shape) -> float:
    table = shape.table()
    schema = table.schema().with_roles(target="y")
    settings = PublishSettings(k=2, leaves=shape.leaves, recoding="leaf", guard=1)
    publisher = TreePreservingPublisher(settings)
    return cpu_seconds(lambda: publisher.publish(table, schema), repeats=1)[0]


def exponent(work: object, shape: Shape, what: str) -> tuple[float, list[float]]:
    sizes = [getattr(shape, what) * times for times in (1, 2, 4)]
    costs = [work(replace(shape, **{what: size})) for size in sizes]  # type: ignore[operator]
    slope = np.polyfit([math.log(s) for s in sizes], [math.log(c) for c in costs], 1)[0]
    return float(slope), costs


def main(rows: int) -> None:
    start = Shape(max(rows // 4, 100))
    growing(start)  # compiles, or loads what is compiled
    print(f"{rows:,} rows at most, from {start}")
    print("| in | growing | CPU s | publishing by leaf | CPU s |\n|---|---|---|---|---|")
    lines = {what: (start, what) for what in ("rows", "columns", "values", "classes", "leaves")}
    lines["leaves, from 64 on"] = replace(start, leaves=64), "leaves"
    for name, (shape, what) in lines.items():
        cells = [name]
        for work in (growing, publishing):
            slope, costs = exponent(work, shape, what)
            cells += [f"{slope:.2f}", ", ".join(f"{c:.2f}" for c in costs)]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
