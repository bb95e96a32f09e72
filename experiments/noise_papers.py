"""The experiments of the two papers on noise, in their words: how often the same tree grows again.

    python experiments/noise_papers.py FOLDER [--more 100] [--j48]

FOLDER holds breast_cancer_wisconsin.csv. Every line has as many runs as the paper had; with --more
our own growers run so often as well. With --j48 WEKA's J48 (java and weka.jar must be there) grows
trees from the same tables: C4.5 as its successor has it, pruned with confidence 0.25.

The words are those of `privet compare`: exactly same, very similar, similar, dissimilar.
"""

import argparse
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from privet.datasets import crd, csd
from privet.datasets.public import wisconsin
from privet.engine import MemoryEngine
from privet.files.arff_write import write_arff
from privet.noise.parts.class_noise import ClassNoise
from privet.noise.parts.detective import Detective
from privet.noise.parts.innocent import InnocentNoise
from privet.schema import Kind, Schema
from privet.table import Coded, Domain, Table
from privet.tree.foreign.programs import java, weka_jar
from privet.tree.grower import Grower
from privet.tree.model import Multiway, Node, Split, Threshold, Tree
from privet.tree.natural import NoiseTreeSettings, natural_tree, with_target
from privet.tree.similar import Word, tree_likeness

Grow = Callable[[Table, Schema], Tree]
Draw = Callable[[int], Table]

WORDS: tuple[str, ...] = get_args(Word)
GAIN_RATIO = NoiseTreeSettings()
C45 = NoiseTreeSettings(impurity="c45", min_leaf=2)  # as C4.5 has it
DRAWN = ("country_of_origin", "car_make", "profession")
_NODE = re.compile(r"""^N(\w+) \[label="'?([^"']*)""")
_EDGE = re.compile(r"""^N(\w+)->N(\w+) \[label="'?(<=|>|=) ([^"']*)""")


@dataclass(frozen=True)
class Growing:
    """A grower of the trees that are judged, and the settings of those that DETECTIVE follows."""

    name: str
    grow: Grow
    trees: NoiseTreeSettings


@dataclass(frozen=True)
class Experiment:
    """One line of a paper: noise on a table, and the target of the tree that is judged."""

    name: str
    runs: int
    table: Table
    target: str
    draw_by: Callable[[Growing], Draw]


def own(name: str, trees: NoiseTreeSettings) -> Growing:
    return Growing(
        name, lambda rows, schema: natural_tree(MemoryEngine(rows), schema, trees), trees
    )


# -- J48 -------------------------------------------------------------------------------------------


