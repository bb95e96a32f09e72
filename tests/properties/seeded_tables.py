"""Random tables from a seed, many a second, with what publishing stumbles over.

Hypothesis shrinks well but draws slowly; here a plain generator draws thousands of small tables, so
that rare trees are met. A failing test prints its seed: `drawn(seed)` makes the table again.
"""

import math
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from oracles.random_tables import TARGET, PlainTable
from privet.preserve.settings import PublishSettings, TreeAsked
from privet.schema import Kind, Schema
from privet.table import Table

ODD_LABELS = [
    "a | b",
    "a",
    "b",
    'say "hi"',
    "x,y",
    "two\nlines",
    "NA",
    "nan",
    "?",
    "7",
    "07",
    "é",
    "*",
    "(missing)",
    "1: a",
    " lead",
    "tail ",
    "a | +2 more",
    "\u00fc\u4e2d",
    "-",
]
MANY_LABELS = [f"L{number:02d}" for number in range(18)]


@dataclass(frozen=True)
class Case:
    """A table with the settings it is published with."""

    seed: int
    plain: PlainTable
    settings: PublishSettings
    roles: dict[str, list[str]]

    def table(self) -> Table:
        return self.plain.table()

    def schema(self) -> Schema:
        return self.plain.schema().with_roles(target=TARGET, **self.roles)


def drawn(seed: int, min_leaf: int = 1) -> Case:
    """The table and the settings of a seed."""
    random_ = random.Random(seed)
    rows = random_.randint(3, 36)
    kinds: dict[str, Kind] = {}
    cells: dict[str, list[Any]] = {}
    for number in range(random_.randint(1, 4)):
        name = f"c{number}"
        if cells and random_.random() < 0.12:
            twin = random_.choice(sorted(cells))
            kinds[name], cells[name] = kinds[twin], list(cells[twin])
        else:
            kinds[name], cells[name] = _column(random_, rows)
        if random_.random() < 0.25:
            share = random_.choice([0.1, 0.3, 1.0])
            cells[name] = [None if random_.random() < share else v for v in cells[name]]
    regression = random_.random() < 0.3
    kinds[TARGET], cells[TARGET] = _response(random_, cells, rows, regression)
    impurity: Any = "deviance"
    if not regression:
        impurity = random_.choice(["gini", "gini", "entropy", "gain-ratio"])
    roles = _roles(random_, list(cells))
    settings = PublishSettings(
        k=random_.choice([1, 1, 1, 2]),
        l=random_.choice([None, 1, 1.5]) if roles["sensitive"] else None,
        t=random_.choice([None, None, 0.9]) if roles["sensitive"] else None,
        target_known=random_.random() < 0.1,
        release_sensitive=random_.random() < 0.5,
        use_sensitive=random_.random() < 0.3,
        min_leaf=min_leaf,
        leaves=random_.randint(2, 8),
        impurity=impurity,
        categories=random_.choice(["subset", "subset", "multiway"]),
        recoding="global",
    )
    return Case(seed, PlainTable(kinds, cells), settings, roles)


def with_more_trees(case: Case, trees: int) -> Case:
    """The same table with further trees: of its own target, or of columns that are added."""
    random_ = random.Random(f"{case.seed} and {trees} more")
    kinds, cells = dict(case.plain.kinds), dict(case.plain.cells)
    rows = case.plain.n_rows
    asked = []
    for number in range(2, 2 + trees):
        name = random_.choice([TARGET, f"{TARGET}{number}", f"{TARGET}{number}"])
        regression = kinds.get(name, Kind.CATEGORY) is not Kind.CATEGORY
        if name != TARGET:
            regression = random_.random() < 0.4
            kinds[name], cells[name] = _response(random_, case.plain.cells, rows, regression)
        impurity: Any = "deviance" if regression else random_.choice(["gini", "entropy"])
        categories = random_.choice([None, "subset", "multiway"])
        leaves = random_.randint(2, 6)
        asked.append(TreeAsked(name, leaves, impurity, categories))
    settings = replace(case.settings, trees=asked)
    return Case(case.seed, PlainTable(kinds, cells), settings, case.roles)


def _roles(random_: random.Random, names: list[str]) -> dict[str, list[str]]:
    """The first column stays a quasi-identifier; others, the target too, may be sensitive."""
    roles: dict[str, list[str]] = {"sensitive": [], "other": []}
    for name in names[1:]:
        draw = random_.random()
        if draw < 0.12:
            roles["sensitive"].append(name)
        elif draw < 0.24 and name != TARGET:
            roles["other"].append(name)
    return roles


def _column(random_: random.Random, rows: int) -> tuple[Kind, list[Any]]:
    kind, pool = random_.choice(_POOLS)(random_)
    return kind, [random_.choice(pool) for _ in range(rows)]


def _small_integers(random_: random.Random) -> tuple[Kind, list[Any]]:
    return Kind.INTEGER, list(range(random_.randint(1, 10)))


