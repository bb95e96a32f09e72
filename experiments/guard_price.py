"""What a guard costs: accuracy on rows held out, CPU seconds, and leaves that cannot be kept.

Trees of public tables are grown without a guard and with some. `what_the_tree_tells` prints the
tables made here; its folder holds the public tables, and those that are not there are left out.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.datasets.public import wisconsin
from privet.engine import MemoryEngine
from privet.files import read_table
from privet.preserve.publisher import choose, prepared
from privet.preserve.settings import PublishSettings
from privet.schema import Kind, Schema
from privet.table import Coded, Table
from privet.tree import Grower, Tree, grow
from privet.tree.boundaries import count_boundaries
from privet.tree.guard import Guard

GUARDS = (1, 5, 10, 25)
SIZES = (8, 16, 32)
HELD_OUT = 0.3  # of the rows, where there is no test file


@dataclass(frozen=True, eq=False)
class Data:
    name: str
    table: Table
    schema: Schema
    test: Table | None = None

    def grown(self, table: Table, guard: int, min_leaf: int = 10) -> Tree:
        settings = Grower(leaves=max(SIZES), min_leaf=min_leaf)
        return grow(MemoryEngine(table), self.schema, settings, guard=Guard(guard))


def of_size(tree: Tree, leaves: int) -> Tree:
    """The tree with so many leaves, or the whole tree if it has no more."""
    return tree.prefix(max(size for size in tree.sizes if size <= leaves))


def public_tables(folder: Path) -> Iterator[Data]:
    readers: dict[str, tuple[str, str, Callable[[Path], Table]]] = {
        "Adult": ("adult.csv.gz", "income", adult),
        "German credit": ("german_credit.csv", "class", read_table),
        "Pima": ("pima_diabetes.csv", "outcome", pima),
        "Breast cancer": ("breast_cancer_wisconsin.csv", "class", wisconsin),
        "Boston": ("boston_housing.csv", "medv", houses),
    }
    for name, (file, target, read) in readers.items():
        if (folder / file).exists():
            table = read(folder / file)
            test_file = folder / file.replace(".csv", "_test.csv")
            test = read(test_file) if test_file.exists() else None
            yield Data(name, table, table.schema().with_roles(target=target), test)
        else:
            print(f"\n{file} is not there: {name} is left out.")


def adult(path: Path) -> Table:
    """All rows; without fnlwgt, a sampling weight. "?" is a category."""
    table = read_table(path)
    return table.select([name for name in table if name != "fnlwgt"])


def pima(path: Path) -> Table:
    table = read_table(path)
    return with_labels(table, "outcome", lambda numbers: numbers > 0)


def houses(path: Path) -> Table:
    """Whether the price is above the median."""
    return with_labels(read_table(path), "medv", lambda numbers: numbers > np.median(numbers))


def with_labels(table: Table, name: str, of: Callable[[npt.NDArray[Any]], Any]) -> Table:
    column = table[name]
    if column.domain.kind is Kind.CATEGORY:
        return table
    above = of(column.domain.values[column.codes])
    labels = np.where(above, "yes", "no").astype(object)
    coded = Coded.of(labels, Kind.CATEGORY, np.zeros(len(labels), dtype=bool))
    return table.replace({name: coded})


def is_right(tree: Tree, table: Table) -> npt.NDArray[np.bool_]:
    column = table[tree.target]
    answers = [column.domain.value(code) for code in column.codes.tolist()]
    return np.array([a == b for a, b in zip(tree.predict(table), answers, strict=True)])


def accuracy(data: Data, runs: int) -> list[list[Any]]:
    """Accuracy without a guard and what each guard changes, both with standard errors."""
    right: dict[tuple[int, int], list[npt.NDArray[np.bool_]]] = {}
    for train, test in held_out(data, runs):
        for guard in GUARDS:
            tree = data.grown(train, guard)
            for leaves in SIZES:
                answers = is_right(of_size(tree, leaves), test)
                right.setdefault((leaves, guard), []).append(answers)
    lines = []
    for leaves in SIZES:
        plain = [one.astype(float) for one in right[leaves, 1]]
        cells = [with_error(plain, "{:.3f}")]
        for guard in GUARDS[1:]:
            pairs = zip(right[leaves, guard], plain, strict=True)
            cells.append(with_error([one - other for one, other in pairs], "{:+.3f}"))
        lines.append([data.name, leaves, *cells])
    return lines


def held_out(data: Data, runs: int) -> Iterator[tuple[Table, Table]]:
    if data.test is not None:
        yield data.table, data.test
        return
    for run in range(runs):
        order = np.random.default_rng(run).permutation(data.table.n_rows)
        n_test = round(HELD_OUT * len(order))
        yield data.table.take(order[n_test:]), data.table.take(order[:n_test])


def with_error(runs: Sequence[npt.NDArray[Any]], form: str) -> str:
    """The mean with its standard error: over the rows of one test file, or over runs, whose rows
    overlap (corrected after Nadeau and Bengio)."""
    means = np.array([run.mean() for run in runs])
    if len(runs) == 1:
        error = runs[0].std() / np.sqrt(len(runs[0]))
    else:
        error = means.std(ddof=1) * np.sqrt(1 / len(means) + HELD_OUT / (1 - HELD_OUT))
    mean = round(float(means.mean()), 3) + 0.0  # no -0.000
    return f"{form.format(mean)} ± {error:.3f}"


def told(data: Data) -> list[list[Any]]:
    """Whom the boundaries of the tree of the whole table tell, without a guard and with one."""
    lines = []
    for min_leaf in (1, 10):
        plain, guarded = (data.grown(data.table, guard, min_leaf) for guard in (1, 5))
        for leaves in SIZES:
            engine = MemoryEngine(data.table)
            without = count_boundaries(engine, of_size(plain, leaves))
            with_guard = count_boundaries(engine, of_size(guarded, leaves), guard=Guard(5))
            part = 100 * without.told / data.table.n_rows
            cells = [without.told, without.narrowed, f"{part:.2f}", with_guard.told]
            lines.append([data.name, data.table.n_rows, min_leaf, leaves, *cells])
    return lines


def seconds(data: Data, times: int) -> list[Any]:
    """CPU seconds of growing 32 leaves: the least of some runs, in turns."""
    least: dict[int, float] = {}
    for _ in range(times):
        for guard in GUARDS:
            start = time.process_time()
            data.grown(data.table, guard)
            used = time.process_time() - start
            least[guard] = min(used, least.get(guard, used))
    return [data.name, *(f"{least[guard]:.3f}" for guard in GUARDS)]


def kept(data: Data) -> list[Any]:
    """Leaves of the tree and leaves published (leaf recoding, minimum leaf k, 32 leaves asked),
    without a guard and with k."""
    cells = []
    for k in GUARDS[1:]:
        for guard in (1, k):
            settings = PublishSettings(
                k=k, leaves=max(SIZES), guard=guard, recoding="leaf", refine=False
            )
            judge = prepared(data.table, data.schema, settings)
            _, draft, _ = choose(judge)
            cells.append(f"{draft.n_leaves} of {max(judge.drafts.sizes)}")
    return [data.name, *cells]
