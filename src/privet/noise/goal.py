"""A goal for noise: how many people an intruder may find again, and the settings to try for it.

Settings are tried from those that were asked to stronger ones: everybody takes part, deviations
grow, leaves get fewer. `privet.noise_pipeline` draws and asks the intruder.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from privet.errors import InvalidParameter, param
from privet.mechanism.noise_laws import MOST_SD
from privet.noise.settings import NoiseSettings
from privet.tree.natural import NoiseTreeSettings

_FORM = re.compile(r"found\s*<=\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)")
_DEVIATIONS = (1.0, 1.5, 2.0, 3.0)
_LARGER = (6.0, 12.0, 36.0)  # tried last, with the fewest leaves
_LEAVES = (None, 16, 8, 4, 2)


@dataclass(frozen=True)
class Goal:
    """At most this share of the people found again by the intruder."""

    share: float

    @classmethod
    def of(cls, text: str) -> "Goal":
        """From "found<=10%" or "found<=0.1"."""
        form = _FORM.fullmatch(text.strip())
        share = -1.0 if form is None else float(form[1]) / (100 if form[2] else 1)
        if not 0 <= share <= 1:
            raise InvalidParameter(
                param("goal"), "found<= and a share", text, "for a tenth write found<=10%."
            )
        return cls(share)

    def __str__(self) -> str:
        return f"found<={100 * self.share:g}%"


def settings_to_try(asked: NoiseSettings) -> Iterator[NoiseSettings]:
    """What was asked, then more and more noise, then the same with fewer leaves, and at last so
    much noise that little is left of the numbers off the path."""
    trees = asked.trees
    for leaves in _LEAVES:
        if leaves is not None:
            if trees.leaves is not None and trees.leaves <= leaves:
                continue
            trees = replace(trees, leaves=leaves)
        for times in _DEVIATIONS if asked.innocent is not None else (1.0,):
            all_take_part = leaves is not None or times > 1
            yield _stronger(asked, trees, times, 1.0 if all_take_part else asked.participation)
    for times in _LARGER:
        if asked.innocent is not None and asked.innocent * _DEVIATIONS[-1] < MOST_SD:
            yield _stronger(asked, trees, times, 1.0)


def _stronger(
    asked: NoiseSettings, trees: NoiseTreeSettings, times: float, participation: float
) -> NoiseSettings:
    return replace(
        asked,
        innocent=None if asked.innocent is None else min(asked.innocent * times, MOST_SD),
        influential_sd=min(asked.influential_sd * times, MOST_SD),
        participation=participation,
        trees=trees,
    )


def in_words(settings: NoiseSettings) -> str:
    """The settings that a goal may choose."""
    deviation = "none" if settings.innocent is None else f"{settings.innocent:.3g}"
    leaves = "any" if settings.trees.leaves is None else str(settings.trees.leaves)
    return (
        f"{param('innocent')} {deviation}, {param('leaves')} {leaves}, "
        f"{param('participation')} {settings.participation:g}"
    )


def what_else(settings: NoiseSettings) -> str:
    """What to do where none of the settings to try will do: noise relative to a value leaves small
    ones where they are, and values that stay tell people apart."""
    small_stay = settings.relative_to == "value" and settings.law != "correlated"
    of_column = f"make deviations a share of the column's own ({param('relative_to', 'column')}), "
    return (
        f"{of_column if small_stay and settings.innocent is not None else ''}release fewer columns "
        f"({param('drop')}), or ask for less."
    )
