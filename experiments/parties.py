"""The masking article's experiment: Adult split among three parties, original against masked.

python experiments/parties.py ADULT.csv ADULT_TEST.csv [--slow] [--rows N] [--part NAME]

Prints markdown: tables 2 to 5 with the article's figures beside ours, which results
survive which mask, what the attacks recover, and what the ways out cost. WEKA is used if its jar
and Java are there (PredictiveApriori only with --slow); without it J48 is stood in for by
Privet's gain-ratio tree and Apriori by mlxtend. The files that the parties send are really written
and joined.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.attack.frequency import FrequencyMatching
from privet.attack.order import OrderMatching, by_known_people
from privet.engine import MemoryEngine
from privet.files import read_table
from privet.files.digests import order_of
from privet.parties import Codebook, ProjectKey, decode_data, decode_text, decode_tree, join, mask
from privet.parties.codebook import merged
from privet.parties.keys import digests_of
from privet.parties.mask import Bounds
from privet.schema import Kind
from privet.table import Coded, Domain, Table
from privet.tree import Grower, Tree, grow
from privet.tree.compare import compare
from privet.tree.prune import prune

PARTIES = (
    ("age", "workclass"),
    ("marital_status", "occupation", "relationship"),
    ("race", "sex", "native_country", "education"),
)
COLUMNS = [name for party in PARTIES for name in party]
SENSITIVE = ("age", "education")
KEY = ProjectKey("experiment", bytes(32))
FOLDS = 10

BOUNDS: dict[str, tuple[Bounds, str]] = {
    "U8: equal, width 8": ("17,25,..,97", "exact"),
    "U10: equal, width 10": ("17,27,..,97", "exact"),
    "U19: equal, width 19": ("17,36,..,93", "exact"),
    "NU: unequal": ("17,22,30,45,65,91", "exact"),
    "U10 by the article's rule": ("17,27,..,97", "paper"),
    "NU by the article's rule": ("17,22,30,45,65,91", "paper"),
}


@dataclass(frozen=True, eq=False)
class Masked:
    """The joined masked table, the same rows in clear, and all parties' codebooks."""

    table: Table
    truth: Table
    codebook: Codebook


def with_id(people: Table) -> Table:
    numbers = Domain(Kind.INTEGER, np.arange(people.n_rows))
    column = Coded(numbers, np.arange(people.n_rows, dtype=np.uint32))
    return Table({"id": column, **{name: people[name] for name in people}})


def masked_by_parties(
    people: Table, columns: tuple[tuple[str, ...], ...] = PARTIES, **choices: Any
) -> Masked:
    """Each party masks and sends its file; the miner joins them."""
    table = with_id(people)
    books, paths = [], []
    sensitive = choices.pop("sensitive", SENSITIVE)
    with tempfile.TemporaryDirectory() as folder:
        for number, own in enumerate(columns):
            mine = [name for name in own if name in sensitive]
            given = {
                option: {n: v for n, v in choices.get(option, {}).items() if n in mine}
                for option in ("bounds", "homophones")
            }
            sent = mask(
                table.select(["id", *own]),
                key="id",
                sensitive=mine,
                project_key=KEY,
                **{**choices, **given},
            )
            paths.append(Path(folder) / f"{number}.parquet")
            sent.write(paths[-1])
            books.append(sent.codebook)
        joined = join(paths).table
    order = order_of(digests_of(table["id"], "id", KEY))
    return Masked(joined, people.take(order), merged(books))


# -- the miners ------------------------------------------------------------------------------------


def mined(table: Table, target: str, grower: Grower) -> Tree:
    return grow(MemoryEngine(table), table.schema().with_roles(target=target), grower)


def folds_of(column: Coded) -> np.ndarray:
    """Ten folds with the same share of every class, whatever the classes are called."""
    fold = np.empty(len(column.codes), dtype=np.int64)
    for code in range(column.domain.size):
        rows = np.flatnonzero(column.codes == code)
        fold[rows] = np.arange(len(rows)) % FOLDS
    return fold


