"""A trial for attacks on substitution: the originals drawn again by the matrices of a release.

The records of a release are sorted, so nobody can say which guess belongs to whom. The owner can
draw the original table again by the same public matrices and knows then whose each record is. The
law is the same, so what an attack finds there is what it finds in the release.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.documents import json_of
from privet.errors import UnknownColumn, UsageError, param
from privet.files import as_table, names_in
from privet.mechanism.substitution import METHOD_NAME, Substitution
from privet.randomness import Seed, seed_of
from privet.release import Release
from privet.release.layout import MECHANISM
from privet.table import Table


@dataclass(frozen=True, eq=False)
class Trial:
    """What the attacker sees, and the truth in the same order."""

    mechanism: Substitution
    released: Table
    truth: Table


def mechanism_of(release: Any) -> Substitution:
    """The matrices of a release, its folder, a mechanism file, or as they are."""
    if isinstance(release, Substitution):
        return release
    if isinstance(release, Release):
        if release.manifest.method.get("name") != METHOD_NAME or MECHANISM not in release.files:
            raise UsageError(
                "The values of this release were not drawn by matrices.",
                "attack a release that `privet substitute` made.",
            )
        return Substitution.from_data(json_of(release.files[MECHANISM], MECHANISM))
    place = Path(os.fspath(release))
    if place.is_dir() and not (place / MECHANISM).exists():
        raise UsageError(
            f"The folder {place.name} has no {MECHANISM}: its values were not drawn at random.",
            "attack a release that `privet substitute` made.",
        )
    return Substitution.read(place / MECHANISM if place.is_dir() else place)


def drawn_again(
    release: Any, original: Any, seed: Seed = None, missing: Sequence[str] = ()
) -> Trial:
    """The original table drawn by the matrices of a release."""
    mechanism = mechanism_of(release)
    truth = read_as_drawn(original, mechanism, missing, "original")
    return Trial(mechanism, mechanism.drawn(truth, seed_of(seed)), truth)


def read_as_drawn(
    given: Any, mechanism: Substitution, missing: Sequence[str], called: str
) -> Table:
    """A table of people, its columns of the kinds that the matrices are made for."""
    known = names_in(given)
    for name in mechanism.columns:
        if name not in known:
            raise UnknownColumn(name, known, where=f"the mechanism, not in {param(called)}")
    kinds = {d.column: d.shown.kind for block in mechanism.blocks for d in block.domains}
    wanted = [n for n in known if n in kinds or n in mechanism.unchanged]
    return as_table(given, kinds=kinds, missing=missing, columns=wanted)
