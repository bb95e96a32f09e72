"""Noise beside its peers at equal risk: each method as strong as it must be, then what is learnt.

    python experiments/noise_peers.py FOLDER [--found 0.2] [--splits 3]

FOLDER holds the public tables. Every method has one dial. It is turned until an intruder who knows
its law, and of everybody all values but the class, finds the share --found of the people again (the
mean chance of the likeliest person, as `privet attack intruder` has it). Then a tree and a forest
learn from what is released and are tested on clean rows that were held out, and correlations of
numbers are compared. Methods other than Privet's release the class as it is.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from privet.arrays import Floats, Integers
from privet.attack.intruder import intrude
from privet.datasets.public import boston, wisconsin
from privet.engine import MemoryEngine
from privet.files import read_table
from privet.noise.framework import NoiseFramework
from privet.noise.settings import NoiseSettings
from privet.schema import Kind, Schema
from privet.table import Coded, Domain, Table
from privet.tree.accuracy import accuracy_on
from privet.tree.natural import NoiseTreeSettings, natural_tree
from privet.tree.similar import tree_likeness

TREES = NoiseTreeSettings(leaves=8)
STEPS = 9
CLOSE = 0.005


@dataclass(frozen=True, eq=False)
class Rows:
    """A table as the methods take it: its numbers, the codes of its categories, all known."""

    table: Table
    schema: Schema

    @property
    def numbers(self) -> list[str]:
        return [n for n in self._others if self.table[n].domain.kind.is_ordered]

    @property
    def categories(self) -> list[str]:
        return [n for n in self._others if not self.table[n].domain.kind.is_ordered]

    @property
    def _others(self) -> list[str]:
        return [n for n in self.table if n != self.schema.target]

    def values(self) -> Floats:
        """The numbers, a column each; a missing one is the mean."""
        found = []
        for name in self.numbers:
            domain, codes = self.table[name].domain, self.table[name].codes
            values = np.append(domain.values.astype(np.float64), np.nan)[codes]
            found.append(np.where(np.isnan(values), np.nanmean(values), values))
        return np.array(found).T.reshape(self.table.n_rows, len(found))

    def codes(self) -> Integers:
        columns = [self.table[n].codes.astype(np.int64) for n in self.categories]
        return np.array(columns, dtype=np.int64).T.reshape(self.table.n_rows, len(columns))

    def released(self, values: Floats, codes: Integers) -> Table:
        """The table with other numbers and categories; the class as it is."""
        columns = dict(zip(self.table.names, (self.table[n] for n in self.table), strict=True))
        for place, name in enumerate(self.numbers):
            distinct, own = np.unique(values[:, place], return_inverse=True)
            columns[name] = Coded(Domain(Kind.DECIMAL, distinct), own.astype(np.uint32))
        for place, name in enumerate(self.categories):
            kept = self.table[name]
            columns[name] = Coded(kept.domain, codes[:, place].astype(kept.codes.dtype))
        return Table(columns)


Made = tuple[Table, float]  # what is released, and the share that the intruder finds
Method = Callable[[Rows, float, int], Made]


def found_by(logs: Floats) -> float:
    """The mean chance of the likeliest person, from log-likelihoods: records by people."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return float((weights.max(axis=1) / weights.sum(axis=1)).mean())


def found_without(rows: Rows) -> float:
    """The same without noise: one of those who have the same values is named."""
    both = np.hstack([rows.values(), rows.codes()])
    return len(np.unique(both, axis=0)) / len(both)


# -- the methods; a larger dial is more noise -----------------------------------------------------


def additive(rows: Rows, dial: float, seed: int) -> Made:
    """Normal noise on each number, its deviation a share of the column's; PRAM beside."""
    values, rng = rows.values(), np.random.default_rng(seed)
    spread = np.maximum(dial * values.std(axis=0), 1e-12)
    moved = values + rng.normal(size=values.shape) * spread
    logs = -0.5 * _squares(moved / spread, values / spread)
    codes, by_category = pram(rows, dial, rng)
    return rows.released(moved, codes), found_by(logs + by_category)