def cross_validated(
    table: Table, target: str, fit: Callable[[Table], Callable[[Table], np.ndarray]]
) -> dict[str, float]:
    """WEKA's figures: correct, kappa, mean errors of class shares, and those against the prior."""
    column = table[target]
    n, k = len(column.codes), column.domain.size
    fold = folds_of(column)
    shares, prior = np.zeros((n, k)), np.zeros((n, k))
    for number in range(FOLDS):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        shares[outside] = fit(table.take(inside))(table.take(outside))
        counts = np.bincount(column.codes[inside], minlength=k) + 1.0
        prior[outside] = counts / counts.sum()
    actual = np.eye(k)[column.codes]
    said = shares.argmax(axis=1)
    correct = int((said == column.codes).sum())
    by_chance = float(
        (np.bincount(said, minlength=k) / n) @ (np.bincount(column.codes, minlength=k) / n)
    )
    mae, rmse = np.abs(shares - actual).mean(), np.sqrt(((shares - actual) ** 2).mean())
    return {
        "correct": correct,
        "percent": 100 * correct / n,
        "kappa": (correct / n - by_chance) / (1 - by_chance),
        "MAE": float(mae),
        "RMSE": float(rmse),
        "RAE %": float(100 * mae / np.abs(prior - actual).mean()),
        "RRSE %": float(100 * rmse / np.sqrt(((prior - actual) ** 2).mean())),
    }


def zero_r(target: str) -> Callable[[Table], Callable[[Table], np.ndarray]]:
    def fit(train: Table) -> Callable[[Table], np.ndarray]:
        counts = np.bincount(train[target].codes, minlength=train[target].domain.size) + 1.0
        return lambda test: np.tile(counts / counts.sum(), (test.n_rows, 1))

    return fit


def gain_ratio_tree(target: str) -> Callable[[Table], Callable[[Table], np.ndarray]]:
    """Privet's stand-in for J48: gain ratio, at least 20 records a leaf, pessimistic pruning."""

    def fit(train: Table) -> Callable[[Table], np.ndarray]:
        settings = Grower(impurity="gain-ratio", leaves=200, min_leaf=20)
        tree = prune(mined(train, target, settings), "pessimistic", None)
        shares = np.zeros((len(tree.nodes), train[target].domain.size))
        for node in tree.nodes:
            shares[node.id] = np.array(node.weights) / sum(node.weights)
        return lambda test: shares[tree.leaf_of_rows(test)]

    return fit


def one_hot(table: Table, numbers: list[str], leave_out: str = "") -> np.ndarray:
    """Category columns as 0 and 1, number columns scaled to [0, 1]."""
    parts = []
    for name in table:
        column = table[name]
        if name == leave_out:
            continue
        if name in numbers:
            values = column.domain.values.astype(np.float64)[column.codes]
            parts.append(((values - values.min()) / (values.max() - values.min()))[:, None])
        else:
            parts.append(np.eye(column.domain.size)[column.codes])
    return np.hstack(parts)


def clusters(table: Table, numbers: list[str], k: int) -> tuple[np.ndarray, float, np.ndarray]:
    """k-means on scaled columns, and the density clusterer that starts from it."""
    from sklearn.cluster import KMeans

    x = one_hot(table, numbers)
    found = KMeans(k, random_state=10, n_init=1).fit(x)
    labels = found.labels_
    likely = np.zeros((table.n_rows, k))
    for cluster in range(k):
        inside = labels == cluster
        likely[:, cluster] = np.log(inside.mean())
        for name in table:
            column = table[name]
            if name in numbers:
                values = column.domain.values.astype(np.float64)[column.codes]
                values = (values - values.min()) / (values.max() - values.min())
                spread = max(float(values[inside].std()), 1e-6)
                middle = float(values[inside].mean())
                likely[:, cluster] -= ((values - middle) / spread) ** 2 / 2 + np.log(spread)
            else:
                counts = np.bincount(column.codes[inside], minlength=column.domain.size) + 1.0
                likely[:, cluster] += np.log(counts / counts.sum())[column.codes]
    return labels, float(found.inertia_), likely.argmax(axis=1)


