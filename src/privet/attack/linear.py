"""The linear attack: numbers guessed by whoever knows the matrices, and nothing else.

The inverse of a matrix gives each outcome a figure whose mean is the original's value. So what a
column has in common with the outcomes of all others can be counted in the release, and least
squares turn it into guesses. A guess adds up one figure for the outcome of each column: a share of
its number, or one of every value by itself. Which of the two, and how far guesses are drawn to the
mean, halves of the release decide. They also say how near the guesses will be: no original is
needed. `clues` has what is guessed by, `expected` what such a saying is worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from privet.arrays import Floats, Integers
from privet.attack.clues import Clue, Sought, clues_in, law_of, sought_in
from privet.attack.expected import Expected, expected_of
from privet.mechanism.substitution import Block, Substitution
from privet.randomness import generator
from privet.table import Codes, Table

_NOTHING = 1e-9  # singular values below this share are nothing
_LEAST = 1e-12  # a spread below this is one of rounding: numbers lie between -1 and 1
MOST_RECORDS = 50_000  # that are looked at to say what is to be expected,
_MOST_COLUMNS = 40  # of tables with so many columns at most
_MOST_OUTCOMES = 1 << 18  # of all matrices together: each is weighed for many figures
_MOST_HALVINGS = 4  # how often records are halved, so that no single deal decides,
_HALVED_RECORDS = 20_000  # and how many are halved in all: of many records one deal is enough

Columns = Sequence[Codes]


@dataclass(frozen=True, eq=False)
class LinearGuesses:
    """Guesses of every number of every record, and the error that the release promises.

    An error is a share of the column's spread: 1 is that of naming its mean.
    """

    columns: tuple[str, ...]
    values: Floats  # records x columns
    explained: Floats  # the share of each column's spread, as halves of the release say it
    deviations: Floats  # how far off that is

    @cached_property
    def expected(self) -> dict[str, Expected]:
        said = zip(self.columns, self.explained, self.deviations, strict=True)
        return {name: expected_of(float(share), float(off)) for name, share, off in said}

    @cached_property
    def overall(self) -> Expected:
        """Over all columns, as a root mean square."""
        off = float(np.sqrt(np.square(self.deviations).sum())) / len(self.columns)
        return expected_of(float(self.explained.mean()), off)

    def sentence(self) -> str:
        """What is to be expected, for the terminal and the report."""
        nearest = min(self.expected, key=lambda name: self.expected[name].error)
        best = f", those of {nearest} with {self.expected[nearest]}"
        return (
            "Whoever knows the matrices and nothing else guesses the numbers with about "
            f"{self.overall} of the error of naming each mean"
            f"{best if len(self.expected) > 1 else ''}; in brackets, what 90 of 100 draws give. "
            "Who has a table of similar people comes nearer."
        )

    def to_data(self) -> dict[str, Any]:
        return {
            "expected_error": self.overall.error,
            "low": self.overall.low,
            "high": self.overall.high,
            "columns": {name: one.error for name, one in self.expected.items()},
            "ranges": {name: [one.low, one.high] for name, one in self.expected.items()},
        }


def guess_numbers(released: Table, mechanism: Substitution) -> LinearGuesses | None:
    """Guess the originals of all perturbed numbers; None where there are none, or the matrices too
    large."""
    if sum(block.matrix.size for block in mechanism.blocks) > _MOST_OUTCOMES:
        return None
    sought = sought_in(mechanism)
    if not sought or released.n_rows < 2:
        return None
    outcomes = [block.encode(released) for block in mechanism.blocks]
    clues = clues_in(released, mechanism, outcomes)
    tried = [_guessed(_Fit(mechanism.blocks, sought, clues, k), outcomes) for k in (True, False)]
    best = max(tried, key=lambda one: one.explained.mean())
    values = [one.units.back(guess) for one, guess in zip(sought, best.values.T, strict=True)]
    return replace(best, values=np.stack(values, axis=1))


def halves_of(records: int) -> list[tuple[Integers, Integers]]:
    """Records dealt into halves, by chance: released records are sorted, so that those of odd and
    even places are almost the same ones."""
    times = max(1, min(_MOST_HALVINGS, _HALVED_RECORDS // records))
    orders = [generator(time, "halves").permutation(records) for time in range(times)]
    return [(order[0::2], order[1::2]) for order in orders]


def expected_recovery(released: Table, mechanism: Substitution) -> LinearGuesses | None:
    """The same from some of the records, for the sake of what is to be expected."""
    if len(released.names) > _MOST_COLUMNS:
        return None
    step = -(-released.n_rows // MOST_RECORDS)
    few = released.take(np.arange(0, released.n_rows, step)) if step > 1 else released
    return guess_numbers(few, mechanism)


@dataclass(frozen=True, eq=False)
class _Moments:
    """What outcomes have in common: `between` features, and `shared` with what is sought."""

    usual: Floats  # the mean of each feature
    between: Floats
    shared: Floats
    centres: Floats  # the mean of what is sought, and its variance
    spread: Floats

    @cached_property
    def weights(self) -> Floats:
        """Least squares: features x sought."""
        return np.asarray(np.linalg.lstsq(self.between, self.shared, rcond=_NOTHING)[0])


@dataclass(frozen=True, eq=False)
class _Fit:
    """What does not depend on which records are counted."""

    blocks: Sequence[Block]
    sought: Sequence[Sought]
    clues: Sequence[Clue]
    by_number: bool

    @cached_property
    def features(self) -> list[Floats]:
        return [clue.features(self.by_number) for clue in self.clues]

    @cached_property
    def leading_to(self) -> list[Floats]:
        """originals x features: the mean of what each original becomes."""
        return [
            own
            if clue.of_outcome is None
            else self.blocks[clue.block].matrix.expected(own[clue.of_outcome])
            for clue, own in zip(self.clues, self.features, strict=True)
        ]

    @cached_property
    def figures(self) -> list[Floats]:
        """For each outcome of a sought column's block: a figure whose mean is the value."""
        return [self.blocks[one.block].matrix.unbiased(one.values) for one in self.sought]

    def moments(self, outcomes: Columns, codes: Columns) -> _Moments:
        laws = [law_of(block, seen) for block, seen in zip(self.blocks, outcomes, strict=True)]
        counted = zip(codes, self.clues, strict=True)
        shares = [np.bincount(seen, minlength=clue.size) / len(seen) for seen, clue in counted]
        usual = [share @ own for share, own in zip(shares, self.features, strict=True)]
        centres = np.array([laws[one.block] @ one.values for one in self.sought])
        both = zip(self.sought, centres, strict=True)
        spread = np.array([laws[one.block] @ (one.values - mean) ** 2 for one, mean in both])
        shared = [
            self._shared(place, laws, outcomes, codes, usual) for place in range(len(self.sought))
        ]
        # noise of the draws may exceed what any two columns can have in common
        most = np.outer(self._spread_of_features(laws, shares), np.sqrt(spread))
        limited = np.clip(np.stack(shared, axis=1), -most, most)
        between = self._between(codes) - np.outer(np.concatenate(usual), np.concatenate(usual))
        return _Moments(np.concatenate(usual), between, limited, centres, spread)

    def _between(self, codes: Columns) -> Floats:
        """The means of products of features, from counts of pairs of codes."""
        rows: list[list[Floats]] = []
        for i, first in enumerate(codes):
            row = [rows[j][i].T for j in range(i)]
            for j in range(i, len(codes)):
                size = self.clues[j].size
                pairs = np.bincount(first * size + codes[j], minlength=self.clues[i].size * size)
                share = pairs.reshape(-1, size) / len(first)
                row.append(self.features[i].T @ share @ self.features[j])
            rows.append(row)
        return np.block(rows)

    def _shared(
        self,
        place: int,
        laws: Sequence[Floats],
        outcomes: Columns,
        codes: Columns,
        usual: Sequence[Floats],
    ) -> Floats:
        """The covariances of a sought column with all features."""
        sought = self.sought[place]
        figures = self.figures[place][outcomes[sought.block]]
        mean, law = figures.mean(), laws[sought.block]
        # how outcomes of its own block go with it is known; the records need not be asked
        centred = law * (sought.values - law @ sought.values)
        leads_to = self.blocks[sought.block].matrix.apply(centred)
        found = []
        for clue, seen, own, means in zip(self.clues, codes, self.features, usual, strict=True):
            if clue.of_outcome is not None and clue.block == sought.block:
                found.append(np.bincount(clue.of_outcome, leads_to, clue.size) @ own)
            else:
                sums = np.bincount(seen, figures, clue.size)
                found.append(sums @ own / len(seen) - mean * means)
        return np.concatenate(found)

    def _spread_of_features(self, laws: Sequence[Floats], shares: Sequence[Floats]) -> Floats:
        found = []
        for clue, means, share in zip(self.clues, self.leading_to, shares, strict=True):
            law = share if clue.of_outcome is None else laws[clue.block]
            found.append(np.sqrt(law @ (means - law @ means) ** 2))
        return np.concatenate(found)

    def variance_of_told(
        self,
        place: int,
        outcomes: Columns,
        centre: float,
        guesses: Floats,
        added: Sequence[Floats],
        explained: float,
        shrink: float,
    ) -> float:
        """Of what guesses are said to explain: each record's draws have their part in it.

        `added` has what each code of each clue adds to the guesses.
        """
        sought = self.sought[place]
        matrix, seen = self.blocks[sought.block].matrix, outcomes[sought.block]
        own = np.zeros(matrix.size)  # what outcomes of its own block add
        for clue, figures in zip(self.clues, added, strict=True):
            if clue.of_outcome is not None and clue.block == sought.block:
                own += figures[clue.of_outcome, place]
        own -= own[seen].mean()
        by_others = guesses - guesses.mean() - own[seen]
        apart = sought.values - centre
        figures = self.figures[place][seen] - centre
        told = figures * by_others + matrix.unbiased(apart * matrix.expected(own))[seen]
        of_records = 2 * told - explained * matrix.unbiased(apart**2)[seen]
        # weights come from covariances that are as noisy: by products of two errors for each
        noise = 2 * shrink * figures.var() / len(seen)
        weights = sum(features.shape[1] for features in self.features)
        return float(of_records.var() / len(seen) + 2 * weights * noise**2)


