"""What the tests of outside growers share: random tasks, and skipping what is not installed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, coded, plain_tables
from privet.engine import MemoryEngine
from privet.errors import UsageError
from privet.schema import Kind
from privet.table import Table
from privet.tree import Grower, grow
from privet.tree.foreign import Task, require


def needs(program: str) -> pytest.MarkDecorator:
    try:
        require(program)
    except UsageError as missing:
        return pytest.mark.skip(reason=missing.message)
    return pytest.mark.filterwarnings("default")


def task_of(table: Table, grower: Grower, target: str = TARGET) -> Task:
    schema = table.schema().with_roles(target=target)
    return Task(table, schema, grow(MemoryEngine(table), schema, grower))


@st.composite
def small_tasks(draw: st.DrawFn, impurities: tuple[str, ...]) -> Task:
    """Tables with everything that growers stumble over."""
    impurity: Any = draw(st.sampled_from(impurities))
    plain: PlainTable = draw(plain_tables(regression=impurity == "deviance"))
    limits = {"leaves": draw(st.integers(2, 8)), "min_leaf": draw(st.integers(1, 3))}
    depth = draw(st.sampled_from([None, None, 2]))
    return task_of(plain.table(), Grower(impurity, depth=depth, **limits))


def seeded_task(seed: int, impurity: Any, rows: int = 200, **settings: Any) -> Task:
    """A larger table with a signal: numbers, dates, categories, missing cells."""
    random = np.random.default_rng(seed)
    size = random.integers(20, 80)
    numbers = random.integers(0, size, rows)
    decimals = np.round(random.normal(0, 1, rows), 2)
    letters = random.choice(list("abcdef"), rows)
    signal = numbers / size + 0.3 * decimals + 0.4 * np.isin(letters, ["a", "d", "f"])
    signal = signal + random.normal(0, 0.3, rows)
    blank = random.random(rows) < 0.1
    cells: dict[str, tuple[list[Any], Kind]] = {
        "number": (
            [None if b else int(v) for v, b in zip(numbers, blank, strict=True)],
            Kind.INTEGER,
        ),
        "decimal": (decimals.tolist(), Kind.DECIMAL),
        "letter": ([None if v == "f" else str(v) for v in letters], Kind.CATEGORY),
        "day": (random.integers(10000, 10050, rows).tolist(), Kind.DATE),
        "sex": (random.choice(["f", "m"], rows).tolist(), Kind.CATEGORY),
    }
    if impurity == "deviance":
        cells[TARGET] = (np.round(signal, 3).tolist(), Kind.DECIMAL)
    else:
        classes = np.digitize(signal, np.quantile(signal, [0.5, 0.8][: random.integers(1, 3)]))
        cells[TARGET] = ([f"class {c}" for c in classes], Kind.CATEGORY)
    table = Table({name: coded(values, kind) for name, (values, kind) in cells.items()})
    return task_of(table, Grower(impurity, **settings))
