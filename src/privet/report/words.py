"""Figures and roles in plain words.

A figure that promises something is rounded to the safe side: an l down, a t and a chance up, so
that no page says more than what holds. `summary` next door counts the figures.
"""

import math
from typing import Any

from privet.release.checks import SAME_TREE
from privet.release.claims.figures import (
    CLASSES,
    GUESSED,
    K_WITH_TARGET,
    ONE_CLASS,
    ONE_CLASS_RECORDS,
    ORIGINAL_TREE,
    RECORDS,
    K,
    L,
    T,
)
from privet.release.claims.rich import MARGIN, WITHIN_LEAVES
from privet.release.columns import AGGREGATED_WITHOUT_A_TREE, TREATMENT_MEANINGS
from privet.release.manifest import Claim
from privet.words import count

ROLES = {
    "quasi": "quasi-identifier",
    "sensitive": "sensitive",
    "target": "target",
    "other": "other",
}
_ROLE_MEANINGS = {
    "quasi": "An attacker may know it of a person. k-anonymity is about these columns together.",
    "sensitive": "Nobody should learn it of a person.",
    "target": "What models predict. It is released as it is.",
    "other": "Released because the publisher asked for it, and counted in no claim.",
}
_CLAIMS = {
    RECORDS: "Records",
    CLASSES: "Equivalence classes",
    K: "k-anonymity",
    K_WITH_TARGET: "k-anonymity, the target known as well",
    ONE_CLASS: "Equivalence classes with one target value only",
    ONE_CLASS_RECORDS: "Records in such equivalence classes",
    GUESSED: "Largest share of one target value in an equivalence class",
    L: "l-diversity",
    T: "t-closeness",
    SAME_TREE: "The same tree grows again from the data",
    MARGIN: "Least lead of a split over its best rival",
    WITHIN_LEAVES: "Every equivalence class lies inside one leaf",
    ORIGINAL_TREE: "It is the tree of the original table",
}
__all__ = ["count"]  # for the templates
_EXACT = 1e-9  # a figure this near to a short decimal is that decimal


def role_meaning(role: str, has_tree: bool) -> str:
    """What a role means to the reader of a release."""
    meaning = _ROLE_MEANINGS.get(role, "")
    return meaning.replace("models predict", "the tree predicts") if has_tree else meaning


def treatment_meaning(treatment: str, has_tree: bool) -> str:
    """What became of columns, in a sentence or two."""
    if treatment == "aggregated" and not has_tree:
        return AGGREGATED_WITHOUT_A_TREE
    usual = "See the documentation of the publishing method."
    return TREATMENT_MEANINGS.get(treatment, usual)


def at_least(figure: float, digits: int = 3) -> str:
    """A figure rounded down."""
    return _decimal(math.floor(figure * 10**digits + _EXACT), digits)


def at_most(figure: float, digits: int = 3) -> str:
    """A figure rounded up."""
    return _decimal(math.ceil(figure * 10**digits - _EXACT), digits)


def chance(share: float) -> str:
    """A chance as a percentage, rounded up."""
    return at_most(share * 100, 1 if 0.01 <= share <= 0.99 else 3) + " %"


def guess(share: float) -> str:
    """The chance of a guess in the worst equivalence class."""
    return "certain for some" if share == 1 else f"at most {chance(share)}"


def one_in(size: int) -> str:
    """`1 in 25 (4 %)`."""
    return "certain for some" if size == 1 else f"1 in {size:,} ({chance(1 / size)})"


def share_of(part: int, whole: int) -> str:
    """A plain percentage, rounded to the nearest."""
    return f"{part / whole * 100:.1f} %"


def claim_title(claim: Claim) -> str:
    """What a claim is about, for people; a claim of an unknown name keeps that name."""
    title = _CLAIMS.get(claim.name, claim.name)
    column, kind = claim.parameters.get("column"), claim.parameters.get("kind")
    return title + (f" ({kind})" if kind else "") + (f" of {column}" if column else "")


def claim_figure(claim: Claim, figure: Any) -> str:
    """What was asked for or measured; what was measured is rounded so that the claim holds."""
    if figure is None:
        return "–"
    if isinstance(figure, bool):
        return "yes" if figure else "no"
    if isinstance(figure, int):
        return f"{figure:,}"
    if isinstance(figure, float) and math.isfinite(figure):
        if figure == claim.claimed:
            return f"{figure:.15g}"
        if claim.name == GUESSED:  # a risk; near 1 every digit counts
            return at_most(figure, 5)
        return at_most(figure) if claim.name == T else at_least(figure)
    return str(figure)


def _decimal(units: int, digits: int) -> str:
    text = f"{units / 10**digits:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
