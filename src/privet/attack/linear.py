"""The linear attack: numbers guessed by whoever knows the matrices, and nothing else.

The inverse of a matrix gives each outcome a figure whose mean is the original's value. So what a
column has in common with the outcomes of all others can be counted in the release, and least
squares turn it into guesses. A guess adds up one figure for the outcome of each column: a share of
its number, or one of every value by itself. Which of the two, and how far guesses are drawn to the
mean, halves of the release decide. They also say how near the guesses will be: no original is
needed. `clues` has what is guessed by.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from privet.arrays import Floats
from privet.attack.clues import Clue, Sought, clues_in, law_of, sought_in
from privet.mechanism.substitution import Block, Substitution
from privet.table import Codes, Table

_NOTHING = 1e-9  # singular values below this share are nothing
_LEAST = 1e-24  # a spread below this is one of rounding: numbers lie between -1 and 1
MOST_RECORDS = 50_000  # that are looked at to say what is to be expected,
_MOST_COLUMNS = 40  # of tables with so many columns at most
_MOST_OUTCOMES = 1 << 18  # of all matrices together: each is weighed for many figures

Columns = Sequence[Codes]


@dataclass(frozen=True, eq=False)
class LinearGuesses:
    """Guesses of every number of every record, and the error that the release promises.

    An error is a share of the column's spread: 1 is that of naming its mean.
    """

    columns: tuple[str, ...]
    values: Floats  # records x columns
    expected: dict[str, float]

    @property
    def expected_error(self) -> float:
        """Over all columns, as a root mean square."""
        return float(np.sqrt(np.mean(np.square(list(self.expected.values())))))

    def sentence(self) -> str:
        """What is to be expected, for the terminal and the report."""
        nearest = min(self.expected, key=lambda name: self.expected[name])
        best = f", those of {nearest} with {self.expected[nearest]:.0%}"
        return (
            "Whoever knows the matrices and nothing else guesses the numbers with about "
            f"{self.expected_error:.0%} of the error of naming each mean"
            f"{best if len(self.expected) > 1 else ''}. Who has a table of similar people comes "
            "nearer."
        )

    def to_data(self) -> dict[str, Any]:
        return {"expected_error": self.expected_error, "columns": dict(self.expected)}


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
    best = max(tried, key=lambda one: one[0])[1]
    values = [one.units.back(guess) for one, guess in zip(sought, best.values.T, strict=True)]
    return replace(best, values=np.stack(values, axis=1))


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


def _guessed(fit: _Fit, outcomes: Columns) -> tuple[float, LinearGuesses]:
    """Guesses by one kind of features, in the units of what is sought, and the share of the spread
    that they explain."""
    codes = [clue.codes for clue in fit.clues]
    whole = fit.moments(outcomes, codes)
    first, second = (
        fit.moments([seen[k::2] for seen in outcomes], [seen[k::2] for seen in codes])
        for k in (0, 1)
    )
    spread = np.maximum(whole.spread, _LEAST)
    told, spent = np.zeros(len(spread)), np.zeros(len(spread))
    for own, other in ((first, second), (second, first)):  # weights of one half judged by another
        told += (own.weights * other.shared).sum(axis=0) / spread / 2
        spent += (own.weights * (other.between @ own.weights)).sum(axis=0) / spread / 2
    shrink = float(np.clip(told.mean() / max(spent.mean(), _LEAST), 0, 1))
    gains = 2 * shrink * told - shrink**2 * spent
    errors = np.sqrt(np.clip(1 - gains, 0, 1)).tolist()
    names = tuple(one.name for one in fit.sought)
    weights = shrink * whole.weights
    values = np.tile(whole.centres - whole.usual @ weights, (len(codes[0]), 1))
    ends = np.cumsum([own.shape[1] for own in fit.features])[:-1]
    for seen, features, part in zip(codes, fit.features, np.split(weights, ends), strict=True):
        values += (features @ part)[seen]
    return float(gains.mean()), LinearGuesses(names, values, dict(zip(names, errors, strict=True)))
