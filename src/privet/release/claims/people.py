"""What a release claims of people, where a person has several records: attested, for no release
shows whose records they are. What the files rule out is found all the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from privet.criteria.people import K_PEOPLE, KINDS_OF_PEOPLE, L_PEOPLE, T_PEOPLE
from privet.release.checks import Check
from privet.release.claims.figures import ClassFigures
from privet.release.claims.levels import is_level
from privet.release.manifest import Claim, Manifest, canonical
from privet.schema import Role

ONE_CLASS_PEOPLE, GUESSED_PEOPLE = "one-class-people", "target-guessed-people"
PEOPLE = (K_PEOPLE, L_PEOPLE, T_PEOPLE, ONE_CLASS_PEOPLE, GUESSED_PEOPLE)


class OfPeople(Protocol):
    """Figures of people: k, l and t by column, and what classes tell of each target."""

    @property
    def k(self) -> int: ...
    @property
    def l(self) -> Mapping[str, Any]: ...  # noqa: E743
    @property
    def t(self) -> Mapping[str, Any]: ...
    @property
    def one_class(self) -> Mapping[str, int]: ...
    @property
    def guessed(self) -> Mapping[str, float]: ...


def attested_people(
    claim: Claim, manifest: Manifest, figures: ClassFigures, shown: Sequence[str]
) -> Check:
    """A claim about people: said in known words, and not more than the records allow."""
    column = claim.parameters.get("column")
    title = f"{claim.name} of {column}" if column else claim.name
    if claim.checkable != "attested":
        return Check(title, "no", "the files do not show this")
    if claim.name in (L_PEOPLE, T_PEOPLE):
        wrong = _wrong_of_sensitive(claim, manifest, figures, shown)
    else:
        wrong = _wrong_of_classes(claim, manifest, figures)
    return Check(title, "no", wrong) if wrong else Check(title, "attested", _said(claim))


def _wrong_of_classes(claim: Claim, manifest: Manifest, figures: ClassFigures) -> str:
    """Classes have no more people than records, and shares lie between 0 and 1."""
    targets = manifest.schema.names(Role.TARGET)
    about: dict[str, Any] = {"quasi": list(manifest.schema.quasi)}
    if claim.name != K_PEOPLE and len(targets) > 1 and claim.parameters.get("column") in targets:
        about["column"] = claim.parameters["column"]
    if canonical(dict(claim.parameters)) != canonical(about):
        return "it speaks of other columns than the schema does"
    if claim.name != K_PEOPLE:
        fits = claim.claimed is None and _can_be_told(claim, figures)
        return "" if fits else "there are not so many people"
    found = claim.measured
    sound = type(found) is int and 1 <= found <= figures.k
    asked = claim.claimed is None or (is_level(claim) and claim.claimed <= found)
    return "" if sound and asked else "no equivalence class can have so many people"


def _can_be_told(claim: Claim, figures: ClassFigures) -> bool:
    """People are no more than records, and a share lies between 0 and 1."""
    found = claim.measured
    if claim.name == GUESSED_PEOPLE:
        return type(found) is float and 0 < found <= 1
    return type(found) is int and 0 <= found <= figures.records


def _wrong_of_sensitive(
    claim: Claim, manifest: Manifest, figures: ClassFigures, shown: Sequence[str]
) -> str:
    """l is no more than the people of a class, and a figure is told of shown columns alone."""
    column, kind = claim.parameters.get("column"), claim.parameters.get("kind")
    about = {"column": column, "kind": kind} if claim.name == L_PEOPLE else {"column": column}
    known = claim.name == T_PEOPLE or kind in KINDS_OF_PEOPLE
    if dict(claim.parameters) != about or not known or column not in manifest.schema.sensitive:
        return "it is not said in known words what is attested"
    if not is_level(claim):
        return "nobody can have asked for that"
    if claim.name == L_PEOPLE and claim.claimed > figures.k:
        return "no column can be so diverse among so few people"
    if column in shown:
        return "" if _is_reached(claim) else "the attested figure is short of what is claimed"
    hidden = claim.measured is None
    return "" if hidden else "of a hidden column only the level asked for is attested"


def _is_reached(claim: Claim) -> bool:
    found = claim.measured
    if isinstance(found, bool) or not isinstance(found, int | float) or not found >= 0:
        return False
    return bool(found >= claim.claimed if claim.name == L_PEOPLE else found <= claim.claimed)


def _said(claim: Claim) -> str:
    if claim.name == K_PEOPLE:
        return f"{claim.measured} people at least in every equivalence class"
    if claim.name == ONE_CLASS_PEOPLE:
        return f"{claim.measured} people are in classes where all have one target value"
    if claim.name == GUESSED_PEOPLE:
        return f"up to {claim.measured:.6g} of the people of a class have one target value"
    side = "at least" if claim.name == L_PEOPLE else "at most"
    found = "" if claim.measured is None else f"{claim.measured:.6g}, "
    return f"{found}{side} {claim.claimed} was asked for"
