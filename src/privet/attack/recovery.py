"""Recovery: how near an attacker who has no other table comes to the perturbed numbers.

Four attackers try, from the released values and the matrices alone: spectral filtering
(`spectral`), principal components and Bayes' estimate (`derived`), and least squares (`linear`).
A release is called immune only if none of them is nearer than naming the mean, in any column: an
attacker who reads one column need not be good at all. Who has a table of similar people is next
door, in `bayes`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Booleans, Floats
from privet.attack.clues import Sought, law_of, numbers_of, sought_in
from privet.attack.derived import by_bayes_estimate, by_principal_components
from privet.attack.drawn_again import Trial, drawn_again
from privet.attack.linear import guess_numbers
from privet.attack.spectral import spectral_filter
from privet.errors import UsageError
from privet.randomness import Seed

_WORTH_NAMING = 0.99  # an error above this share of that of naming the mean is no recovery


@dataclass(frozen=True)
class NumbersRecovered:
    """Errors of each attacker by column, in shares of the column's spread.

    Naming the mean of a column has 1, so an error from 1 upwards is worth nothing.
    """

    records: int
    errors: Mapping[str, Mapping[str, float]]

    def error_of(self, attacker: str) -> float:
        """Over all columns, as a root mean square."""
        return float(np.sqrt(np.mean(np.square(list(self.errors[attacker].values())))))

    @property
    def strongest(self) -> str:
        return min(self.errors, key=self.error_of)

    @property
    def nearest(self) -> tuple[str, str]:
        """The attacker and the column of the smallest error of all."""
        pairs = [(attacker, column) for attacker in self.errors for column in self.errors[attacker]]
        return min(pairs, key=lambda pair: self.errors[pair[0]][pair[1]])

    @property
    def immune(self) -> bool:
        """Whether no attacker is nearer than naming the mean, in any column."""
        attacker, column = self.nearest
        return self.errors[attacker][column] > _WORTH_NAMING

    def to_data(self) -> dict[str, Any]:
        attacker, column = self.nearest
        return {
            "attack": "recovery",
            "records": self.records,
            "errors": {name: self.error_of(name) for name in self.errors},
            "strongest": self.strongest,
            "nearest": {"attacker": attacker, "column": column},
            "immune": self.immune,
            "columns": {name: dict(columns) for name, columns in self.errors.items()},
        }

    def sentences(self) -> list[str]:
        """The finding, for people."""
        said = [f"{_in_words(name)} {self.error_of(name):.3f}" for name in self.errors]
        lines = [
            "Errors of the numbers, in shares of their spread (naming each mean has 1): "
            + ", ".join(said)
            + "."
        ]
        if self.immune:
            lines.append(
                "Immune to these: in no column does one come nearer than naming the mean. Who has "
                "a table of similar people may: try `privet attack bayes`."
            )
            return lines
        attacker, column = self.nearest
        overall, least = self.error_of(self.strongest), self.errors[attacker][column]
        over_all = (
            f"the strongest ({_in_words(self.strongest)}) comes {1 - overall:.1%} nearer than "
            "naming each mean"
            if overall <= _WORTH_NAMING
            else "none comes nearer than naming each mean over all columns"
        )
        lines.append(
            f"Not immune: {over_all}, and {_in_words(attacker)} {1 - least:.1%} nearer for "
            f"{column}. It needs nothing but the release."
        )
        return lines


def attack_by_recovery(
    release: Any,
    *,
    original: Any,
    seed: Seed = None,
    missing: "list[str] | tuple[str, ...]" = (),
) -> NumbersRecovered:
    """Recover perturbed numbers by all ways that need nothing but the release, and score them.

    `release` is a release by random substitution, its folder or its mechanism file. The original
    is drawn again by its matrices, so that whose each record is is known.

    >>> people = {"age": list(range(20, 80)) * 3, "pay": [9 * age for age in range(20, 80)] * 3}
    >>> release = privet.substitute(people, gamma=50, bins=6, domain_from_data=True)
    >>> privet.attack.by_recovery(release, original=people, seed=1).immune
    False
    """
    trial = drawn_again(release, original, seed, missing)
    guessed = guess_numbers(trial.released, trial.mechanism)
    if guessed is None:
        raise UsageError(
            "Numbers are recovered from two records on, in columns of numbers that were perturbed "
            "and have few enough combinations to be weighed.",
            "`privet attack bayes` tries columns of categories as well.",
        )
    sought = sought_in(trial.mechanism)
    released, scales, noise = _as_additive(trial, sought)
    scaled, variances = released / scales, noise / scales**2
    found = {
        "as_released": released,
        "spectrum": spectral_filter(scaled, float(variances.mean())) * scales,
        "principal_components": by_principal_components(scaled, variances) * scales,
        "bayes_estimate": by_bayes_estimate(scaled, variances) * scales,
        "linear": _in_units(sought, guessed.values),
    }
    truth, there = _truth(trial, sought)
    names = [one.name for one in sought]
    scored = {
        name: dict(zip(names, _errors(guesses, truth, there), strict=True))
        for name, guesses in found.items()
    }
    return NumbersRecovered(trial.truth.n_rows, scored)


def _in_words(attacker: str) -> str:
    return attacker.replace("_", " ")


def _as_additive(trial: Trial, sought: list[Sought]) -> tuple[Floats, Floats, Floats]:
    """Released numbers as if noise had been added, with estimated spreads and noise variances: all
    in the units of their columns, as errors are shares of a column's spread."""
    released, scales, noise = [], [], []
    blocks = trial.mechanism.blocks
    for one in sought:
        block = blocks[one.block]
        outcomes = block.encode(trial.released)
        law, values = law_of(block, outcomes), one.values
        means, squares = block.matrix.expected(values), block.matrix.expected(values**2)
        released.append(values[outcomes])
        scales.append(np.sqrt(law @ (values - law @ values) ** 2))
        noise.append(law @ (squares - 2 * values * means + values**2))
    spreads = np.array(scales)
    spreads[spreads == 0] = 1.0  # all originals look alike: nothing to be scaled
    return np.stack(released, axis=1), spreads, np.array(noise)


def _in_units(sought: list[Sought], numbers: Floats) -> Floats:
    columns = zip(sought, numbers.T, strict=True)
    return np.stack([one.units.inside(column) for one, column in columns], axis=1)


def _truth(trial: Trial, sought: list[Sought]) -> tuple[Floats, Booleans]:
    """The original numbers in the units of their columns, and which are there."""
    values, there = [], []
    for one in sought:
        column = trial.truth[one.name]
        numbers = numbers_of(column.domain)
        codes = column.codes
        is_there = np.ones(len(codes), dtype=bool)
        if column.domain.missing:
            is_there = codes != column.domain.missing_code
        values.append(np.zeros(len(codes)) if numbers is None else numbers[codes])
        there.append(is_there)
    return _in_units(sought, np.stack(values, axis=1)), np.stack(there, axis=1)


def _errors(guesses: Floats, truth: Floats, there: Booleans) -> list[float]:
    """Root mean square errors over the standard deviation, column by column."""
    found = []
    for guess, true, own in zip(guesses.T, truth.T, there.T, strict=True):
        spread = true[own].std() if own.any() else 0.0
        error = np.sqrt(((guess[own] - true[own]) ** 2).mean()) if own.any() else 0.0
        found.append(float(error / spread) if spread else 1.0)
    return found
