"""Trees by the rule of C4.5 beside scikit-learn's with 16 leaves and WEKA's J48, on test rows.

    python experiments/c45_accuracy.py [--tables settling|last] [--splits 5] [--j48] [--out F.json]

Tables are drawn: ten concepts (lines, boxes, exclusive or, few and many categories, a rare class,
many classes, trees, chances, products) with idle columns, wrong classes and missing cells. Two in
three rows grow the trees, the others judge them. The defaults were settled on tables like those of
`settling`; `last` has other seeds and had no part in that. scikit-learn gets a column for
each category, and missing numbers as such.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import privet
from privet.engine import MemoryEngine
from privet.files.arff_write import write_arff
from privet.schema import Kind
from privet.table import Coded, Domain, Table
from privet.tree.accuracy import accuracy_on
from privet.tree.foreign.programs import java, weka_jar
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings, natural_tree

Array = np.ndarray[Any, Any]
Random = np.random.Generator
Judged = tuple[float, int]  # the share of test rows that is right, and leaves
PEER, ALLOWED = "scikit-learn, 16 leaves", -0.02
TARGET = "y"


# -- tables ----------------------------------------------------------------------------------------


def linear(rng: Random, z: Array, c: Array) -> Array:
    weights = rng.normal(size=z.shape[1]) * (rng.random(z.shape[1]) < 0.6)
    weights[rng.integers(z.shape[1])] += 1
    return _by_quantiles(z @ weights + 0.7 * _effect(rng, c[:, 0]), [rng.uniform(0.3, 0.7)])


def boxes(rng: Random, z: Array, c: Array) -> Array:
    classes, y = int(rng.integers(2, 4)), np.zeros(len(z), dtype=np.int64)
    for number in range(int(rng.integers(3, 7))):
        inside = np.ones(len(z), dtype=bool)
        for column in rng.choice(z.shape[1], 2, replace=False):
            low = rng.uniform(0, 0.6)
            ends = np.quantile(z[:, column], [low, min(low + rng.uniform(0.25, 0.6), 1)])
            inside &= (z[:, column] >= ends[0]) & (z[:, column] <= ends[1])
        y[inside] = 1 + number % (classes - 1)
    return y


def exclusive_or(rng: Random, z: Array, c: Array) -> Array:
    one, two = rng.choice(z.shape[1], 2, replace=False)
    middles = [np.quantile(z[:, i], rng.uniform(0.35, 0.65)) for i in (one, two)]
    y = ((z[:, one] > middles[0]) ^ (z[:, two] > middles[1])).astype(np.int64)
    return np.where((rng.random(len(z)) < 0.3) & (c[:, 0] == 0), 1, y)


def categories(rng: Random, z: Array, c: Array) -> Array:
    score = sum(_effect(rng, c[:, i]) for i in range(min(3, c.shape[1]))) + 0.8 * z[:, 0]
    return _in_equal_parts(score, int(rng.integers(2, 4)))


def rare(rng: Random, z: Array, c: Array) -> Array:
    score = z[:, 0] * (1 + (z[:, 2] > 0)) + z[:, 1] * (c[:, 0] > 0)
    return _by_quantiles(score + 0.4 * rng.normal(size=len(z)), [rng.uniform(0.82, 0.93)])


def centres(rng: Random, z: Array, c: Array) -> Array:
    classes, used = int(rng.integers(3, 6)), z[:, :4]
    middles = 1.2 * rng.normal(size=(2 * classes, used.shape[1]))
    away = ((used[:, None, :] - middles[None]) ** 2).sum(axis=2)
    return np.asarray(away.argmin(axis=1) % classes)


def a_tree(rng: Random, z: Array, c: Array) -> Array:
    classes, y = int(rng.integers(2, 5)), np.zeros(len(z), dtype=np.int64)
    waiting = [(np.arange(len(z)), int(rng.integers(3, 6)))]
    for rows, depth in waiting:  # grows while it is walked through
        if depth == 0 or len(rows) < 40:
            y[rows] = rng.integers(classes)
            continue
        if rng.random() < 0.3:
            codes = c[rows, rng.integers(c.shape[1])]
            left = np.isin(codes, np.flatnonzero(rng.random(codes.max() + 1) < 0.5))
        else:
            values = z[rows, rng.integers(z.shape[1])]
            left = values <= np.quantile(values, rng.uniform(0.25, 0.75))
        waiting += [(rows[left], depth - 1), (rows[~left], depth - 1)]
    return y


def chances(rng: Random, z: Array, c: Array) -> Array:
    weights = rng.normal(size=z.shape[1]) * rng.uniform(0.4, 1.5)
    score = z @ weights + z[:, 0] * z[:, 1] + _effect(rng, c[:, 0])
    return (rng.random(len(z)) < 1 / (1 + np.exp(-score))).astype(np.int64)


def products(rng: Random, z: Array, c: Array) -> Array:
    score = np.sin(2 * z[:, 0]) + 0.6 * z[:, 1] * z[:, 2] + 0.3 * rng.normal(size=len(z))
    return _in_equal_parts(score, int(rng.integers(2, 5)))


CONCEPTS: dict[str, Callable[[Random, Array, Array], Array]] = {
    "linear": linear,
    "boxes": boxes,
    "exclusive or": exclusive_or,
    "many categories": categories,
    "categories": categories,
    "rare class": rare,
    "many classes": centres,
    "tree": a_tree,
    "chances": chances,
    "products": products,
}
TABLES = {
    name: [(first + i, tuple(CONCEPTS)[i % len(CONCEPTS)]) for i in range(number)]
    for name, first, number in (("settling", 100, 20), ("last", 9000, 24))
}


def drawn(seed: int, concept: str) -> Table:
    """500 to 3,000 rows, 3 to 10 columns of numbers and 1 to 5 of categories, and the class."""
    rng = np.random.default_rng([2024, seed])
    rows, many = int(rng.integers(500, 3001)), concept == "many categories"
    numbers = np.stack([_numbers(rng, rows) for _ in range(int(rng.integers(3, 11)))], axis=1)
    low, high, at_least, most = (8, 41, 3, 6) if many else (2, 9, 1, 5)
    sizes = rng.integers(low, high, int(rng.integers(at_least, most)))
    c = np.stack([rng.choice(s, rows, p=rng.dirichlet(np.full(s, 2.0))) for s in sizes], axis=1)
    y = CONCEPTS[concept](rng, (numbers - numbers.mean(axis=0)) / numbers.std(axis=0), c)
    wrong = rng.random(rows) < rng.choice([0, 0.05, 0.1, 0.2])
    y = np.where(wrong, rng.integers(0, y.max() + 1, rows), y)
    missing = float(rng.choice([0, 0, 0.05, 0.15]))
    columns: dict[str, Any] = {}
    for i in range(numbers.shape[1]):
        columns[f"n{i}"] = _with_gaps(rng, numbers[:, i].tolist(), missing)
    for i in range(c.shape[1]):
        columns[f"c{i}"] = _with_gaps(rng, [f"v{code:02d}" for code in c[:, i]], missing)
    return privet.table_of({**columns, TARGET: [f"k{code}" for code in y]})


def _numbers(rng: Random, rows: int) -> Array:
    match int(rng.integers(4)):
        case 0:
            return np.round(rng.normal(size=rows), 2)
        case 1:
            return rng.integers(0, int(rng.integers(4, 60)), rows).astype(np.float64)
        case 2:
            return np.round(rng.exponential(size=rows), 3)
        case _:
            return np.round(rng.random(rows), 3)


def _with_gaps(rng: Random, cells: list[Any], share: float) -> list[Any]:
    gone = rng.random(len(cells)) < (share if rng.random() < 0.5 else 0)
    return [None if is_gone else cell for cell, is_gone in zip(cells, gone, strict=True)]


def _effect(rng: Random, codes: Array) -> Array:
    return np.asarray(rng.normal(size=int(codes.max()) + 1)[codes])


def _by_quantiles(score: Array, shares: Any) -> Array:
    return np.digitize(score, np.quantile(score, shares))


def _in_equal_parts(score: Array, parts: int) -> Array:
    return _by_quantiles(score, np.linspace(0, 1, parts + 1)[1:-1])


# -- growers ---------------------------------------------------------------------------------------


def scikit_learn(table: Table, train: Array, test: Array) -> Judged:
    parts = []
    for name in table:
        domain, codes = table[name].domain, table[name].codes.astype(np.int64)
        if name == TARGET:
            continue
        if domain.kind.is_ordered:
            parts.append(np.append(domain.values.astype(np.float64), np.nan)[codes][:, None])
        else:
            parts.append((codes[:, None] == np.arange(domain.size)).astype(np.float64))
    x, y = np.hstack(parts), table[TARGET].codes
    model = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0).fit(x[train], y[train])
    return float((model.predict(x[test]) == y[test]).mean()), int(model.get_n_leaves())


def ours(grow: Callable[[Table], Tree]) -> Callable[[Table, Array, Array], Judged]:
    def judged(table: Table, train: Array, test: Array) -> Judged:
        tree = grow(table.take(train))
        return accuracy_on(tree, table.take(test)), tree.n_leaves

    return judged


def called(**settings: Any) -> Callable[[Table, Array, Array], Judged]:
    return ours(lambda rows: privet.grow(rows, target=TARGET, impurity="c45", **settings))


def noise(**settings: Any) -> Callable[[Table, Array, Array], Judged]:
    trees = NoiseTreeSettings(impurity="c45", **settings)

    def grow(rows: Table) -> Tree:
        return natural_tree(MemoryEngine(rows), rows.schema().with_roles(target=TARGET), trees)

    return ours(grow)


def j48(table: Table, train: Array, test: Array) -> Judged:
    """J48 with its defaults: 2 records a leaf, confidence 0.25, missing cells shared out."""
    command = [java(), "-Djava.awt.headless=true", "-cp", weka_jar(), "weka.classifiers.trees.J48"]
    shown = Table({name: _for_weka(table[name]) for name in table})
    with tempfile.TemporaryDirectory() as folder:
        for option, rows in (("-t", train), ("-T", test)):
            path = Path(folder) / f"{option[1]}.arff"
            write_arff(shown.take(rows), path)
            command += [option, str(path)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    right = re.findall(r"Correctly Classified Instances\s+(\d+)", text)[-1]
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", text)
    return int(right) / len(test), int(leaves[1]) if leaves else 1


def _for_weka(column: Coded) -> Coded:
    if column.domain.kind.is_ordered:
        return column
    labels = np.array([f"v{code:06d}" for code in range(len(column.domain.values))], dtype=object)
    return Coded(Domain(Kind.CATEGORY, labels, column.domain.missing), column.codes)


GROWERS = {
    PEER: scikit_learn,
    "c45": called(),
    "c45, 16 leaves": called(leaves=16),
    "noise, c45": noise(),
    "noise, c45, subsets": noise(categories="subset"),
    "noise, c45, 16 leaves": noise(leaves=16),
}


# -- the run ---------------------------------------------------------------------------------------


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tables", choices=sorted(TABLES), default="settling")
    options.add_argument("--splits", type=int, default=5)
    options.add_argument("--j48", action="store_true")
    options.add_argument("--out", type=Path)
    asked = options.parse_args()
    growers = GROWERS | ({"J48": j48} if asked.j48 else {})
    found: dict[str, list[list[Judged]]] = {name: [] for name in growers}
    for seed, concept in TABLES[asked.tables]:
        table = drawn(seed, concept)
        for name, grower in growers.items():
            found[name].append(
                [grower(table, *_split(table.n_rows, seed, n)) for n in range(asked.splits)]
            )
        ahead = {name: _ahead(found, name)[-1] for name in growers if name != PEER}
        print(seed, concept, {name: round(float(a), 3) for name, a in ahead.items()}, flush=True)
        if asked.out is not None:
            asked.out.write_text(json.dumps(found))
    print("| grower | accuracy | leaves | ahead | worst | below -0.02 |\n|---|---|---|---|---|---|")
    for name in growers:
        accuracy, leaves = np.array(found[name]).mean(axis=(0, 1))
        ahead_of = _ahead(found, name)
        error = ahead_of.std(ddof=1) / len(ahead_of) ** 0.5
        print(
            f"| {name} | {accuracy:.3f} | {leaves:.0f} | {ahead_of.mean():+.4f} ± {error:.4f} | "
            f"{ahead_of.min():+.3f} | {(ahead_of < ALLOWED).sum()} of {len(ahead_of)} |"
        )


def _split(rows: int, seed: int, number: int) -> tuple[Array, Array]:
    order = np.random.default_rng([7, seed, number]).permutation(rows)
    return order[: rows * 2 // 3], order[rows * 2 // 3 :]


def _ahead(found: dict[str, list[list[Judged]]], name: str) -> Array:
    """By table, the mean over the splits of the accuracy above that of the peer."""
    mine, theirs = (np.array(found[one])[..., 0] for one in (name, PEER))
    return np.asarray((mine - theirs).mean(axis=1))


if __name__ == "__main__":
    main()
