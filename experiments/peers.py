"""Privet beside its peers, at the same k: utility, risk, time, and does the tree survive?

    python experiments/peers.py [FOLDER] [--k K] [--rows N] [--splits N] [--only METHODS]

Prints the tables of docs/results/peers.md as Markdown. FOLDER holds the public tables (default:
../shared/data beside the repository). anonypy and anjana take part where they are installed. All
columns but the target are quasi-identifiers; 30 % of the rows are held out and never released, in
each split others (and of Adult other rows altogether). Figures are means over the splits, with
their standard errors; K is the smallest. CPU seconds are of making the release alone.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import other_methods
import privet
from privet.errors import PrivetError
from privet.measure.miners import Contest
from privet.table import Table
from privet.tree.model import Node

DATA = Path(__file__).parents[2] / "shared" / "data"
HELD_OUT, LEAVES = 0.3, 8
TREE = "nodes of the tree kept"
COUNTED = ("K", "target told", "rows lost")


def tables(folder: Path, rows: int) -> Iterator[tuple[str, pd.DataFrame, int]]:
    """Name, frame and rows of a split; the target is the last column, texts whatever it is."""
    adult = pd.read_csv(folder / "adult.csv.gz", skipinitialspace=True, na_values="?").dropna()
    yield "Adult", adult.drop(columns=["fnlwgt", "education"]), rows
    german = pd.read_csv(folder / "german_credit.csv").astype({"class": str})
    yield "German credit", german, len(german)
    pima = pd.read_csv(folder / "pima_diabetes.csv").astype({"outcome": str})
    yield "Pima", pima, len(pima)


def splits(frame: pd.DataFrame, rows: int, n: int) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Rows to release and rows held out."""
    for seed in range(n):
        order = np.random.default_rng(seed).permutation(len(frame))[:rows]
        cut = round(HELD_OUT * rows)
        test, train = (frame.iloc[p].reset_index(drop=True) for p in (order[:cut], order[cut:]))
        yield train, test


@dataclass(frozen=True, eq=False)
class Made:
    """A release, and how rows come into its words; most have the words of the original."""

    frame: pd.DataFrame
    recoded: Callable[[Table], Table] = lambda rows: rows


Method = Callable[[pd.DataFrame, str, int], Made]


def by(method: other_methods.Method) -> Method:
    return lambda frame, target, k: Made(method(frame, target, k))


def privet_release(**settings: Any) -> Method:
    def method(frame: pd.DataFrame, target: str, k: int) -> Made:
        asked = {"target": target, "k": k, "leaves": LEAVES, "min_leaf": k, "guard": 1}
        release = privet.publish(frame, **asked, **settings)
        return Made(release.data, lambda rows: privet.recode(release, rows))

    return method


def privet_anonymise(frame: pd.DataFrame, target: str, k: int) -> Made:
    return Made(privet.anonymise(frame, target=target, k=k, one_class="allow").data)


METHODS: dict[str, Method] = {
    "original": lambda frame, target, k: Made(frame),
    "Privet, rich": privet_release(),
    "Privet, rich, one class allowed": privet_release(one_class="allow"),
    "Privet, leaf": privet_release(recoding="leaf"),
    "Privet, no tree": privet_anonymise,
    "MDAV": by(other_methods.mdav),
    "kACTUS": by(other_methods.kactus),
    "CART synthesis": by(other_methods.cart_synthesis),
    "anonypy": by(other_methods.anonypy_mondrian),
    "anjana": by(other_methods.anjana_levels),
}


Figures = dict[str, float]


def judged(train: pd.DataFrame, test: pd.DataFrame, made: Made, k: int) -> Figures:
    """The figures of one release."""
    target = str(train.columns[-1])
    quasi = [str(c) for c in train if c != target]
    numbers = {c for c in quasi if pd.api.types.is_numeric_dtype(train[c])}
    kinds = {c: "decimal" if c in numbers else "category" for c in train}
    before, after, rows = (privet.table_of(f, kinds) for f in (train, made.frame, test))
    found = privet.attack.by_homogeneity(after, known=quasi, sought=target)
    linked = privet.attack.by_linkage(after, before, known=quasi)
    likeness = privet.measure.likeness(before, after, quasi)
    contest = Contest(target, tuple(quasi), regression=False)
    scores = contest.utility(before, after, made.recoded, rows).after
    return {
        "K": linked.smallest_class,
        "prosecutor, mean": float(linked.prosecutor_mean),
        "target told": found.columns[target].people,
        "rows lost": len(train) - len(made.frame),
        TREE: nodes_kept(before, after, target, k),
        "columns off": likeness.marginal_error,
        "pairs off": likeness.association_error,
        **scores,
    }


def nodes_kept(before: Table, after: Table, target: str, k: int) -> float:
    """The share of the nodes that grow again; 1 where the trees are the same."""
    first, second = (
        privet.grow(t, target=target, leaves=LEAVES, min_leaf=k) for t in (before, after)
    )
    return sum(map(same_node, first.nodes, second.nodes)) / max(len(first.nodes), len(second.nodes))


def same_node(one: Node, two: Node) -> bool:
    """The same records of each class, the same attribute, the same threshold bit for bit. Releases
    may have other words for categories: where these go, the records of the children tell."""
    if one.weights != two.weights or (one.split is None) != (two.split is None):
        return False
    if one.split is None or two.split is None:
        return True
    thresholds = [getattr(node.split, "threshold", None) for node in (one, two)]
    return one.split.attribute == two.split.attribute and thresholds[0] == thresholds[1]


def line(found: Sequence[Figures]) -> str:
    """The figures of a method: the smallest K, and means with standard errors."""
    cells = []
    for name in found[0]:
        values = np.array([figures[name] for figures in found], dtype=float)
        mean = values.mean()
        error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        digits = 0 if name in COUNTED else 3
        if name == "K":
            cells.append(f"{values.min():.0f}")
        elif name == TREE and values.min() == 1:
            cells.append("all")
        elif name == "CPU s":
            cells.append(f"{mean:.1f}")
        else:
            tail = f" ± {error:.{digits}f}" if error else ""
            cells.append(f"{mean:,.{digits}f}{tail}")
    return " | ".join(cells)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("folder", nargs="?", type=Path, default=DATA)
    asked.add_argument("--k", type=int, default=10)
    asked.add_argument("--rows", type=int, default=6000, help="of Adult")
    asked.add_argument("--splits", type=int, default=5)
    asked.add_argument("--only", default="")
    given = asked.parse_args()
    for name, frame, rows in tables(given.folder, given.rows):
        held = round(HELD_OUT * rows)
        told = f"{rows - held:,} rows released, {held:,} held out"
        print(f"\n**{name}**: {told}, {given.splits} splits, k = {given.k}\n")
        head = ""
        for method, make in METHODS.items():
            if method in ("anonypy", "anjana") and find_spec(method) is None:
                continue
            if given.only not in method:
                continue
            found, refused = [], 0
            for train, test in splits(frame, rows, given.splits):
                start = time.process_time()
                try:
                    released = make(train, str(train.columns[-1]), given.k)
                except PrivetError:
                    refused += 1
                    continue
                seconds = time.process_time() - start
                found.append({**judged(train, test, released, given.k), "CPU s": seconds})
            if not found:
                print(f"| {method} | refused in every split |", flush=True)
                continue
            if not head:
                head = " | ".join(["method", *found[0]])
                print(f"| {head} |\n|{'---|' * (len(found[0]) + 1)}")
            method += f" (refused {refused} of {given.splits})" if refused else ""
            print(f"| {method} | {line(found)} |", flush=True)


if __name__ == "__main__":
    main()
