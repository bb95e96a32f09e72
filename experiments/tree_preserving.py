"""Fu, Chen, Koru and Gangopadhyay (2010): publishing a table with its tree, theirs beside ours.

    python experiments/tree_preserving.py [FOLDER] [--quick]

Prints the tables of docs/results/tree-preserving.md as Markdown. FOLDER holds adult.csv.gz and
adult_test.csv.gz (default: ../shared/data beside the repository); without them only the part on
random tables is run. `literal` is the article's algorithm word by word (tests/oracles), `middle
cut` our rules with the article's middle cut kept, `global` and `leaf` are what Privet ships.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracles import literal_tpp
from oracles.literal_tpp import Asked, Cells, asked_by_slow_tree, asked_by_tree, sanitise
from oracles.slow_grower import SlowGrowth, SlowNode, SlowSettings
from privet.engine import Engine, MemoryEngine
from privet.files import read_table
from privet.files.frames import table_of
from privet.pipeline import publish_table
from privet.preserve.by_column import numbers
from privet.preserve.by_column.recode import recode_globally
from privet.preserve.judging import Judge
from privet.preserve.leaf_counts import count_leaves
from privet.preserve.publisher import prepared
from privet.preserve.recoding import apply
from privet.preserve.settings import PublishSettings
from privet.release.claims.figures import Figures, count_figures
from privet.release.new_rows import predict_rows, recode_rows
from privet.roles import Roles, schema_for
from privet.schema import Kind, Schema
from privet.table import Coded, Table
from privet.tree.accuracy import training_accuracy
from privet.tree.cross_validation import FOLDS, cross_validate, deal_folds
from privet.tree.grow import attributes_for_growing, grow
from privet.tree.grower import Grower
from privet.tree.model import Threshold, Tree
from privet.tree.prune import cost_complexity_sequence

DATA = Path(__file__).parents[2] / "shared" / "data"
METHODS = ("literal", "middle cut", "global", "leaf")


def show(title: str, header: Sequence[str], lines: Sequence[Sequence[Any]]) -> None:
    print(f"\n### {title}\n")
    for line in (header, ["---"] * len(header), *lines):
        print("| " + " | ".join(_text(cell) for cell in line) + " |", flush=True)


def _text(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


# -- Adult, as in the article ------------------------------------------------------------------


def read_adult(path: Path) -> Table:
    """The rows with a known occupation, in order."""
    table = read_table(path)
    return rows_taken(table, np.flatnonzero(plain(table, "occupation") != "?"))


def rows_taken(table: Table, rows: npt.NDArray[Any]) -> Table:
    """Some rows, with domains that hold only what occurs in them."""
    taken = table.take(rows)
    missing = np.zeros(len(rows), dtype=bool)
    return Table({n: Coded.of(plain(taken, n), taken[n].domain.kind, missing) for n in taken})


def article_rows(folder: Path) -> tuple[Table, Schema]:
    """30,717 rows, 5 numbers and 7 categories; one row was lost, as if it had been a header."""
    table = read_adult(folder / "adult.csv.gz")
    table = rows_taken(table, np.arange(1, table.n_rows))
    roles = Roles("income", ["occupation"], drop=["fnlwgt", "education"])
    schema = schema_for(table, None, roles)
    return table.select(schema.names()), schema


@contextmanager
def middle_cut() -> Iterator[None]:
    """Inside, every stretch between two thresholds is cut, as the article does."""
    with patch.object(numbers, "_one_value_each", lambda *_: None):
        yield


def judge_with(table: Table, schema: Schema, leaves: int, recoding: Any = "global") -> Judge:
    """Sizes of the plain Gini tree; leaf recoding without giving detail back, so K is its most."""
    settings = PublishSettings(
        leaves=leaves, impurity="gini", recoding=recoding, refine=False, min_leaf=1
    )
    return prepared(table, schema, settings)


def literal_table(table: Table, schema: Schema, nodes: Sequence[Asked]) -> Table:
    """The table that the article's algorithm makes for these nodes."""
    cells = {n: plain(table, n).tolist() for n in schema.quasi}
    ordered = {n for n in schema.quasi if table[n].domain.kind.is_ordered}
    sanitised = sanitise(cells, ordered, schema.quasi, nodes)
    missing = np.zeros(table.n_rows, dtype=bool)
    columns = {}
    for name, values in sanitised.items():
        kind = Kind.DECIMAL if name in ordered else Kind.CATEGORY
        array = np.array(values, dtype=np.float64 if name in ordered else object)
        columns[name] = Coded.of(array, kind, missing)
    return table.replace(columns)


