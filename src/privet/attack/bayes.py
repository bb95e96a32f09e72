"""Bayes with a reference sample: an attacker who knows people of the same kind.

Each record of the sample is weighed by how likely it would be released as the victim's record was;
the weights, summed by value, are what the attacker believes of the victim's original. Where columns
are correlated this succeeds, whatever attacks without a sample (`recovery`) find: perturbing
columns one by one hides one column, not a person. The report says so, unless chance alone would
do as well: a few victims are no evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Floats
from privet.attack.chances import at_least
from privet.attack.drawn_again import drawn_again, read_as_drawn
from privet.errors import InvalidParameter, UsageError
from privet.mechanism.substitution import Substitution
from privet.randomness import Seed
from privet.table import Codes, Table

_DOUBT = 0.01  # that chance alone let the attacker lead, all columns together
_CLEARLY = 1.15  # times as many values named rightly
_CHUNK = 64  # victims at a time: their weights over the whole sample are held at once


@dataclass(frozen=True)
class Guessed:
    """Shares of victims' values guessed rightly, by block.

    `right` is the attacker, `alone` the best guess from the block's own released value and its law
    in the sample, `as_released` says what was released, `blind` always says the commonest value.
    `by_chance`: how likely the attacker leads so far where other columns tell nothing (sign test on
    the victims that only one of both names rightly).
    """

    right: dict[str, float]
    alone: dict[str, float]
    as_released: dict[str, float]
    blind: dict[str, float]
    by_chance: dict[str, float]
    victims: int = 0
    sample: int = 0

    @property
    def succeeds(self) -> bool:
        """Whether other columns tell the attacker clearly more than a column tells by itself."""
        doubt = _DOUBT / len(self.right)
        return any(
            self.right[name] > _CLEARLY * self.alone[name] and self.by_chance[name] <= doubt
            for name in self.right
        )

    def sentence(self) -> str:
        """The finding, for a report."""
        mean, alone = (float(np.mean(list(d.values()))) for d in (self.right, self.alone))
        found = f"An attacker with a sample of the same population names {mean:.0%} of the values"
        found += f" rightly; from each column by itself it would be {alone:.0%}."
        if self.succeeds:
            found += (
                " Other columns tell of a value, too: what gamma promises of one column does not"
                " protect a record. Perturb columns together, or release fewer."
            )
        return found

    def to_data(self) -> dict[str, Any]:
        return {
            "attack": "bayes",
            "victims": self.victims,
            "sample": self.sample,
            "succeeds": self.succeeds,
            "columns": {
                name: {
                    "guessed_right": self.right[name],
                    "alone": self.alone[name],
                    "as_released": self.as_released[name],
                    "blind": self.blind[name],
                    "by_chance": self.by_chance[name],
                }
                for name in self.right
            },
        }

    def sentences(self) -> list[str]:
        """The finding, for people: all columns first, then each."""
        of_columns = [
            f"{name}: {self.right[name]:.1%} rightly, {self.alone[name]:.1%} from the column by "
            f"itself, {self.blind[name]:.1%} by always saying the commonest value."
            for name in self.right
        ]
        return [self.sentence(), *of_columns]


def attack_by_bayes(
    release: Any,
    sample: Any,
    *,
    original: Any,
    victims: int = 1_000,
    seed: Seed = None,
    missing: "list[str] | tuple[str, ...]" = (),
) -> Guessed:
    """Guess values with a table of similar people, for so many people of the original.

    `release` is a release by random substitution, its folder or its mechanism file. The original
    is drawn again by its matrices, so that whose each record is is known.

    >>> people = {"age": [30, 30, 60] * 20, "ill": ["yes", "yes", "no"] * 20}
    >>> release = privet.substitute(people, gamma=9, domain_from_data=True)
    >>> found = privet.attack.by_bayes(release, people, original=people, seed=1)
    >>> found.right["ill"] >= found.alone["ill"]
    True
    """
    if victims < 1:
        raise InvalidParameter("victims", "at least 1", victims)
    trial = drawn_again(release, original, seed, missing)
    known = read_as_drawn(sample, trial.mechanism, missing, "sample")
    n = trial.truth.n_rows
    rows = np.unique(np.linspace(0, n - 1, min(victims, n)).round().astype(np.int64))
    return guess_by_bayes(trial.released, trial.mechanism, known, trial.truth, rows.tolist())


def guess_by_bayes(
    released: Table,
    mechanism: Substitution,
    sample: Table,
    truth: Table,
    victims: Sequence[int] | None = None,
) -> Guessed:
    """Guess the originals of some rows of the released table; `truth` only scores the guesses."""
    rows = np.arange(released.n_rows) if victims is None else np.asarray(victims)
    if len(rows) == 0 or sample.n_rows == 0:
        raise UsageError("The attack needs victims and a sample.", "")
    blocks = mechanism.blocks
    seen = [block.encode(released)[rows] for block in blocks]
    known = [block.encode(sample) for block in blocks]
    logs = [np.log(np.maximum(block.matrix.dense(), 1e-300)) for block in blocks]
    guesses: list[Codes] = [np.empty_like(codes) for codes in seen]
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        weight = _weights([codes[part] for codes in seen], known, logs)
        for place, block in enumerate(blocks):
            beliefs = np.stack(
                [np.bincount(known[place], own, block.matrix.size) for own in weight]
            )
            guesses[place][part] = beliefs.argmax(axis=1)
    right, alone, shown, blind, by_chance = {}, {}, {}, {}, {}
    for place, block in enumerate(blocks):
        true = block.encode(truth)[rows]
        law = np.bincount(known[place], minlength=block.matrix.size)
        by_itself = (block.matrix.dense() * law).argmax(axis=1)  # for each released value
        named, named_alone = guesses[place] == true, by_itself[seen[place]] == true
        only_one = named != named_alone
        right[block.name] = float(named.mean())
        alone[block.name] = float(named_alone.mean())
        by_chance[block.name] = at_least(int((named & only_one).sum()), int(only_one.sum()), 0.5)
        shown[block.name] = float((seen[place] == true).mean())
        blind[block.name] = float((true == law.argmax()).mean())
    return Guessed(right, alone, shown, blind, by_chance, len(rows), sample.n_rows)


def _weights(seen: Sequence[Codes], known: Sequence[Codes], logs: Sequence[Floats]) -> Floats:
    """victims x sample: the chance that the sample's record is released as the victim's was."""
    total = np.zeros((len(seen[0]), len(known[0])))
    for own, others, law in zip(seen, known, logs, strict=True):
        total += law[own][:, others]
    total -= total.max(axis=1, keepdims=True)
    return np.asarray(np.exp(total))
