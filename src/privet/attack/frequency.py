"""Frequency matching: aliases read back from how often they occur.

The attacker knows a public sample with the labels (a census, last year's report). Three ways to
guess: `ranks` pairs the most frequent alias with the most frequent label and so on; `shares` fills
each label up to its public share, for columns with several aliases a label; `context` compares how
each alias goes along with columns in clear. Numbers are next door, in `order`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from privet.arrays import Integers
from privet.errors import InvalidParameter, UsageError
from privet.table import Coded, Table

Way = Literal["ranks", "shares", "context"]
WAYS: tuple[str, ...] = get_args(Way)


@dataclass(frozen=True, eq=False)
class Guesses:
    """For each code of the masked column the guessed label."""

    masked: Coded
    labels: tuple[str, ...]

    def score(self, truth: Coded) -> "Score":
        """Compare with the true column, which has the same rows."""
        if len(truth.codes) != len(self.masked.codes):
            raise UsageError("The true column must have the rows of the masked one.", "")
        pairs = _together(self.masked, truth)
        true_labels = truth.domain.texts
        code_of = {label: code for code, label in enumerate(true_labels)}
        right_rows = right_aliases = 0
        occurring = 0
        for alias, label in enumerate(self.labels):
            if not pairs[alias].any():
                continue
            occurring += 1
            code = code_of.get(label)
            if code is not None:
                right_rows += int(pairs[alias, code])
                right_aliases += int(pairs[alias].argmax() == code and pairs[alias, code] > 0)
        n = len(truth.codes)
        return Score(right_aliases, occurring, right_rows / n, int(pairs.sum(axis=0).max()) / n)


@dataclass(frozen=True)
class Score:
    """What the guesses were worth; `blind` says the most frequent label for every row."""

    aliases_right: int
    aliases: int
    rows_right: float
    blind: float


@dataclass(frozen=True)
class FrequencyMatching:
    """The attack on one masked column; `public` is its name in the attacker's sample."""

    masked: str
    public: str
    way: Way = "ranks"
    context: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise InvalidParameter("way", "one of " + ", ".join(WAYS), self.way)
        if (self.way == "context") != bool(self.context):
            raise UsageError(
                "Only the way `context` needs columns in clear.", "name some, or none."
            )

    def run(
        self, released: Table, knowledge: Table, rng: np.random.Generator | None = None
    ) -> Guesses:
        """Guess each alias from the released table and the public sample; draws nothing."""
        column, known = released[self.masked], knowledge[self.public]
        alias_counts = np.bincount(column.codes, minlength=column.domain.size)
        label_counts = np.bincount(known.codes, minlength=known.domain.size)
        texts = known.domain.texts
        if self.way == "ranks":
            chosen = _by_ranks(alias_counts, label_counts)
        elif self.way == "shares":
            chosen = _by_shares(alias_counts, label_counts)
        else:
            chosen = _by_context(released, knowledge, column, known, self.context)
        return Guesses(column, tuple(texts[code] for code in chosen))


def _by_ranks(aliases: Integers, labels: Integers) -> list[int]:
    order = np.argsort(-labels, kind="stable")
    chosen = [int(order[0])] * len(aliases)
    for alias, label in zip(np.argsort(-aliases, kind="stable").tolist(), order, strict=False):
        chosen[alias] = int(label)
    return chosen


def _by_shares(aliases: Integers, labels: Integers) -> list[int]:
    """Most frequent alias first, each to the label of which most is still to be seen."""
    left = labels / labels.sum()
    chosen = [0] * len(aliases)
    for alias in np.argsort(-aliases, kind="stable").tolist():
        label = int(left.argmax())
        chosen[alias] = label
        left[label] -= aliases[alias] / max(int(aliases.sum()), 1)
    return chosen


def _by_context(
    released: Table, knowledge: Table, column: Coded, known: Coded, names: Sequence[str]
) -> list[int]:
    """The label under which the alias's company in the clear columns is most likely."""
    likely = np.zeros((column.domain.size, known.domain.size))
    for name in names:
        seen, public = released[name], knowledge[name]
        place = {text: code for code, text in enumerate(public.domain.texts)}
        usual = _together(known, public) + 0.5  # nothing is impossible because it was not sampled
        usual = np.log(usual / usual.sum(axis=1, keepdims=True))
        company = _together(column, seen)
        for code, text in enumerate(seen.domain.texts):
            if text in place:
                likely += np.outer(company[:, code], usual[:, place[text]])
    present = np.bincount(known.codes, minlength=known.domain.size) > 0
    likely[:, ~present] = -np.inf
    return [int(label) for label in likely.argmax(axis=1)]


def _together(first: Coded, second: Coded) -> Integers:
    """How often each pair of codes occurs in one row."""
    width = second.domain.size
    index = first.codes.astype(np.int64) * width + second.codes
    counts = np.bincount(index, minlength=first.domain.size * width)
    return counts.reshape(first.domain.size, width)