def _wide_integers(random_: random.Random) -> tuple[Kind, list[Any]]:
    most = random_.choice([100, 10**6, 2**40])
    return Kind.INTEGER, [random_.randint(-most, most) for _ in range(random_.randint(2, 30))]


def _huge_integers(random_: random.Random) -> tuple[Kind, list[Any]]:
    base = random_.choice([2**53, -(2**53), 2**60, 2**62, 2**63 - 5000, -(2**63) + 4])
    most = random_.choice([3, 700, 4999])
    return Kind.INTEGER, [base + random_.randint(0, most) for _ in range(random_.randint(2, 12))]


def _decimals(random_: random.Random) -> tuple[Kind, list[Any]]:
    size = random_.randint(2, 30)
    draw: Callable[[], float] = random_.choice(
        [
            lambda: round(random_.uniform(0, 10), 2),
            lambda: random_.random(),
            lambda: random_.lognormvariate(0, 3),
            lambda: random_.choice([0.1, 0.2, 0.3, 1.1, 1.4, 1.7, 2.3, 2.6, 2.9]),
            lambda: random_.uniform(-1, 1) * 1e-8,
            lambda: random_.gauss(0, 1) * 1e300,
        ]
    )
    return Kind.DECIMAL, [draw() + 0.0 for _ in range(size)]


def _wild_decimals(random_: random.Random) -> tuple[Kind, list[Any]]:
    values = [_float_of_bits(random_.getrandbits(64)) for _ in range(random_.randint(1, 8))]
    values += [0.0, 5e-324, -5e-324, 1.7976931348623157e308][: random_.randint(0, 4)]
    if random_.random() < 0.5:
        values += [v for v in (math.nextafter(values[0], math.inf),) if math.isfinite(v)]
    return Kind.DECIMAL, [v + 0.0 for v in values]


def _neighbours(random_: random.Random) -> tuple[Kind, list[Any]]:
    value = random_.choice([1.0, 0.1, 1e10, 3.0, -2.0])
    values = [value]
    for _ in range(random_.randint(1, 5)):
        values.append(math.nextafter(values[-1], math.inf))
    return Kind.DECIMAL, values


def _dates(random_: random.Random) -> tuple[Kind, list[Any]]:
    return Kind.DATE, [random_.randint(-20000, 30000) for _ in range(random_.randint(2, 12))]


def _datetimes(random_: random.Random) -> tuple[Kind, list[Any]]:
    most = random_.choice([10, 10**6, 10**15])
    return Kind.DATETIME, [random_.randint(-most, most) for _ in range(random_.randint(2, 12))]


def _categories(random_: random.Random) -> tuple[Kind, list[Any]]:
    return Kind.CATEGORY, list("abcdefgh"[: random_.randint(1, 8)])


def _odd_categories(random_: random.Random) -> tuple[Kind, list[Any]]:
    return Kind.CATEGORY, random_.sample(ODD_LABELS, random_.randint(2, 8))


def _many_categories(random_: random.Random) -> tuple[Kind, list[Any]]:
    return Kind.CATEGORY, MANY_LABELS[: random_.randint(10, 18)]


_POOLS = [
    _small_integers,
    _small_integers,
    _wide_integers,
    _huge_integers,
    _decimals,
    _decimals,
    _wild_decimals,
    _neighbours,
    _dates,
    _datetimes,
    _categories,
    _categories,
    _odd_categories,
    _many_categories,
]


def _response(
    random_: random.Random, cells: dict[str, list[Any]], rows: int, regression: bool
) -> tuple[Kind, list[Any]]:
    """A response that follows some column now and then, so that columns are asked repeatedly."""
    leader = cells[random_.choice(sorted(cells))]
    rank = {value: place for place, value in enumerate(sorted(set(leader), key=_key))}
    signal = [rank[v] * random_.choice([0, 0, 1]) + random_.random() * 2 for v in leader]
    if not regression:
        few: list[Any] = ["no", "yes"]
        labels = random_.choice([few, few, ["p", "q", "r"], ["p", "q", None]])
        answers: list[Any] = [labels[int(s) % len(labels)] for s in signal]
        if len(set(answers)) < 2:
            answers[0] = labels[0] if answers[0] != labels[0] else labels[1]
        return Kind.CATEGORY, answers
    if random_.random() < 0.5:
        numbers: list[Any] = [int(s * 3) for s in signal]
        numbers[0] += 1 if len(set(numbers)) < 2 else 0
        return Kind.INTEGER, numbers
    scale = random_.choice([1.0, 0.1, 1e12, 1e-9])
    floats: list[Any] = [round(s, 1) * scale for s in signal]
    if len(set(floats)) < 2:
        floats[0] += scale
    return Kind.DECIMAL, floats


def _key(value: Any) -> tuple[bool, Any]:
    return (value is None, 0 if value is None else value)


def _float_of_bits(bits: int) -> float:
    value = float(struct.unpack("<d", struct.pack("<Q", bits))[0])
    return value if math.isfinite(value) else 0.0
