"""Noise that follows the tree: the tables of the two papers, ours beside what they say.

    python experiments/noise.py FOLDER [--runs N] [--adult]

FOLDER holds breast_cancer_wisconsin.csv, boston_housing.csv and, with --adult, adult.csv.gz and
adult_test.csv.gz. Trees are grown by gain ratio with one branch for each category and pruned
pessimistically. Shares are means over runs; a share of N runs has a standard error of at most
0.5 / sqrt(N).
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from privet.datasets import crd, csd
from privet.datasets.public import boston, wisconsin
from privet.engine import MemoryEngine
from privet.files import read_table
from privet.noise.framework import NoiseFramework
from privet.noise.parts.class_noise import ClassNoise
from privet.noise.parts.detective import Detective
from privet.noise.parts.influential import InfluentialNoise
from privet.noise.parts.innocent import InnocentNoise
from privet.noise.settings import NoiseSettings
from privet.schema import Schema
from privet.table import Table
from privet.tree.accuracy import accuracy_on
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings, natural_tree, with_target
from privet.tree.rules import rules

TREES = NoiseTreeSettings()


def rule_set(tree: Tree) -> dict[int, tuple[frozenset[str], object]]:
    """For each leaf its merged conditions and its prediction."""
    return {r.leaf: (frozenset(r.conditions), r.prediction) for r in rules(tree)}


def alike(original: Tree, again: Tree, table: Table) -> tuple[bool, float, float, bool]:
    """The same rules throughout; the share of records whose rule is there exactly; the share of
    equal predictions; the same column asked first."""
    ours, theirs = rule_set(original), set(rule_set(again).values())
    reached = original.leaf_of_rows(table)
    kept = np.array([node.id in ours and ours[node.id] in theirs for node in original.nodes])
    same = set(ours.values()) == theirs
    one, two = original.predict(table), again.predict(table)
    agreement = sum(a == b for a, b in zip(one, two, strict=True)) / table.n_rows
    roots = [t.root.split.attribute if t.root.split else None for t in (original, again)]
    return same, float(kept[reached].mean()), agreement, roots[0] == roots[1]


def survival(
    table: Table, schema: Schema, original: Tree, draw: Callable[[int], Table], runs: int
) -> list[float]:
    found = []
    for seed in range(runs):
        again = natural_tree(MemoryEngine(draw(seed)), schema, TREES)
        found.append(alike(original, again, table))
    return np.mean(np.array(found, dtype=float), axis=0).tolist()


def show(line: str, figures: list[float]) -> None:
    print(f"| {line} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |", flush=True)


def small_tables(folder: Path) -> dict[str, tuple[Table, Schema]]:
    cancer, houses = folder / "breast_cancer_wisconsin.csv", folder / "boston_housing.csv"
    tables = {
        "WBC-350": wisconsin(cancer, 350),
        "WBC-683": wisconsin(cancer),
        "Boston-300": boston(houses, 300),
        "Boston-506": boston(houses),
    }
    targets = {"WBC": "class", "Bos": "price_class"}
    return {
        name: (table, table.schema().with_roles(target=targets[name[:3]]))
        for name, table in tables.items()
    }


def trees_after_noise(folder: Path, runs: int) -> None:
    print("\n| table, noise | same rules | records under the same rule | agreement | same root |")
    print("|---|---|---|---|---|")
    for name, (table, schema) in small_tables(folder).items():
        tree = natural_tree(MemoryEngine(table), schema, TREES)
        for technique in ("random", "probabilistic", "all-leaves"):
            noise = ClassNoise(technique).fit(table, schema, tree)  # type: ignore[arg-type]
            draw = _drawer(noise, table)
            expected = float(noise.law_.expected)
            line = f"{name} ({tree.n_leaves} leaves), class {technique}, E(N) {expected:.1f}"
            show(line, survival(table, schema, tree, draw, runs))
        for which in ("tia", "lia", "both"):
            innocent = InnocentNoise(which=which).fit(table, schema, tree)  # type: ignore[arg-type]
            line = f"{name}, innocent {which}"
            show(line, survival(table, schema, tree, _drawer(innocent, table), runs))
        for method in ("shuffle", "wrap", "reflect"):
            moved = InfluentialNoise(method).fit(table, schema, tree)  # type: ignore[arg-type]
            line = f"{name}, influential {method}"
            show(line, survival(table, schema, tree, _drawer(moved, table), runs))


def _drawer(
    noise: ClassNoise | InnocentNoise | InfluentialNoise | Detective, table: Table
) -> Callable[[int], Table]:
    return lambda seed: noise.transform(table, seed)


def detective(runs: int) -> None:
    print("\n| DETECTIVE, p | changed | same rules | same rule | agreement | same root |")
    print("|---|---|---|---|---|---|")
    credit = crd()
    for p in (0.05, 0.1, 0.2, 0.3):
        schema = credit.schema().with_roles(target="credit_risk")
        noise = Detective(p=p, columns=("city",)).fit(credit, schema)
        tree = natural_tree(MemoryEngine(credit), schema, TREES)
        figures = survival(credit, schema, tree, _drawer(noise, credit), runs)
        show(f"CRD city, tree of the risk, {p}", [noise.suspects_["city"].law.changed, *figures])
    table = csd()
    perturbed = ("country_of_origin", "car_make", "profession")
    for p in (0.05, 0.1, 0.2, 0.3):
        noise = Detective(p=p, columns=perturbed).fit(
            table, table.schema().with_roles(target="status")
        )
        for target in (*perturbed, "status"):
            schema = with_target(table.schema(), target)
            tree = natural_tree(MemoryEngine(table), schema, TREES)
            figures = survival(table, schema, tree, _drawer(noise, table), runs)
            suspect = noise.suspects_.get(target)
            changed = suspect.law.changed if suspect else 0.0
            show(f"CSD, tree of {target}, {p}", [changed, *figures])


def held_out(folder: Path, splits: int) -> None:
    print("\n| WBC, a third held out, full framework | accuracy on clean records |")
    print("|---|---|")
    table, schema = small_tables(folder)["WBC-683"]
    for p in (None, 0.05, 0.1, 0.2, 0.3):
        scores = []
        for split in range(splits):
            order = np.random.default_rng(split).permutation(table.n_rows)
            train, test = table.take(order[:455]), table.take(order[455:])
            if p is not None:
                settings = NoiseSettings(innocent=p, detective=p)
                train = NoiseFramework(settings).fit(train, schema).transform(train, split)
            scores.append(accuracy_on(natural_tree(MemoryEngine(train), schema, TREES), test))
        name = "original" if p is None else f"p = {p}"
        print(f"| {name} | {np.mean(scores):.4f} (SD between splits {np.std(scores):.4f}) |")


def adult(folder: Path, seeds: int) -> None:
    print("\n| Adult, full framework | accuracy on the test file | leaves |")
    print("|---|---|---|")
    train, test = (read_table(folder / f"adult{name}.csv.gz") for name in ("", "_test"))
    schema = train.schema().without(["fnlwgt"]).with_roles(target="income")
    tree = natural_tree(MemoryEngine(train), schema, TREES)
    print(f"| original | {accuracy_on(tree, test):.4f} | {tree.n_leaves} |", flush=True)
    for strict in (True, False):
        for p in (0.1, 0.3):
            settings = NoiseSettings(innocent=p, detective=p, strict=strict)
            noise = NoiseFramework(settings).fit(train, schema)
            for seed in range(seeds):
                released = noise.transform(train, seed)
                again = natural_tree(MemoryEngine(released), noise.schema_, TREES)
                name = f"{'strict' if strict else 'not strict'}, shuffle, p = {p}, seed {seed}"
                print(f"| {name} | {accuracy_on(again, test):.4f} | {again.n_leaves} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--adult", action="store_true")
    options = parser.parse_args()
    detective(options.runs)
    trees_after_noise(options.folder, options.runs)
    held_out(options.folder, options.runs)
    if options.adult:
        adult(options.folder, 3)


if __name__ == "__main__":
    main()