def grown(table: Table, schema: Schema, leaves: int) -> Tree:
    grower = Grower(leaves=leaves, attributes=attributes_for_growing(schema))
    return grow(MemoryEngine(table), schema, grower)


def rows_of(engine: Engine) -> Table:
    assert isinstance(engine, MemoryEngine)
    return engine.table()


def figures_of(table: Table, schema: Schema) -> Figures:
    engine = MemoryEngine(table)
    return count_figures(engine, schema.quasi, [schema.target], schema.sensitive)


def same_tree(one: Tree, two: Tree) -> str:
    """Whether nodes, records and thresholds agree; thresholds may miss by the last bits."""
    if len(one.nodes) != len(two.nodes):
        return "no"
    rounded = False
    for a, b in zip(one.nodes, two.nodes, strict=True):
        if a.weights != b.weights or a.children != b.children:
            return "no"
        if a.split is None or b.split is None or a.split.attribute != b.split.attribute:
            if a.split is not b.split:
                return "no"
        elif isinstance(a.split, Threshold) and isinstance(b.split, Threshold):
            t, u = a.split.threshold or 0.0, b.split.threshold or 0.0
            if abs(t - u) > 1e-9 * abs(t):
                return "no"
            rounded |= t != u
    return "but for rounding" if rounded else "yes"


def accuracy_in_folds(
    table: Table, schema: Schema, sizes: list[int], folds: npt.NDArray[np.int64]
) -> dict[int, float]:
    """Ten-fold accuracy with given folds, so that only the recoding can make a difference."""
    with patch("privet.tree.cross_validation.deal_folds", lambda *_: folds):
        scores = cross_validate(table, schema, sizes, lambda t: grown(t, schema, max(sizes)))
    return {size: score.quality for size, score in scores.items()}


def adult_by_leaves(table: Table, schema: Schema, sizes: list[int]) -> None:
    tree = grown(table, schema, max(sizes))
    folds = deal_folds(table, schema, FOLDS)
    original = accuracy_in_folds(table, schema, sizes, folds)
    by_global = judge_with(table, schema, max(sizes))
    by_leaf = judge_with(table, schema, max(sizes), "leaf")
    cut = judge_with(table, schema, max(sizes))
    privacy: dict[str, list[list[Any]]] = {}
    accuracy = []
    for size in sizes:
        own = tree.prefix(size)
        with middle_cut():
            cut.draft(size)
        attempted = (cut.draft(size), by_global.draft(size), by_leaf.draft(size))
        tables = [literal_table(table, schema, asked_by_tree(own, table))]
        tables += [rows_of(draft.judged) for draft in attempted]
        figures = [figures_of(t, schema) for t in tables]
        again = [grown(t, schema, size) for t in tables]
        for what, found in (
            ("K", [f.k for f in figures]),
            ("L (strong)", [f.worst_l() for f in figures]),
            ("Equivalence classes", [f.equivalence_classes for f in figures]),
            ("K with the target counted", [f.k_with_target for f in figures]),
            ("Same tree again", [same_tree(own, t) for t in again]),
        ):
            privacy.setdefault(what, []).append([size, *found])
        held_out = [accuracy_in_folds(t, schema, [size], folds)[size] for t in tables]
        accuracy.append([size, training_accuracy(own), original[size], *held_out])
    for what, lines in privacy.items():
        show(what, ("leaves", *METHODS), lines)
    show("Accuracy", ("leaves", "training", "10-fold original", *METHODS), accuracy)


def larger_trees(table: Table, schema: Schema, sizes: Sequence[int]) -> None:
    """At which sizes the literal algorithm changes the tree, and whether ours ever does."""
    tree = grown(table, schema, max(sizes))
    ours = judge_with(table, schema, max(sizes))
    changed: dict[str, list[int]] = {"literal": [], "global": []}
    for size in sizes:
        own = tree.prefix(size)
        literal = literal_table(table, schema, asked_by_tree(own, table))
        for name, rows in (("literal", literal), ("global", rows_of(ours.draft(size).recoded))):
            if same_tree(own, grown(rows, schema, size)) == "no":
                changed[name].append(size)
    print(f"\nTrees of {sizes[0]} to {sizes[-1]} leaves changed: {changed}")


