"""The ways to grow a tree from perturbed records, on tables that had no part in settling them.

    python experiments/unseen_tables.py --out FILE.json [--draws N] [--sizes 1000 3000 ...]

Five tables are drawn, none of them like Agrawal's people: clusters of three classes, rules over
categories, a class that only two columns together tell, a rare class, and ten classes. Every draw
is perturbed anew (gamma 9, 20 bins, domains from the data) and each way is judged on 20,000 fresh
originals. Ways see the same records: the distance of `auto` to the best way stands beside its
standard error over the draws. Rows go to FILE as they come.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from privet import table_of
from small_tables import WAYS, ahead_of, judged, means

COMPARED = (*WAYS, "modelled", "auto")
FRESH = 20_000
Generator = Callable[[np.random.Generator, int], dict[str, Any]]


def clusters(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Three classes of two clusters each in six columns of numbers."""
    centres = np.random.default_rng(11).normal(0, 2, (6, 6))
    cluster = rng.integers(0, 6, n)
    points = centres[cluster] + rng.normal(0, 1, (n, 6))
    numbers = {f"x{i}": np.round(points[:, i] * 10).astype(int) for i in range(6)}
    return {**numbers, "class": np.array(["red", "green", "blue"])[cluster % 3]}


def rules(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Categories and two numbers; a list of rules decides, and one class in twelve is wrong."""
    sizes = {"region": 8, "trade": 12, "status": 4, "house": 3, "member": 2, "colour": 6}
    codes = {name: rng.choice(k, n, p=_uneven(k)) for name, k in sizes.items()}
    age, years = rng.integers(18, 90, n), rng.integers(0, 40, n)
    yes = np.where(
        np.isin(codes["region"], (0, 3, 5)),
        codes["status"] < 2,
        np.where(
            codes["member"] == 1, age > 45, np.isin(codes["trade"], (0, 1, 2, 7)) & (age < 60)
        ),
    )
    yes ^= rng.random(n) < 1 / 12
    named = {name: np.array([f"{name} {c}" for c in range(k)])[codes[name]] for name, k in
             sizes.items()}  # fmt: skip
    return {**named, "age": age, "years": years, "class": _yes_or_no(yes)}


def parity(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Whether two numbers lie on the same side of their middles; four other columns say nothing."""
    numbers = {f"x{i}": rng.integers(0, 1_000, n) for i in range(5)}
    idle = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    same = (numbers["x1"] > 500) == (numbers["x3"] > 400)
    return {**numbers, "idle": idle, "class": _yes_or_no(same ^ (rng.random(n) < 0.05))}


def rare(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """One record in seven or so has the rare class, by a weighted sum of columns."""
    age, income = rng.normal(50, 15, n).round().astype(int), rng.gamma(3, 12, n).round().astype(int)
    visits, ward = rng.poisson(3, n), rng.integers(0, 5, n)
    smokes = rng.random(n) < 0.3
    sum_ = 0.06 * (age - 50) - 0.02 * (income - 36) + 0.35 * (visits - 3) + 1.2 * smokes
    risk = sum_ + np.array([0.0, 0.5, -0.5, 1.0, -1.0])[ward] - 3
    return {
        "age": age, "income": income, "visits": visits,
        "ward": np.array([f"ward {w}" for w in range(5)])[ward], "smokes": _yes_or_no(smokes),
        "class": _yes_or_no(rng.random(n) < 1 / (1 + np.exp(-risk))),
    }  # fmt: skip


def ten_classes(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Ten classes of unlike size, each with a habit in four categories and three numbers."""
    habits = np.random.default_rng(12)
    kind = rng.choice(10, n, p=_uneven(10))
    found: dict[str, Any] = {}
    for name, size in {"a": 5, "b": 7, "c": 4, "d": 9}.items():
        laws = habits.dirichlet(np.full(size, 0.4), 10).cumsum(axis=1)
        code = (rng.random(n)[:, None] > laws[kind]).sum(axis=1).clip(max=size - 1)
        found[name] = np.array([f"{name}{c}" for c in range(size)])[code]
    for name in ("x", "y", "z"):
        found[name] = (habits.normal(0, 30, 10)[kind] + rng.normal(0, 15, n)).round().astype(int)
    return {**found, "class": np.array([f"class {c}" for c in range(10)])[kind]}


def _uneven(size: int) -> np.ndarray:
    weights = 1 / np.arange(2, size + 2)
    return weights / weights.sum()


def _yes_or_no(which: np.ndarray) -> np.ndarray:
    return np.where(which, "yes", "no")


TABLES: dict[str, Generator] = {
    "clusters": clusters,
    "rules": rules,
    "parity": parity,
    "rare class": rare,
    "ten classes": ten_classes,
}


def drawn(title: str, n: int, ways: Sequence[str], seed: int) -> dict[str, float]:
    """One draw of a table, and the accuracy of each way."""
    rng = np.random.default_rng([seed, n, *title.encode()])
    train, test = (table_of(TABLES[title](rng, size)) for size in (n, FRESH))
    return judged(train, test, train.schema().with_roles(target="class"), ways, seed)


def behind(rows: Sequence[dict[str, float]], ways: Sequence[str]) -> str:
    """How far `auto` is behind the way that is best in the mean of these draws."""
    found = means(rows)
    best = max((way for way in ways if way != "auto"), key=lambda way: found[way])
    ahead, error = ahead_of(rows, best, "auto")
    cells = " | ".join(f"{found[key]:.3f}" for key in ("commonest", *ways))
    return f"{cells} | {best} | {ahead:+.4f} ± {error:.4f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 3_000, 10_000, 30_000])
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--ways", nargs="*", default=list(COMPARED))
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    every: list[dict[str, Any]] = []
    print("table | records | commonest | " + " | ".join(options.ways) + " | best | auto behind it")
    for n in options.sizes:
        for title in options.tables:
            rows = []
            for seed in range(options.first_seed, options.first_seed + options.draws):
                rows.append(drawn(title, n, options.ways, seed))
                every.append({"table": title, "records": n, "seed": seed, **rows[-1]})
                options.out.write_text(json.dumps(every, indent=1))
            print(f"{title} | {n:,} | {behind(rows, options.ways)}", flush=True)


if __name__ == "__main__":
    main()