def _guessed(fit: _Fit, outcomes: Columns) -> LinearGuesses:
    """Guesses by one kind of features, in the units of what is sought."""
    codes = [clue.codes for clue in fit.clues]
    whole = fit.moments(outcomes, codes)
    is_spread = whole.spread > _LEAST  # of a column that is not, nothing can be told
    spread = np.where(is_spread, whole.spread, 1.0)
    judged = []  # weights of one half by the other: what they tell, and what they spend on it
    for halves in halves_of(len(codes[0])):
        first, second = (
            fit.moments([seen[half] for seen in outcomes], [seen[half] for seen in codes])
            for half in halves
        )
        judged += [_told_and_spent(first, second), _told_and_spent(second, first)]
    told, spent = np.where(is_spread, np.mean(judged, axis=0) / spread, 0.0)
    shrink = float(np.clip(told.mean() / max(spent.mean(), _LEAST), 0, 1))
    explained = 2 * shrink * told - shrink**2 * spent
    weights = shrink * whole.weights
    values = np.tile(whole.centres - whole.usual @ weights, (len(codes[0]), 1))
    by_clue = np.split(weights, np.cumsum([own.shape[1] for own in fit.features])[:-1])
    added = [own @ part for own, part in zip(fit.features, by_clue, strict=True)]
    for seen, figures in zip(codes, added, strict=True):
        values += figures[seen]
    variances = [
        fit.variance_of_told(place, outcomes, whole.centres[place], guesses, added, share, shrink)
        for place, (guesses, share) in enumerate(zip(values.T, explained, strict=True))
    ]
    deviations = np.where(is_spread, np.sqrt(variances) / spread, 0.0)
    names = tuple(one.name for one in fit.sought)
    return LinearGuesses(names, values, explained, deviations)


def _told_and_spent(own: _Moments, other: _Moments) -> tuple[Floats, Floats]:
    """What weights have in common with what is sought, and their own spread, in other records."""
    told = (own.weights * other.shared).sum(axis=0)
    return told, (own.weights * (other.between @ own.weights)).sum(axis=0)
