"""The intruder on four public tables: what each law of noise gives away, and what it costs.

    python experiments/intruder.py FOLDER [--runs N]

FOLDER holds boston_housing.csv, pima_diabetes.csv, breast_cancer_wisconsin.csv and
german_credit.csv. Trees have at most 8 leaves before pruning. For each law: how many of 100 people
are found, counted hits, naive linkage, the paper's figure, the largest distance from calibration in
ten bins (all runs together), the share of runs whose regrown tree has the same rules, and the
accuracy of the regrown tree on the original records, with standard errors over the runs.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from privet.attack.intruder import intrude
from privet.datasets.public import boston, wisconsin
from privet.engine import MemoryEngine
from privet.files import read_table
from privet.noise.framework import NoiseFramework
from privet.noise.settings import NoiseSettings
from privet.schema import Kind, Schema
from privet.table import Table
from privet.tree.accuracy import accuracy_on
from privet.tree.compare import same_rules
from privet.tree.natural import NoiseTreeSettings, natural_tree

LAWS = ("paper", "bell", "normal")
COARSE = ("WBC", "German")  # where few distinct values decide, not the curve of the noise


TREES = NoiseTreeSettings(leaves=8)
WAYS = (
    ("4 leaves", NoiseSettings(trees=NoiseTreeSettings(leaves=4))),
    ("deviation doubled", NoiseSettings(innocent=0.552, trees=TREES)),
    ("floor 0.2", NoiseSettings(floor=0.2, trees=TREES)),
    ("participation 0.5", NoiseSettings(participation=0.5, trees=TREES)),
)


def tables(folder: Path) -> Iterator[tuple[str, Table, Schema]]:
    for name, table in (
        ("Boston", boston(folder / "boston_housing.csv")),
        ("Pima", _with_class(folder / "pima_diabetes.csv")),
        ("WBC", wisconsin(folder / "breast_cancer_wisconsin.csv")),
        ("German", _with_class(folder / "german_credit.csv")),
    ):
        yield name, table, table.schema().with_roles(target=table.names[-1])


def _with_class(path: Path) -> Table:
    """The table with its last column as classes."""
    last = read_table(path).names[-1]
    return read_table(path, kinds={last: Kind.CATEGORY})


def judged(table: Table, schema: Schema, asked: NoiseSettings, runs: int) -> str:
    noise = NoiseFramework(asked).fit(table, schema)
    told, known = noise.mechanism_, [n for n in table.names if n != schema.target]
    figures, bins = [], np.zeros((3, 10))
    for seed in range(runs):
        released = noise.transform(table, seed=seed)
        found = intrude(noise.tree_, told, released, table, known, np.arange(table.n_rows))
        again = natural_tree(MemoryEngine(released), schema, asked.trees)
        assert found.calibration is not None
        one = found.calibration
        bins += [one.expected, one.right, [e * e for e in one.error]]
        kept, accuracy = same_rules(noise.tree_, again), accuracy_on(again, table)
        figures.append([found.found, found.counted, found.naive, found.by_paper, kept, accuracy])
    rows = np.array(figures, dtype=np.float64)
    means, errors = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(runs)
    off = np.abs(bins[0] - bins[1])[bins[2] > 1e-6] / np.sqrt(bins[2][bins[2] > 1e-6])
    cells = [f"{mean:.3f}" for mean in means[:4]] + [f"{off.max(initial=0.0):.1f}"]
    cells += [f"{means[i]:.3f} ({errors[i]:.3f})" for i in (4, 5)]
    return " | ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=10)
    given = parser.parse_args()
    print("| table, noise | found | counted | naive | by the paper | off | same rules | accuracy |")
    print("|---|---|---|---|---|---|---|---|")
    for name, table, schema in tables(given.folder):
        for law in LAWS:
            asked = NoiseSettings(law=law, trees=TREES)  # type: ignore[arg-type]
            print(f"| {name}, {law} | {judged(table, schema, asked, given.runs)} |", flush=True)
        for words, asked in WAYS if name in COARSE else ():
            line = judged(table, schema, asked, given.runs)
            print(f"| {name}, bell, {words} | {line} |", flush=True)


if __name__ == "__main__":
    main()
