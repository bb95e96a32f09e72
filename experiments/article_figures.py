"""Fu, Chen, Koru and Gangopadhyay (2010): the figures of the article, drawn with public tables.

    python experiments/article_figures.py [FOLDER] [--pictures DIR] [--quick]

Adult is the article's own table. Its cancer records are not public; Boston housing, a regression of
506 records, stands in for them (sensitive: rad). In every figure: the original, TPP (global
recoding), leaf and rich recoding, and InfoGain Mondrian, which is asked for the K that TPP reaches,
as rich recoding is. Prints tables as Markdown and writes one picture for each table of data.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parent))

from privet import anonymise, grow, publish, table_of
from privet.criteria import measure_l
from privet.engine import MemoryEngine
from privet.errors import PrivetError
from privet.files import read_table, write_table
from privet.release.new_rows import recode_rows
from privet.schema import Kind, Schema
from privet.table import Coded, Domain, Table
from privet.tree.compare import compare
from privet.tree.cross_validation import FOLDS, deal_folds
from privet.tree.grow import attributes_for_growing
from privet.tree.grower import Grower
from tree_preserving import (
    DATA,
    article_rows,
    article_trees,
    cpu,
    figures_of,
    plain,
    read_adult,
    recoded_for,
    show,
)

METHODS = ("original", "TPP", "leaf", "rich", "InfoGain")


@dataclass
class Case:
    """A table, its schema and new rows for miners (None: they are tested by folds)."""

    name: str
    table: Table
    schema: Schema
    test: Table | None = None
    found: dict[str, dict[str, dict[int, Any]]] = field(default_factory=dict)

    @property
    def is_regression(self) -> bool:
        return self.table[self.schema.target].domain.kind.is_ordered

    def note(self, figure: str, method: str, size: int, value: Any) -> None:
        self.found.setdefault(figure, {}).setdefault(method, {})[size] = value


def adult(folder: Path) -> Case:
    table, schema = article_rows(folder)
    return Case("adult", table, schema, read_adult(folder / "adult_test.csv.gz"))


def boston(folder: Path) -> Case:
    table = read_table(folder / "boston_housing.csv", kinds={"rad": Kind.CATEGORY})
    return Case("boston", table, table.schema().with_roles(target="medv", sensitive=["rad"]))


# -- what is published -----------------------------------------------------------------------------


def releases(case: Case, size: int) -> dict[str, Any]:
    """The release of each method for trees of one size; none where a method refuses."""
    asked: dict[str, Any] = {"schema": case.schema, "release_sensitive": True}
    grown = asked | {"leaves": size, "guard": 1, "min_leaf": 1}
    made = {"TPP": publish(case.table, k=1, recoding="global", **grown)}
    k = max(2, made["TPP"].figure("k-anonymity"))
    ways = {
        "leaf": lambda: publish(case.table, k=1, recoding="leaf", refine=False, **grown),
        "rich": lambda: publish(case.table, k=k, one_class="allow", **grown | {"min_leaf": None}),
        "InfoGain": lambda: info_gain(case, k, asked),
    }
    for name, way in ways.items():
        try:
            made[name] = way()
        except PrivetError:
            continue
    return made


def info_gain(case: Case, k: int, asked: Mapping[str, Any]) -> Any:
    """InfoGain Mondrian; a numeric target is cut into fifths for the choice of cuts."""
    given = asked | {"method": "infogain", "one_class": "allow"}
    if not case.is_regression:
        return anonymise(case.table, k=k, **given)
    target = case.schema.target
    numbers = plain(case.table, target)
    fifths = np.searchsorted(np.quantile(numbers, [0.2, 0.4, 0.6, 0.8]), numbers)
    labels = np.array([f"fifth {place}" for place in range(5)], dtype=object)
    grouped = case.table.replace({target: Coded(Domain(Kind.CATEGORY, labels), fifths)})
    columns = (replace(c, kind=Kind.CATEGORY) if c.name == target else c for c in case.schema)
    schema = replace(case.schema, columns=tuple(columns))
    return anonymise(grouped, k=k, **given | {"schema": schema})


def records_in_order(case: Case, release: Any) -> Table:
    """The released records in the order of the original, with its own target."""
    return release.origin.released().replace({case.schema.target: case.table[case.schema.target]})


# -- what is measured ------------------------------------------------------------------------------


def quality(case: Case, train: Table, size: int) -> float:
    """Ten-fold accuracy or R2 of trees of one size, grown and tested on the same table."""
    schema, target = case.schema, case.schema.target
    folds = deal_folds(case.table, schema, FOLDS)
    impurity: Any = "deviance" if case.is_regression else "gini"
    grower = Grower(impurity, leaves=size, attributes=attributes_for_growing(schema))
    predicted = np.empty(train.n_rows, dtype=object)
    for fold in range(FOLDS):
        part, rest = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        tree = grow(MemoryEngine(train.take(part)), schema, grower)
        predicted[rest] = tree.predict(train.take(rest))
    return score(plain(case.table, target), predicted, case.is_regression)


def score(truth: npt.NDArray[Any], predicted: npt.NDArray[Any], regression: bool) -> float:
    if not regression:
        return float((truth == predicted).mean())
    truth, predicted = truth.astype(float), predicted.astype(float)
    return 1.0 - float(((truth - predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())


def design(rows: Table, columns: Sequence[str], labels: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Numbers scaled as they are in the original, categories one column each."""
    parts = [np.ones(rows.n_rows)]
    for name in columns:
        values = plain(rows, name)
        if rows[name].domain.kind.is_ordered:
            middle, width = labels[name]
            parts.append((values.astype(float) - middle) / width)
        else:
            parts += [(values == label).astype(float) for label in labels[name]]
    return np.column_stack(parts)


