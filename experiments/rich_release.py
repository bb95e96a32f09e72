"""Rich releases beside leaf recoding and Mondrian: is the tree kept, and what are they good for?

    python experiments/rich_release.py [FOLDER] [--seeds N] [--only feasible|useful] [--tables ...]

Prints the tables of docs/results/rich-release.md as Markdown. FOLDER holds the public tables
(default: ../shared/data beside the repository). Every release is verified as its recipient would;
the run stops at the first that fails. Seconds are CPU seconds of publishing, without the report.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import privet
from miners import judge
from privet.errors import PrivetError

DATA = Path(__file__).parents[2] / "shared" / "data"
HELD_OUT = 0.3


@dataclass(frozen=True, eq=False)
class Data:
    name: str
    frame: pd.DataFrame
    target: str
    others: Sequence[str]  # columns that models shall guess, too
    sizes: Sequence[tuple[int, int]]  # k and leaves of the comparison

    def split(self, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        order = np.random.default_rng(seed).permutation(len(self.frame))
        cut = round(HELD_OUT * len(order))
        test, training = (self.frame.iloc[part] for part in (order[:cut], order[cut:]))
        return training.reset_index(drop=True), test.reset_index(drop=True)


def tables(folder: Path) -> Iterator[Data]:
    def read(file: str, **options: Any) -> pd.DataFrame:
        return pd.read_csv(folder / file, **options)

    adult = read("adult.csv.gz", skipinitialspace=True, na_values="?").dropna()
    adult = adult.drop(columns=["fnlwgt", "education"])
    hard = (10, 8), (50, 32), (5, 32)
    yield Data("Adult", adult, "income", ["hours_per_week", "sex", "education_num"], hard)
    usual = (5, 8), (10, 8)
    boston = read("boston_housing.csv")
    yield Data("Boston", boston, "medv", ["lstat", "rm", "nox"], usual)
    breast = read("breast_cancer_wisconsin.csv", na_values="?").dropna()
    breast = breast.astype({"class": str})
    numbers = [c for c in breast if c != "class"]
    yield Data("Breast cancer", breast, "class", numbers[:3], usual)
    german = read("german_credit.csv")
    others = ["age", "duration_months", "credit_amount"]
    yield Data("German credit", german.astype({"class": str}), "class", others, usual)
    pima = read("pima_diabetes.csv").astype({"outcome": str})
    yield Data("Pima", pima, "outcome", list(pima.columns[1:4]), usual)


# -- is the tree kept? ---------------------------------------------------------------------------


def feasible(data: Data) -> Iterator[list[Any]]:
    """One line for each k: every size, without a guard and with one."""
    for k in (5, 10, 50):
        for guard in (1, None):
            for leaves in (4, 8, 16, 32):
                start = time.process_time()
                try:
                    release = privet.publish(
                        data.frame, target=data.target, k=k, leaves=leaves, guard=guard
                    )
                except PrivetError as refused:
                    yield [data.name, k, guard or k, leaves, "refused", refused.message]
                    continue
                seconds = time.process_time() - start
                check(release)
                yield [data.name, k, guard or k, leaves, *_kept(data, release), f"{seconds:.1f}"]


def _kept(data: Data, release: Any) -> list[Any]:
    quasi = [c for c in data.frame if c != data.target]
    columns = release.manifest.recoding.get("columns", {})
    likeness = privet.measure.likeness(data.frame, release.data, quasi)
    rich = [c for c in columns.values() if c.get("treatment") == "aggregated"]
    moved = sum(c["moved_records"] for c in rich) / len(data.frame) / len(quasi)
    coded = [n for n in quasi if columns[n].get("treatment") != "aggregated"]
    constant = sum(release.data[c].nunique(dropna=False) == 1 for c in quasi)
    records = release.figure("records")
    return [
        release.tree.n_leaves,
        release.figure("k-anonymity"),
        f"{release.figure('equivalence-classes'):,}",
        f"{release.figure('one-class-records') / records:.1%}",
        sum(bool(c["moved_records"] or c["joined"]) for c in rich),
        ", ".join(coded) or "-",
        constant,
        f"{moved:.2%}",
        f"{likeness.marginal_error:.4f}",
        f"{likeness.association_error:.3f}",
    ]


def check(release: Any) -> None:
    """As a recipient would: from the folder."""
    with tempfile.TemporaryDirectory() as folder:
        release.save(Path(folder) / "release", report=False)
        if not privet.verify(Path(folder) / "release"):
            raise SystemExit("a release was not as it claims")


# -- what is it good for? ------------------------------------------------------------------------

Maker = Callable[[pd.DataFrame, str, int, int], Any]


def published(**options: Any) -> Maker:
    return lambda frame, target, k, leaves: privet.publish(
        frame, target=target, k=k, leaves=leaves, **options
    )


def anonymised(**options: Any) -> Maker:
    return lambda frame, target, k, _: privet.anonymise(frame, target=target, k=k, **options)


MAKERS: Mapping[str, Maker] = {
    "rich, guard 1": published(guard=1),
    "rich": published(),
    "leaf, guard 1": published(guard=1, recoding="leaf"),
    "Mondrian": anonymised(method="mondrian"),
    "InfoGain Mondrian": anonymised(method="infogain"),
    "rich, guard 1, one-class allowed": published(guard=1, one_class="allow"),
    "Mondrian, one-class allowed": anonymised(method="mondrian", one_class="allow"),
    "InfoGain Mondrian, one-class allowed": anonymised(method="infogain", one_class="allow"),
}
FIGURES = ("LR", "RF", "GB", "AUC others", "columns off", "pairs off")


def useful(data: Data, k: int, leaves: int, seeds: int) -> dict[str, list[dict[str, float]]]:
    """The figures of each method, one for each split of the table."""
    found: dict[str, list[dict[str, float]]] = {"original": []} | {name: [] for name in MAKERS}
    for seed in range(seeds):
        training, test = data.split(seed)
        nothing = {"columns off": 0.0, "pairs off": 0.0}
        found["original"].append(judge(training, test, data.target, data.others, seed) | nothing)
        for name, make in MAKERS.items():
            try:
                release = make(training, data.target, k, leaves)
            except PrivetError:
                continue  # no such release of this split: the table says of how many there is one
            check(release)
            rows = release.data[list(training.columns)]
            asked = privet.recode(release, test) if name.startswith("leaf") else test
            asked = asked[list(test.columns)]
            figures = judge(rows, asked, data.target, data.others, seed, truth=test)
            quasi = [c for c in training if c != data.target]
            likeness = privet.measure.likeness(training, rows, quasi)
            figures |= {
                "columns off": likeness.marginal_error,
                "pairs off": likeness.association_error,
            }
            found[name].append(figures)
    return found


def useful_lines(found: Mapping[str, list[dict[str, float]]]) -> Iterator[list[str]]:
    for name, runs in found.items():
        cells = [_with_error([run[figure] for run in runs if figure in run]) for figure in FIGURES]
        yield [name, str(len(runs)), *cells]


def differences(found: Mapping[str, list[dict[str, float]]], one: str, two: str) -> list[str]:
    """One method less the other, split by split: the mean and its standard error."""
    cells = []
    for figure in FIGURES:
        pairs = zip(found[one], found[two], strict=False)
        both = [a[figure] - b[figure] for a, b in pairs if figure in a and figure in b]
        cells.append(_with_error(both, "+"))
    return [f"{one} less {two}", str(min(len(found[one]), len(found[two]))), *cells]


def _with_error(figures: Sequence[float], sign: str = "") -> str:
    if not figures:
        return "-"
    mean = f"{np.mean(figures):{sign}.3f}"
    if len(figures) < 2:
        return mean
    return f"{mean} ± {np.std(figures, ddof=1) / len(figures) ** 0.5:.3f}"


# -- printing ------------------------------------------------------------------------------------


def show(title: str, header: Sequence[str], lines: Iterator[list[Any]]) -> None:
    print(f"\n## {title}\n")
    print("| " + " | ".join(header) + " |\n|" + " --- |" * len(header), flush=True)
    for line in lines:
        print("| " + " | ".join(map(str, line)) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", choices=["feasible", "useful"])
    parser.add_argument("--tables", nargs="*")
    asked = parser.parse_args()
    chosen = [d for d in tables(asked.folder) if not asked.tables or d.name in asked.tables]
    if asked.only != "useful":
        header = ["table", "k", "guard", "leaves asked", "leaves", "K", "equivalence classes"]
        header += ["one-class", "repaired", "not aggregated", "constant", "cells moved"]
        header += ["columns off", "pairs off", "CPU s"]
        lines = (line for data in chosen for line in feasible(data))
        show("Is the tree kept?", header, lines)
    if asked.only != "feasible":
        for data in chosen:
            for k, leaves in data.sizes:
                found = useful(data, k, leaves, asked.seeds)
                title = f"{data.name}, k = {k}, {leaves} leaves"
                lines = [*useful_lines(found)]
                lines.append(differences(found, "rich, guard 1", "Mondrian"))
                lines.append(differences(found, "rich", "Mondrian"))
                show(title, ["table", "splits", *FIGURES], iter(lines))


if __name__ == "__main__":
    main()
