"""Growing trees: Privet against scikit-learn, LightGBM and rpart, on the same rows in one run.

    python benchmarks/bench_trees.py [ROWS ...]        (default 1,000,000)

Codes at hand with 8 and with 64 leaves, and half as many rows of decimals with a value of their own
in each, encoding counted. CPU seconds of all threads (Privet counts on two). LightGBM grows one
tree; set OMP_WAIT_POLICY=passive, or its threads spin while they wait. R's rpart knows no number of
leaves: it grows to a depth of three, without cross-validation. The floor is a copy of the same
codes.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.tree import DecisionTreeClassifier

from measure import cpu_seconds, peak_mb, show
from privet.datasets import adult_like
from privet.engine import MemoryEngine
from privet.files import read_table, table_of, write_table
from privet.table import Table
from privet.tree import Grower, grow

LEAVES = 8
MANY_LEAVES = 64
DECIMALS = 4  # columns
WARM_UP = 400_000  # rows; compiled code comes into play somewhere below


def grown(table: Table, leaves: int = LEAVES, target: str = "income") -> object:
    schema = table.schema().with_roles(target=target)
    return grow(MemoryEngine(table), schema, Grower(leaves=leaves))


def ordinal(table: Table) -> tuple[np.ndarray, np.ndarray]:
    columns = [table[name].codes for name in table if name != "income"]
    return np.stack(columns, axis=1).astype(np.float32), table["income"].codes


def decimals(rows: int) -> tuple[np.ndarray, np.ndarray, pa.Table]:
    """Numbers that never repeat, classes that depend on them, and both as a frame."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=(rows, DECIMALS))
    score = x[:, 0] + (x[:, 1] > 0.3) * x[:, 2] + (x[:, 3] > 0) * (x[:, 0] < 0)
    classes = score + 0.5 * draw.normal(size=rows) > 0
    labels = pa.array(np.where(classes, "yes", "no"))
    return x, classes, pa.table({**{f"x{i}": x[:, i] for i in range(DECIMALS)}, "y": labels})


def fitted(features: np.ndarray, classes: np.ndarray, leaves: int = LEAVES) -> float:
    """CPU seconds of scikit-learn's fit."""
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves)
    return cpu_seconds(lambda: tree.fit(features, classes), repeats=1)[0]


def boosted(features: np.ndarray, classes: np.ndarray, leaves: int) -> dict[str, float]:
    """CPU seconds of one tree of LightGBM, with its own encoding and without; none if absent."""
    try:
        import lightgbm
    except ImportError:
        return {}
    asked: dict[str, Any] = {"objective": "binary", "num_leaves": leaves, "verbose": -1}

    def encoded() -> Any:
        return lightgbm.Dataset(features, classes, params={"verbose": -1}).construct()

    alone, data = cpu_seconds(encoded)
    tree, _ = cpu_seconds(lambda: lightgbm.train(asked, data, num_boost_round=1))
    return {"encoding counted": alone + tree, "encoded already": tree}


def by_rpart(path: Path) -> float | None:
    """CPU seconds of rpart's fit, reading not counted; None where R or rpart is absent."""
    program = shutil.which("Rscript")
    if program is None:
        return None
    script = (
        "suppressMessages(library(rpart)); d <- read.csv(commandArgs(TRUE)[1]);"
        "ask <- rpart.control(cp = 0, maxdepth = 3, xval = 0, maxcompete = 0, maxsurrogate = 0);"
        "t <- system.time(rpart(y ~ ., d, method = 'class', control = ask)); cat(t[1] + t[2])"
    )
    ended = subprocess.run(
        [program, "-e", script, str(path)], capture_output=True, text=True, check=False
    )
    return float(ended.stdout) if ended.returncode == 0 else None


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
        with_many_leaves(table)
        with_decimals(rows // 2)
    if len(sizes) > 1:
        ratio = ours_by_size[sizes[-1]] / ours_by_size[sizes[0]]
        print(f"{sizes[-1]:,} rows cost {ratio:.1f} times {sizes[0]:,} rows (goal at most 12)")


def with_many_leaves(table: Table) -> None:
    print(f"{len(table):,} rows, {MANY_LEAVES} leaves")
    ours, _ = cpu_seconds(lambda: grown(table, MANY_LEAVES))
    peer = fitted(*ordinal(table), MANY_LEAVES)
    show("growing, codes at hand (scikit-learn fit)", ours, peer, goal=15)
    for how, spent in boosted(*ordinal(table), MANY_LEAVES).items():
        show(f"  against LightGBM, {how}", ours, spent, goal=1.5)


def with_decimals(rows: int) -> None:
    print(f"{rows:,} rows of {DECIMALS} decimals that never repeat, {LEAVES} leaves")
    x, classes, frame = decimals(rows)
    ours, _ = cpu_seconds(lambda: grown(table_of(frame), target="y"))
    show("encoding and growing (scikit-learn fit)", ours, fitted(x, classes), goal=2)
    spent = boosted(x, classes, LEAVES).get("encoding counted")
    if spent is not None:
        show("  against LightGBM, encoding counted", ours, spent, goal=0.5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decimals.csv"
        write_table(table_of(frame), path)
        spent = by_rpart(path)
    if spent is not None:
        show("  against rpart, reading not counted", ours, spent)


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [1_000_000])
