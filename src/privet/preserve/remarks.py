"""What a steward should know of any release by equivalence classes, with a tree or without."""

from collections.abc import Iterator, Sequence

from privet.errors import param
from privet.preserve.privacy import PrivacySettings
from privet.release.claims.figures import Figures


def on_one_class(figures: Figures) -> Iterator[str]:
    """Equivalence classes that tell the target of everybody in them."""
    for target, told in figures.told.items():
        one_class = told.one_class
        if one_class:
            hold = "class holds" if one_class == 1 else "classes hold"
            which = "target value" if len(figures.told) == 1 else f"value of {target}"
            yield (
                f"{one_class} equivalence {hold} one {which} only: who is known to be in "
                f"{'it' if one_class == 1 else 'one of them'} has that value disclosed."
            )


def on_sensitive(columns: Sequence[str], settings: PrivacySettings) -> Iterator[str]:
    """What became of sensitive columns of which neither l nor t was asked."""
    if not columns:
        return
    names = ", ".join(columns)
    if not settings.shows_sensitive:
        yield (
            f"Suppressed, since neither l nor t was asked for: {names}. Ask for one of them and "
            f"the column is released as it is; {param('release_sensitive', True)} releases it in "
            "any case."
        )
    elif not settings.asks_of_sensitive:
        yield f"Released without l or t: nothing bounds how surely {names} can be guessed."
    elif settings.target_known:
        yield (
            f"l and t of {names} are judged without the target: who knows it as well may guess "
            "them more surely."
        )
