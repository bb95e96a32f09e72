"""Our grower beside scikit-learn, rpart and J48, on public and on random tables.

Run: python experiments/growers.py [--data FOLDER] [--tables N]. Prints the tables of
docs/results/growers.md: how often each program grows the same tree, the same up to a tie, another
one, or cannot be told; for J48, whether its own rules account for every node of its tree; for
scikit-learn, what one-hot columns do instead of sets of categories.
"""

import argparse
import os
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from privet.engine import MemoryEngine
from privet.errors import UsageError
from privet.files import read_table
from privet.schema import Kind
from privet.table import Coded, Table
from privet.tree import Grower, grow
from privet.tree.foreign import Agreement, Task, grow_with, require, weka
from privet.tree.foreign.j48_rules import J48Rules

PUBLIC = {
    "pima_diabetes.csv": "outcome",
    "breast_cancer_wisconsin.csv": "class",
    "german_credit.csv": "class",
    "boston_housing.csv": "medv",
    "adult.csv.gz": "income",
}
LEAVES, LEAST = 20, (1, 20)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--tables", type=int, default=100, help="random tables for each impurity")
    asked = options.parse_args()
    warnings.simplefilter("ignore")
    programs = [name for name in ("sklearn", "rpart", "weka") if _is_here(name)]
    print(f"programs: {', '.join(programs)}; cores: {os.cpu_count()}")
    if asked.data.is_dir():
        public_tables(asked.data, programs)
        one_hot(asked.data)
        if "weka" in programs:
            j48_nodes(asked.data)
    random_tables(asked.tables, programs)


def _is_here(program: str) -> bool:
    try:
        require(program)
    except UsageError:
        return False
    return True


def public_tables(folder: Path, programs: list[str]) -> None:
    print(f"\n## Public tables, {LEAVES} leaves\n")
    print("| table | impurity | min leaf | program | answer | seconds | detail |")
    print("|---|---|---|---|---|---|---|")
    for file, target in PUBLIC.items():
        table = public_table(folder, file)
        for impurity in ["deviance"] if target == "medv" else ["gini", "entropy"]:
            for least in LEAST:
                task = task_of(table, target, Grower(impurity, leaves=LEAVES, min_leaf=least))
                for program in (p for p in programs if p != "weka"):
                    begun = time.process_time(), time.perf_counter()
                    found = grow_with(program, task.tree, table, task.schema)
                    took = time.perf_counter() - begun[1]
                    row = (file.partition(".")[0], impurity, least, program)
                    print("|", " | ".join(map(str, row)), end=" | ")
                    print(f"{found.outcome} | {took:.1f} | {_told(found)} |", flush=True)


def _told(found: Agreement) -> str:
    thresholds = [remark for remark in found.remarks if remark.startswith("thresholds")]
    return "; ".join([*thresholds] if found.outcome == "same" else [found.detail])


def one_hot(folder: Path) -> None:
    """scikit-learn with a column for each category: how much of the gain it reaches."""
    from sklearn.tree import DecisionTreeClassifier

    print("\n## scikit-learn with one-hot columns, gini\n")
    print("| table | leaves | splits by two or more on both sides | gain of one-hot / ours |")
    print("|---|---|---|---|")
    for file in ("german_credit.csv", "adult.csv.gz"):
        table = public_table(folder, file)
        task = task_of(table, PUBLIC[file], Grower("gini", leaves=LEAVES, min_leaf=20))
        parts = []
        for name in task.attributes:
            column = table[name]
            if column.domain.kind is Kind.CATEGORY:
                parts.append(np.eye(column.domain.size, dtype=np.float32)[column.codes])
            else:
                values = column.domain.values.astype(np.float32)
                parts.append(values[column.codes][:, None])
        x = np.concatenate(parts, axis=1)
        model = DecisionTreeClassifier(max_leaf_nodes=LEAVES, min_samples_leaf=20, random_state=0)
        leaves = model.fit(x, task.response).apply(x)
        ours = task.tree.leaf_of_rows(table)
        splits = [n.split for n in task.tree.inner]
        wide = [s for s in splits if min(len(getattr(s, a, "x")) for a in ("left", "right")) > 1]
        ratio = _gain(task, leaves) / _gain(task, ours)
        print(
            f"| {file.partition('.')[0]} | {LEAVES} | {len(wide)} of {len(splits)} | {ratio:.4f} |"
        )


def _gain(task: Task, leaves: Any) -> float:
    """How much a division of the records lowers the Gini impurity, in records."""

    def squares(rows: Any) -> float:
        weights = np.array(task.weights(rows), dtype=float)
        return float((weights**2).sum() / weights.sum())

    groups = [np.flatnonzero(leaves == leaf) for leaf in np.unique(leaves)]
    return sum(map(squares, groups)) - squares(np.arange(task.table.n_rows))


