"""Privet beside its peers, at the same k: utility, risk, time, and does the tree survive?

    python experiments/peers.py [FOLDER] [--k K] [--rows N] [--only METHODS]

Prints the tables of docs/results/peers.md as Markdown. FOLDER holds the public tables (default:
../shared/data beside the repository). anonypy and anjana take part where they are installed. All
columns but the target are quasi-identifiers; 30 % of the rows are held out and never released. CPU
seconds are of making the release alone.
"""

import argparse
import time
from collections.abc import Callable, Iterator
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


def tables(folder: Path, rows: int) -> Iterator[tuple[str, pd.DataFrame]]:
    """Name and frame; the target is the last column, texts whatever it is."""
    adult = pd.read_csv(folder / "adult.csv.gz", skipinitialspace=True, na_values="?").dropna()
    adult = adult.drop(columns=["fnlwgt", "education"]).sample(rows, random_state=0)
    yield "Adult", adult
    yield "German credit", pd.read_csv(folder / "german_credit.csv").astype({"class": str})
    yield "Pima", pd.read_csv(folder / "pima_diabetes.csv").astype({"outcome": str})


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


def judged(train: pd.DataFrame, test: pd.DataFrame, made: Made, k: int) -> dict[str, str]:
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
        "K": f"{linked.smallest_class:,}",
        "prosecutor, mean": f"{float(linked.prosecutor_mean):.3f}",
        "target told": f"{found.columns[target].people:,}",
        "rows lost": f"{len(train) - len(made.frame):,}",
        "tree": tree_survives(before, after, target, k),
        "columns off": f"{likeness.marginal_error:.3f}",
        "pairs off": f"{likeness.association_error:.3f}",
        **{name: f"{score:.3f}" for name, score in scores.items()},
    }


def tree_survives(before: Table, after: Table, target: str, k: int) -> str:
    """Whether the tree of the original grows again, and how many of its nodes do if not."""
    first, second = (
        privet.grow(t, target=target, leaves=LEAVES, min_leaf=k) for t in (before, after)
    )
    same = sum(map(same_node, first.nodes, second.nodes))
    if same == len(first.nodes) == len(second.nodes):
        return "yes"
    return f"no ({same} of {len(first.nodes)} nodes)"


def same_node(one: Node, two: Node) -> bool:
    """The same records of each class, the same attribute, the same threshold bit for bit. Releases
    may have other words for categories: where these go, the records of the children tell."""
    if one.weights != two.weights or (one.split is None) != (two.split is None):
        return False
    if one.split is None or two.split is None:
        return True
    thresholds = [getattr(node.split, "threshold", None) for node in (one, two)]
    return one.split.attribute == two.split.attribute and thresholds[0] == thresholds[1]


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("folder", nargs="?", type=Path, default=DATA)
    asked.add_argument("--k", type=int, default=10)
    asked.add_argument("--rows", type=int, default=6000, help="of Adult")
    asked.add_argument("--only", default="")
    given = asked.parse_args()
    for name, frame in tables(given.folder, given.rows):
        order = np.random.default_rng(0).permutation(len(frame))
        cut = round(HELD_OUT * len(frame))
        test, train = (frame.iloc[p].reset_index(drop=True) for p in (order[:cut], order[cut:]))
        print(
            f"\n**{name}**: {len(train):,} rows released, {len(test):,} held out, k = {given.k}\n"
        )
        head = ""
        for method, make in METHODS.items():
            if method in ("anonypy", "anjana") and find_spec(method) is None:
                continue
            if given.only not in method:
                continue
            start = time.process_time()
            try:
                released = make(train, str(train.columns[-1]), given.k)
            except PrivetError as error:
                print(f"| {method} | {str(error).splitlines()[0]} |", flush=True)
                continue
            seconds = time.process_time() - start
            figures = judged(train, test, released, given.k)
            if not head:
                head = " | ".join(["method", *figures, "CPU s"])
                print(f"| {head} |\n|{'---|' * (len(figures) + 2)}")
            print(f"| {' | '.join([method, *figures.values()])} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