def correlated(rows: Rows, dial: float, seed: int) -> Made:
    """Normal noise with the covariances of the numbers (Kim), drawn back so that they stay."""
    values, rng = rows.values(), np.random.default_rng(seed)
    mean, keep = values.mean(axis=0), 1 / np.sqrt(1 + dial**2)
    root = np.linalg.cholesky(np.cov(values.T) + 1e-9 * np.diag(values.var(axis=0)))
    noise = rng.normal(size=values.shape) @ root.T * dial
    moved = mean + keep * (values - mean + noise)
    whitened = [np.linalg.solve(root, v.T).T / dial for v in ((moved - mean) / keep, values - mean)]
    codes, by_category = pram(rows, dial, rng)
    return rows.released(moved, codes), found_by(-0.5 * _squares(*whitened) + by_category)


def rank_swapping(rows: Rows, dial: float, seed: int) -> Made:
    """Each number exchanged with one whose rank is at most so many hundredths away; PRAM beside."""
    values, rng = rows.values(), np.random.default_rng(seed)
    n = len(values)
    reach = max(int(min(dial, 1.0) * n), 1)
    moved = values.copy()
    logs: Floats = np.zeros((n, n))
    for column in range(values.shape[1]):
        order = np.lexsort((rng.random(n), values[:, column]))
        swapped = _swapped(order, reach, rng)
        moved[order, column] = values[swapped, column]
        low = np.searchsorted(values[order, column], moved[:, column], side="left")
        high = np.searchsorted(values[order, column], moved[:, column], side="right") - 1
        first = np.searchsorted(values[order, column], values[:, column], side="left")
        last = np.searchsorted(values[order, column], values[:, column], side="right") - 1
        near = (first[None, :] <= high[:, None] + reach) & (last[None, :] >= low[:, None] - reach)
        logs += np.where(near, 0.0, -50.0)
    codes, by_category = pram(rows, dial, rng)
    return rows.released(moved, codes), found_by(logs + by_category)


def _swapped(order: Integers, reach: int, rng: np.random.Generator) -> Integers:
    """Rows in the order of a column, each exchanged with one at most `reach` places further on."""
    found, free = order.copy(), np.ones(len(order), dtype=bool)
    for place in range(len(order)):
        if free[place]:
            others = np.flatnonzero(free[place + 1 : place + 1 + reach])
            free[place] = False
            if len(others):
                other = place + 1 + int(rng.choice(others))
                found[[place, other]] = found[[other, place]]
                free[other] = False
    return found


def microaggregation(rows: Rows, dial: float, seed: int) -> Made:
    """MDAV with groups of k about their means; whoever knows everybody can form the groups."""
    values = rows.values()
    hot = [
        np.eye(rows.table[n].domain.size)[rows.codes()[:, i]] for i, n in enumerate(rows.categories)
    ]
    spread = np.maximum(values.std(axis=0), 1e-12)
    points = np.hstack([(values - values.mean(axis=0)) / spread, *hot])
    k = max(round(dial), 1)
    moved, codes = values.copy(), rows.codes().copy()
    groups = _mdav(points, k)
    for group in groups:
        moved[group] = values[group].mean(axis=0)
        for place in range(codes.shape[1]):
            codes[group, place] = np.bincount(codes[group, place]).argmax()
    return rows.released(moved, codes), len(groups) / len(values)


def _mdav(points: Floats, k: int) -> list[Integers]:
    left, groups = np.arange(len(points)), []
    while len(left) >= 2 * k:
        far = left[((points[left] - points[left].mean(axis=0)) ** 2).sum(axis=1).argmax()]
        near = np.argsort(((points[left] - points[far]) ** 2).sum(axis=1), kind="stable")[:k]
        groups.append(left[near])
        left = np.delete(left, near)
    return [*groups, left]


def pram(rows: Rows, dial: float, rng: np.random.Generator) -> tuple[Integers, Floats]:
    """Categories kept with chance 1 / (1 + dial), else drawn by their shares; the law's logs."""
    codes = rows.codes()
    logs: Floats = np.zeros((len(codes), len(codes)))
    drawn = codes.copy()
    keep = 1 / (1 + dial)
    for place in range(codes.shape[1]):
        own = codes[:, place]
        shares = np.bincount(own) / len(own)
        change = rng.random(len(own)) >= keep
        drawn[change, place] = rng.choice(len(shares), int(change.sum()), p=shares)
        shown = drawn[:, place]
        logs += np.log(
            keep * (shown[:, None] == own[None, :]) + (1 - keep) * shares[shown][:, None]
        )
    return drawn, logs


