"""Ways to grow a tree from few perturbed records: tables of some hundred, in many draws.

    python experiments/small_tables.py UCI [--draws N] [--ways stacked by-class ...]

Every draw parts a table anew into two thirds and one third, perturbs the larger part (gamma 9, 20
bins) and judges each way on the other, in clear. Ways see the same records, so they are compared
draw by draw: a difference stands beside its standard error.
"""

import argparse
import math
from pathlib import Path

import numpy as np

from privet.files import read_table
from privet.substitution import RandomSubstitution, grow_from_perturbed
from privet.tree.accuracy import accuracy_on

TABLES = {
    "Pima": ("pima_diabetes.csv", "outcome"),
    "German credit": ("german_credit.csv", "class"),
    "breast cancer": ("breast_cancer_wisconsin.csv", "class"),
}
WAYS = ("stacked", "by-class", "estimated", "perturbed")


def drawn(path: Path, target: str, ways: list[str], seed: int) -> dict[str, float]:
    """Accuracy of each way in one draw, and of naming the commonest class of the larger part."""
    table = read_table(path, kinds={target: "category"})
    schema = table.schema().with_roles(target=target)
    order = np.random.default_rng(1_000 + seed).permutation(table.n_rows)
    cut = table.n_rows * 2 // 3
    train, test = table.take(order[:cut]), table.take(order[cut:])
    perturber = RandomSubstitution(gamma=9, bins=20, domain_from_data=True).fit(train, schema)
    seen = perturber.transform(train, seed=seed)
    common = int(np.bincount(train[target].codes).argmax())
    found = {"commonest": float((test[target].codes == common).mean())}
    for way in ways:
        tree = grow_from_perturbed(seen, perturber.mechanism_, schema, None, way, seed).tree
        found[way] = accuracy_on(tree, test)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--ways", nargs="*", default=list(WAYS), help="the first is compared with")
    options = parser.parse_args()
    for title, (file, target) in TABLES.items():
        rows = [
            drawn(options.folder / file, target, options.ways, seed)
            for seed in range(options.draws)
        ]
        cells = {key: np.array([row[key] for row in rows]) for key in rows[0]}
        print(title, {key: round(float(own.mean()), 3) for key, own in cells.items()})
        for way in options.ways[1:]:
            ahead = cells[way] - cells[options.ways[0]]
            error = float(ahead.std()) / math.sqrt(len(ahead) - 1)
            print(
                f"  {way} less {options.ways[0]}: {ahead.mean():+.4f}, standard error {error:.4f}"
            )


if __name__ == "__main__":
    main()
