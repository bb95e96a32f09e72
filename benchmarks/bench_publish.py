"""Publishing with its own verification, 8 leaves, against scikit-learn's fit of the same tree.

    python benchmarks/bench_publish.py [ROWS ...]        (default 1,000,000)

Global and leaf recoding without a guard, and what `publish` does unless asked: rich and guarded.
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
from privet.preserve.settings import PublishSettings
from privet.roles import Roles, schema_for
from privet.table import Table

LEAVES = 8
ASKED = {
    "global recoding": PublishSettings(k=2, leaves=LEAVES, recoding="global"),
    "leaf recoding": PublishSettings(k=2, leaves=LEAVES, recoding="leaf", guard=1),
    "rich recoding, guarded": PublishSettings(k=2, leaves=LEAVES),
}
WARM_UP = 400_000  # rows; compiled code comes into play somewhere below


def published(table: Table, settings: PublishSettings) -> int:
    schema = schema_for(table, None, Roles("income", ["occupation"]))
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
    warm = adult_like(min(WARM_UP, max(sizes)))
    published(warm, ASKED["leaf recoding"])  # compiles, or loads what is compiled
    costs: dict[str, list[float]] = {}
    for rows in sizes:
        table = adult_like(rows)
        peer = fitted(table)
        print(f"{rows:,} rows, {LEAVES} leaves")
        for way, settings in ASKED.items():
            ours, leaves = cpu_seconds(lambda t=table, s=settings: published(t, s), repeats=2)
            show(f"publish and verify, {way} ({leaves} leaves)", ours, peer, goal=1)
            costs.setdefault(way, []).append(ours)
    if len(sizes) > 1:
        for way, spent in costs.items():
            ratio = spent[-1] / spent[0]
            print(f"{way}: {sizes[-1]:,} rows cost {ratio:.1f} times {sizes[0]:,}")


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [1_000_000])
