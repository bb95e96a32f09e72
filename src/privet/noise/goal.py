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

_FORM = re.compile(r"found\s*<=\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)")
_DEVIATIONS = (1.0, 1.5, 2.0, 3.0)
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
    """What was asked, then more and more noise, then the same with fewer leaves."""
    for leaves in _LEAVES:
        trees = asked.trees
        if leaves is not None:
            if trees.leaves is not None and trees.leaves <= leaves:
                continue
            trees = replace(trees, leaves=leaves)
        for times in _DEVIATIONS:
            innocent = asked.innocent
            if innocent is not None:
                innocent = min(innocent * times, MOST_SD)
            elif times > 1:
                continue
            yield replace(
                asked,
                innocent=innocent,
                influential_sd=min(asked.influential_sd * times, MOST_SD),
                participation=asked.participation if leaves is None and times == 1 else 1.0,
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
