"""Leaf recoding beside global recoding: K, L, the largest tree, the time, and other miners.

    python experiments/leaf_recoding.py [FOLDER] [--quick]

Prints the tables of docs/results/leaf-recoding.md as Markdown. FOLDER holds the public tables
(default: ../shared/data beside the repository). Every release is grown again and compared; the
run stops at the first tree that differs. Times are CPU seconds of the recoding alone.
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from privet.engine import Engine, MemoryEngine
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.by_leaf.refinement import count_cells, refine
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.leaf_counts import LeafCounts, count_leaves
from privet.preserve.recoding import ColumnRecoding, apply
from privet.schema import Kind, Schema
from privet.table import Coded, Table
from privet.tree import Grower, Tree, grow
from privet.tree.compare import compare

DATA = Path(__file__).parents[2] / "shared" / "data"
TABLES = {
    "Adult": ("adult.csv.gz", "income"),
    "Boston": ("boston_housing.csv", "medv"),
    "Breast cancer": ("breast_cancer_wisconsin.csv", "class"),
    "German credit": ("german_credit.csv", "class"),
    "Pima": ("pima_diabetes.csv", "outcome"),
}


@dataclass(frozen=True, eq=False)
class Data:
    name: str
    engine: MemoryEngine
    schema: Schema

    @property
    def regression(self) -> bool:
        return self.name == "Boston"

    def grown(self, leaves: int, min_leaf: int = 1, impurity: Any = None) -> Tree:
        chosen = impurity or ("deviance" if self.regression else "gini")
        settings = Grower(leaves=leaves, min_leaf=min_leaf, impurity=chosen)
        return grow(self.engine, self.schema, settings)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One tree recoded both ways."""

    tree: Tree
    leaf_counts: LeafCounts
    base: dict[str, ColumnRecoding]
    recoding: LeafRecoding
    k_global: int
    k_leaf: int
    smallest: int
    seconds: float
    by_leaf: Engine
    by_column: Engine


def frame(path: Path) -> pd.DataFrame:
    read = pd.read_csv(path)
    if "occupation" in read:
        read = read[read.occupation != "?"].drop(columns=["fnlwgt", "education"]).iloc[1:]
    return read


def table(read: pd.DataFrame) -> Table:
    kinds = {"i": (Kind.INTEGER, np.int64), "f": (Kind.DECIMAL, np.float64)}
    columns = {}
    for name in read:
        kind, dtype = kinds.get(read[name].dtype.kind, (Kind.CATEGORY, object))
        columns[str(name)] = Coded.of(
            read[name].to_numpy(dtype), kind, read[name].isna().to_numpy()
        )
    return Table(columns)


def load(folder: Path, name: str) -> Data:
    file, target = TABLES[name]
    loaded = table(frame(folder / file))
    sensitive = ["occupation"] if name == "Adult" else []
    schema = loaded.schema().with_roles(target=target, sensitive=sensitive)
    return Data(name, MemoryEngine(loaded), schema)


def recoded(data: Data, trees: Sequence[Tree], use_solver: bool = True) -> Outcome:
    quasi = data.schema.quasi
    leaf_counts = count_leaves(data.engine, trees)
    base = recode_globally(leaf_counts, quasi)
    start = time.process_time()
    recoding = recode_by_leaf(leaf_counts, base, solver=Solver() if use_solver else None)
    seconds = time.process_time() - start
    released, coarse = recoding.apply(data.engine), apply(data.engine, base)
    check_same(data, recoding, released)
    sizes = [
        data.engine.count([data.schema.target], region).records for region in leaf_counts.regions
    ]
    k_global, k_leaf = (int(e.count(quasi).n.min()) for e in (coarse, released))
    return Outcome(
        trees[0],
        leaf_counts,
        base,
        recoding,
        k_global,
        k_leaf,
        min(sizes),
        seconds,
        released,
        coarse,
    )