# -- the article's two trees -------------------------------------------------------------------


def article_trees(table: Table, schema: Schema) -> tuple[Tree, Tree]:
    """The trees of rpart's "class" and "anova" with four leaves.

    Gini of two classes is half their variance, so both are grown alike; "class" is pruned by
    errors, and "anova" by the deviance that chose the splits.
    """
    sequence = [link.tree for link in cost_complexity_sequence(grown(table, schema, 7))]
    (by_class,) = [tree for tree in sequence if tree.n_leaves == 4]
    return by_class, grown(table, schema, 4)


def two_trees(table: Table, schema: Schema) -> None:
    """Table I: each of the two trees kept, and both at once."""
    both = article_trees(table, schema)
    lines = []
    for name, places, theirs in (("tree 1", [0], 154), ("tree 2", [1], 120), ("both", [0, 1], 64)):
        trees = [both[place] for place in places]
        asked = [node for tree in trees for node in asked_by_tree(tree, table)]
        literal = literal_table(table, schema, asked)
        with middle_cut():
            cut = recoded_for(trees, table, schema)
        ours = recoded_for(trees, table, schema)
        figures = [figures_of(t, schema) for t in (literal, cut, ours)]
        again = article_trees(ours, schema)
        kept = {same_tree(both[place], again[place]) for place in places}
        counted = figures[-1].k_with_target
        lines.append([name, theirs, *(f.k for f in figures), counted, " ".join(kept)])
    header = ("kept", "K, article", *METHODS[:3], "global, target counted", "global: same again")
    show("Two trees: K", header, lines)
    for name, tree in zip(("tree 1", "tree 2"), both, strict=True):
        cuts = [
            f"{s.attribute} {getattr(s, 'threshold', '')}" for n in tree.inner if (s := n.split)
        ]
        right = f"{tree.correct():,} of {table.n_rows:,} right ({training_accuracy(tree):.7f})"
        print(f"\n{name}: {', '.join(cuts)}; {right}")


def recoded_for(trees: Sequence[Tree], table: Table, schema: Schema) -> Table:
    engine = MemoryEngine(table)
    return rows_of(apply(engine, recode_globally(count_leaves(engine, trees), schema.quasi)))


# -- random tables -----------------------------------------------------------------------------


def whole_numbers(dice: random.Random) -> Cells:
    n = dice.randint(5, 12)
    return {c: [dice.randint(0, 9) for _ in range(n)] for c in "AB"} | _answers(dice, n)


def two_decimals(dice: random.Random) -> Cells:
    n = dice.randint(5, 12)
    columns = {c: [round(dice.uniform(0, 10), 2) for _ in range(n)] for c in "AB"}
    return columns | _answers(dice, n)


def with_categories(dice: random.Random) -> Cells:
    n = dice.randint(6, 14)
    columns: Cells = {"A": [dice.randint(0, 9) for _ in range(n)]}
    columns["B"] = [dice.choice("pqrst") for _ in range(n)]
    return columns | _answers(dice, n)


def _answers(dice: random.Random, n: int) -> Cells:
    return {"y": [*(dice.choice("ny") for _ in range(n - 2)), "n", "y"]}


def random_tables(count: int) -> None:
    lines = []
    for family in (whole_numbers, two_decimals, with_categories):
        drawn = (random.Random(seed) for seed in range(count))
        found = [changed for dice in drawn if (changed := _changed(family(dice), dice))]
        name = family.__name__.replace("_", " ")
        lines.append([name, len(found), *(sum(column) for column in zip(*found, strict=True))])
    header = ("tables", "trees", "literal changed", "its middle cut mended", "literal in doubles")
    ours = ("ours changed before its own check", "smaller tree published", "ours published changed")
    show(f"Random tables, seeds 0 to {count - 1}", (*header, *ours), lines)


