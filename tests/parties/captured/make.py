"""Makes the texts of this folder: a small table is masked, and other programs mine it.

    python tests/parties/captured/make.py

It needs WEKA, R with rpart, and scikit-learn. What it writes is committed, so that the tests that
read it need none of them. `people.csv` and `codebook.json` are the owner's, the rest is what a
miner would send back. `mask_people` and `SCHEMES` serve the tests that run WEKA themselves.
"""

import re
import tempfile
from pathlib import Path

import numpy as np

from privet.files import read_table, table_of, write_table
from privet.parties import Masked, ProjectKey, mask
from privet.schema import Kind
from privet.table import Table
from privet.tree.foreign.programs import java, rscript, run, weka_jar

HERE = Path(__file__).parent
N = 120
MASKED = ("age", "dose", "born", "sex", "drug", "cost")
CLASSES = ("H_age", "H_dose", "H_sex", "H_drug", "H_cost", "ill")  # the class comes last
NUMBERS = ("H_age", "H_dose", "H_sex", "H_drug", "ill", "H_cost")
LABELS = ("H_age", "H_dose", "H_sex", "ill", "H_drug")
SCHEMES = {
    "J48": ("classifiers.trees.J48 -U -M 1", CLASSES),
    "PART": ("classifiers.rules.PART -U -M 2", CLASSES),
    "JRip": ("classifiers.rules.JRip", ("H_age", "H_dose", "H_cost", "ill")),
    "OneR": ("classifiers.rules.OneR", ("H_age", "H_cost", "ill")),
    "OneR-labels": ("classifiers.rules.OneR", ("H_drug", "ill")),
    "NaiveBayes": ("classifiers.bayes.NaiveBayes", CLASSES),
    "SimpleKMeans": ("clusterers.SimpleKMeans -V -N 3", CLASSES),
    "EM": ("clusterers.EM -N 2", CLASSES),
    "LinearRegression": ("classifiers.functions.LinearRegression", NUMBERS),
    "M5P": ("classifiers.trees.M5P -M 20", NUMBERS),
    "Logistic": ("classifiers.functions.Logistic", LABELS),
    "REPTree": ("classifiers.trees.REPTree -P", CLASSES),
    "REPTree-numbers": ("classifiers.trees.REPTree -L 3", NUMBERS),
    "DecisionStump": ("classifiers.trees.DecisionStump", ("H_age", "H_dose", "H_cost", "ill")),
    "RandomTree": ("classifiers.trees.RandomTree", CLASSES),
    "DecisionTable": ("classifiers.rules.DecisionTable -R", CLASSES),
    "DecisionTable-numbers": ("classifiers.rules.DecisionTable -R", NUMBERS),
    "ADTree": ("classifiers.trees.ADTree", CLASSES),
    "Density": ("clusterers.MakeDensityBasedClusterer", CLASSES),
    "Ridor": ("classifiers.rules.Ridor", ("H_age", "H_dose", "H_cost", "ill")),
    "Apriori": ("associations.Apriori -M 0.05 -C 0.6", ("H_sex", "H_drug", "ill")),
    "Tertius": ("associations.Tertius -K 5 -L 3", ("H_sex", "H_drug", "ill")),
    "FarthestFirst": ("clusterers.FarthestFirst", CLASSES),
    "SMO": ("classifiers.functions.SMO", CLASSES),
}
_TIMES = re.compile("Time taken|Elapsed time")
RPART = """
library(rpart)
d <- read.csv("table.csv", stringsAsFactors = TRUE)
for (name in c("ill", "H_cost")) {
  names <- setdiff(c("H_age", "H_dose", "H_sex", "H_drug"), name)
  fit <- rpart(reformulate(names, name), data = d, minsplit = 6, cp = 0.001)
  print(fit)
}
printcp(rpart(formula = ill ~ H_age + H_dose + H_sex, data = d))
"""


def people(n: int = N, seed: int = 8) -> Table:
    rng = np.random.default_rng(seed)
    age = rng.integers(17, 91, n)
    dose = np.round(rng.gamma(2, 3, n), 2)
    sex = rng.choice(["m", "f"], n)
    late = rng.choice(["beta", "statin"], n)
    drug = np.where(age > 50, late, rng.choice(["none", "beta"], n))
    cost = np.round(age * 10 + dose * 20 + (sex == "m") * 50 + rng.normal(0, 30, n)).astype(int)
    ill = np.where(((age > 60) & (drug == "statin")) ^ (rng.random(n) < 0.1), "yes", "no")
    born = [str(np.datetime64("2020-01-01") - int(a) * 365) for a in age]
    cells = {"id": list(range(n)), "age": age, "dose": dose, "born": born, "sex": sex}
    cells |= {"drug": drug, "cost": cost, "ill": ill}
    plain = {name: list(map(_plain, column)) for name, column in cells.items()}
    return table_of(plain, {"born": Kind.DATE})


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def mask_people(table: Table, seed: int | None = 2, **choices: object) -> Masked:
    key = ProjectKey("captured", b"k" * 32)
    return mask(table, key="id", sensitive=MASKED, project_key=key, seed=seed, **choices)  # type: ignore[arg-type]


def weka(name: str, table: Table) -> str:
    """What a scheme of WEKA prints of a masked table."""
    called, columns = SCHEMES[name]
    scheme, *options = called.split()
    if scheme.startswith("classifiers"):
        options.append("-no-cv")
    with tempfile.TemporaryDirectory() as folder:
        write_table(table.select(columns), Path(folder) / "table.arff")
        command = [java(), "-Djava.awt.headless=true", "-cp", weka_jar(), f"weka.{scheme}"]
        text = run([*command, "-t", "table.arff", *options], Path(folder), name)
    lines = text.splitlines()
    return "\n".join(line.rstrip(" ") for line in lines if not _TIMES.search(line)).strip() + "\n"


def sklearn_texts(table: Table) -> dict[str, str]:
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

    from privet.files import frame_of

    frame = frame_of(table, "pandas")
    x = pd.get_dummies(frame[["H_age", "H_dose", "H_sex", "H_drug"]])
    classes = DecisionTreeClassifier(max_depth=6, random_state=0).fit(x, frame["ill"])
    numbers = DecisionTreeRegressor(max_depth=3, random_state=0).fit(x, frame["H_cost"])
    return {
        "export_text": export_text(classes, feature_names=list(x)),
        "export_text-numbers": export_text(numbers, feature_names=list(x)),
    }


def rpart_text(table: Table) -> str:
    with tempfile.TemporaryDirectory() as folder:
        write_table(table, Path(folder) / "table.csv")
        (Path(folder) / "mine.R").write_text(RPART)
        return run([rscript(), "mine.R"], Path(folder), "rpart")


def main() -> None:
    write_table(people(), HERE / "people.csv")
    masked = mask_people(read_table(HERE / "people.csv"))
    masked.codebook.write(HERE / "codebook.json", force=True)
    for name in SCHEMES:
        (HERE / f"{name}.txt").write_text(weka(name, masked.table))
    for name, text in sklearn_texts(masked.table).items():
        (HERE / f"{name}.txt").write_text(text)
    (HERE / "rpart.txt").write_text(rpart_text(masked.table))


if __name__ == "__main__":
    main()
