"""Utility for other miners: models that learn from a release, judged on original rows.

Naive Bayes, a linear support vector machine, logistic or linear regression, a forest, boosting and
Privet's own tree learn once from the original and once from the release, and are tested on the same
rows. Does the best one stay the best one? Scikit-learn does the learning. Categories become one
column for each value, numbers are scaled, missing numbers get the mean.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from privet.arrays import Floats, Integers
from privet.errors import MissingExtra
from privet.measure.naive_bayes import NaiveBayes
from privet.table import Coded, Domain, Table, Value
from privet.tree.model import Tree

TREE = "tree"  # Privet's own, among the miners
FOLDS = 5
MOST_TRAINING, MOST_TEST = 8_000, 6_000  # rows; of more a sample is drawn


_OWN_TABLE = "a table of its own"


@dataclass(frozen=True)
class Utility:
    """The score of each miner that learnt from the original (`before`) and from the release.

    Accuracy of classes, R2 of numbers. `held_out` says which rows were tested: those of a table of
    its own, which nobody learnt from, or those of the original in turn, whose people are in the
    release.
    """

    target: str
    score: str
    held_out: str
    trained: tuple[int, int]
    tested: int
    before: Mapping[str, float]
    after: Mapping[str, float]

    @property
    def is_flattered(self) -> bool:
        """Whether the release that was learnt from holds the people who are tested."""
        return self.held_out != _OWN_TABLE

    @property
    def swapped(self) -> list[tuple[str, str]]:
        """Pairs of miners of which the better one is the worse one after."""
        return [
            (one, two)
            for one, two in combinations(self.before, 2)
            if (self.before[one] - self.before[two]) * (self.after[one] - self.after[two]) < 0
        ]

    def to_data(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "score": self.score,
            "held_out": self.held_out,
            "trained_on": {"before": self.trained[0], "after": self.trained[1]},
            "tested_on": self.tested,
            "before": dict(self.before),
            "after": dict(self.after),
            "ranking": {
                "before": ranked(self.before),
                "after": ranked(self.after),
                "same": not self.swapped,
                "swapped_pairs": [list(pair) for pair in self.swapped],
            },
        }


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Names from the best score down; equal ones in the order of the table."""
    return sorted(scores, key=lambda name: -scores[name])


Miner = Callable[[Table, Sequence[Table]], list[Any]]  # learns from a table, guesses for others


@dataclass(frozen=True, eq=False)
class Contest:
    """What is learnt: a target from columns. `published` is the tree of the release, if it has one
    of this target; `grow` grows the like from a table."""

    target: str
    columns: tuple[str, ...]
    regression: bool
    published: Tree | None = None
    grow: Callable[[Table], Tree] | None = None
    seed: int = 0

    def utility(
        self,
        original: Table,
        released: Table,
        recoded: Callable[[Table], Table],
        test: Table | None,
    ) -> Utility:
        """Compare the miners; `recoded` puts rows into the words of the release."""
        rng = np.random.default_rng(self.seed)
        release = _some(released, MOST_TRAINING, rng)
        if test is not None:
            folds = [(_some(original, MOST_TRAINING, rng), _some(test, MOST_TEST, rng))]
        else:
            folds = _folds(_some(original, MOST_TEST, rng), rng)
        truth = np.concatenate([self.response(rows) for _, rows in folds])
        in_words = [recoded(rows) for _, rows in folds]
        before, after = {}, {}
        for name, (miner, learnt) in self.miners().items():
            if name == TREE and test is not None:  # the published one had all rows, too
                parts = [miner(original, [rows])[0] for _, rows in folds]
            else:
                parts = [miner(training, [rows])[0] for training, rows in folds]
            before[name] = self.score(np.concatenate(parts), truth)
            after[name] = self.score(np.concatenate(learnt(release, in_words)), truth)
        return Utility(
            self.target,
            "R2" if self.regression else "accuracy",
            _OWN_TABLE if test is not None else "the published people, in turn",
            (len(folds[0][0]), len(release)),
            len(truth),
            before,
            after,
        )

    def response(self, rows: Table) -> Any:
        """The targets of some rows, as numbers or as texts; missing is no number, or no text."""
        column = rows[self.target]
        if not self.regression:
            return np.array(column.domain.texts, dtype=object)[column.codes]
        values = np.append(column.domain.values.astype(np.float64), np.nan)
        return values[column.codes]

    def score(self, guessed: Any, truth: Any) -> float:
        """Accuracy, or R2; rows without a number are left out."""
        if not self.regression:
            return float(np.mean(guessed == truth))
        there = ~np.isnan(truth)
        error = float(((guessed[there] - truth[there]) ** 2).sum())
        spread = float(((truth[there] - truth[there].mean()) ** 2).sum())
        return 1 - error / spread if spread > 0 else 0.0

    def miners(self) -> dict[str, tuple[Miner, Miner]]:
        """Everybody who takes part, by name: for the original, and for the release."""
        made = models(self.regression, self.seed)
        found: dict[str, tuple[Miner, Miner]] = {}
        for name, model in made.items():
            miner = partial(self._by_model, model)
            found[name] = miner, miner
        if self.published is not None and self.grow is not None:
            grow, published = self.grow, self.published
            return found | {TREE: (partial(self._by_tree, grow), self._by(published))}
        return found

    def _by(self, tree: Tree) -> Miner:
        """The tree that was published, which knows categories that no released record has."""
        return partial(self._by_tree, lambda training: tree)

    def _by_tree(
        self, grow: Callable[[Table], Tree], training: Table, tests: Sequence[Table]
    ) -> list[Any]:
        tree = grow(training)
        guesses = [tree.predict(rows) for rows in tests]
        if self.regression:
            return [np.array(guess, dtype=np.float64) for guess in guesses]
        return [np.array([_text(value) for value in guess], dtype=object) for guess in guesses]

    def _by_model(self, model: Any, training: Table, tests: Sequence[Table]) -> list[Any]:
        encoder = Encoder.of(training, self.columns)
        known, answers = encoder.matrix(training), self.response(training)
        if self.regression:
            there = ~np.isnan(answers)
            known, answers = known[there], answers[there]
        elif len(set(answers)) < 2:  # nothing to learn
            return [np.full(len(rows), answers[0], dtype=object) for rows in tests]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what did not converge is judged as it is
            fitted = model.fit(known, answers)
        return [fitted.predict(encoder.matrix(rows)) for rows in tests]


