"""Ways to grow a tree from few perturbed records: tables of some hundred, in many draws.

    python experiments/small_tables.py UCI [--draws N] [--ways stacked by-class ...]

Every draw parts a table anew into two thirds and one third, perturbs the larger part (gamma 9, 20
bins) and judges each way on the other, in clear. Ways see the same records, so they are compared
draw by draw: a difference stands beside its standard error. `unseen_tables.py` compares ways in the
same manner on tables that are drawn.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from privet.files import read_table
from privet.schema import Schema
from privet.substitution import RandomSubstitution, grow_from_perturbed
from privet.table import Table
from privet.tree.accuracy import accuracy_on

TABLES = {
    "Pima": ("pima_diabetes.csv", "outcome"),
    "German credit": ("german_credit.csv", "class"),
    "breast cancer": ("breast_cancer_wisconsin.csv", "class"),
}
WAYS = ("stacked", "by-class", "estimated", "perturbed")


def judged(
    train: Table, test: Table, schema: Schema, ways: Sequence[str], seed: int
) -> dict[str, float]:
    """Accuracy of each way in one draw, and of naming the commonest class of what is perturbed."""
    target = schema.target
    perturber = RandomSubstitution(gamma=9, bins=20, domain_from_data=True).fit(train, schema)
    seen = perturber.transform(train, seed=seed)
    common = train[target].domain.texts[int(np.bincount(train[target].codes).argmax())]
    texts = np.asarray(test[target].domain.texts, dtype=object)[test[target].codes]
    found = {"commonest": float((texts == common).mean())}
    for way in ways:
        tree = grow_from_perturbed(seen, perturber.mechanism_, schema, None, way, seed).tree
        found[way] = accuracy_on(tree, test)
    return found


def parted(table: Table, seed: int) -> tuple[Table, Table]:
    """Two thirds and one third of a table, by chance."""
    order = np.random.default_rng(1_000 + seed).permutation(table.n_rows)
    cut = table.n_rows * 2 // 3
    return table.take(order[:cut]), table.take(order[cut:])


def ahead_of(rows: Sequence[dict[str, float]], way: str, other: str) -> tuple[float, float]:
    """How far one way is ahead of another in the same draws, and the standard error of that."""
    ahead = np.array([row[way] - row[other] for row in rows])
    return float(ahead.mean()), float(ahead.std()) / math.sqrt(max(len(ahead) - 1, 1))


def means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--ways", nargs="*", default=list(WAYS), help="the first is compared with")
    options = parser.parse_args()
    for title, (file, target) in TABLES.items():
        table = read_table(options.folder / file, kinds={target: "category"})
        schema = table.schema().with_roles(target=target)
        rows = [
            judged(*parted(table, seed), schema, options.ways, seed)
            for seed in range(options.draws)
        ]
        print(title, {key: round(mean, 3) for key, mean in means(rows).items()})
        for way in options.ways[1:]:
            ahead, error = ahead_of(rows, way, options.ways[0])
            print(f"  {way} less {options.ways[0]}: {ahead:+.4f}, standard error {error:.4f}")


if __name__ == "__main__":
    main()
