"""Scripts by which those who have no Privet grow the trees of a release again.

A release whose trees an outside program grows carries one: `with_sklearn` has the text of regrow.py
(pandas and scikit-learn), `with_rpart` that of regrow.R (R with rpart). Only numbers and known
words are filled in, so a script cannot say what somebody wrote into a column. `verify` makes it
again and compares it byte for byte, since people will run it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from privet.release.regrow import with_rpart, with_sklearn
from privet.tree.model import Tree

GROWN_BY = "grown_by"  # in the manifest's method
SCRIPTS = {"sklearn": "regrow.py", "rpart": "regrow.R"}


def grown_by(program: str, seeds: Sequence[int], ties: Sequence[str]) -> dict[str, Any]:
    """What the manifest says of the program that grows the same trees, or of ties that flip."""
    told: dict[str, Any] = {"program": program}
    if ties:
        return told | {"ties": list(ties)}
    return told | ({"random_states": list(seeds)} if program == "sklearn" else {})


def is_sound(told: Any, trees: int) -> bool:
    """Whether the manifest says it in known words."""
    if not isinstance(told, Mapping) or told.get("program") not in ("sklearn", "rpart", "j48"):
        return False
    if "ties" in told:
        ties = told["ties"]
        listed = isinstance(ties, list) and 0 < len(ties) <= trees
        return set(told) == {"program", "ties"} and listed and all(isinstance(t, str) for t in ties)
    if told["program"] != "sklearn":
        return set(told) == {"program"}
    seeds = told.get("random_states")
    whole = isinstance(seeds, list) and len(seeds) == trees
    return set(told) == {"program", "random_states"} and whole and all(map(_is_seed, seeds or ()))


def _is_seed(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


def scripts(method: Mapping[str, Any], trees: Sequence[Tree]) -> dict[str, str]:
    """The script that a release has, by its name; none where no outside program was asked, or
    where a tie falls otherwise there."""
    told = method.get(GROWN_BY)
    if not is_sound(told, len(trees)) or told is None or "ties" in told:
        return {}
    if told["program"] == "sklearn":
        return {SCRIPTS["sklearn"]: with_sklearn.script(trees, told["random_states"])}
    return {SCRIPTS["rpart"]: with_rpart.script(trees)} if told["program"] == "rpart" else {}


def seed_of(method: Mapping[str, Any], tree: int, trees: int) -> int:
    """The random_state with which scikit-learn grows a tree, counted from 1; 0 if none is told."""
    told = method.get(GROWN_BY)
    if told is None or not is_sound(told, trees) or "random_states" not in told:
        return 0
    return int(told["random_states"][tree - 1])