def models(regression: bool, seed: int) -> dict[str, Any]:
    """The models of scikit-learn that take part, with the settings that all contests have."""
    try:
        from sklearn import ensemble, linear_model, svm
    except ImportError:
        raise MissingExtra("Utility for other miners needs", "scikit-learn", "sklearn") from None
    if regression:
        return {
            "support vectors": svm.LinearSVR(random_state=seed, max_iter=2000),
            "regression": linear_model.LinearRegression(),
            "forest": ensemble.RandomForestRegressor(100, random_state=seed),
            "boosting": ensemble.HistGradientBoostingRegressor(random_state=seed),
        }
    return {
        "naive Bayes": NaiveBayes(),
        "support vectors": svm.LinearSVC(random_state=seed, max_iter=2000),
        "regression": linear_model.LogisticRegression(max_iter=500),
        "forest": ensemble.RandomForestClassifier(100, random_state=seed),
        "boosting": ensemble.HistGradientBoostingClassifier(random_state=seed, max_leaf_nodes=16),
    }


@dataclass(frozen=True, eq=False)
class Encoder:
    """Columns as numbers, by what the training rows have."""

    columns: Mapping[str, "tuple[Domain, float, float]"]  # with mean and deviation, if numbers

    @classmethod
    def of(cls, training: Table, names: Sequence[str]) -> "Encoder":
        return cls({name: (training[name].domain, *_law(training[name])) for name in names})

    def matrix(self, rows: Table) -> Floats:
        """One row for each row; a category that training did not have is none of them."""
        parts = [self._column(rows[name], *about) for name, about in self.columns.items()]
        return np.concatenate(parts, axis=1)

    def _column(self, column: Coded, known: Domain, mean: float, deviation: float) -> Floats:
        if known.kind.is_ordered:
            values = np.append(column.domain.values.astype(np.float64), mean)
            scaled = (values - mean) / deviation
            return np.asarray(scaled[column.codes][:, None])
        places = column.domain.places_in(known)
        hot = np.zeros((column.domain.size, known.size))
        seen = np.flatnonzero(places >= 0)
        hot[seen, places[seen]] = 1.0
        return np.asarray(hot[column.codes])


def _law(column: Coded) -> tuple[float, float]:
    """Mean and standard deviation of a column of numbers; 0 and 1 where there is none."""
    size = len(column.domain.values)
    if not column.domain.kind.is_ordered or not (column.codes < size).any():
        return 0.0, 1.0
    numbers = column.domain.values.astype(np.float64)[column.codes[column.codes < size]]
    return float(numbers.mean()), float(numbers.std()) or 1.0


def _text(value: Value) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def _some(table: Table, most: int, rng: np.random.Generator) -> Table:
    if len(table) <= most:
        return table
    return table.take(np.sort(rng.choice(len(table), most, replace=False)))


def _folds(table: Table, rng: np.random.Generator) -> list[tuple[Table, Table]]:
    """Each row is tested once, by those who learnt from the other folds."""
    fold: Integers = rng.permutation(len(table)) % min(FOLDS, len(table))
    return [
        (table.take(np.flatnonzero(fold != one)), table.take(np.flatnonzero(fold == one)))
        for one in range(min(FOLDS, len(table)))
    ]
