"""How often the interval of accuracy holds on tables unlike those that it was settled on.

    python experiments/outlook_odd_tables.py --out FILE.json [--draws N] [--first-seed S]

Each draw is one of fifteen tables: noisy labels, rare classes, thirty classes, categories alone,
columns that are copies of one another, cells missing, a class wholly told by one column, by three
together, by nothing. Gamma is 3, 9 or 19, records are 300, 1,000 or 3,000, and in three of ten
draws the class is perturbed as well. The truth is the accuracy on 20,000 fresh originals.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from privet import table_of
from privet.substitution import RandomSubstitution
from substitution_outlook import FRESH, judged, told

Cells = dict[str, Any]
GAMMAS, RECORDS = (3, 9, 19), (300, 1_000, 3_000)


def whole(rng: np.random.Generator, n: int, columns: int = 5, below: int = 100) -> Cells:
    return {f"x{i}": rng.integers(0, below, n) for i in range(columns)}


def classed(cells: Cells, yes: Any) -> Cells:
    return {**cells, "class": np.where(yes, "yes", "no")}


def noisy(rng: np.random.Generator, n: int) -> Cells:
    x = whole(rng, n)
    return classed(x, (x["x0"] > 50) ^ (rng.random(n) < 0.35))


def rare_and_sharp(rng: np.random.Generator, n: int) -> Cells:
    x = whole(rng, n)
    return classed(x, x["x0"] >= 95)


def rare_by_chance(rng: np.random.Generator, n: int) -> Cells:
    return classed(whole(rng, n), rng.random(n) < 0.05)


def coin(rng: np.random.Generator, n: int) -> Cells:
    return classed(whole(rng, n), rng.random(n) < 0.5)


def categories(rng: np.random.Generator, n: int) -> Cells:
    """Six columns of categories that hang on the class, and on each other through it alone."""
    of_class, laws = rng.integers(0, 3, n), np.random.default_rng(5)
    cells: Cells = {}
    for column, size in enumerate((4, 6, 5, 3, 8, 2)):
        ends = laws.dirichlet(np.ones(size), 3).cumsum(axis=1)
        codes = (rng.random(n)[:, None] > ends[of_class]).sum(axis=1).clip(max=size - 1)
        cells[f"c{column}"] = np.array([f"v{i}" for i in range(size)])[codes]
    return {**cells, "class": np.array(["red", "green", "blue"])[of_class]}


def copies(rng: np.random.Generator, n: int) -> Cells:
    factor = rng.normal(0, 1, n)
    seen = factor[:, None] + 0.3 * rng.normal(0, 1, (n, 8))
    return classed(
        {f"x{i}": np.round(100 * seen[:, i]).astype(int) for i in range(8)}, factor > 0.3
    )


def one_of_fifteen(rng: np.random.Generator, n: int) -> Cells:
    x = whole(rng, n, 15, 1_000)
    return classed(x, (x["x7"] > 600) ^ (rng.random(n) < 0.05))


def thirty_classes(rng: np.random.Generator, n: int) -> Cells:
    a, b = rng.integers(0, 60, n), rng.integers(0, 50, n)
    names = np.array([f"k{i:02}" for i in range(30)])
    return {"a": a, "b": b, "c": rng.integers(0, 9, n), "class": names[(a // 10) * 5 + b // 10]}


def three_together(rng: np.random.Generator, n: int) -> Cells:
    x = whole(rng, n)
    return classed(x, (x["x0"] > 50) ^ (x["x1"] > 50) ^ (x["x2"] > 50))


def two_together(rng: np.random.Generator, n: int) -> Cells:
    x = whole(rng, n)
    return classed(x, (x["x0"] < 50) ^ (x["x1"] < 50))


def linear(rng: np.random.Generator, n: int) -> Cells:
    x = np.round(100 * rng.normal(0, 1, (n, 8))).astype(int)
    return classed(
        {f"x{i}": x[:, i] for i in range(8)}, x @ np.array([3, -2, 1.5, 1, -1, 0.5, 0, 0]) > 0
    )


def missing(rng: np.random.Generator, n: int) -> Cells:
    x = {name: cells.astype(float) for name, cells in whole(rng, n).items()}
    yes = (x["x0"] > 60) | (x["x1"] > 80)
    for cells in x.values():
        cells[rng.random(n) < 0.3] = np.nan
    return classed(x, yes)


def weak(rng: np.random.Generator, n: int) -> Cells:
    x = whole(rng, n, 6)
    return classed(x, rng.random(n) < 0.4 + 0.15 * (x["x0"] > 50) + 0.15 * (x["x1"] > 50))


def bands(rng: np.random.Generator, n: int) -> Cells:
    x = whole(rng, n, 4)
    return classed(x, (x["x0"] // 10) % 2 == 0)


def wholly_told(rng: np.random.Generator, n: int) -> Cells:
    of_class = rng.integers(0, 4, n)
    cells = {"c": np.array(list("stuv"))[of_class], "d": rng.choice(list("pqrs"), n)}
    return classed(cells, of_class < 2)


TABLES: tuple[Callable[[np.random.Generator, int], Cells], ...] = (
    noisy, rare_and_sharp, rare_by_chance, coin, categories, copies, one_of_fifteen, thirty_classes,
    three_together, two_together, linear, missing, weak, bands, wholly_told,
)  # fmt: skip


def draw(seed: int) -> dict:
    """One perturbed table, its interval and the truth."""
    rng = np.random.default_rng(seed)
    make = TABLES[int(rng.integers(len(TABLES)))]
    gamma, records = int(rng.choice(GAMMAS)), int(rng.choice(RECORDS))
    with_target = bool(rng.random() < 0.3)
    train, fresh = (table_of(make(rng, n)) for n in (records, FRESH))
    schema = train.schema().with_roles(target="class")
    settings: Any = {"gamma": gamma, "domain_from_data": True, "with_target": with_target}
    perturber = RandomSubstitution(**settings).fit(train, schema)
    case = {
        "table": make.__name__, "gamma": gamma, "records": records, "with_target": with_target,
        "seed": seed,
    }  # fmt: skip
    return case | judged(perturber, schema, train, fresh, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--first-seed", type=int, default=70_000)
    options = parser.parse_args()
    rows = []
    for number in range(options.draws):
        rows.append(draw(options.first_seed + number))
        options.out.write_text(json.dumps(rows, indent=1))
    print(json.dumps(told(rows), indent=1))


if __name__ == "__main__":
    main()
