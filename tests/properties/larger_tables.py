"""Random tables of a few hundred rows, from a seed: many leaves, many values, records to spare.

`seeded_tables` next door draws tables of a few rows. What only happens where a column of numbers is
asked again and again, on both sides of other columns, needs more of them.
"""

import datetime
import random
from typing import Any


def larger(seed: int) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """The columns of a seed (the target is `y`), and the settings to publish them with."""
    chance = random.Random(seed)
    rows = chance.randint(60, 240)
    columns = {f"x{number}": _column(chance, rows) for number in range(chance.randint(2, 5))}
    pull = [0.0] * rows
    for cells in columns.values():
        weight = chance.uniform(-2, 2)
        place = {value: number for number, value in enumerate(sorted({str(c) for c in cells}))}
        for row, cell in enumerate(cells):
            pull[row] += weight * (cell if isinstance(cell, float | int) else place[str(cell)] % 5)
    noise = chance.uniform(0.1, 3)
    pull = [value + chance.gauss(0, noise) for value in pull]
    asked: dict[str, Any] = {
        "k": chance.randint(2, 7),
        "leaves": chance.randint(4, 24),
        "guard": chance.choice([1, None]),
    }
    if chance.random() < 0.4:
        digits = chance.choice([0, 1])
        columns["y"] = [round(value, digits) for value in pull]
        return columns, asked
    classes = chance.choice([2, 2, 3, 5])
    ends = sorted(pull)
    cuts = [ends[rows * part // classes] for part in range(1, classes)]
    columns["y"] = [f"class {sum(value >= cut for cut in cuts)}" for value in pull]
    asked["impurity"] = chance.choice(["gini", "gini", "entropy", "gain-ratio"])
    if chance.random() < 0.15:
        asked["categories"] = "multiway"
    return columns, asked


def _column(chance: random.Random, rows: int) -> list[Any]:
    kind = chance.choice(["small", "wide", "decimal", "decimal", "category", "date"])
    if kind == "small":
        cells: list[Any] = [chance.randint(0, 6) for _ in range(rows)]
    elif kind == "wide":
        cells = [chance.randint(0, 400) for _ in range(rows)]
    elif kind == "decimal":
        digits, mean = chance.choice([1, 2]), chance.choice([0.5, 3, 40])
        cells = [round(chance.expovariate(1 / mean), digits) for _ in range(rows)]
    elif kind == "category":
        labels = [f"label {number}" for number in range(chance.randint(2, 8))]
        cells = [chance.choice(labels) for _ in range(rows)]
    else:
        first = datetime.date(1990, 1, 1)
        cells = [first + datetime.timedelta(chance.randint(0, 900)) for _ in range(rows)]
    if kind in ("small", "category") and chance.random() < 0.3:
        cells = [None if chance.random() < 0.1 else cell for cell in cells]
    return cells