def labels_of(table: Table, columns: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in columns:
        values = plain(table, name)
        ordered = table[name].domain.kind.is_ordered
        numbers = values.astype(float) if ordered else None
        found[name] = sorted(set(values))
        if numbers is not None:
            found[name] = float(numbers.mean()), float(numbers.std()) or 1.0
    return found


def miners(case: Case, train: Table, test: Table) -> dict[str, float]:
    """Naive Bayes and a linear SVM, or linear regression by folds against the original rows."""
    columns = [c for c in case.schema.quasi if train[c].domain.size > 1 or train is case.table]
    labels = labels_of(train, columns)
    target = case.schema.target
    x, x_new = design(train, columns, labels), design(test, columns, labels)
    y, truth = plain(train, target), plain(test, target)
    if case.is_regression:
        folds, predicted = deal_folds(case.table, case.schema, FOLDS), np.empty((2, len(y)))
        for fold in range(FOLDS):
            part = folds != fold
            weights = np.linalg.lstsq(x[part], y[part].astype(float), rcond=None)[0]
            predicted[:, ~part] = x[~part] @ weights, x_new[~part] @ weights
        there, here = (score(truth, answers, True) for answers in predicted)
        return {"linear regression": there, "linear regression, original rows": here}
    from sklearn.svm import LinearSVC

    bayes = naive_bayes(train, test, columns, y)
    svm = LinearSVC(random_state=0).fit(x, y).predict(x_new)
    return {"naive Bayes": score(truth, bayes, False), "SVM": score(truth, svm, False)}


def naive_bayes(train: Table, test: Table, columns: Sequence[str], y: Any) -> npt.NDArray[Any]:
    """Numbers by a normal law in each class, categories by their frequencies, one added to each."""
    classes = np.unique(y)
    joint = np.zeros((test.n_rows, len(classes)))
    for place, label in enumerate(classes):
        own = y == label
        joint[:, place] += np.log(own.mean())
        for name in columns:
            known, new = plain(train, name)[own], plain(test, name)
            if train[name].domain.kind.is_ordered:
                known, new = known.astype(float), new.astype(float)
                spread = known.std() + 1e-9 * (1 + plain(train, name).astype(float).std())
                joint[:, place] -= np.log(spread) + ((new - known.mean()) / spread) ** 2 / 2
            else:
                values, counts = np.unique(known, return_counts=True)
                of = dict(zip(values, counts, strict=True))
                total = len(known) + train[name].domain.size
                joint[:, place] += np.log([(of.get(value, 0) + 1) / total for value in new])
    return np.asarray(classes[joint.argmax(axis=1)])


def whole_l(exact: Fraction) -> tuple[int, int]:
    """The largest whole L with a share of at most 1/L, and with one below 1/L, as the article."""
    at_most = int(exact)
    return at_most, at_most - 1 if exact == at_most else at_most


def measure(case: Case, sizes: Sequence[int]) -> None:
    schema, sensitive = case.schema, case.schema.sensitive[0]
    test = case.table if case.test is None else case.test
    on_original = miners(case, case.table, test)
    original = MemoryEngine(case.table)
    for size in sizes:
        case.note("quality", "original", size, quality(case, case.table, size))
        for miner, value in on_original.items():
            case.note(miner, "original", size, value)
        grower = Grower(
            "deviance" if case.is_regression else "gini",
            leaves=size,
            attributes=attributes_for_growing(schema),
        )
        tree = grow(original, schema, grower)
        for name, release in releases(case, size).items():
            train = records_in_order(case, release)
            case.note("quality", name, size, quality(case, train, size))
            case.note("K", name, size, release.figure("k-anonymity"))
            counts = MemoryEngine(train).count([*schema.quasi, sensitive])
            exact = Fraction(measure_l(counts))
            case.note("L", name, size, float(exact))
            case.note("whole L (at most 1/L, below 1/L)", name, size, whole_l(exact))
            again = grow(MemoryEngine(train), schema, grower)
            same = compare(tree, again) or _same_but_names(tree, again)
            case.note("same tree", name, size, "yes" if same else "no")
            new = test
            if case.test is not None and name != "InfoGain":
                new = recode_rows(test, release.manifest, release.trees)
            for miner, value in miners(case, train, new).items():
                case.note(miner, name, size, value)
        print(f"{case.name}: {size} leaves done", file=sys.stderr, flush=True)


def _same_but_names(one: Any, two: Any) -> bool:
    """Categories may be groups in a release; counts of every node and columns must agree."""
    first, second = (
        [(n.weights, n.children, n.split and n.split.attribute) for n in t.nodes]
        for t in (one, two)
    )
    return first == second


# -- tables and pictures ---------------------------------------------------------------------------

FIGURES = {
    "adult": {"quality": 5, "K": 7, "L": 9, "naive Bayes": 11, "SVM": 12},
    "boston": {"quality": 6, "K": 8, "L": 10, "linear regression": 13},
}


def told(case: Case) -> None:
    for figure, by_method in case.found.items():
        number = FIGURES[case.name].get(figure)
        trees = "R2 of trees" if case.is_regression else "accuracy of trees"
        what = trees if figure == "quality" else figure
        title = f"{case.name.capitalize()}: {what}" + (f" (Fig. {number})" if number else "")
        methods = [m for m in METHODS if m in by_method]
        sizes = sorted({size for values in by_method.values() for size in values})
        lines = [[s, *(by_method[m].get(s, "-") for m in methods)] for s in sizes]
        show(title, ("leaves", *methods), lines)


def canvas(panels: int) -> Any:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "privet"
    import matplotlib.pyplot as plt

    return plt.subplots(1, panels, figsize=(3.2 * panels, 3.0))


def saved(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def drawn(case: Case, folder: Path) -> None:
    """One panel for each of the article's figures."""
    numbered = FIGURES[case.name]
    figure, panels = canvas(len(numbered))
    for panel, (name, number) in zip(panels, numbered.items(), strict=True):
        for method in (m for m in METHODS if m in case.found[name]):
            values = sorted(case.found[name][method].items())
            panel.plot(*zip(*values, strict=True), marker=".", label=method)
        title = {"quality": "R2 of trees" if case.is_regression else "accuracy of trees"}
        panel.set_title(f"Fig. {number}: {title.get(name, name)}", fontsize=9)
        panel.set_xlabel("leaves")
        if name == "K":
            panel.set_yscale("log")
    panels[0].legend(fontsize=7)
    saved(figure, folder / f"article-{case.name}.svg")


# -- Figs. 1, 14 to 16 and Table I -----------------------------------------------------------------


def figure_1(folder: Path) -> None:
    """Three columns of the Wisconsin records: InfoGain grows another tree, TPP the same."""
    table = read_table(folder / "breast_cancer_wisconsin.csv")
    target = table.names[-1]
    columns = [name for name in table.names if "uniformity" in name][:2]
    small = table_of({n: plain(table, n).tolist() for n in (*columns, target)})
    schema = small.schema().with_roles(target=target)
    release = publish(small, k=10, target=target, leaves=4, recoding="global", min_leaf=1)
    made = {
        "original": small,
        "InfoGain": anonymise(small, k=10, target=target, method="infogain").origin.released(),
        "TPP": release.origin.released(),
    }
    for name, rows in made.items():
        tree = grow(MemoryEngine(rows), schema, Grower("gini", leaves=release.tree.n_leaves))
        print(f"\nFig. 1, {name}:\n\n```text\n{tree}\n```")


_RPART = r"""
table <- read.csv("adult.csv", stringsAsFactors = TRUE)
for (method in c("class", "anova")) {
  data <- table
  if (method == "anova") data$income <- as.numeric(data$income)
  tree <- rpart::rpart(income ~ ., data, method = method,
    control = rpart::rpart.control(cp = 0.0005, xval = 0, maxcompete = 0, maxsurrogate = 0))
  cps <- as.data.frame(tree$cptable)
  tree <- rpart::prune(tree, cp = cps$CP[cps$nsplit == 3] + 1e-9)
  asked <- as.character(tree$frame$var[tree$frame$var != "<leaf>"])
  cuts <- ifelse(tree$splits[, "ncat"] <= 1, format(tree$splits[, "index"]), "")
  cat(method, paste(asked, cuts, collapse = "; "), "\n")
}
"""


def rpart_trees(case: Case) -> None:
    """rpart's own trees beside those of which K = 154 and 120 are counted."""
    for name, tree in zip(("class", "anova"), article_trees(case.table, case.schema), strict=True):
        cuts = [
            f"{s.attribute} {getattr(s, 'threshold', '')}" for n in tree.inner if (s := n.split)
        ]
        k = figures_of(recoded_for([tree], case.table, case.schema), case.schema).k
        print(f"\nours, {name}: {'; '.join(cuts)}: K = {k}")
    if shutil.which("Rscript") is None:
        print("\nR is not here: rpart was not asked.")
        return
    offered = [*case.schema.quasi, case.schema.target]
    with tempfile.TemporaryDirectory() as place:
        write_table(case.table.select(offered), Path(place) / "adult.csv")
        command = ["Rscript", "--vanilla", "-e", _RPART]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    print("\nrpart:\n\n```text\n" + (done.stdout or done.stderr).strip() + "\n```")


def times(case: Case, pictures: Path | None) -> None:
    """Figs. 15 and 16: CPU seconds of TPP with four leaves."""

    def run(table: Table, schema: Schema) -> None:
        publish(table, k=1, schema=schema, leaves=4, recoding="global", min_leaf=1)

    shares = [0.0625, 0.125, 0.25, 0.5, 1.0]
    parts = [case.table.take(np.arange(int(case.table.n_rows * share))) for share in shares]
    lines: list[list[Any]] = [["records", *(part.n_rows for part in parts)]]
    by_records = [cpu(run, part, case.schema) for part in parts]
    lines.append(["CPU seconds", *by_records])
    show("Fig. 15: time by records", ["", *(f"{share:.2%}" for share in shares)], lines)
    names = [n for n in case.schema.names() if n != case.schema.target]
    kept = [[*names[:n], case.schema.target] for n in range(3, len(names) + 1)]
    lines = [["CPU seconds"]]
    for columns in kept:
        schema = case.schema.without(n for n in names if n not in columns)
        lines[0].append(cpu(run, case.table.select(columns), schema))
    show("Fig. 16: time by attributes", ["", *(len(c) - 1 for c in kept)], lines)
    if pictures is not None:
        records = {part.n_rows: spent for part, spent in zip(parts, by_records, strict=True)}
        attributes = {len(c) - 1: spent for c, spent in zip(kept, lines[0][1:], strict=True)}
        timed = {15: ("records", records), 16: ("attributes", attributes)}
        figure, panels = canvas(2)
        for panel, (number, (name, values)) in zip(panels, timed.items(), strict=True):
            panel.plot(list(values), list(values.values()), marker=".")
            panel.set_title(f"Fig. {number}: CPU seconds by {name}", fontsize=9)
            panel.set_ylim(bottom=0)
        saved(figure, pictures / "article-times.svg")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    sizes = [2, 4] if given.quick else [2, 3, 4, 5, 6, 8]
    figure_1(given.folder)
    for make in (boston, adult):
        case = make(given.folder)
        measure(case, sizes)
        told(case)
        if given.pictures is not None:
            drawn(case, given.pictures)
        if case.name == "adult":
            rpart_trees(case)
            times(case, given.pictures)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