def by_privet(law: str) -> Method:
    def method(rows: Rows, dial: float, seed: int) -> Made:
        relative = "column" if law == "correlated" else "value"
        asked = NoiseSettings(law=law, innocent=dial, relative_to=relative, trees=TREES)  # type: ignore[arg-type]
        noise = NoiseFramework(asked).fit(rows.table, rows.schema)
        released = noise.transform(rows.table, seed=seed)
        known = [n for n in rows.table if n != rows.schema.target]
        found = intrude(noise.tree_, noise.mechanism_, released, rows.table, known, compare=False)
        return released, found.found

    return method


def _squares(one: Floats, two: Floats) -> Floats:
    """The squared distance of each of some points to each of others."""
    return np.asarray(
        (one**2).sum(axis=1)[:, None] + (two**2).sum(axis=1)[None, :] - 2 * one @ two.T
    )


METHODS: dict[str, tuple[Method, float, float]] = {  # with the ends of the dial
    "Privet, bell": (by_privet("bell"), 0.01, 5.0),
    "Privet, correlated": (by_privet("correlated"), 0.01, 5.0),
    "additive noise": (additive, 0.01, 50.0),
    "correlated noise": (correlated, 0.01, 50.0),
    "rank swapping": (rank_swapping, 0.001, 1.0),
    "microaggregation": (microaggregation, 1.0, 200.0),
}


def turned(method: Method, low: float, high: float, rows: Rows, found: float) -> tuple[float, Made]:
    """The dial at which the intruder finds so many, by halving; the strongest if none will do."""
    made = method(rows, high, 0)
    dial = high
    for _ in range(STEPS):
        middle = float(np.sqrt(low * high))
        tried = method(rows, middle, 0)
        if tried[1] > found:
            low = middle
        else:
            high, dial, made = middle, middle, tried
            if tried[1] > found - CLOSE:
                break
    return dial, made


# -- what is learnt --------------------------------------------------------------------------------


def tables(folder: Path) -> Iterator[tuple[str, Table]]:
    yield "Boston", boston(folder / "boston_housing.csv")
    yield "Pima", _with_class(folder / "pima_diabetes.csv")
    yield "WBC", wisconsin(folder / "breast_cancer_wisconsin.csv")
    yield "German", _with_class(folder / "german_credit.csv")


def _with_class(path: Path) -> Table:
    last = read_table(path).names[-1]
    return read_table(path, kinds={last: Kind.CATEGORY})


def judged(made: Table, rows: Rows, test: Rows) -> list[float]:
    """Accuracy of a tree and of a forest, rules kept, the largest change of a correlation."""
    schema = rows.schema
    tree = natural_tree(MemoryEngine(rows.table), schema, TREES)
    again = natural_tree(MemoryEngine(made), schema, TREES)
    like = tree_likeness(tree, again, rows.table)
    shown = Rows(made, schema)
    forest = RandomForestClassifier(100, random_state=0, n_jobs=1)
    forest.fit(_features(shown), made[schema.target].codes)
    right = forest.predict(_features(test)) == test.table[schema.target].codes
    before, after = (np.corrcoef(one.values().T) for one in (rows, shown))
    off = float(np.abs(before - after).max())
    return [accuracy_on(again, test.table), float(right.mean()), like.kin, like.agreement or 0, off]


def _features(rows: Rows) -> Floats:
    hot = [
        np.eye(rows.table[n].domain.size)[rows.codes()[:, i]] for i, n in enumerate(rows.categories)
    ]
    return np.hstack([rows.values(), *hot])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--found", type=float, default=0.2)
    parser.add_argument("--splits", type=int, default=3)
    options = parser.parse_args()
    heads = "dial | found | tree | forest | rules of kin | agreement | correlations off"
    print(f"| table, method | {heads} |\n|" + "---|" * 8)
    for name, table in tables(options.folder):
        schema = table.schema().with_roles(target=table.names[-1])
        for title, (method, low, high) in {"original": (None, 0, 0), **METHODS}.items():  # type: ignore[dict-item]
            lines = []
            for split in range(options.splits):
                order = np.random.default_rng(split).permutation(table.n_rows)
                cut = 2 * table.n_rows // 3
                rows, test = (Rows(table.take(part), schema) for part in (order[:cut], order[cut:]))
                dial, made = 0.0, (rows.table, found_without(rows))
                if method is not None:
                    dial, made = turned(method, low, high, rows, options.found)
                lines.append([dial, made[1], *judged(made[0], rows, test)])
            cells = [f"{figure:.3f}" for figure in np.mean(lines, axis=0)]
            print(f"| {name}, {title} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