def rules(table: Table, columns: list[str], support: float, confidence: float) -> list[Any]:
    """Apriori: (if, then, records, confidence), most confident first."""
    import pandas
    from mlxtend.frequent_patterns import apriori, association_rules

    items = {}
    for name in columns:
        column = table[name]
        for code, text in enumerate(column.domain.texts):
            items[f"{name}={text}"] = column.codes == code
    frequent = apriori(pandas.DataFrame(items), support, use_colnames=True)
    found = association_rules(frequent, metric="confidence", min_threshold=confidence)
    return [
        [frozenset(a), frozenset(c), round(s * table.n_rows), conf]
        for a, c, s, conf in zip(
            found["antecedents"],
            found["consequents"],
            found["support"],
            found["confidence"],
            strict=True,
        )
    ]


def moved(first: np.ndarray, second: np.ndarray) -> int:
    """Rows in another cluster, under the best naming of the clusters."""
    k = int(max(first.max(), second.max())) + 1
    together = np.bincount(first * k + second, minlength=k * k).reshape(k, k)
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-together)
    return int(together.sum() - together[rows, columns].sum())


# -- WEKA, where it is -----------------------------------------------------------------------------


def weka_jar() -> Path | None:
    jar = Path("/usr/share/java/weka.jar")
    return jar if jar.exists() and shutil.which("java") else None


def arff(table: Table, order: dict[str, list[str]], numbers: list[str]) -> str:
    """The table as ARFF; `order` lists the values of a column where sorting is not wanted."""

    def quoted(text: str) -> str:
        return "'" + (text or "?missing").replace("'", "\\'") + "'"

    lines = ["@relation adult"]
    cells = []
    for name in table:
        domain = table[name].domain
        if name in numbers:
            lines.append(f"@attribute {name} numeric")
            texts = domain.texts
        else:
            texts = [quoted(text) for text in domain.texts]
            listed = [quoted(text) for text in order.get(name, domain.texts)]
            lines.append(f"@attribute {name} {{{','.join(listed)}}}")
        cells.append(np.array(texts, dtype=object)[table[name].codes])
    return "\n".join([*lines, "@data", *(",".join(row) for row in zip(*cells, strict=True))]) + "\n"


WEKA = {
    "ZeroR": "weka.classifiers.rules.ZeroR -x 10 -s 1 -v -o -t",
    "J48": "weka.classifiers.trees.J48 -x 10 -s 1 -v -o -t",
    "J48 without age": "weka.classifiers.trees.J48 -x 10 -s 1 -v -o -t",
    "SimpleKMeans": "weka.clusterers.SimpleKMeans -N 2 -S 10 -t",
    "SimpleKMeans without age": "weka.clusterers.SimpleKMeans -N 2 -S 10 -t",
    "MakeDensityBasedClusterer": "weka.clusterers.MakeDensityBasedClusterer -t",
    "Apriori": "weka.associations.Apriori -N 10 -C 0.9 -t",
    "Tertius": "weka.associations.Tertius -K 10 -F 0 -N 1 -L 4 -t",
    "PredictiveApriori": "weka.associations.PredictiveApriori -N 10 -t",
}


def weka(jar: Path, scheme: str, path: Path) -> str:
    classes = f"{jar}:/usr/share/java/cup_runtime.jar:/usr/share/java/java-cup-runtime.jar"
    command = ["java", "-Xmx2g", "-cp", classes, *WEKA[scheme].split(), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout or done.stderr[:300]


def weka_section(masked: Masked, slow: bool) -> list[str]:
    jar = weka_jar()
    if jar is None:
        return ["WEKA is not installed here: J48, Tertius and PredictiveApriori were not run."]
    lines = []
    book = masked.codebook
    names = {m.masked_name: m.column for m in book.columns.values()}
    original = masked.truth.select([names.get(name, name) for name in masked.table])
    # The original header lists its values in the order of the aliases, so that ties fall alike.
    order = {
        names[name]: [
            book.by_masked_name()[name].value_of(a) for a in masked.table[name].domain.texts
        ]
        for name in names
        if masked.table[name].domain.kind is Kind.CATEGORY
    }
    with tempfile.TemporaryDirectory() as folder:
        for scheme in WEKA:
            if scheme == "PredictiveApriori" and not slow:
                continue
            nominal_only = "without" in scheme or "weka.associations" in WEKA[scheme]
            said = []
            for table, numbers, listed in (
                (original, ["age"], order),
                (masked.table, ["H_age"], {}),
            ):
                used = [n for n in table if not (nominal_only and n in numbers)]
                path = Path(folder) / "adult.arff"
                path.write_text(arff(table.select(used), listed, numbers))
                said.append(weka(jar, scheme, path))
            known = {"maskings": book.identities}
            decoded = [_figures_of(decode_text(text, book, **known).result) for text in said]
            same = "the same" if decoded[0] == decoded[1] else "differs"
            lines.append(f"- {scheme}, original against masked and decoded: {same}")
            print(lines[-1], file=sys.stderr, flush=True)
            lines += [f"    {line}" for line in decoded[0][:13]]
    return lines


def _figures_of(text: str) -> list[str]:
    """The lines of WEKA's text that hold results; times are left out."""
    wanted = ("Instances", "Kappa", "error", "conf:", "==>", "Number of", "squared", "%)", "acc:")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line for line in lines if any(w in line for w in wanted) and "Time" not in line]