def _changed(cells: Cells, dice: random.Random) -> list[bool] | None:
    """Sanitise one table both ways and grow all trees by the slow grower; None if it is small."""
    ordered = {n for n in "AB" if not isinstance(cells[n][0], str)}

    def tree(rows: Cells, leaves: int) -> list[SlowNode]:
        return SlowGrowth(rows, ordered, ["A", "B"], "y", SlowSettings(leaves=leaves)).grow()

    def same(rows: Cells, leaves: int) -> bool:
        one, two = tree(rows, leaves), tree(cells, leaves)
        return [(n.weights, n.children, _cut(n)) for n in one] == [
            (n.weights, n.children, _cut(n)) for n in two
        ]

    nodes = tree(cells, dice.randint(3, 6))
    leaves = sum(node.split is None for node in nodes)
    if leaves < 3:
        return None
    asked = asked_by_slow_tree(nodes, cells)
    literal = sanitise(cells, ordered, ["A", "B"], asked)
    with patch.object(literal_tpp, "_at_most_one_boundary", _cut_between_values):
        mended = sanitise(cells, ordered, ["A", "B"], asked)
    doubles = literal | {n: [float(v) for v in literal[n]] for n in ordered}
    table = table_of(cells)
    schema = schema_for(table, None, Roles("y"))
    recoded = rows_of(judge_with(table, schema, leaves).draft(leaves).recoded)
    release = publish_table(table, schema, PublishSettings(leaves=leaves, recoding="global"))
    return [
        not same(literal, leaves),
        not same(mended, leaves),
        not same(doubles, leaves),
        not same(plain_rows(recoded), leaves),
        release.tree.n_leaves < leaves,
        not same(plain_rows(release.rows.records()), release.tree.n_leaves),
    ]


def _cut_between_values(rows: list[int], values: list[Any], boundaries: set[Any]) -> list[Any]:
    """The article's middle cut, but never between equal values."""
    if len({values[row] for row in rows} & boundaries) < 2:
        return [rows]
    cuts = [n for n in range(1, len(rows)) if values[rows[n - 1]] != values[rows[n]]]
    middle = min(cuts, key=lambda n: abs(2 * n - len(rows)))
    return [rows[:middle], rows[middle:]]


def plain_rows(table: Table) -> Cells:
    return {n: [table[n].domain.value(c) for c in table[n].codes.tolist()] for n in table}


def _cut(node: SlowNode) -> Any:
    """A threshold must be the same to the last bit; groups of categories have other names."""
    if node.split is None:
        return None
    return node.split[:3] if node.split[0] == "threshold" else node.split[:2]


# -- time --------------------------------------------------------------------------------------


def cpu(call: Callable[..., Any], *arguments: Any) -> float:
    """The least CPU time of five calls, all threads counted."""
    spent = []
    for _ in range(5):
        start = time.process_time()
        call(*arguments)
        spent.append(time.process_time() - start)
    return min(spent)


