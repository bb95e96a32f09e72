"""Trees of other programs, kept: published with each grower, grown again by the release's script.

    python experiments/kept_growers.py [FOLDER]

FOLDER holds the public tables (default: ../shared/data beside the repository). Prints the table of
docs/results/growers.md as Markdown; programs that are not installed are left out. scikit-learn is
also fitted to the original table and to data.csv by itself, and its arrays are compared.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracles.independent_reader import Stranger
from oracles.refit import refit, same, sorted_order
from privet import publish, read_table
from privet.errors import PrivetError
from privet.table import Table

DATA = Path(__file__).parents[2] / "shared" / "data"
TABLES = {
    "pima_diabetes.csv": "outcome",
    "breast_cancer_wisconsin.csv": "class",
    "german_credit.csv": "class",
    "boston_housing.csv": "medv",
    "adult.csv.gz": "income",
}
CRITERIA = {"gini": "gini", "entropy": "entropy", "deviance": "squared_error"}
SCRIPTS = {"sklearn": [sys.executable, "regrow.py"], "rpart": ["Rscript", "regrow.R"]}


def cells_of(table: Table) -> dict[str, list[Any]]:
    return {
        name: [table[name].domain.value(code) for code in table[name].codes.tolist()]
        for name in table
    }


def arrays_agree(table: Table, folder: Path) -> str:
    """scikit-learn's own arrays from the original and from data.csv, bit for bit."""
    stranger = Stranger(folder)
    model, grower = stranger.model, stranger.model["grower"]
    (seed,) = stranger.manifest["method"]["grown_by"]["random_states"]
    asked = {
        "criterion": CRITERIA[grower["impurity"]],
        "max_leaf_nodes": grower["leaves"],
        "min_samples_leaf": grower["min_leaf"],
        "random_state": seed,
    }
    cells, kinds, target = cells_of(table), stranger.kinds, model["target"]
    offered = [name for name in table if name != target]
    varied = [n for n in grower["attributes"] if len(set(stranger.cells[n])) > 1]
    orders = {n: sorted_order(cells[n]) for n in offered if kinds[n] == "category"}
    first = refit(cells, kinds, offered, orders, target, **asked)
    second = refit(stranger.cells, kinds, varied, grower["category_orders"], target, **asked)
    return "yes" if same(first, second, set()) else "no"


def line(name: str, target: str, grower: str, folder: Path) -> list[str]:
    table = read_table(folder / name)
    start = time.process_time()
    try:
        release = publish(table, target=target, k=5, leaves=8, grower=grower)  # type: ignore[arg-type]
    except PrivetError as refused:
        return [name, grower, "-", "-", "-", str(refused).partition("\n")[0]]
    spent = f"{time.process_time() - start:.1f}"
    with tempfile.TemporaryDirectory() as place:
        release.save(Path(place) / "r", format="csv", report=False)
        said = "-"
        if grower in SCRIPTS:
            done = subprocess.run(SCRIPTS[grower], cwd=Path(place) / "r", check=False)
            said = "yes" if done.returncode == 0 else "no"
        arrays = arrays_agree(table, Path(place) / "r") if grower == "sklearn" else "-"
    told = "; ".join(m for m in release.messages if "another way" in m or "tie" in m)
    return [name, grower, str(release.tree.n_leaves), said, arrays, told or spent + " s"]


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    print("| table | grower | leaves (8 asked) | the script says yes | arrays agree | said |")
    print("|---|---|---|---|---|---|")
    for grower in ("sklearn", *(["rpart"] if shutil.which("Rscript") else []), "j48"):
        for name, target in TABLES.items():
            if (grower, name) != ("j48", "boston_housing.csv"):
                print("| " + " | ".join(line(name, target, grower, folder)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
