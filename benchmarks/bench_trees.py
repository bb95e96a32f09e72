"""Growing an 8-leaf tree: Privet against scikit-learn, on the same rows in one run.

    python benchmarks/bench_trees.py [ROWS ...]        (default 1,000,000)

CPU seconds of all threads (Privet counts on two). The floor is a copy of the same codes.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from measure import cpu_seconds, peak_mb, show
from privet.datasets import adult_like
from privet.engine import MemoryEngine
from privet.files import read_table, write_table
from privet.table import Table
from privet.tree import Grower, grow

LEAVES = 8
WARM_UP = 400_000  # rows; compiled code comes into play somewhere below


def grown(table: Table) -> object:
    schema = table.schema().with_roles(target="income")
    return grow(MemoryEngine(table), schema, Grower(leaves=LEAVES))


def ordinal(table: Table) -> tuple[np.ndarray, np.ndarray]:
    columns = [table[name].codes for name in table if name != "income"]
    return np.stack(columns, axis=1).astype(np.float32), table["income"].codes


def fitted(features: np.ndarray, classes: np.ndarray) -> float:
    """CPU seconds of scikit-learn's fit."""
    tree = DecisionTreeClassifier(max_leaf_nodes=LEAVES)
    return cpu_seconds(lambda: tree.fit(features, classes), repeats=1)[0]


def main(sizes: list[int]) -> None:
    grown(adult_like(min(WARM_UP, max(sizes))))  # compiles, or loads what is compiled
    ours_by_size = {}
    for rows in sizes:
        table = adult_like(rows)
        before = peak_mb()
        print(f"{rows:,} rows, {len(table.names)} columns, {LEAVES} leaves")
        ours, _ = cpu_seconds(lambda table=table: grown(table))
        ours_by_size[rows] = ours
        print(f"  memory beyond the table while growing: {peak_mb() - before:.0f} MB (goal 1,500)")
        peer = fitted(*ordinal(table))
        floor, _ = cpu_seconds(lambda table=table: [table[n].codes.copy() for n in table])
        show("growing, codes at hand (scikit-learn fit)", ours, peer, goal=10)
        show("  against a copy of the same codes", ours, floor)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.parquet"
            write_table(table, path)
            whole, _ = cpu_seconds(lambda path=path: grown(read_table(path)), repeats=1)
        show("growing from Parquet, encoding included", whole, peer, goal=1)
    if len(sizes) > 1:
        ratio = ours_by_size[sizes[-1]] / ours_by_size[sizes[0]]
        print(f"{sizes[-1]:,} rows cost {ratio:.1f} times {sizes[0]:,} rows (goal at most 12)")


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [1_000_000])