# -- sections --------------------------------------------------------------------------------------


def table_2(masked: Masked) -> list[str]:
    paper = {
        "ZeroR": [10499, 32.2471, 0, 0.1012, 0.2249, 100, 100],
        "tree": [13051, 40.0854, 0.1924, 0.0932, 0.2183, 92.063, 97.063],
    }
    lines = [
        "| scheme | table | correct | % | kappa | MAE | RMSE | RAE % | RRSE % |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    clear = masked.truth.select(COLUMNS)
    for scheme, fit in (("ZeroR", zero_r), ("tree", gain_ratio_tree)):
        cells = [f"{value:g}" for value in paper[scheme]]
        title = "ZeroR" if scheme == "ZeroR" else "J48"
        lines.append(f"| {title} | article, both tables | " + " | ".join(cells) + " |")
        title = "ZeroR" if scheme == "ZeroR" else "Privet, gain ratio"
        for name, table, target in (
            ("original", clear, "education"),
            ("masked", masked.table, "H_education"),
        ):
            found = cross_validated(table, target, fit(target))
            cells = [f"{found['correct']:,}", *(f"{v:.4f}" for v in list(found.values())[1:])]
            lines.append(f"| {title} | {name} | " + " | ".join(cells) + " |")
    return lines


def tables_3_and_5(masked: Masked) -> list[str]:
    columns = [name for name in COLUMNS if name != "age"]
    names = {m.column: m.masked_name for m in masked.codebook.columns.values()}
    hidden = [names.get(name, name) for name in columns]
    lines = []
    for support, confidence in ((0.1, 0.91), (0.01, 0.9)):
        clear = rules(masked.truth, columns, support, confidence)
        found = _decoded(rules(masked.table, hidden, support, confidence), masked)
        same = {repr_rule(r) for r in clear} == {repr_rule(r) for r in found}
        touching = sum("education=" in repr_rule(r) for r in clear)
        lines.append(
            f"- Apriori, support {support}, confidence {confidence}: {len(clear)} rules original, "
            f"{len(found)} masked, {touching} with education; after decoding the sets are "
            f"{'equal' if same else 'NOT equal'}."
        )
    wanted = {"workclass=Private", "occupation=Sales", "relationship=Husband"}
    wanted |= {"education=Bachelors"}
    then = {"marital_status=Married-civ-spouse", "sex=Male"}
    for r in rules(masked.truth, columns, 0.009, 0.9):
        if r[0] == wanted and r[1] == then:
            lines.append(
                f"- The rule of table 5 on the original: {r[2]} records, confidence {r[3]:.5f}."
            )
    masked_rules = rules(masked.table, hidden, 0.009, 0.9)
    for r in _decoded(masked_rules, masked):
        if r[0] == wanted and r[1] == then:
            lines.append(f"- The same rule, mined masked and decoded: {r[2]} records, {r[3]:.5f}.")
    return lines


def _decoded(found: Any, masked: Masked) -> Any:
    return decode_data(found, masked.codebook, maskings=masked.codebook.identities).result


def repr_rule(rule: list[Any]) -> str:
    return f"{sorted(rule[0])} -> {sorted(rule[1])} {rule[2]} {rule[3]:.12f}"


def survival(people: Table, test: Table) -> list[str]:
    """Which results survive which mask; random and sorted aliases."""
    from sklearn.tree import DecisionTreeClassifier

    lines = [
        "| age masked by | aliases | affine | correlation | Privet tree | sklearn: train / test "
        "predictions that differ | k-means k=2, k=5: rows moved | density clusterer: rows moved |",
        "|---|---|---|---|---|---|---|---|",
    ]
    grower = Grower(impurity="gini", leaves=60, min_leaf=5)
    for title, (bounds, mode) in BOUNDS.items():
        for kept in (True, False):
            masked = masked_by_parties(
                people, bounds={"age": bounds}, mode=mode, kept_order=kept, seed=7
            )
            clear = masked.truth.select(COLUMNS)
            book = masked.codebook
            tree_of_masked = mined(masked.table, "H_education", grower)
            decoded = decode_tree(tree_of_masked, book, maskings=book.identities).tree
            original = mined(clear, "education", grower)
            answer = compare(original, decoded, clear)
            tree = (
                "identical"
                if answer.identical
                else ("same training predictions" if answer.same_predictions else "differs")
            )
            numbers = masked.codebook.columns["age"]
            fitted = []
            new_clear, new_masked = masked_like(test, masked)
            for table, number, target, new in (
                (clear, "age", "education", new_clear),
                (masked.table, "H_age", "H_education", new_masked),
            ):
                model = DecisionTreeClassifier(random_state=0)
                model.fit(raw(table, [number], target), table[target].codes)
                labels = np.array(_labels(table[target], masked.codebook), dtype=object)
                fitted.append(
                    [labels[model.predict(raw(t, [number], target))] for t in (table, new)]
                )
            differ = [int((fitted[0][i] != fitted[1][i]).sum()) for i in (0, 1)]
            shifts, dense = [], 0
            for k in (2, 5):
                one, two = clusters(clear, ["age"], k), clusters(masked.table, ["H_age"], k)
                shifts.append(moved(one[0], two[0]))
                dense = moved(one[2], two[2]) if k == 2 else dense
            related = np.corrcoef(numbers.values, numbers.masked)[0, 1]
            lines.append(
                f"| {title} | {'sorted' if kept else 'random'} | "
                f"{'yes' if numbers.grading.is_affine else 'no'} | {related:.8f} | {tree} | "
                f"{differ[0]} / {differ[1]} | {shifts[0]}, {shifts[1]} | {dense} |"
            )
    return lines


def raw(table: Table, numbers: list[str], target: str) -> np.ndarray:
    """For scikit-learn: numbers as they are, categories as 0 and 1."""
    parts = []
    for name in table:
        column = table[name]
        if name in numbers:
            parts.append(column.domain.values.astype(np.float64)[column.codes][:, None])
        elif name != target:
            parts.append(np.eye(column.domain.size)[column.codes])
    return np.hstack(parts)


def masked_like(test: Table, like: Masked) -> tuple[Table, Table]:
    """New rows in clear and masked by the existing codebooks, coded as the tables at hand are."""
    known = np.ones(test.n_rows, dtype=bool)
    for name in COLUMNS[1:]:
        labels = set(like.truth[name].domain.texts)
        inside = np.array([text in labels for text in test[name].domain.texts])
        known &= inside[test[name].codes]
    table = with_id(test.take(np.flatnonzero(known)).select(COLUMNS))
    book = Codebook(like.codebook.columns, KEY.project, KEY.tag)
    sensitive = [name for name in COLUMNS if name in book.columns]
    sent = mask(table, key="id", sensitive=sensitive, project_key=KEY, codebook=book, extend=True)
    clear = table.take(order_of(digests_of(table["id"], "id", KEY)))
    return recoded(clear.select(COLUMNS), like.truth), recoded(sent.table, like.table)


def recoded(table: Table, like: Table) -> Table:
    """Category columns in the codes of another table."""
    columns = {}
    for name in table:
        column = table[name]
        if column.domain.kind is Kind.CATEGORY:
            place = {text: code for code, text in enumerate(like[name].domain.texts)}
            lookup = [place.get(text, 0) for text in column.domain.texts]
            column = column.merged(lookup, like[name].domain)
        columns[name] = column
    return Table(columns)


def _labels(column: Coded, book: Codebook) -> list[str]:
    known = next((m for m in book.columns.values() if m.column == "education"), None)
    texts = column.domain.texts
    if known is not None and texts[0] not in known.aliases:  # type: ignore[union-attr]
        return [str(known.value_of(text)) for text in texts]
    return texts


def attacks(people: Table, public: Table) -> list[str]:
    columns = (tuple(COLUMNS),)
    masked = masked_two(people, columns, sensitive=tuple(COLUMNS))
    lines = [
        "| column | aliases right | rows right | always the most frequent value |",
        "|---|---|---|---|",
    ]
    for name in COLUMNS:
        if name == "age":
            continue
        score = (
            FrequencyMatching(f"H_{name}", name).run(masked.table, public).score(masked.truth[name])
        )
        lines.append(
            f"| {name} | {score.aliases_right} of {score.aliases} | {score.rows_right:.1%} | "
            f"{score.blind:.1%} |"
        )
    lines += [
        "",
        "Education by rank, with a public sample of so many people (mean of 20 samples):",
        "",
    ]
    lines += ["| sample | aliases right | rows right |", "|---|---|---|"]
    rng = np.random.default_rng(1)
    for size in (200, 500, 1000, 2000, 5000):
        scores = []
        for _ in range(20):
            sample = public.take(rng.choice(public.n_rows, size, replace=False))
            guesses = FrequencyMatching("H_education", "education").run(masked.table, sample)
            scores.append(guesses.score(masked.truth["education"]))
        right = np.mean([score.aliases_right for score in scores])
        lines.append(f"| {size:,} | {right:.1f} | {np.mean([s.rows_right for s in scores]):.1%} |")
    score = OrderMatching("H_age", "age").run(masked.table, public).score(masked.truth["age"])
    lines += [
        "",
        f"Age by order: mean error {score.mean_error:.2f} years, {score.exact:.1%} exact, "
        f"{score.within_one:.2%} within one year (guessing the median: {score.blind:.1f} years).",
    ]
    column, truth = masked.table["H_age"], masked.truth["age"]
    pairs = [
        (float(column.domain.values[code]), float(truth.domain.values[code])) for code in (5, 40)
    ]
    score = by_known_people(column, pairs).score(truth)
    lines.append(
        f"Age by two known people (equal groups): mean error {score.mean_error:.2g} years."
    )
    return lines


def masked_two(people: Table, columns: tuple[tuple[str, ...], ...], **choices: Any) -> Masked:
    """One party alone: what it sends is what the miner has."""
    table = with_id(people)
    sent = mask(
        table.select(["id", *columns[0]]),
        key="id",
        project_key=KEY,
        seed=11,
        **choices,
    )
    order = order_of(digests_of(table["id"], "id", KEY))
    return Masked(sent.table, people.take(order), sent.codebook)


def ways_out(people: Table, public: Table) -> list[str]:
    """Homophones, and publishing the joined table: what the attack still gets, and the cost."""
    import privet
    from privet.release.new_rows import predict_rows, recode_rows

    columns = (*COLUMNS, "income")
    context = ("occupation", "workclass", "marital_status", "income")
    grower = Grower(impurity="gini", leaves=30, min_leaf=20)
    lines = [
        "| way | attack by rank: rows | by shares: rows | by context: rows | held-out accuracy "
        "for income |",
        "|---|---|---|---|---|",
    ]

    def row(title: str, table: Table, truth: Coded, accuracy: float) -> None:
        cells = []
        for way in ("ranks", "shares", "context"):
            attack = FrequencyMatching(
                "H_education",
                "education",
                way,
                context if way == "context" else (),  # type: ignore[arg-type]
            )
            cells.append(f"{attack.run(table, public).score(truth).rows_right:.1%}")
        lines.append(f"| {title} | {' | '.join(cells)} | {accuracy:.4f} |")

    def held_out(table: Table, predict: Callable[[Table], list[Any]]) -> float:
        """Accuracy on every third row, which no tree has seen."""
        rows = table.take(np.arange(0, table.n_rows, 3))
        labels = rows["income"].domain.texts
        actual = [labels[code] for code in rows["income"].codes.tolist()]
        return float(np.mean([a == b for a, b in zip(actual, predict(rows), strict=True)]))

    def seen(table: Table) -> Table:
        return table.take(np.flatnonzero(np.arange(table.n_rows) % 3))

    def accuracy_of(table: Table) -> float:
        return held_out(table, mined(seen(table), "income", grower).predict)

    plain = masked_two(people, (columns,), sensitive=SENSITIVE)
    row("plain aliases", plain.table, plain.truth["education"], accuracy_of(plain.table))
    for total in (32, 64, 128, 256):
        flat = masked_two(people, (columns,), sensitive=SENSITIVE, homophones={"education": total})
        row(
            f"{total} homophones",
            flat.table,
            flat.truth["education"],
            accuracy_of(flat.table),
        )
    dropped = plain.table.select([n for n in plain.table if n != "H_education"])
    lines.append(f"| education left out | - | - | - | {accuracy_of(dropped):.4f} |")
    for k in (5, 50):
        asked = {"target": "income", "k": k, "leaves": 30, "recoding": "leaf"}
        release = privet.publish(plain.table, **asked)
        shown = recode_rows(plain.table, release.manifest, release.tree)
        part = privet.publish(seen(plain.table), **asked)
        accuracy = held_out(
            plain.table, lambda rows, of=part: predict_rows(rows, of.manifest, of.trees)
        )
        row(
            f"aliases, joined table published with k = {k}",
            shown,
            plain.truth["education"],
            accuracy,
        )
    blind = np.bincount(people["education"].codes).max() / people.n_rows
    lines += ["", f"Always saying the most frequent education is right in {blind:.1%} of rows."]
    return lines


def clustering(masked: Masked) -> list[str]:
    lines = [
        "| table | k-means: sum of squares | sizes | density clusterer: sizes |",
        "|---|---|---|---|",
        "| article, both tables | 92466 | 20672 / 11886 | garbled |",
    ]
    clear = masked.truth.select(COLUMNS)
    for title, table, numbers in (
        ("original", clear, ["age"]),
        ("masked", masked.table, ["H_age"]),
        ("original, without age", clear.select(COLUMNS[1:]), []),
    ):
        labels, inertia, dense = clusters(table, numbers, 2)
        sizes = " / ".join(str(n) for n in sorted(np.bincount(labels), reverse=True))
        more = " / ".join(str(n) for n in sorted(np.bincount(dense), reverse=True))
        lines.append(f"| {title} | {inertia:.2f} | {sizes} | {more} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--rows", type=int, help="the first rows only, for a quick look")
    parser.add_argument("--slow", action="store_true", help="PredictiveApriori as well")
    parser.add_argument("--part", action="append", help="classes, rules, clusters, weka, masks, ..")
    arguments = parser.parse_args()
    people, public = read_table(arguments.train), read_table(arguments.test)
    if arguments.rows:
        people = people.take(np.arange(min(arguments.rows, people.n_rows)))
    usual = masked_by_parties(people, bounds={"age": "17,25,..,97"}, kept_order=True, seed=7)
    sections: dict[str, tuple[str, Callable[[], list[str]]]] = {
        "classes": ("Table 2: class education, ten folds", lambda: table_2(usual)),
        "rules": ("Tables 3 and 5: association rules", lambda: tables_3_and_5(usual)),
        "clusters": ("Table 4: clustering", lambda: clustering(usual)),
        "weka": ("WEKA", lambda: weka_section(usual, arguments.slow)),
        "masks": ("What survives which mask", lambda: survival(people, public)),
        "attacks": ("Attacks", lambda: attacks(people, public)),
        "ways-out": ("Ways out", lambda: ways_out(people, public)),
    }
    for name, (title, section) in sections.items():
        if not arguments.part or name in arguments.part:
            print("\n".join([f"## {title}", "", *section(), ""]), flush=True)


if __name__ == "__main__":
    main()