def check_same(data: Data, recoding: LeafRecoding, released: Engine) -> None:
    for number in range(len(recoding.leaf_counts.trees)):
        expected = recoding.expected(number)
        found = compare(expected, grow(released, data.schema, expected.grower))
        if not found:
            raise SystemExit(f"{data.name}, {expected.n_leaves} leaves: {found}")


def strong_l(engine: Engine, quasi: Sequence[str], sensitive: str) -> float:
    counts = engine.count([*quasi, sensitive])
    starts = counts.runs(len(quasi))
    sizes, largest = np.add.reduceat(counts.n, starts), np.maximum.reduceat(counts.n, starts)
    return float((sizes / largest).min())


def show(title: str, header: Sequence[str], lines: Sequence[Sequence[Any]]) -> None:
    print(f"\n## {title}\n")
    for line in (header, ["---"] * len(header), *lines):
        print("| " + " | ".join(map(str, line)) + " |", flush=True)


# -- K and L -----------------------------------------------------------------------------------


def adult_by_leaves(data: Data, sizes: Sequence[int]) -> None:
    tree, lines = data.grown(max(sizes)), []
    quasi = data.schema.quasi
    for size in sizes:
        found = recoded(data, [tree.prefix(size)])
        l_global, l_leaf = (
            f"{strong_l(engine, quasi, 'occupation'):.2f}"
            for engine in (found.by_column, found.by_leaf)
        )
        accuracy = f"{found.tree.correct() / data.engine.n_rows():.4f}"
        forms = "strict" if found.recoding.strict else "index"
        lines.append(
            [size, accuracy, found.k_global, found.k_leaf, found.smallest, l_global, l_leaf, forms]
        )
    header = ["leaves", "training accuracy", "K global", "K leaf", "smallest leaf"]
    show("Adult, minimum leaf 1", [*header, "L global", "L leaf", "form"], lines)


def adult_more(data: Data, quick: bool) -> None:
    lines = []
    for least, size in [(50, 32)] if quick else [(50, 32), (50, 48), (50, 64), (100, 48)]:
        found = recoded(data, [data.grown(size, least)])
        accuracy = f"{found.tree.correct() / data.engine.n_rows():.4f}"
        lines.append([least, size, accuracy, found.k_global, found.k_leaf, found.smallest])
    header = ["minimum leaf", "leaves", "training accuracy", "K global", "K leaf", "smallest leaf"]
    show("Adult, larger minimum leaf", header, lines)
    lines = []
    for size in (4, 8) if quick else (4, 6, 8, 10, 12, 16):
        trees = [data.grown(size, impurity=impurity) for impurity in ("gini", "entropy")]
        found = recoded(data, trees)
        groups = len(found.leaf_counts.leaves)
        lines.append([size, groups, found.k_global, found.k_leaf, found.smallest])
    header = ["leaves each", "intersections", "K global", "K leaf", "smallest intersection"]
    show("Adult, a Gini tree and an entropy tree at once", header, lines)


