"""Leaf recoding: CPU seconds by number of leaves, and that rows do not matter.

    python benchmarks/bench_leaf_recoding.py [ROWS ...]        (default 20,000 and 200,000)

Only the recoding is timed: after the tree is grown and its leaves are counted, no row is read. The
floor is the global recoding of the same tree. Trees with fewer than 50 rows a leaf are left out.
"""

import sys
from statistics import median

from measure import cpu_seconds
from privet.datasets import make, schema_of
from privet.engine import MemoryEngine
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.recode import recode_by_leaf
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.leaf_counts import count_leaves
from privet.tree import Grower, default_impurity, grow

TABLES = ("adult", "hospital", "houses")
SIZES = ((4, 6, 8, 10, 12, 14, 16), (18, 20, 24, 28, 32))
GOALS = (0.2, 2.0)
ROWS_A_LEAF = 50


def main(counts: list[int]) -> None:
    for rows in counts:
        for asked, goal in zip(SIZES, GOALS, strict=True):
            sizes = [leaves for leaves in asked if leaves * ROWS_A_LEAF <= rows]
            if not sizes:
                continue
            spent, floor, whole = [], [], 0
            for name in TABLES:
                table = make(name, rows)
                schema = schema_of(name, table)
                engine = MemoryEngine(table)
                grower = Grower(impurity=default_impurity(engine, schema.target), leaves=sizes[-1])
                tree = grow(engine, schema, grower)
                for leaves in sizes:
                    leaf_counts = count_leaves(engine, [tree.prefix(leaves)])
                    below, base = cpu_seconds(
                        lambda leaf_counts=leaf_counts, schema=schema: recode_globally(
                            leaf_counts, schema.quasi
                        )
                    )
                    cost, found = cpu_seconds(
                        lambda leaf_counts=leaf_counts, base=base: recode_by_leaf(
                            leaf_counts, base, solver=Solver()
                        ),
                        repeats=1,
                    )
                    spent.append(cost)
                    floor.append(below)
                    whole += found.whole
            half = median(spent)
            print(
                f"  {rows:>9,} rows, {sizes[0]:>2} to {sizes[-1]:>2} leaves, {len(spent)} trees: "
                f"median {half:.3f} s, longest {max(spent):.2f} s, "
                f"{half / median(floor):.0f} times the global recoding, "
                f"whole leaves in {whole}   "
                f"(goal {goal:g}: {'reached' if half < goal else 'NOT reached'})",
                flush=True,
            )


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [20_000, 200_000])