def times(table: Table, schema: Schema, sizes: Sequence[int]) -> None:
    steps = (grown, sanitised, saved)
    lines: list[list[Any]] = [[s, *(cpu(step, table, schema, s) for step in steps)] for s in sizes]
    header = ("leaves", "growing", "and recoding, counting K and L", "and written, verified")
    show("CPU seconds, all records", header, lines)
    lines = []
    for sixteenths in (1, 2, 4, 8, 16):
        part = rows_taken(table, np.arange(table.n_rows * sixteenths // 16))
        lines.append([part.n_rows, cpu(sanitised, part, schema, 4)])
    show("CPU seconds by records, 4 leaves", ("records", "seconds"), lines)
    lines = []
    used = grown(table, schema, 4).attributes_used
    unused = [name for name in schema.quasi if name not in used]
    for left_out in range(len(unused), -1, -2):
        smaller = schema.without(unused[:left_out])
        part = table.select(smaller.names())
        lines.append([len(smaller.names()) - 1, cpu(sanitised, part, smaller, 4)])
    show("CPU seconds by attributes, 4 leaves", ("attributes", "seconds"), lines)


def sanitised(table: Table, schema: Schema, size: int) -> Figures:
    return judge_with(table, schema, size).draft(size).figures


def saved(table: Table, schema: Schema, size: int) -> None:
    settings = PublishSettings(leaves=size, impurity="gini", recoding="global")
    with tempfile.TemporaryDirectory() as folder:
        publish_table(table, schema, settings).save(Path(folder) / "release", report=False)


# -- other miners ------------------------------------------------------------------------------


def other_miners(table: Table, schema: Schema, test: Table, sizes: Sequence[int]) -> None:
    """Trained on a release, tested on new rows recoded by it."""
    quasi, truth = list(schema.quasi), plain(test, schema.target)
    lines = [["the larger class", "", *[float((truth == "<=50K").mean())] * 4]]
    for name, columns in (("original", quasi), ("original and occupation", [*quasi, "occupation"])):
        lines.append([name, "", "", *miner_scores(table, test, columns, schema.target)])
    for size in sizes:
        settings = PublishSettings(leaves=size, impurity="gini", recoding="global")
        release = publish_table(table, schema, settings)
        by_tree = np.array(predict_rows(test, release.manifest, release.trees), dtype=object)
        new = recode_rows(test, release.manifest, release.trees)
        found = miner_scores(release.rows.records(), new, quasi, schema.target)
        k = release.figure("k-anonymity")
        lines.append([f"release, {size} leaves", k, float((by_tree == truth).mean()), *found])
    header = ("trained on", "K", "the tree", "logistic regression", "linear SVM", "naive Bayes")
    show(f"Accuracy on {test.n_rows:,} new rows", header, lines)


def plain(table: Table, column: str) -> npt.NDArray[Any]:
    return np.asarray(table[column].domain.values[table[column].codes])


def miner_scores(train: Table, test: Table, columns: Sequence[str], target: str) -> list[float]:
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm import LinearSVC

    varied = [c for c in columns if len(np.unique(train[c].codes)) > 1]
    known, new = ({c: plain(t, c) for c in varied} for t in (train, test))
    ordered = [c for c in varied if train[c].domain.kind.is_ordered]
    others = [c for c in varied if c not in ordered]
    answers, truth = plain(train, target), plain(test, target)
    scaled = make_column_transformer(
        (StandardScaler(), ordered), (OneHotEncoder(handle_unknown="ignore"), others)
    )
    predictions = [naive_bayes(known, new, ordered, others, answers)]
    for miner in (LinearSVC(random_state=0), LogisticRegression(max_iter=2000)):
        fitted = make_pipeline(scaled, miner).fit(pd.DataFrame(known), answers)
        predictions.insert(0, fitted.predict(pd.DataFrame(new)))
    return [float((prediction == truth).mean()) for prediction in predictions]


def naive_bayes(
    known: Mapping[str, Any], new: Mapping[str, Any], ordered: list[str], others: list[str], y: Any
) -> npt.NDArray[Any]:
    """Numbers by a normal law in each class, categories by their frequencies."""
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.preprocessing import OrdinalEncoder

    classes, counts = np.unique(y, return_counts=True)
    prior = np.log(counts / counts.sum())
    joint: Any = prior
    for names, model in ((ordered, GaussianNB()), (others, CategoricalNB())):
        if names:
            x, x_new = (np.column_stack([rows[n] for n in names]) for rows in (known, new))
            if names is others:
                coder = OrdinalEncoder().fit(x)
                x, x_new = coder.transform(x), coder.transform(x_new)
            fitted = model.fit(x.astype(np.float64), y)
            joint = joint + fitted.predict_log_proba(x_new.astype(np.float64)) - prior
    return np.asarray(classes[np.argmax(joint, axis=1)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--quick", action="store_true", help="few sizes and few random tables")
    asked = parser.parse_args()
    random_tables(100 if asked.quick else 2000)
    if not (asked.folder / "adult.csv.gz").is_file():
        print(f"\nadult.csv.gz is not in {asked.folder}: only random tables were tried.")
        return 3
    table, schema = article_rows(asked.folder)
    print(f"\nAdult: {table.n_rows:,} records, {len(schema.quasi)} quasi-identifiers")
    adult_by_leaves(table, schema, [2, 3, 4, 5] if asked.quick else [*range(2, 11), 16, 25])
    larger_trees(table, schema, range(5, 7) if asked.quick else range(11, 41))
    two_trees(table, schema)
    times(table, schema, [4] if asked.quick else [2, 4, 8, 16, 25])
    test = read_adult(asked.folder / "adult_test.csv.gz")
    other_miners(table, schema, test, [4] if asked.quick else [2, 3, 4, 5, 8, 16])
    return 0


if __name__ == "__main__":
    sys.exit(main())
