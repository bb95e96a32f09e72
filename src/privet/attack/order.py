"""Order matching: masked numbers read back from their order alone.

A mask that keeps the order keeps every quantile. The attacker knows a public sample of the column
and gives the masked value at each quantile the sample's value there. Bounds and groups of the mask
do not matter. With a few known people, `by_known_people` reads the values between them off a line.
Categories are next door, in `frequency`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privet.arrays import Floats
from privet.errors import UsageError
from privet.table import Coded, Table


@dataclass(frozen=True, eq=False)
class NumberGuesses:
    """For each value of the masked column's domain a guess of the original."""

    masked: Coded
    values: Floats

    def score(self, truth: Coded) -> "NumberScore":
        """Compare with the true column, which has the same rows; rows that miss it are left out."""
        if len(truth.codes) != len(self.masked.codes):
            raise UsageError("The true column must have the rows of the masked one.", "")
        there = np.ones(len(truth.codes), dtype=bool)
        for column in (truth, self.masked):
            if column.domain.missing:
                there &= column.codes != column.domain.missing_code
        true = truth.domain.values[truth.codes[there]].astype(np.float64)
        error = np.abs(self.values[self.masked.codes[there]] - true)
        blind = np.abs(np.median(true) - true)
        return NumberScore(
            float(error.mean()),
            float((error < 0.5).mean()),
            float((error <= 1.0).mean()),
            float(blind.mean()),
        )


@dataclass(frozen=True)
class NumberScore:
    """Mean error, shares of rows right to the unit and within one; `blind` guesses the median."""

    mean_error: float
    exact: float
    within_one: float
    blind: float


@dataclass(frozen=True)
class OrderMatching:
    """The attack on one masked number column; `public` is its name in the attacker's sample."""

    masked: str
    public: str

    def run(
        self, released: Table, knowledge: Table, rng: np.random.Generator | None = None
    ) -> NumberGuesses:
        """Guess by quantiles; draws nothing."""
        column, known = released[self.masked], knowledge[self.public]
        counts = np.bincount(column.codes, minlength=column.domain.size)
        counts = counts[: len(column.domain.values)]
        middle = (np.cumsum(counts) - counts / 2) / max(int(counts.sum()), 1)
        usual = np.bincount(known.codes, minlength=known.domain.size)[: len(known.domain.values)]
        if not usual.sum():
            raise UsageError("The public sample holds no numbers.", "")
        sample = np.repeat(known.domain.values.astype(np.float64), usual)
        guessed = np.quantile(sample, middle)
        if known.domain.kind.is_integral:
            guessed = np.rint(guessed)
        return NumberGuesses(column, guessed)


def by_known_people(column: Coded, people: Sequence[tuple[float, float]]) -> NumberGuesses:
    """Guesses from some people whose masked and original value is known: (masked, original).

    Between two known people the guess lies on the line through them; beyond them, on the line
    through the outermost two.
    """
    pairs = sorted(set(people))
    if len(pairs) < 2 or len({masked for masked, _ in pairs}) < len(pairs):
        raise UsageError("Two people with different masked values must be known.", "")
    x, y = np.array(pairs, dtype=np.float64).T
    values = column.domain.values.astype(np.float64)
    guessed = np.interp(values, x, y)
    for outside, (a, b) in ((values < x[0], (0, 1)), (values > x[-1], (-2, -1))):
        slope = (y[b] - y[a]) / (x[b] - x[a])
        guessed[outside] = y[b] + (values[outside] - x[b]) * slope
    return NumberGuesses(column, guessed)