def j48(rows: Table, schema: Schema) -> Tree:
    """The pruned tree of J48, its defaults: at least 2 records a leaf, confidence 0.25."""
    names = [name for name in rows if name != schema.target] + [schema.target]
    shown = {f"x{place}": _numbered(rows[name]) for place, name in enumerate(names)}
    with tempfile.TemporaryDirectory() as folder:
        write_arff(Table(shown), Path(folder) / "t.arff")
        command = [java(), "-cp", weka_jar(), "weka.classifiers.trees.J48", "-C", "0.25", "-M", "2"]
        command += ["-t", str(Path(folder) / "t.arff"), "-no-cv", "-g"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return _tree_of(text, rows, names, schema.target)


def _numbered(column: Coded) -> Coded:
    """Categories by number: names of all sorts do not outlive a graph. Numbers stay as they are."""
    if column.domain.kind.is_ordered:
        return column
    labels = np.array([f"v{code:06d}" for code in range(column.domain.size)], dtype=object)
    return Coded(Domain(Kind.CATEGORY, labels), column.codes)


def _tree_of(text: str, rows: Table, names: list[str], target: str) -> Tree:
    """The graph that J48 prints as a tree of ours; empty branches are leaves without records."""
    labels = {m[1]: m[2] for line in text.splitlines() if (m := _NODE.match(line))}
    edges: dict[str, list[tuple[str, str, str]]] = {}
    for line in text.splitlines():
        if m := _EDGE.match(line):
            edges.setdefault(m[1], []).append((m[2], m[3], m[4]))
    classes = rows[target].domain
    nodes: list[Node] = []
    waiting: list[tuple[str, int | None, int, np.ndarray]] = [  # type: ignore[type-arg]
        ("0", None, 0, np.arange(rows.n_rows))
    ]
    ids: dict[str, int] = {"0": 0}
    for name, parent, depth, here in waiting:  # grows while it is walked through
        weights = np.bincount(rows[target].codes[here], minlength=classes.size)
        split, children = None, ()
        if name in edges:
            column = names[int(labels[name][1:])]
            split = _split(column, rows[column].domain, edges[name])
            goes = split.child_of_codes(rows[column].domain, 0)[rows[column].codes[here]]
            children = tuple(range(len(waiting), len(waiting) + len(edges[name])))
            for place, (child, _, _) in enumerate(edges[name]):
                waiting.append((child, ids[name], depth + 1, here[goes == place]))
                ids[child] = children[place]
        nodes.append(Node(ids[name], parent, depth, tuple(weights.tolist()), split, children))
    grower = Grower("c45", "multiway", min_leaf=2, attributes=tuple(names[:-1]))
    asked = {node.split.attribute for node in nodes if node.split is not None}
    kinds = {name: rows[name].domain.kind for name in (*asked, target)}
    values = tuple(classes.value(code) for code in range(classes.size))
    return Tree(target, grower, tuple(nodes), values, None, kinds)


def _split(column: str, domain: Domain, edges: list[tuple[str, str, str]]) -> Split:
    if edges[0][1] == "=":
        return Multiway(column, tuple(domain.value(int(value[1:])) for _, _, value in edges))
    return Threshold(column, domain.kind, float(edges[0][2]))


# -- the experiments -------------------------------------------------------------------------------


def of_the_first_paper(folder: Path) -> Iterator[Experiment]:
    table = wisconsin(folder / "breast_cancer_wisconsin.csv", 350)
    schema = table.schema().with_roles(target="class")

    def by_class(technique: str) -> Callable[[Growing], Draw]:
        def draw_by(growing: Growing) -> Draw:
            noise = ClassNoise(technique)  # type: ignore[arg-type]
            fitted = noise.fit(table, schema, growing.grow(table, schema))
            return lambda seed: fitted.transform(table, seed)  # type: ignore[no-any-return]

        return draw_by

    def by_innocent(which: str, where: str) -> Callable[[Growing], Draw]:
        def draw_by(growing: Growing) -> Draw:
            noise = InnocentNoise(which=which, where=where, law="paper")  # type: ignore[arg-type]
            fitted = noise.fit(table, schema, growing.grow(table, schema))
            return lambda seed: fitted.transform(table, seed)  # type: ignore[no-any-return]

        return draw_by

    for technique, runs in (("random", 5), ("probabilistic", 10), ("all-leaves", 10)):
        yield Experiment(f"class noise, {technique}", runs, table, "class", by_class(technique))
    for name, which, where, runs in (
        ("total innocent, heterogeneous leaves", "tia", "heterogeneous", 20),
        ("total innocent, all leaves", "tia", "all", 20),
        ("leaf innocent", "lia", "all", 10),
    ):
        yield Experiment(name, runs, table, "class", by_innocent(which, where))


def of_the_second_paper(p: float) -> Iterator[Experiment]:
    def by_detective(
        table: Table, natural: str, columns: tuple[str, ...]
    ) -> Callable[[Growing], Draw]:
        def draw_by(growing: Growing) -> Draw:
            noise = Detective(p=p, columns=columns, trees=growing.trees)
            fitted = noise.fit(table, table.schema().with_roles(target=natural))
            return lambda seed: fitted.transform(table, seed)  # type: ignore[no-any-return]

        return draw_by

    credit, cars = crd(), csd()
    city = by_detective(credit, "credit_risk", ("city",))
    yield Experiment("CRD, city drawn, tree of the risk", 10, credit, "credit_risk", city)
    make = by_detective(cars, "status", ("car_make",))
    for target in ("car_make", "status"):
        yield Experiment(f"CSD, car make drawn, tree of {target}", 10, cars, target, make)
    every = by_detective(cars, "status", DRAWN)
    for target in (*DRAWN, "status"):
        yield Experiment(f"CSD, all drawn, tree of {target}", 3, cars, target, every)


def counted(experiment: Experiment, growing: Growing, seeds: range) -> str:
    table, draw = experiment.table, experiment.draw_by(growing)
    schema = with_target(table.schema(), experiment.target)
    tree = growing.grow(table, schema)
    words: Counter[str] = Counter()
    roots, agreements = 0, []
    for seed in seeds:
        found = tree_likeness(tree, growing.grow(draw(seed), schema), table)
        words[found.word] += 1
        roots += found.same_root
        agreements.append(found.agreement or 0.0)
    cells = [str(len(seeds)), *(str(words[word]) for word in WORDS), str(roots)]
    return " | ".join([experiment.name, growing.name, *cells, f"{np.mean(agreements):.3f}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--more", type=int, default=0)
    parser.add_argument("--j48", action="store_true")
    parser.add_argument("--p", type=float, default=0.1, help="of DETECTIVE; the paper does not say")
    options = parser.parse_args()
    growers = [own("gain ratio", GAIN_RATIO), own("C4.5", C45)]
    print("| experiment | grower | runs | " + " | ".join(WORDS) + " | same root | agreement |")
    print("|" + "---|" * 9)
    for experiment in (*of_the_first_paper(options.folder), *of_the_second_paper(options.p)):
        for growing in growers:
            for runs in (experiment.runs, *([options.more] if options.more else [])):
                print(f"| {counted(experiment, growing, range(runs))} |", flush=True)
        if options.j48:
            by_j48 = Growing("J48", j48, C45)
            print(f"| {counted(experiment, by_j48, range(experiment.runs))} |", flush=True)


if __name__ == "__main__":
    main()
