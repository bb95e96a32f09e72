"""Publishing with its own verification, 8 leaves, against scikit-learn's fit of the same tree.

    python benchmarks/bench_publish.py [ROWS ...]        (default 1,000,000)

Counted from a table in memory (as scikit-learn's fit is) to a verified folder on disk, without the
report. CPU seconds of all threads.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from measure import cpu_seconds, show
from privet.datasets import adult_like
from privet.pipeline import publish_table
from privet.preserve.settings import Settings
from privet.roles import Roles, schema_for
from privet.table import Table

LEAVES = 8


def published(table: Table, recoding: str) -> int:
    roles = Roles("income", ["occupation"])
    schema = schema_for(table, None, roles)
    settings = Settings(k=2, leaves=LEAVES, recoding=recoding)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        release = publish_table(table, schema, settings)
        release.save(Path(folder) / "release", report=False)
    return release.tree.n_leaves


def fitted(table: Table) -> float:
    """CPU seconds of scikit-learn's fit on the same columns."""
    columns = [table[n].codes for n in table if n not in ("income", "occupation")]
    features = np.stack(columns, axis=1).astype(np.float32)
    tree = DecisionTreeClassifier(max_leaf_nodes=LEAVES)
    return cpu_seconds(lambda: tree.fit(features, table["income"].codes), repeats=1)[0]


def main(sizes: list[int]) -> None:
    published(adult_like(400_000), "leaf")  # compiles, or loads what is compiled
    costs: dict[str, list[float]] = {}
    for rows in sizes:
        table = adult_like(rows)
        peer = fitted(table)
        print(f"{rows:,} rows, {LEAVES} leaves")
        for recoding in ("global", "leaf"):
            ours, leaves = cpu_seconds(lambda t=table, r=recoding: published(t, r), repeats=2)
            show(f"publish and verify, {recoding} recoding ({leaves} leaves)", ours, peer, goal=1)
            costs.setdefault(recoding, []).append(ours)
    if len(sizes) > 1:
        for recoding, spent in costs.items():
            ratio = spent[-1] / spent[0]
            print(f"{recoding}: {sizes[-1]:,} rows cost {ratio:.1f} times {sizes[0]:,}")


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [1_000_000])