def all_tables(folder: Path, quick: bool) -> None:
    """How often K is the smallest leaf, with and without the solver, and how long it takes."""
    sizes = (4, 8, 16) if quick else (4, 8, 12, 16, 20, 24, 28, 32)
    found: dict[tuple[bool, bool], list[Outcome]] = {}
    largest = []
    for name in TABLES:
        data = load(folder, name)
        kept: dict[int, tuple[int, int]] = {}
        for impurity in ("deviance",) if data.regression else ("gini", "entropy"):
            for least in (1, 10):
                tree = data.grown(max(sizes), least, impurity)
                for size in (s for s in sizes if s in tree.sizes):
                    for use_solver in (True, False):
                        one = recoded(data, [tree.prefix(size)], use_solver)
                        found.setdefault((size <= 16, use_solver), []).append(one)
                        if use_solver and impurity != "entropy":
                            for k in (10, 50, 100):
                                one_g, one_l = kept.get(k, (0, 0))
                                one_g = max(one_g, size if one.k_global >= k else 0)
                                kept[k] = one_g, max(one_l, size if one.k_leaf >= k else 0)
        cells = [f"{g or '-'} / {leaf or '-'}" for g, leaf in (kept[k] for k in (10, 50, 100))]
        largest.append([name, *cells])
    lines = []
    for (small, use_solver), outcomes in sorted(found.items(), reverse=True):
        equal = sum(o.k_leaf == o.smallest for o in outcomes) / len(outcomes)
        telling = [o for o in outcomes if o.smallest > 1]  # K = 1 is reached by anything
        equal_there = sum(o.k_leaf == o.smallest for o in telling)
        strict = sum(o.recoding.strict for o in outcomes) / len(outcomes)
        seconds = [o.seconds for o in outcomes]
        lines.append(
            [
                "up to 16" if small else "17 to 32",
                "with" if use_solver else "without",
                len(outcomes),
                f"{equal:.1%}",
                f"{equal_there} of {len(telling)}",
                f"{strict:.1%}",
                sum(o.recoding.whole for o in outcomes),
                f"{statistics.median(seconds):.3f}",
                f"{max(seconds):.2f}",
            ]
        )
    header = ["leaves", "OR-tools", "trees", "K = smallest leaf", "the same, smallest leaf > 1"]
    header += ["all columns strict", "whole leaves", "median s", "longest s"]
    show("All tables", header, lines)
    pairs: list[Sequence[Any]] = []
    for small in (True, False):
        both = zip(found.get((small, True), []), found.get((small, False), []), strict=True)
        gains = [(a.k_leaf, b.k_leaf) for a, b in both]
        more = sum(a > b for a, b in gains)
        pairs.append(["up to 16" if small else "17 to 32", len(gains), more])
        pairs[-1] = [*pairs[-1], sum(a < b for a, b in gains)]
    show("What OR-tools adds", ["leaves", "trees", "K larger with it", "K smaller"], pairs)
    header = ["table", *(f"K >= {k}: global / leaf" for k in (10, 50, 100))]
    show("Largest tree kept (sizes tried above)", header, largest)


# -- other miners ------------------------------------------------------------------------------


def numbers_of(tables: Sequence[Table], names: Sequence[str]) -> list[npt.NDArray[np.float64]]:
    """Numbers as they are, categories as one column for each label of the first table."""
    first = tables[0]
    blocks: list[list[Any]] = [[] for _ in tables]
    for name in names:
        domain = first[name].domain
        for block, one in zip(blocks, tables, strict=True):
            texts = one[name].domain.texts
            if domain.kind is Kind.CATEGORY:
                labels = np.array(texts, dtype=object)[one[name].codes]
                block += [(labels == label).astype(float) for label in domain.texts]
            else:
                block.append(one[name].domain.values.astype(float)[one[name].codes])
    stacked = [np.stack(block, axis=1) for block in blocks]
    mean, spread = stacked[0].mean(axis=0), stacked[0].std(axis=0)
    spread[spread == 0] = 1
    return [(block - mean) / spread for block in stacked]


def recoded_rows(rows: Table, recoding: LeafRecoding, names: Sequence[str]) -> Table:
    """New rows: sent down the tree, then recoded like the leaf that they reach."""
    leaf_counts = recoding.leaf_counts
    leaf_of_row = leaf_counts.trees[0].leaf_of_rows(rows)
    group_of = {leaves[0]: group for group, leaves in enumerate(leaf_counts.leaves)}
    groups = np.array([group_of[leaf] for leaf in leaf_of_row.tolist()])
    columns = {}
    for name in names:
        old = _codes_in(rows[name], leaf_counts.domains[name].values)
        if name in recoding.columns:
            column = recoding.columns[name]
            columns[name] = Coded(column.domain, column.new[groups, old].astype(np.uint32))
        else:
            other = recoding.others[name]
            columns[name] = Coded(other.domain, other.new_of_old[old].astype(np.uint32))
    return Table(columns)