def j48_nodes(folder: Path) -> None:
    print("\n## J48: nodes of its whole tree that its rules account for; and our trees\n")
    print("| table | categories | min leaf | nodes | accounted for | answer | first departure |")
    print("|---|---|---|---|---|---|---|")
    for file, target in PUBLIC.items():
        if target == "medv":
            continue
        table = public_table(folder, file)
        for categories in ("multiway", "subset"):
            for least in (2, 30):
                settings: Any = {"categories": categories, "min_leaf": least, "leaves": LEAVES}
                task = task_of(table, target, Grower("gain-ratio", **settings))
                nodes, known = accounted(task)
                found = grow_with("weka", task.tree, table, task.schema)
                row = (file.partition(".")[0], categories, least, nodes, known, found.outcome)
                print("|", " | ".join(map(str, row)), "|", found.detail, "|", flush=True)


def accounted(task: Task) -> tuple[int, int]:
    """How many nodes J48's whole tree has, and how many of them its rules lead to."""
    nodes, known, waiting = 0, 0, [weka.whole(task)]
    while waiting:
        node = waiting.pop()
        nodes += 1
        known += J48Rules(task, node.rows, weka.corrects()).expects(node)
        waiting += node.children
    return nodes, known


def random_tables(tables: int, programs: list[str]) -> None:
    print(f"\n## Random tables, {tables} for each impurity\n")
    print("| program | impurity | same | tie | different | inexpressible | nodes accounted for |")
    print("|---|---|---|---|---|---|---|")
    for program in programs:
        few = tables if program == "sklearn" else max(1, tables // 4)
        for impurity in ["gain-ratio"] if program == "weka" else ["gini", "entropy", "deviance"]:
            found: Counter[str] = Counter()
            nodes = known = 0
            for seed in range(few):
                task = random_task(seed, impurity)
                answer = grow_with(program, task.tree, task.table, task.schema)
                found[answer.outcome] += 1
                if answer.outcome == "different":
                    print(f"seed {seed}: {answer.detail}")
                if program == "weka":
                    seen, right = accounted(task)
                    nodes, known = nodes + seen, known + right
            row = [found[o] for o in ("same", "tie", "different", "inexpressible")]
            rules = f"{known} of {nodes}" if program == "weka" else ""
            print("|", program, "|", impurity, "|", " | ".join(map(str, row)), f"| {rules} |")


def random_task(seed: int, impurity: Any) -> Task:
    """Numbers with ties, decimals, dates, categories and missing cells, with a signal."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(30, 600))
    size = int(random.integers(3, 60))
    number = random.integers(0, size, rows)
    decimal = np.round(random.normal(0, 1, rows), int(random.integers(1, 9)))
    letter = random.integers(0, int(random.integers(2, 9)), rows)
    signal = number / size + 0.3 * decimal + 0.4 * (letter % 3) + random.normal(0, 0.4, rows)
    blank = random.random(rows) < 0.1
    nothing = np.zeros(rows, dtype=bool)
    labels = np.array([f"letter {i}" for i in letter], dtype=object)
    columns = {
        "number": Coded.of(number, Kind.INTEGER, blank),
        "decimal": Coded.of(decimal, Kind.DECIMAL, nothing),
        "letter": Coded.of(labels, Kind.CATEGORY, random.random(rows) < 0.1),
        "day": Coded.of(random.integers(9000, 9000 + size, rows), Kind.DATE, nothing),
        "twin": Coded.of(number * 2, Kind.INTEGER, blank),
    }
    if impurity == "deviance":
        columns["y"] = Coded.of(np.round(signal, 3), Kind.DECIMAL, nothing)
    else:
        levels = [0.4, 0.7, 0.9][: int(random.integers(1, 4))]
        classes = np.digitize(signal, np.quantile(signal, levels))
        named = np.array([f"class {c}" for c in classes], dtype=object)
        columns["y"] = Coded.of(named, Kind.CATEGORY, nothing)
    leaves, least = int(random.integers(2, 16)), int(random.integers(1, 10))
    return task_of(Table(columns), "y", Grower(impurity, leaves=leaves, min_leaf=least))


def public_table(folder: Path, file: str) -> Table:
    kinds = {"class": "category"} if file.startswith("german") else {}
    return read_table(folder / file, missing=["?"], kinds=kinds)


def task_of(table: Table, target: str, grower: Grower) -> Task:
    schema = table.schema().with_roles(target=target)
    return Task(table, schema, grow(MemoryEngine(table), schema, grower))


if __name__ == "__main__":
    main()