def _codes_in(column: Coded, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The codes of new values in the domain of old ones: the next lower, or the same label."""
    if column.domain.kind is Kind.CATEGORY:
        place = {value: code for code, value in enumerate(values.tolist())}
        codes = np.array([place.get(v, 0) for v in column.domain.values.tolist()])
    else:
        codes = np.maximum(np.searchsorted(values, column.domain.values, side="right") - 1, 0)
    return np.asarray(codes[column.codes])


def scores(train: Table, test: Table, y: Any, y_test: Any, names: Sequence[str]) -> list[str]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    x, x_test = numbers_of([train, test], names)
    models = (LogisticRegression(max_iter=300), LinearSVC(dual=False))
    found = [model.fit(x, y).score(x_test, y_test) for model in models]
    return [f"{score:.4f}" for score in (*found, naive_bayes(train, test, y, y_test, names))]


def naive_bayes(train: Table, test: Table, y: Any, y_test: Any, names: Sequence[str]) -> float:
    """Categories by their frequencies in each class (plus one), numbers by normal densities."""
    classes = np.unique(y)
    total = np.zeros((len(y_test), len(classes)))
    for number, label in enumerate(classes):
        own = y == label
        total[:, number] += np.log(own.mean())
        for name in names:
            one, other = train[name], test[name]
            if one.domain.kind is Kind.CATEGORY:
                size = one.domain.size
                shares = np.bincount(one.codes[own], minlength=size) + 1
                place = {text: code for code, text in enumerate(one.domain.texts)}
                of = np.array([shares[place[t]] if t in place else 1 for t in other.domain.texts])
                total[:, number] += np.log(of[other.codes] / (own.sum() + size))
                continue
            values = one.domain.values.astype(float)[one.codes]
            spread = max(values[own].std(), 1e-3 * values.std(), 1e-9)
            away = (other.domain.values.astype(float)[other.codes] - values[own].mean()) / spread
            total[:, number] -= away * away / 2 + np.log(spread)
    return float((classes[total.argmax(axis=1)] == y_test).mean())


def other_miners(folder: Path, data: Data, sizes: Sequence[int]) -> None:
    test = table(frame(folder / "adult_test.csv.gz"))
    names = data.schema.quasi
    train = data.engine.table()
    y, y_test = (
        np.array(t["income"].domain.texts, dtype=object)[t["income"].codes] for t in (train, test)
    )
    own = Table({name: train[name] for name in names})
    lines = [["original", 1, "-", *scores(own, test.select(names), y, y_test, names)]]
    grown = data.grown(max(sizes))
    for size in sizes:
        found = recoded(data, [grown.prefix(size)])
        cells = count_cells(data.engine, found.leaf_counts, found.base)
        unrefined = LeafRecoding(found.leaf_counts, {}, found.base, found.base)
        for label, recoding in (
            ("global", unrefined),
            ("leaf", found.recoding),
            ("leaf, refined to 50", refine(found.recoding, cells, 50)),
        ):
            released = recoding.apply(data.engine)
            if recoding is not unrefined:
                check_same(data, recoding, released)
            k = int(released.count(names).n.min())
            rows = recoded_rows(test, recoding, names)
            predicted = np.array(found.tree.predict(test), dtype=object)
            accuracy = f"{(predicted == y_test).mean():.4f}"
            line = scores(released.table().select(names), rows, y, y_test, names)
            lines.append([f"{label}, {size} leaves", k, accuracy, *line])
    header = ["trained on", "K", "tree", "logistic regression", "linear SVM", "naive Bayes"]
    show("Held-out accuracy on Adult's test file, its rows recoded alike", header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    adult = load(options.folder, "Adult")
    sizes = (2, 3, 4, 5, 6, 8, 11, 12, 16, 17, 20, 25, 27, 32, 48, 64)
    adult_by_leaves(adult, sizes[:9] if options.quick else sizes)
    adult_more(adult, options.quick)
    other_miners(options.folder, adult, (4, 8) if options.quick else (4, 8, 16, 25))
    all_tables(options.folder, options.quick)


if __name__ == "__main__":
    main()
